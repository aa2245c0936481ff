//! The accept loop that all three listeners use.

mod connection;
mod rate;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use hyper::{Request, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
#[cfg(target_os = "linux")]
use socket2::SockRef;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tower::ServiceExt as _;

pub(crate) use connection::{ByteCounters, Connection, linger};
pub(crate) use rate::{CallRate, network_of};

use crate::{metrics::Metrics, shutdown::Shutdown};

/// Most header fields of a request.
const HEADERS_MAX: usize = 64;

/// Largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 16 * 1024;

/// Bytes that wait in the system for a peer to take them. Beyond that they wait where a newer snapshot can still take
/// their place, and a reader too slow is noticed. What is on its way already is not held back.
pub(crate) const UNSENT_BYTES_MAX: u32 = 16 * 1024;

/// How long connections get to say goodbye when the server stops.
const FAREWELL: Duration = Duration::from_secs(3);

/// How a listener treats its connections.
#[derive(Clone, Debug)]
pub(crate) struct Manners {
    /// Its name in logs and metrics.
    pub(crate) name: &'static str,
    /// Most connections at a time.
    pub(crate) connections_max: usize,
    /// A request's head must be there within this time, from the first moment on.
    pub(crate) head_timeout: Duration,
    /// Where bytes are counted, if anywhere.
    pub(crate) bytes: Option<ByteCounters>,
}

/// Where a request comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

/// Serves a router until the order to stop, and then until every connection is closed or time is up.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    manners: Manners,
    metrics: Arc<Metrics>,
    shutdown: Shutdown,
) {
    let places = Arc::new(Semaphore::new(manners.connections_max));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shutdown.begun() => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file descriptors, most likely: let some go before trying again.
                tracing::warn!(listener = manners.name, %error, "cannot accept");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
            metrics.connections_refused.with_label_values(&[manners.name]).inc();
            continue;
        };
        tune(&stream);
        let connection = Connection::new(stream, manners.bytes.clone(), place);
        tokio::spawn(converse(connection, address, router.clone(), manners.clone(), shutdown.clone()));
    }
    drop(listener);
    // All places are free again once all connections are closed.
    let all = u32::try_from(manners.connections_max).unwrap_or(u32::MAX);
    if timeout(FAREWELL, places.acquire_many(all)).await.is_err() {
        tracing::warn!(listener = manners.name, "some connections did not close in time");
    }
}

/// Sets what a connection needs to be quick. One that is lost already need not be.
fn tune(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    let _ = SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES_MAX);
}

async fn converse(connection: Connection, address: SocketAddr, router: Router, manners: Manners, shutdown: Shutdown) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(Peer(address));
        router.clone().oneshot(request)
    });
    let conversation = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(manners.head_timeout)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .half_close(false)
        .serve_connection(TokioIo::new(connection), service)
        .with_upgrades();
    let mut conversation = std::pin::pin!(conversation);
    let result = tokio::select! {
        result = conversation.as_mut() => result,
        () = shutdown.begun() => {
            conversation.as_mut().graceful_shutdown();
            conversation.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(listener = manners.name, %address, %error, "connection ended");
    }
}
