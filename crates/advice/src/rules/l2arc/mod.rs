//! Rules about the L2ARC.

pub(super) mod cold;
pub(super) mod compressed;
pub(super) mod errors;
pub(super) mod excluded;
pub(super) mod feed;
pub(super) mod headers;
pub(super) mod ineligible;
pub(super) mod prefetch;
pub(super) mod serves;
pub(super) mod unneeded;
pub(super) mod warming;
pub(super) mod worth;
