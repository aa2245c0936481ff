//! client-wasm
