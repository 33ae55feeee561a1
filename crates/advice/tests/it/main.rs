//! The rules, from a healthy machine with exactly one thing broken.

mod arc;
mod disks;
mod gain;
mod healthy;
mod l2arc;
mod laws;
mod layout;
mod reading;
mod settings;
mod sync;
