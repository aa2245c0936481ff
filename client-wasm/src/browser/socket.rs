//! The WebSocket.

use std::{cell::Cell, rc::Rc};

use contract::{MatchKey, Ticket};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{BinaryType, CloseEvent, MessageEvent, Url, WebSocket, Window};

use super::ticket::TicketRequest;

/// What happens to a socket.
pub(super) enum Occurrence {
    /// It is open, and this lets it in.
    Opened(Ticket),
    /// A frame arrived.
    Frame(Vec<u8>),
    /// It is closed, with this code; 0 for no particular reason.
    Closed(u16),
}

/// An open or opening socket. Dropped, it closes and says nothing more.
pub(super) struct Socket {
    socket: WebSocket,
    _ticket: TicketRequest,
    _opened: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _closed: Closure<dyn FnMut(CloseEvent)>,
}

impl Socket {
    /// Connects to the server that this page came from, and fetches a ticket meanwhile. `tell` is called from the
    /// browser's event loop, never from here.
    pub(super) fn connect(
        window: &Window,
        match_key: &MatchKey,
        tell: impl Fn(Occurrence) + Clone + 'static,
    ) -> Result<Self, JsValue> {
        let url = Url::new_with_base("./play", &window.location().href()?)?;
        url.set_protocol(if url.protocol() == "https:" { "wss:" } else { "ws:" });
        let socket = WebSocket::new(&url.href())?;
        socket.set_binary_type(BinaryType::Arraybuffer);

        // Whichever comes last of the ticket and the open socket tells of both.
        let fetched = Rc::new(Cell::new(None));
        let (teller, ticket) = (tell.clone(), Rc::clone(&fetched));
        let opened = Closure::<dyn FnMut()>::new(move || {
            if let Some(ticket) = ticket.take() {
                teller(Occurrence::Opened(ticket));
            }
        });
        let (teller, opening) = (tell.clone(), socket.clone());
        let ticket = TicketRequest::send(window, match_key, move |ticket| match ticket {
            Ok(ticket) if opening.ready_state() == WebSocket::OPEN => teller(Occurrence::Opened(ticket)),
            Ok(ticket) => fetched.set(Some(ticket)),
            Err(code) => teller(Occurrence::Closed(code)),
        })?;
        let teller = tell.clone();
        let message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            // The server speaks in binary frames only; a text frame is nobody's.
            if let Ok(buffer) = event.data().dyn_into::<ArrayBuffer>() {
                teller(Occurrence::Frame(Uint8Array::new(&buffer).to_vec()));
            }
        });
        let closed =
            Closure::<dyn FnMut(CloseEvent)>::new(move |event: CloseEvent| tell(Occurrence::Closed(event.code())));
        socket.set_onopen(Some(opened.as_ref().unchecked_ref()));
        socket.set_onmessage(Some(message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(closed.as_ref().unchecked_ref()));
        Ok(Self { socket, _ticket: ticket, _opened: opened, _message: message, _closed: closed })
    }

    /// Sends a frame. One that cannot be sent is lost with the connection, which `Closed` tells of.
    pub(super) fn send(&self, frame: &[u8]) {
        if self.socket.ready_state() == WebSocket::OPEN {
            let _ = self.socket.send_with_u8_array(frame);
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.socket.set_onopen(None);
        self.socket.set_onmessage(None);
        self.socket.set_onclose(None);
        // 1000 is always a legal code.
        let _ = self.socket.close();
    }
}
