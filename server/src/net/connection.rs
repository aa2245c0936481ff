//! A TCP connection that counts its bytes, holds its place, and closes so that its last words are heard.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use prometheus::IntCounter;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    net::TcpStream,
    runtime::Handle,
    sync::OwnedSemaphorePermit,
    time::timeout,
};

/// How long, and for how many bytes, a closed connection still listens. If bytes were left unread, the system would
/// send a reset, and the peer would lose what was said last, such as why it is closed.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES_MAX: u64 = 256 * 1024;

/// Where bytes are counted.
#[derive(Clone, Debug)]
pub(crate) struct ByteCounters {
    pub(crate) read: IntCounter,
    pub(crate) written: IntCounter,
}

/// An accepted connection.
#[derive(Debug)]
pub(crate) struct Connection {
    /// `None` only while dropping.
    parts: Option<(TcpStream, OwnedSemaphorePermit)>,
    bytes: Option<ByteCounters>,
}

/// What a connection is made of.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) stream: TcpStream,
    /// Its place among the connections of its listener.
    pub(crate) place: OwnedSemaphorePermit,
}

impl Connection {
    pub(super) const fn new(stream: TcpStream, bytes: Option<ByteCounters>, place: OwnedSemaphorePermit) -> Self {
        Self { parts: Some((stream, place)), bytes }
    }

    /// Takes it apart, for whoever moves and counts bytes without it.
    pub(crate) fn into_parts(mut self) -> Parts {
        let (stream, place) = self.parts.take().expect("there until it is dropped");
        Parts { stream, place }
    }

    fn stream(&mut self) -> Pin<&mut TcpStream> {
        let (stream, _) = self.parts.as_mut().expect("there until it is dropped");
        Pin::new(stream)
    }

    fn count_written(&self, result: &io::Result<usize>) {
        if let (Some(bytes), Ok(count)) = (&self.bytes, result) {
            bytes.written.inc_by(*count as u64);
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some((mut stream, place)) = self.parts.take() else { return };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                if stream.shutdown().await.is_ok() {
                    linger(stream).await;
                }
                drop(place);
            });
        }
    }
}

/// Listens to a peer that is sent nothing any more, until it has heard so.
pub(crate) async fn linger(mut stream: impl AsyncRead + Unpin) {
    let listen = async {
        let mut heard = 0;
        let mut scrap = [0; 4096];
        while heard < LINGER_BYTES_MAX {
            match stream.read(&mut scrap).await {
                Ok(0) | Err(_) => break,
                Ok(count) => heard += count as u64,
            }
        }
    };
    let _ = timeout(LINGER, listen).await;
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(self.stream().poll_read(cx, buf))?;
        if let Some(bytes) = &self.bytes {
            bytes.read.inc_by((buf.filled().len() - before) as u64);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let result = ready!(self.stream().poll_write(cx, buf));
        self.count_written(&result);
        Poll::Ready(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(self.stream().poll_write_vectored(cx, bufs));
        self.count_written(&result);
        Poll::Ready(result)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream().poll_shutdown(cx)
    }
}
