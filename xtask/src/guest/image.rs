//! `cargo xtask guest build`: a kernel with the OpenZFS module of one version, and a root for it.
//!
//! ```text
//!   the machine's package sources ──> tree/        kernel, headers, zfs-dkms, zpool, kmod, busybox
//!     tree/usr/src/zfs-…  configure, make ──> spl.ko, zfs.ko …          (about four minutes)
//!     root/                what the guest has     ──> root.cpio.gz, beside vmlinuz
//! ```
//!
//! Nothing is installed and no root is needed. The kernel is Debian 12's own, for both versions.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use arcwright_lab::openzfs::apt::{Apt, BOOKWORM, unpack};
use flate2::Compression;
use flate2::write::GzEncoder;

use super::program::need;
use super::{cache, cpio, modules, root};

/// Versions of which Debian 12 has module and programs, with the packages named after libraries.
const KNOWN: [(&str, &[&str]); 2] = [
    ("2.1.11", &["libzfs4linux", "libzpool5linux", "libnvpair3linux", "libuutil3linux"]),
    ("2.3.2", &["libzfs6linux", "libzpool6linux", "libnvpair3linux", "libuutil3linux"]),
];
/// Debian 12's own kernel; both versions of OpenZFS know it.
const KERNEL: &str = "6.1.";

/// What boots: the kernel and its first root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Image {
    pub(super) kernel: PathBuf,
    pub(super) root: PathBuf,
}

/// Returns the versions that can be built.
pub(super) fn known() -> Vec<String> {
    KNOWN.iter().map(|(version, _)| (*version).to_owned()).collect()
}

/// Returns the image of `version`, which is made when the cache has none.
pub(super) fn provide(version: &str) -> anyhow::Result<Image> {
    let folder = cache::provide(version, |draft| build(version, draft))?;
    Ok(Image { kernel: folder.join("vmlinuz"), root: folder.join("root.cpio.gz") })
}

fn build(version: &str, draft: &Path) -> anyhow::Result<String> {
    let known = KNOWN.iter().find(|(known, _)| *known == version);
    let (_, libraries) = known.with_context(|| {
        format!("the guest has no OpenZFS {version}; Debian 12 has {}", known_text())
    })?;
    need("gcc-12", "gcc-12")?;
    need("make", "make")?;
    println!("building the guest with OpenZFS {version}: some minutes, once");
    let work = draft.join("work");
    fs::create_dir_all(&work)?;
    let packages = fetch(version, libraries, &work)?;
    let tree = work.join("tree");
    modules::build(version, &packages.release, &tree)?;
    root::assemble(&packages.release, &tree, &work.join("root"))?;
    let compressed = File::create(draft.join("root.cpio.gz"))?;
    let mut compressed = GzEncoder::new(compressed, Compression::fast());
    cpio::write(&work.join("root"), &mut compressed)?;
    compressed.finish()?.sync_all()?;
    let kernel = format!("boot/vmlinuz-{}", packages.release);
    fs::copy(tree.join(kernel), draft.join("vmlinuz"))?;
    fs::write(draft.join("SOURCE.txt"), packages.names.join("\n") + "\n")?;
    fs::remove_dir_all(&work)?;
    Ok(cache::name(&packages.release, &packages.version))
}

fn known_text() -> String {
    known().join(", ")
}

/// What was brought.
struct Packages {
    /// The kernel's release: `6.1.0-50-amd64`.
    release: String,
    /// Version of the OpenZFS packages with Debian's revision.
    version: String,
    /// Everything, as `name=version`.
    names: Vec<String>,
}

/// Downloads and unpacks into `work/tree`.
fn fetch(version: &str, libraries: &[&str], work: &Path) -> anyhow::Result<Packages> {
    let apt = Apt::new(work, &BOOKWORM)?;
    let kernel = apt.full_version("linux-image-amd64", KERNEL)?;
    let image = apt.dependencies(&format!("linux-image-amd64={kernel}"))?;
    let image = image.iter().find_map(|name| name.strip_prefix("linux-image-"));
    let release = image.context("linux-image-amd64 names no kernel")?.to_owned();
    let zfs = apt.full_version("zfsutils-linux", &format!("{version}-"))?;

    // Programs with whatever this machine lacks of their libraries.
    let mut programs = vec![format!("zfsutils-linux={zfs}")];
    programs.extend(libraries.iter().map(|library| format!("{library}={zfs}")));
    programs.extend(["kmod", "libkmod2", "busybox-static"].map(str::to_owned));
    let mut names = apt.missing(&programs)?;
    names.extend(programs);
    // Only unpacked: the kernel, its headers, the module's sources.
    let headers = format!("linux-headers-{release}");
    let mut sources = apt.dependencies(&headers)?;
    sources.retain(|name| !name.starts_with("linux-compiler"));
    names.extend(sources);
    names.extend([headers, format!("linux-image-{release}"), format!("zfs-dkms={zfs}")]);
    super::packages::once_each(&mut names);
    println!("downloading {} packages of Debian 12 (nothing is installed)", names.len());
    for package in apt.download(&names)? {
        unpack(&package, &work.join("tree"))?;
    }
    Ok(Packages { release, version: zfs, names })
}
