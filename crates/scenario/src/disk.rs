//! One device of a pool: a profile that comes with the program, or one of the scenario's own.

use std::sync::Arc;

use arcwright_device::DeviceProfile;
use arcwright_units::Bytes;
use serde::{Deserialize, Serialize};

/// One device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct Disk {
    /// Name of the device profile.
    pub profile: String,
    /// The part of it that is used; the whole device when absent.
    pub size: Option<Bytes>,
    /// The profile itself, where it is a file of the scenario's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<DeviceText>,
    /// The device of `[devices]` of which it is a part, where several disks share one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
}

impl Disk {
    /// Returns a device with a profile that comes with the program, of which `size` is used.
    #[must_use]
    pub fn of(profile: &str, size: Option<Bytes>) -> Self {
        Self { profile: profile.to_owned(), size, definition: None, part_of: None }
    }

    /// Returns how much of it is used, at full scale: the part, or the whole device; nothing when there is no such profile.
    #[must_use]
    pub fn used(&self) -> Bytes {
        self.size.or_else(|| Some(self.device()?.capacity())).unwrap_or_default()
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
