//! The captured machines of `fixtures/`, real ones and those made by hand: what holds for all of them.

mod fixtures;
mod freebsd;
