//! Parameters of the module and the files that set them.

pub(super) mod gone_parameters;
pub(super) mod not_persisted;
pub(super) mod obsolete_advice;
pub(super) mod queue_of_one;
pub(super) mod set_commands;
pub(super) mod unsafe_parameters;
pub(super) mod vdev_cache;
