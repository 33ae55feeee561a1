//! What the page offers: disks, versions, loads, networks, and the scenarios of field reports.

use arcwright_device::{DeviceClass, profile, profile_names};
use arcwright_scenario::{GALLERY, GalleryScenario, PLATFORMS};
use serde::Serialize;

use crate::form::{Form, NETWORKS};
use crate::loads::LOADS;

/// All that can be picked.
#[derive(Debug, Serialize)]
pub struct Choices {
    /// The release of arcwright.
    pub release: &'static str,
    disks: Vec<DiskChoice>,
    versions: Vec<NamedChoice>,
    loads: Vec<LoadChoice>,
    networks: Vec<NamedChoice>,
    gallery: Vec<GalleryChoice>,
    /// What is picked at first.
    form: Form,
}

#[derive(Debug, Serialize)]
struct DiskChoice {
    id: &'static str,
    title: String,
    is_flash: bool,
    is_power_loss_protected: bool,
    capacity: u64,
}

#[derive(Debug, Serialize)]
struct NamedChoice {
    id: String,
    title: String,
}

#[derive(Debug, Serialize)]
struct LoadChoice {
    id: &'static str,
    label: &'static str,
    about: &'static str,
    size_gib: u64,
}

#[derive(Debug, Serialize)]
struct GalleryChoice {
    name: &'static str,
    title: String,
    question: String,
    text: &'static str,
}

/// Versions beside those of the platforms: the last of each series, and those that the lab has libraries of.
const VERSIONS: [&str; 7] = ["2.4.4", "2.3.9", "2.3.2", "2.2.7", "2.1.11", "2.0.3", "0.8.6"];

/// Returns what can be picked.
#[must_use]
pub fn choices() -> Choices {
    let platforms = PLATFORMS.iter().map(|platform| NamedChoice {
        id: platform.name.to_owned(),
        title: format!("{} (OpenZFS {})", platform.title, platform.zfs),
    });
    let versions = VERSIONS.iter().map(|version| NamedChoice {
        id: (*version).to_owned(),
        title: format!("OpenZFS {version}"),
    });
    let networks = NETWORKS
        .iter()
        .map(|(id, title, _)| NamedChoice { id: (*id).to_owned(), title: (*title).to_owned() });
    let loads = LOADS.iter().map(|load| LoadChoice {
        id: load.id,
        label: load.label,
        about: load.about,
        size_gib: load.size_gib,
    });
    Choices {
        release: env!("CARGO_PKG_VERSION"),
        disks: profile_names().into_iter().filter_map(disk).collect(),
        versions: versions.chain(platforms).collect(),
        loads: loads.collect(),
        networks: networks.collect(),
        gallery: GALLERY.iter().filter_map(scenario).collect(),
        form: Form::default(),
    }
}

fn disk(id: &'static str) -> Option<DiskChoice> {
    let profile = profile(id)?;
    // Devices that take no time are for measurements.
    (profile.class() != DeviceClass::Instant).then(|| DiskChoice {
        id,
        title: profile.title().to_owned(),
        is_flash: profile.is_flash(),
        is_power_loss_protected: profile.is_power_loss_protected(),
        capacity: profile.capacity().0,
    })
}

fn scenario(entry: &GalleryScenario) -> Option<GalleryChoice> {
    let scenario = entry.scenario().ok()?;
    let GalleryScenario { name, text } = *entry;
    Some(GalleryChoice { name, title: scenario.title, question: scenario.question, text })
}

#[cfg(test)]
mod tests {
    use super::choices;
    use crate::form::Form;

    #[test]
    fn everything_that_is_offered_can_be_run() {
        let choices = choices();
        for disk in &choices.disks {
            let form = Form { disk: disk.id.to_owned(), ..Form::default() };
            form.scenario_file().unwrap();
        }
        for version in &choices.versions {
            let form = Form { zfs: version.id.clone(), ..Form::default() };
            crate::prediction::parse(&form.scenario_file().unwrap()).unwrap();
        }
        assert_eq!(choices.gallery.len(), arcwright_scenario::GALLERY.len());
    }
}
