//! The device models from outside: laws for all, ranges per profile, measured drives.

mod disks;
mod driver;
mod flash;
mod laws;
mod measured;
mod own_files;
mod probe;
mod scaling;
mod shingled;
