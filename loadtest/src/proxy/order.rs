//! What can be asked of a proxy while it runs, as text: `cut`, `half-close up`, or `5s cut` for later.

use std::{fmt, str::FromStr, time::Duration};

/// Which way bytes go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the server.
    Up,
    /// To whoever connected.
    Down,
}

/// What can be asked of a proxy while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Resets all connections and every new one until `mend`.
    Cut,
    /// Resets all connections.
    Reset,
    /// Carries nothing until `mend`, as a link does that has gone without a word.
    Stall,
    /// Ends a cut and a stall.
    Mend,
    /// Ends one direction of all connections; the other goes on.
    HalfClose(Direction),
    /// Corrupts the next byte in one direction of all connections.
    Corrupt(Direction),
}

/// An order for later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled {
    /// Time from the start of the proxy.
    pub after: Duration,
    /// What is asked then.
    pub order: Order,
}

/// A text that is no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    /// Not one of the orders.
    #[error("{0:?} is no order: write cut, reset, stall, mend, half-close up|down or corrupt up|down")]
    Unknown(String),
    /// A time that is none.
    #[error("{0:?} is no time: write a whole number and s or ms, at most a day")]
    Time(String),
}

/// Latest moment an order can be scheduled for.
const AFTER_MAX: Duration = Duration::from_secs(24 * 3600);

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        let mut words = text.split_whitespace();
        let order = match (words.next(), words.next(), words.next()) {
            (Some("cut"), None, None) => Self::Cut,
            (Some("reset"), None, None) => Self::Reset,
            (Some("stall"), None, None) => Self::Stall,
            (Some("mend"), None, None) => Self::Mend,
            (Some("half-close"), Some("up"), None) => Self::HalfClose(Direction::Up),
            (Some("half-close"), Some("down"), None) => Self::HalfClose(Direction::Down),
            (Some("corrupt"), Some("up"), None) => Self::Corrupt(Direction::Up),
            (Some("corrupt"), Some("down"), None) => Self::Corrupt(Direction::Down),
            _ => return Err(OrderError::Unknown(text.chars().take(40).collect())),
        };
        Ok(order)
    }
}

impl fmt::Display for Order {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Cut => "cut",
            Self::Reset => "reset",
            Self::Stall => "stall",
            Self::Mend => "mend",
            Self::HalfClose(Direction::Up) => "half-close up",
            Self::HalfClose(Direction::Down) => "half-close down",
            Self::Corrupt(Direction::Up) => "corrupt up",
            Self::Corrupt(Direction::Down) => "corrupt down",
        })
    }
}

impl FromStr for Scheduled {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, OrderError> {
        let (time, order) = text.trim().split_once(' ').unwrap_or((text, ""));
        let no_time = || OrderError::Time(time.chars().take(40).collect());
        let digits = time.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let number: u32 = digits.parse().map_err(|_| no_time())?;
        let after = match &time[digits.len()..] {
            "ms" => Duration::from_millis(number.into()),
            "s" => Duration::from_secs(number.into()),
            _ => return Err(no_time()),
        };
        if after > AFTER_MAX {
            return Err(no_time());
        }
        Ok(Self { after, order: order.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_as_they_are_written() {
        let both = [Direction::Up, Direction::Down];
        let directed = both.into_iter().flat_map(|one| [Order::HalfClose(one), Order::Corrupt(one)]);
        for order in [Order::Cut, Order::Reset, Order::Stall, Order::Mend].into_iter().chain(directed) {
            assert_eq!(order.to_string().parse(), Ok(order));
        }
        let later = |text: &str| text.parse::<Scheduled>();
        assert_eq!(later("5s cut"), Ok(Scheduled { after: Duration::from_secs(5), order: Order::Cut }));
        let order = Order::HalfClose(Direction::Up);
        assert_eq!(later("250ms half-close up"), Ok(Scheduled { after: Duration::from_millis(250), order }));
    }

    #[test]
    fn what_is_no_order_is_refused_with_what_is() {
        let refusal = |text: &str| text.parse::<Scheduled>().unwrap_err().to_string();
        assert!(refusal("5s").starts_with("\"\" is no order: write cut,"));
        assert!(refusal("5s half-close").starts_with("\"half-close\" is no order"));
        assert!(refusal("5s cut down").starts_with("\"cut down\" is no order"));
        for time in ["cut", "5 cut", "-5s cut", "5h cut", "86401s cut", "s cut", "5ss cut", "é cut", "99999999999s cut"]
        {
            assert!(refusal(time).contains("is no time: write a whole number and s or ms"), "{time}");
        }
        assert!(refusal(&format!("5s {}", "x".repeat(1 << 20))).len() < 200);
    }
}
