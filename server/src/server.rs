//! The whole server.

use std::{
    io,
    net::{SocketAddr, TcpListener},
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use anyhow::Context as _;
use axum::Router;
use tokio::runtime::Builder;

use crate::{
    agents,
    config::Config,
    directory::Directory,
    matches::{Games, Uptime, WorkerHandle, WorkerParts},
    metrics::Metrics,
    moderation::moderate,
    net::{self, ByteCounters, Manners},
    ops,
    play::{self, ContractAddress},
    priority,
    shutdown::Shutdown,
    steward,
    tickets::{self, Tickets, wall_clock_ms},
};

/// Most connections to the ops listener.
const OPS_CONNECTIONS_MAX: usize = 64;

/// A request's head must reach the ops listener within this time.
const OPS_HEAD_TIMEOUT: Duration = Duration::from_secs(5);

/// The three bound sockets.
#[derive(Debug)]
pub struct Listeners {
    /// Pages and their sockets.
    pub play: TcpListener,
    /// Agents' calls.
    pub contract: TcpListener,
    /// Health and metrics.
    pub ops: TcpListener,
}

impl Listeners {
    /// Binds three addresses.
    ///
    /// # Errors
    /// When one of them cannot be had; the message names it.
    pub fn bind(play: SocketAddr, contract: SocketAddr, ops: SocketAddr) -> anyhow::Result<Self> {
        let bind = |name: &str, address| {
            TcpListener::bind(address).with_context(|| format!("cannot listen on {address} for {name}"))
        };
        Ok(Self { play: bind("play", play)?, contract: bind("contract", contract)?, ops: bind("ops", ops)? })
    }
}

/// Runs the configured games until the order to stop.
///
/// # Errors
/// When the configuration is not legal, or threads and sockets cannot be had.
pub fn run(listeners: Listeners, config: &Config, shutdown: &Shutdown) -> anyhow::Result<()> {
    config.check()?;
    run_games(listeners, config, Games::configured(config)?, shutdown)
}

/// Runs matches of any games until the order to stop.
///
/// # Errors
/// When threads and sockets cannot be had.
pub fn run_games(listeners: Listeners, config: &Config, games: Games, shutdown: &Shutdown) -> anyhow::Result<()> {
    let metrics = Arc::new(Metrics::new());
    let uptime = Uptime::start();
    let (bury, gone) = mpsc::channel();
    let workers: Vec<_> = (0..config.matches.worker_threads()).map(|_| WorkerHandle::new(uptime)).collect();
    let mut worker_threads = Vec::new();
    for (at, worker) in workers.iter().enumerate() {
        let bury = bury.clone();
        let parts = WorkerParts {
            metrics: Arc::clone(&metrics),
            uptime,
            sleep_after_ms: config.matches.sleep_after_ms,
            realtime: config.matches.realtime,
            bury: Box::new(move |gone| drop(bury.send(gone))),
        };
        worker_threads.push(worker.start(format!("match-{at}"), parts)?);
    }
    drop(bury);
    let directory = Arc::new(Directory::new(
        games,
        config.matches.clone(),
        config.contract.clone(),
        workers.clone(),
        uptime,
        Arc::clone(&metrics),
    ));

    let contract = match config.contract.public_url.clone() {
        Some(url) => ContractAddress::Url(url),
        None => ContractAddress::Port(listeners.contract.local_addr()?.port()),
    };
    let served = thread::scope(|scope| {
        let house = (Arc::clone(&directory), Arc::clone(&metrics));
        scope.spawn(move || steward::keep_house(&house.0, &gone, &house.1));
        let paths = [
            play_path(listeners.play, contract, config, &directory, &metrics, shutdown),
            contract_path(listeners.contract, config, &directory, &metrics),
        ];
        let ops = ops_path(listeners.ops, config, &directory, &metrics, shutdown);
        // Operators see how it stops: they are served until nobody else is.
        let drained = Shutdown::new();
        let ops = scope.spawn({
            let (metrics, drained) = (&metrics, drained.clone());
            move || {
                let served = ops.serve(metrics, &drained);
                shutdown.begin();
                served
            }
        });
        let threads = paths.map(|path| scope.spawn(|| path.serve(&metrics, shutdown)));
        let [play, contract] = threads.map(|thread| thread.join().expect("a path does not panic"));
        drained.begin();
        let served = [play, contract, ops.join().expect("a path does not panic")];
        // The housekeeper goes when the last worker has gone.
        workers.iter().for_each(|worker| worker.stop());
        worker_threads.into_iter().for_each(|thread| drop(thread.join()));
        served
    });
    served.into_iter().collect()
}

/// A listener with the runtime that serves it. Paths share no thread, so that a crowd on one does not slow the others.
struct Path {
    listener: TcpListener,
    threads: usize,
    /// How often at most each of them is woken: once in this time.
    moderation: Duration,
    /// How far its threads step back behind match workers.
    steps_back: i32,
    manners: Manners,
    router: Router,
}

impl Path {
    fn serve(self, metrics: &Arc<Metrics>, shutdown: &Shutdown) -> anyhow::Result<()> {
        let result = self.serve_until_stopped(metrics, shutdown);
        // A path that could not start takes the others with it.
        shutdown.begin();
        result
    }

    fn serve_until_stopped(self, metrics: &Arc<Metrics>, shutdown: &Shutdown) -> anyhow::Result<()> {
        let Self { listener, threads, moderation, steps_back, manners, router } = self;
        let name = manners.name;
        // The runtime's threads begin where this one stands.
        priority::step_back(steps_back);
        let mut builder = Builder::new_multi_thread();
        moderate(&mut builder, moderation);
        let runtime = builder.worker_threads(threads).thread_name(name).enable_all().build()?;
        metrics.count_tasks(name, runtime.handle());
        runtime.block_on(async {
            let listener = into_tokio(listener).with_context(|| format!("cannot listen for {name}"))?;
            net::serve(listener, router, manners, Arc::clone(metrics), shutdown.clone()).await;
            anyhow::Ok(())
        })?;
        runtime.shutdown_timeout(Duration::from_millis(100));
        Ok(())
    }
}

fn play_path(
    listener: TcpListener,
    contract: ContractAddress,
    config: &Config,
    directory: &Arc<Directory>,
    metrics: &Arc<Metrics>,
    shutdown: &Shutdown,
) -> Path {
    let tickets = Arc::new(Tickets::new(&config.tickets.keys, wall_clock_ms()));
    let counter = tickets::endpoint::router(&config.tickets, Arc::clone(&tickets), Arc::clone(metrics));
    let play =
        play::router(&config.play, contract, Arc::clone(directory), tickets, Arc::clone(metrics), shutdown.clone());
    let router = play.merge(counter);
    let bytes = ByteCounters { read: metrics.play_bytes_in.clone(), written: metrics.play_bytes_out.clone() };
    Path {
        listener,
        threads: config.play.runtime_threads(),
        moderation: Duration::from_micros(config.play.moderation_us),
        steps_back: priority::PLAY,
        manners: Manners {
            name: "play",
            connections_max: config.play.connections_max,
            head_timeout: Duration::from_millis(config.play.head_timeout_ms),
            bytes: Some(bytes),
        },
        router,
    }
}

fn contract_path(listener: TcpListener, config: &Config, directory: &Arc<Directory>, metrics: &Arc<Metrics>) -> Path {
    Path {
        listener,
        threads: config.contract.threads,
        moderation: Duration::ZERO,
        steps_back: priority::CONTRACT,
        manners: Manners {
            name: "contract",
            connections_max: config.contract.connections_max,
            head_timeout: Duration::from_millis(config.contract.head_timeout_ms),
            bytes: None,
        },
        router: agents::router(&config.contract, Arc::clone(directory), Arc::clone(metrics)),
    }
}

fn ops_path(
    listener: TcpListener,
    config: &Config,
    directory: &Arc<Directory>,
    metrics: &Arc<Metrics>,
    shutdown: &Shutdown,
) -> Path {
    Path {
        listener,
        threads: 1,
        moderation: Duration::ZERO,
        steps_back: priority::CONTRACT,
        manners: Manners {
            name: "ops",
            connections_max: OPS_CONNECTIONS_MAX,
            head_timeout: OPS_HEAD_TIMEOUT,
            bytes: None,
        },
        router: ops::router(ops::Ops {
            directory: Arc::clone(directory),
            metrics: Arc::clone(metrics),
            shutdown: shutdown.clone(),
            worker_stall_ms: config.ops.worker_stall_ms,
        }),
    }
}

fn into_tokio(listener: TcpListener) -> io::Result<tokio::net::TcpListener> {
    listener.set_nonblocking(true)?;
    tokio::net::TcpListener::from_std(listener)
}
