//! Which profile stands nearest to a device.

use arcwright_units::Bytes;

use crate::profile::{DeviceClass, profile, profile_names};

/// Returns the profile of a class whose capacity is nearest, as a ratio; none where the class has no values.
///
/// Never a shingled disk: reads do not tell whether one is.
#[must_use]
pub fn nearest_profile(class: DeviceClass, size: Bytes) -> Option<&'static str> {
    let of_class = profile_names().into_iter().filter_map(|name| {
        let profile =
            profile(name).filter(|profile| profile.class() == class && !profile.is_shingled())?;
        Some((name, distance(size, profile.capacity())))
    });
    let has_values = class != DeviceClass::Instant;
    let nearest = of_class.min_by(|(_, one), (_, other)| one.total_cmp(other));
    nearest.filter(|_| has_values).map(|(name, _)| name)
}

fn distance(one: Bytes, other: Bytes) -> f64 {
    let log = |size: Bytes| (size.0.max(1) as f64).ln();
    (log(one) - log(other)).abs()
}

#[cfg(test)]
mod tests {
    use arcwright_units::Bytes;

    use super::nearest_profile;
    use crate::DeviceClass;

    #[test]
    fn the_nearest_is_of_the_class_and_about_as_large() {
        let check = |class, terabytes: f64, expected| {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a size")]
            let size = Bytes((terabytes * 1e12) as u64);
            assert_eq!(nearest_profile(class, size), expected, "{terabytes}");
        };
        check(DeviceClass::Hdd, 4.0, Some("hdd-nas-5400"));
        check(DeviceClass::Hdd, 16.0, Some("hdd-enterprise-18tb"));
        check(DeviceClass::SataSsd, 0.5, Some("ssd-sata-consumer"));
        check(DeviceClass::Nvme, 15.0, Some("nvme-pm9a3"));
        check(DeviceClass::Nvme, 0.0, Some("nvme-optane-m10-16"));
        check(DeviceClass::Instant, 1.0, None);
    }
}
