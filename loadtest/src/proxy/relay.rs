//! Moves bytes between sockets through links. What happens to them is the links' business.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet, yield_now},
    time::{Instant, sleep, sleep_until},
};

use super::{Direction, Faults, Link, Order, Piece};

/// Connections at a time. More are reset at once.
pub const CONNECTIONS_MAX: usize = 256;

/// Bytes read at once.
const READ_BYTES_MAX: usize = 16 * 1024;

/// Pause after a connection could not be accepted, for want of file descriptors say.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How a proxy is set up.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Where it listens; port 0 means any.
    pub listen: SocketAddr,
    /// The server behind it, as `host:port`.
    pub to: String,
    /// Everything that happens at random follows from this, and from the number of the connection.
    pub seed: u64,
    /// What goes wrong on the way to the server.
    pub up: Faults,
    /// What goes wrong on the way back.
    pub down: Faults,
}

impl Setup {
    /// A faultless link to this server on a free port of this machine.
    #[must_use]
    pub fn to(server: impl ToString) -> Self {
        let listen = (Ipv4Addr::LOCALHOST, 0).into();
        Self { listen, to: server.to_string(), seed: 1, up: Faults::default(), down: Faults::default() }
    }
}

/// A running proxy. It ends, and resets what it carries, when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    wishes: watch::Sender<Wishes>,
    tally: Arc<Tally>,
    accepting: JoinHandle<()>,
}

/// What a proxy has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Connections that were taken.
    pub connections: u64,
    /// Connections that were reset at once: the link was cut, or there were too many.
    pub refused: u64,
    /// Bytes that were made others.
    pub corrupted: u64,
    /// Bytes that came after a half-close.
    pub swallowed: u64,
}

#[derive(Debug, Default)]
struct Tally {
    connections: AtomicU64,
    refused: AtomicU64,
    corrupted: AtomicU64,
    swallowed: AtomicU64,
}

/// What was asked so far. A connection compares it with what had been asked when it began, so no order needs a queue.
#[derive(Clone, Copy, Debug, Default)]
struct Wishes {
    is_cut: bool,
    is_stalled: bool,
    resets: u64,
    /// By direction.
    half_closes: [u64; 2],
    corruptions: [u64; 2],
}

impl Proxy {
    /// Begins to listen.
    ///
    /// # Errors
    /// The address cannot be listened at.
    pub async fn start(setup: Setup) -> io::Result<Self> {
        let listener = TcpListener::bind(setup.listen).await?;
        let address = listener.local_addr()?;
        let (wishes, heard) = watch::channel(Wishes::default());
        let tally = Arc::new(Tally::default());
        let accepting = tokio::spawn(accept(listener, setup, heard, tally.clone()));
        Ok(Self { address, wishes, tally, accepting })
    }

    /// Where to connect.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Does what is asked to all connections there are.
    pub fn order(&self, order: Order) {
        self.wishes.send_modify(|wishes| wishes.obey(order));
    }

    /// What it has done so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts {
            connections: self.tally.connections.load(Relaxed),
            refused: self.tally.refused.load(Relaxed),
            corrupted: self.tally.corrupted.load(Relaxed),
            swallowed: self.tally.swallowed.load(Relaxed),
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

impl Wishes {
    fn obey(&mut self, order: Order) {
        match order {
            Order::Cut => {
                self.is_cut = true;
                self.resets += 1;
            }
            Order::Reset => self.resets += 1,
            Order::Stall => self.is_stalled = true,
            Order::Mend => (self.is_cut, self.is_stalled) = (false, false),
            Order::HalfClose(direction) => self.half_closes[direction as usize] += 1,
            Order::Corrupt(direction) => self.corruptions[direction as usize] += 1,
        }
    }
}

async fn accept(listener: TcpListener, setup: Setup, mut wishes: watch::Receiver<Wishes>, tally: Arc<Tally>) {
    // Dropped with this task, and its connections with it.
    let mut open = JoinSet::new();
    for number in 0.. {
        let client = loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((client, _)) => break client,
                    Err(_) => sleep(ACCEPT_PAUSE).await,
                },
                Some(_) = open.join_next() => {}
            }
        };
        let known = *wishes.borrow_and_update();
        if known.is_cut || open.len() >= CONNECTIONS_MAX {
            tally.refused.fetch_add(1, Relaxed);
            reset(&client);
            continue;
        }
        tally.connections.fetch_add(1, Relaxed);
        // Any two numbers give seeds that have nothing to do with each other.
        let seed =
            |direction: Direction| setup.seed ^ (number << 1 | direction as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let up = Link::new(setup.up, seed(Direction::Up));
        let down = Link::new(setup.down, seed(Direction::Down));
        let connection = Connection { known, wishes: wishes.clone(), tally: tally.clone(), started: Instant::now() };
        open.spawn(connection.run(client, setup.to.clone(), up, down));
    }
}

