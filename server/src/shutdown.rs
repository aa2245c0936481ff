//! The order to stop, seen by every part of the server.

use tokio::sync::watch;

/// Tells every holder of a clone to stop, once.
#[derive(Clone, Debug)]
pub struct Shutdown {
    begun: watch::Sender<bool>,
}

impl Shutdown {
    /// An order that was not given yet.
    #[must_use]
    pub fn new() -> Self {
        Self { begun: watch::Sender::new(false) }
    }

    /// Gives the order. Giving it again changes nothing.
    pub fn begin(&self) {
        self.begun.send_replace(true);
    }

    /// Whether the order was given.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        *self.begun.borrow()
    }

    /// Waits for the order.
    pub async fn begun(&self) {
        // Cannot fail: `self` holds the sender.
        let _ = self.begun.subscribe().wait_for(|begun| *begun).await;
    }
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}
