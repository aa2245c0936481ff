//! HTTP/1.1 requests over one kept connection.

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    Request, StatusCode,
    body::Bytes,
    client::conn::http1::{SendRequest, handshake},
};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

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
    /// Posts a JSON text, with one header more.
    pub(crate) async fn post(
        &mut self,
        path: &str,
        header: (&str, &str),
        json: String,
    ) -> anyhow::Result<(StatusCode, Bytes)> {
        let request = Request::post(path)
            .header("host", &self.authority)
            .header("content-type", "application/json")
            .header(header.0, header.1)
            .body(Full::from(json))?;
        self.send(request).await
    }

    async fn send(&mut self, request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
        self.sender.ready().await?;
        let response = self.sender.send_request(request).await?;
        let status = response.status();
        Ok((status, response.into_body().collect().await?.to_bytes()))
    }
}