/// What both directions of a connection share.
struct Connection {
    /// What had been asked when it began.
    known: Wishes,
    wishes: watch::Receiver<Wishes>,
    tally: Arc<Tally>,
    started: Instant,
}

impl Connection {
    async fn run(self, mut client: TcpStream, to: String, mut up: Link, mut down: Link) {
        let Ok(mut server) = TcpStream::connect(to).await else { return reset(&client) };
        let mut resets = self.wishes.clone();
        let is_over = {
            let (from_client, to_client) = client.split();
            let (from_server, to_server) = server.split();
            let both = async {
                tokio::try_join!(
                    self.carry(Direction::Up, from_client, to_server, &mut up),
                    self.carry(Direction::Down, from_server, to_client, &mut down),
                )
            };
            tokio::select! {
                carried = both => carried.is_ok(),
                _ = resets.wait_for(|wishes| wishes.resets != self.known.resets) => false,
            }
        };
        if !is_over {
            reset(&client);
            reset(&server);
        }
    }

    /// Carries one direction to its end.
    async fn carry(
        &self,
        direction: Direction,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWrite + Unpin,
        link: &mut Link,
    ) -> io::Result<()> {
        let mut wishes = self.wishes.clone();
        let mut known = self.known;
        let mut buffer = vec![0; READ_BYTES_MAX];
        let mut piece = Vec::new();
        let mut is_read = true;
        link.hold(known.is_stalled);
        while is_read || !link.is_over() {
            match link.pop(self.started.elapsed(), &mut piece) {
                Some(Piece::Bytes) => {
                    to.write_all(&piece).await?;
                    // The reader gets a chance to see the piece by itself.
                    yield_now().await;
                    continue;
                }
                Some(Piece::End) => {
                    to.shutdown().await?;
                    continue;
                }
                None => {}
            }
            let room = link.room().min(buffer.len());
            let due = link.due().map(|due| self.started + due);
            tokio::select! {
                // Orders first.
                biased;
                changed = wishes.changed() => {
                    changed.map_err(|_| io::ErrorKind::ConnectionAborted)?;
                    let asked = *wishes.borrow_and_update();
                    let at = direction as usize;
                    link.hold(asked.is_stalled);
                    link.corrupt(asked.corruptions[at] - known.corruptions[at]);
                    if asked.half_closes[at] != known.half_closes[at] {
                        link.end(self.started.elapsed());
                    }
                    known = asked;
                }
                read = from.read(&mut buffer[..room]), if is_read && room > 0 => {
                    let bytes = &buffer[..read?];
                    is_read = !bytes.is_empty();
                    if is_read {
                        self.push(link, bytes);
                    } else {
                        link.end(self.started.elapsed());
                    }
                }
                () = sleep_until(due.unwrap_or(self.started)), if due.is_some() => {}
            }
        }
        Ok(())
    }

    fn push(&self, link: &mut Link, bytes: &[u8]) {
        let (corrupted, swallowed) = (link.corrupted(), link.swallowed());
        link.push(bytes, self.started.elapsed());
        self.tally.corrupted.fetch_add(link.corrupted() - corrupted, Relaxed);
        self.tally.swallowed.fetch_add(link.swallowed() - swallowed, Relaxed);
    }
}

/// Makes the socket say nothing but RST when it is dropped.
fn reset(socket: &TcpStream) {
    // A socket that is dead already needs none.
    _ = socket.set_zero_linger();
}
