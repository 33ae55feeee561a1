//! One device of a pool: a profile that comes with the program, or one of the scenario's own.

use std::sync::Arc;

use arcwright_device::{DeviceLink, DeviceProfile};
use arcwright_units::{Bytes, Rate};
use serde::{Deserialize, Serialize};

/// What fill is counted in.
const FILL_STEP: u64 = 1 << 20;

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Disk {
    /// Name of the device profile.
    pub profile: String,
    /// The part of it that is used; the whole device when absent.
    pub size: Option<Bytes>,
    /// What lies in front of that part: data of the pool that nobody asks for.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub taken: Bytes,
    /// The profile itself, where it is a file of the scenario's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<DeviceText>,
    /// The device of `[devices]` of which it is a part, where several disks share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The link that it is behind, where several disks share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<LinkSpec>,
}

/// A link that disks share: a controller, an expander, a port multiplier, a USB bridge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[schemars(rename = "Link")]
pub struct LinkSpec {
    /// Its name in `[links]`.
    pub name: String,
    /// Bytes per second in each direction.
    pub rate: Rate,
    /// Whether it carries one direction at a time.
    pub one_way: bool,
    /// The most requests under way behind it; any number when absent.
    pub requests_max: Option<u32>,
}

impl LinkSpec {
    /// Returns the links that disks are behind, each once, by name.
    pub fn of<'a>(disks: impl Iterator<Item = &'a Disk>) -> Vec<&'a Self> {
        let mut links: Vec<&Self> = disks.filter_map(|disk| disk.link.as_ref()).collect();
        links.sort_by_key(|link| &link.name);
        links.dedup();
        links
    }

    /// Returns the link of a machine that is `factor` times as small and slow.
    #[must_use]
    pub fn scaled(&self, factor: u64) -> DeviceLink {
        let Self { rate, one_way, requests_max, .. } = *self;
        DeviceLink { rate, one_way, requests_max, factor }
    }
}

impl Disk {
    /// Returns a device with a profile that comes with the program, of which `size` is used.
    #[must_use]
    pub fn of(profile: &str, size: Option<Bytes>) -> Self {
        Self {
            profile: profile.to_owned(),
            size,
            taken: Bytes::ZERO,
            definition: None,
            part_of: None,
            link: None,
        }
    }

    /// Returns how much of it is used, at full scale: the part, or the whole device; nothing when there is no such profile.
    #[must_use]
    pub fn used(&self) -> Bytes {
        self.size.or_else(|| Some(self.device()?.capacity())).unwrap_or_default()
    }

    /// Leaves the share `fill` of it, the outer part, to data that nobody asks for.
    pub(crate) fn fill(&mut self, fill: f64) {
        let whole = self.used();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share from 0 to 1 of a size"
        )]
        let taken = (whole.0 as f64 * fill) as u64;
        self.taken = Bytes(taken / FILL_STEP * FILL_STEP);
        self.size = Some(Bytes(whole.0 - self.taken.0));
    }

    /// Returns its profile at full scale; none when there is no such profile.
    #[must_use]
    pub fn device(&self) -> Option<DeviceProfile> {
        match &self.definition {
            Some(text) => DeviceProfile::parse(&self.profile, &text.0).ok(),
            None => arcwright_device::profile(&self.profile),
        }
    }
}

/// Says whether there are none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde calls it")]
pub(crate) fn is_zero(bytes: &Bytes) -> bool {
    *bytes == Bytes::ZERO
}

/// The text of a device file, shared by all disks of that kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
#[serde(from = "String", into = "String")]
#[schemars(with = "String")]
pub struct DeviceText(Arc<str>);

impl DeviceText {
    /// Returns the length in bytes.
    pub(crate) fn size(&self) -> usize {
        self.0.len()
    }
}

impl From<String> for DeviceText {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<DeviceText> for String {
    fn from(text: DeviceText) -> Self {
        text.0.as_ref().to_owned()
    }
}
