//! What differs between versions of OpenZFS, and the tunables as they are set or by default.

pub(crate) mod behaviour;
pub(crate) mod costs;
mod lock_ops;
pub(crate) mod rules;
pub(crate) mod settings;
pub(crate) mod ticks;
pub(crate) mod work;
