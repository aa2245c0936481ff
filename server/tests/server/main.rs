//! The server from outside: real sockets, one file per behaviour.

mod agents;
mod authority;
mod bad_calls;
mod bad_messages;
mod faults;
mod fixture;
mod fuzz;
mod games;
mod hostile;
mod in_flight;
mod keys;
mod lanes;
mod page;
mod play;
mod puppet;
mod resume;
mod seats;
mod sleep;
mod speed;
mod steps;
mod tickets;
mod trouble;
mod wrap;
