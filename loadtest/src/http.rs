//! HTTP/1.1 requests over one kept connection.

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Longest answer that is read, in bytes: above all that is legal, metrics included.
const ANSWER_BYTES_MAX: usize = 4 * 1024 * 1024;

/// A server's address, such as `127.0.0.1:8081`.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    authority: String,
}

/// A connection that is kept between requests.
#[derive(Debug)]
pub(crate) struct Connection {
    sender: SendRequest<Full<Bytes>>,
    authority: String,
}

impl Endpoint {
    pub(crate) const fn new(authority: String) -> Self {
        Self { authority }
    }

    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) async fn connect(&self) -> anyhow::Result<Connection> {
        let stream =
            TcpStream::connect(&self.authority).await.with_context(|| format!("no server at {}", self.authority))?;
        stream.set_nodelay(true)?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(Connection { sender, authority: self.authority.clone() })
    }

    /// One `GET` on a connection of its own.
    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<String> {
        let request = Request::get(path).header("host", &self.authority).body(Full::default())?;
        let (status, body) = self.connect().await?.send(request).await?;
        anyhow::ensure!(status.is_success(), "GET {path}: {status}");
        Ok(String::from_utf8(body.into())?)
    }
}

impl Connection {
    /// Posts what should be a JSON text, with some headers more.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        headers: &[(&str, &str)],
        json: impl Into<Bytes>,
    ) -> anyhow::Result<(StatusCode, Bytes)> {
        let request = Request::post(path).header("host", &self.authority).header("content-type", "application/json");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        self.send(request.body(Full::from(json.into()))?).await
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect().await;
        Ok((status, body.map_err(|error| anyhow::anyhow!("the answer cannot be read: {error}"))?.to_bytes()))
    }
}
