//! The WebSocket.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use web_sys::{BinaryType, CloseEvent, MessageEvent, Url, WebSocket, Window};

/// What happens to a socket.
pub(super) enum Occurrence {
    /// It is open.
    Opened,
    /// A frame arrived.
    Frame(Vec<u8>),
    /// It is closed, with this code.
    Closed(u16),
}

/// An open or opening socket. Dropped, it closes and says nothing more.
pub(super) struct Socket {
    socket: WebSocket,
    _opened: Closure<dyn FnMut()>,
    _message: Closure<dyn FnMut(MessageEvent)>,
    _closed: Closure<dyn FnMut(CloseEvent)>,
}

impl Socket {
    /// Connects to the server that this page came from. `tell` is called from the browser's event loop, never from here.
    pub(super) fn connect(window: &Window, tell: impl Fn(Occurrence) + Clone + 'static) -> Result<Self, JsValue> {
        let url = Url::new_with_base("./play", &window.location().href()?)?;
        url.set_protocol(if url.protocol() == "https:" { "wss:" } else { "ws:" });
        let socket = WebSocket::new(&url.href())?;
        socket.set_binary_type(BinaryType::Arraybuffer);

        let teller = tell.clone();
        let opened = Closure::<dyn FnMut()>::new(move || teller(Occurrence::Opened));
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
        Ok(Self { socket, _opened: opened, _message: message, _closed: closed })
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
