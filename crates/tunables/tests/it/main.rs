//! The catalogue from outside.

mod modules;
