//! Skirmish: one binary, a file for each kind of promise.

mod allocations;
mod arena;
mod bots;
mod determinism;
mod follow;
mod observation;
mod orders;
mod reference;
mod rules;
