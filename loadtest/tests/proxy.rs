//! The proxy between real sockets: what a sender and a receiver notice of each order.

use std::{io::ErrorKind, net::SocketAddr, time::Duration};

use loadtest::proxy::{CONNECTIONS_MAX, Direction, Order, Proxy, Setup};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::timeout,
};

/// A proxy, and the listener behind it.
struct Wire {
    listener: TcpListener,
    proxy: Proxy,
}

impl Wire {
    /// With these faults each way.
    async fn with(faults: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let setup = Setup::to(listener.local_addr().expect("an address"));
        let faults = faults.parse().expect("legal faults");
        let proxy = Proxy::start(Setup { up: faults, down: faults, ..setup }).await.expect("another free port");
        Self { listener, proxy }
    }

    /// Both ends of a new connection.
    async fn connect(&self) -> (TcpStream, TcpStream) {
        let client = TcpStream::connect(self.proxy.address()).await.expect("the proxy listens");
        let (server, _) = self.listener.accept().await.expect("the proxy connects");
        (client, server)
    }
}

async fn read(socket: &mut TcpStream, bytes: usize) -> Vec<u8> {
    let mut read = vec![0; bytes];
    socket.read_exact(&mut read).await.expect("so many bytes arrive");
    read
}

async fn says(socket: &mut TcpStream, bytes: &[u8]) {
    socket.write_all(bytes).await.expect("the socket is open");
}

/// How the stream ends: after so many more bytes, in peace or not.
async fn end(socket: &mut TcpStream) -> Result<usize, ErrorKind> {
    socket.read_to_end(&mut Vec::new()).await.map_err(|error| error.kind())
}

#[tokio::test]
async fn everything_arrives_both_ways_whatever_the_faults() {
    let wire = Wire::with("delay=2,jitter=2,rate=3000000,slice=7,stall=5/20").await;
    let (mut client, mut server) = wire.connect().await;
    let sent: Vec<u8> = (0..100_000_u32).map(|n| (n % 251) as u8).collect();
    let (down, up) = tokio::join!(
        async {
            says(&mut client, &sent).await;
            client.shutdown().await.expect("the socket is open");
            read(&mut client, sent.len()).await
        },
        async {
            says(&mut server, &sent).await;
            read(&mut server, sent.len()).await
        },
    );
    assert!(up == sent && down == sent);
    assert_eq!(end(&mut server).await, Ok(0));
    drop(server);
    assert_eq!(end(&mut client).await, Ok(0));
}

#[tokio::test]
async fn a_reset_is_one_for_both_ends() {
    let wire = Wire::with("").await;
    let (mut client, mut server) = wire.connect().await;
    says(&mut client, b"hello").await;
    read(&mut server, 5).await;
    wire.proxy.order(Order::Reset);
    assert_eq!(end(&mut client).await, Err(ErrorKind::ConnectionReset));
    assert_eq!(end(&mut server).await, Err(ErrorKind::ConnectionReset));
    // And the next connection is a good one.
    let (mut client, mut server) = wire.connect().await;
    says(&mut server, b"hello").await;
    assert_eq!(read(&mut client, 5).await, b"hello");
}

#[tokio::test]
async fn a_reset_comes_through_although_a_receiver_does_not_read() {
    let wire = Wire::with("").await;
    let (client, mut server) = wire.connect().await;
    // Until everything in between is full.
    while timeout(Duration::from_millis(200), says(&mut server, &[0; 65_536])).await.is_ok() {}
    wire.proxy.order(Order::Reset);
    assert_eq!(end(&mut server).await, Err(ErrorKind::ConnectionReset));
    drop(client);
}

#[tokio::test]
async fn while_cut_connections_are_reset_and_after_it_taken() {
    let wire = Wire::with("").await;
    let (mut client, _server) = wire.connect().await;
    wire.proxy.order(Order::Cut);
    assert_eq!(end(&mut client).await, Err(ErrorKind::ConnectionReset));
    let mut refused = TcpStream::connect(wire.proxy.address()).await.expect("the proxy listens");
    assert_eq!(end(&mut refused).await, Err(ErrorKind::ConnectionReset));
    wire.proxy.order(Order::Mend);
    wire.connect().await;
    let counts = wire.proxy.counts();
    assert_eq!((counts.connections, counts.refused), (2, 1));
}

