//! `loadtest proxy`: a proxy that takes orders from its standard input.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, stdin},
    time::{Instant, sleep_until},
};

use super::{Faults, Order, Proxy, Scheduled, Setup};

/// What the command does, for its help.
pub const HELP: &str = "\
Stands between players and a server and does to the link what is asked.

FAULTS go wrong all the time: delay=MS, jitter=MS, rate=BYTES per second, slice=BYTES (pieces of one to so many), \
stall=MS/EVERY_MS, corrupt=BYTES (one byte in so many), separated by commas.

Orders happen at a moment: cut (reset all connections and new ones), reset, stall (carry nothing), mend (end a cut and \
a stall), half-close up|down, corrupt up|down. Each line of the standard input is an order, and is answered with a line \
of output that begins with \"done\" or \"error\"; the first line of output is \"ready http://ADDR/\".";

/// Longest line of orders. A longer one is no order.
const LINE_BYTES_MAX: u64 = 256;

/// How the proxy is set up.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Where to listen; port 0 means any.
    #[arg(long, default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// The server behind it, as HOST:PORT.
    #[arg(long)]
    to: String,
    /// Seed of everything that happens at random.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// What goes wrong each way.
    #[arg(long, value_name = "FAULTS", default_value = "")]
    both: Faults,
    /// What goes wrong on the way to the server, in place of `--both`.
    #[arg(long, value_name = "FAULTS")]
    up: Option<Faults>,
    /// What goes wrong on the way back, in place of `--both`.
    #[arg(long, value_name = "FAULTS")]
    down: Option<Faults>,
    /// An order for later, such as "5s cut". May be given more than once.
    #[arg(long, value_name = "TIME ORDER")]
    at: Vec<Scheduled>,
}

/// Runs a proxy until the process is ended.
///
/// # Errors
/// The address cannot be listened at.
pub async fn run(options: Options) -> anyhow::Result<()> {
    let Options { listen, to, seed, both, up, down, at: mut later } = options;
    let setup = Setup { listen, to, seed, up: up.unwrap_or(both), down: down.unwrap_or(both) };
    let proxy = Proxy::start(setup).await.with_context(|| format!("cannot listen at {listen}"))?;
    let started = Instant::now();
    // The next one is taken from the end.
    later.sort_by_key(|one| std::cmp::Reverse(one.after));
    println!("ready http://{}/", proxy.address());

    let mut input = BufReader::new(stdin());
    let mut is_heard = true;
    let mut line = Vec::new();
    loop {
        let due = later.last().map_or(started, |next| started + next.after);
        tokio::select! {
            () = sleep_until(due), if !later.is_empty() => {
                later.pop().into_iter().for_each(|next| obey(&proxy, next.order));
            }
            read = read_line(&mut input, &mut line), if is_heard => {
                // Where the input has ended there are no more orders, and everything else goes on.
                is_heard = read? > 0;
                if is_heard {
                    match String::from_utf8_lossy(&line).trim().parse() {
                        Ok(order) => obey(&proxy, order),
                        Err(error) => println!("error {error}"),
                    }
                }
                line.clear();
            }
            else => std::future::pending::<()>().await,
        }
    }
}

fn obey(proxy: &Proxy, order: Order) {
    proxy.order(order);
    println!("done {order}");
}

/// Reads to the end of a line, or as much of it as may be one. What a cancelled call has read stays in `line`.
async fn read_line(input: &mut (impl tokio::io::AsyncBufRead + Unpin), line: &mut Vec<u8>) -> std::io::Result<usize> {
    let room = LINE_BYTES_MAX.saturating_sub(line.len() as u64);
    input.take(room).read_until(b'\n', line).await
}
