//! The catalogue from outside.

#[cfg(test)]
mod modules;