#[tokio::test]
async fn a_stalled_link_carries_everything_later() {
    let wire = Wire::with("").await;
    let (mut client, mut server) = wire.connect().await;
    says(&mut client, b"before").await;
    assert_eq!(read(&mut server, 6).await, b"before");
    wire.proxy.order(Order::Stall);
    // A connection made meanwhile is as silent.
    let (mut other, mut other_server) = wire.connect().await;
    says(&mut other, b"other").await;
    says(&mut client, b"after").await;
    let (mut one, mut another) = ([0], [0]);
    let something_arrives = async {
        tokio::select! {
            _ = server.peek(&mut one) => {}
            _ = other_server.peek(&mut another) => {}
        }
    };
    assert!(timeout(Duration::from_millis(100), something_arrives).await.is_err());
    wire.proxy.order(Order::Mend);
    assert_eq!(read(&mut server, 5).await, b"after");
    assert_eq!(read(&mut other_server, 5).await, b"other");
}

#[tokio::test]
async fn a_half_close_ends_one_direction_and_the_other_goes_on() {
    for direction in [Direction::Up, Direction::Down] {
        let wire = Wire::with("").await;
        let (client, server) = wire.connect().await;
        let (mut from, mut to) = if direction == Direction::Up { (client, server) } else { (server, client) };
        says(&mut from, b"last words").await;
        assert_eq!(read(&mut to, 10).await, b"last words");
        wire.proxy.order(Order::HalfClose(direction));
        assert_eq!(end(&mut to).await, Ok(0));
        says(&mut from, b"nobody hears this").await;
        says(&mut to, b"but I am here").await;
        assert_eq!(read(&mut from, 13).await, b"but I am here");
        drop(to);
        assert_eq!(end(&mut from).await, Ok(0));
    }
}

#[tokio::test]
async fn one_byte_is_corrupted_for_each_time_it_was_asked() {
    let wire = Wire::with("").await;
    let (mut client, mut server) = wire.connect().await;
    wire.proxy.order(Order::Corrupt(Direction::Up));
    wire.proxy.order(Order::Corrupt(Direction::Up));
    // Orders are obeyed before bytes are carried.
    says(&mut server, b"ping").await;
    assert_eq!(read(&mut client, 4).await, b"ping");
    says(&mut client, &[0; 10]).await;
    let ones: u32 = read(&mut server, 10).await.iter().map(|byte| byte.count_ones()).sum();
    assert_eq!((ones, wire.proxy.counts().corrupted), (2, 2));
}

#[tokio::test]
async fn too_many_connections_are_reset_and_where_one_ends_another_is_taken() {
    let wire = Wire::with("").await;
    let mut open = Vec::new();
    for _ in 0..CONNECTIONS_MAX {
        open.push(wire.connect().await);
    }
    let mut refused = TcpStream::connect(wire.proxy.address()).await.expect("the proxy listens");
    assert_eq!(end(&mut refused).await, Err(ErrorKind::ConnectionReset));

    let (client, mut server) = open.pop().expect("many");
    drop(client);
    assert_eq!(end(&mut server).await, Ok(0));
    drop(server);
    // The proxy notices that soon, not at once.
    while wire.proxy.counts().connections == CONNECTIONS_MAX as u64 {
        let mut next = TcpStream::connect(wire.proxy.address()).await.expect("the proxy listens");
        _ = timeout(Duration::from_millis(20), end(&mut next)).await;
    }
}

#[tokio::test]
async fn without_a_server_connections_are_reset() {
    let nowhere = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address: SocketAddr = nowhere.local_addr().expect("an address");
    drop(nowhere);
    let proxy = Proxy::start(Setup::to(address)).await.expect("another free port");
    let mut client = TcpStream::connect(proxy.address()).await.expect("the proxy listens");
    assert_eq!(end(&mut client).await, Err(ErrorKind::ConnectionReset));
}
