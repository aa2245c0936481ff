//! From an HTTP request to a socket.

use axum::{
    body::Body,
    extract::Request,
    http::StatusCode,
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio_tungstenite::tungstenite::{error::ProtocolError, handshake::server::create_response};

use crate::net::Connection;

/// A socket that is open.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) connection: Connection,
    /// What came in together with the request.
    pub(crate) early: Bytes,
}

/// Answers a request for a socket; whatever is to be done with it begins once that answer is out.
pub(crate) fn open<C>(request: Request, converse: impl FnOnce(Opened) -> C + Send + 'static) -> Response
where
    C: Future<Output = ()> + Send,
{
    let (head, body) = request.into_parts();
    let mut request = Request::from_parts(head, ());
    let Some(upgrade) = request.extensions_mut().remove::<OnUpgrade>() else {
        return (StatusCode::UPGRADE_REQUIRED, "This is a WebSocket: ask for an upgrade.\n").into_response();
    };
    drop(body);
    let response = match create_response(&request) {
        Ok(response) => response.map(|()| Body::empty()),
        Err(error) => return (StatusCode::BAD_REQUEST, format!("{error}\n")).into_response(),
    };
    tokio::spawn(async move {
        // A connection that broke meanwhile needs no goodbye.
        if let Ok(opened) = opened(upgrade).await {
            converse(opened).await;
        }
    });
    response
}

async fn opened(upgrade: OnUpgrade) -> Result<Opened, Box<dyn std::error::Error + Send + Sync>> {
    let parts = upgrade.await?.downcast::<TokioIo<Connection>>().map_err(|_| ProtocolError::WrongHttpVersion)?;
    Ok(Opened { connection: parts.io.into_inner(), early: parts.read_buf })
}
