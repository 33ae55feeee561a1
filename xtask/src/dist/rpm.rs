//! An RPM package of `arcwright`, for Fedora, RHEL, openSUSE and what is made of them. It needs nothing.
//!
//! There is none of the lab's program: nobody has tried it on a system of these.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use rpm::{BuildConfig, CompressionWithLevel, FileOptions, PackageBuilder};

use super::programs::Target;
use super::tree::{self, Tree};
use super::{LICENCE, Release, SUMMARY};

/// Revision of the packages of one release.
const REVISION: &str = "1";
/// Below the prefix, where these systems look for what Debian has elsewhere.
const ZSH: (&str, &str) = ("share/zsh/vendor-completions/", "share/zsh/site-functions/");
const LICENCES: &str = "share/licenses/arcwright";
/// What the package owns alone: its removal takes these folders away.
const OWN_FOLDERS: [&str; 3] = [tree::DOC, tree::SHARE, LICENCES];

/// Writes the package for `target`.
pub(super) fn write(
    folder: &Path,
    target: Target,
    tree: &Tree,
    release: &Release,
) -> anyhow::Result<()> {
    let own = installed(tree)?;
    let epoch = u32::try_from(release.epoch).context("a time beyond what an RPM can hold")?;
    let config = BuildConfig::v4().compression(CompressionWithLevel::Gzip(9)).source_date(epoch);
    let mut package =
        PackageBuilder::new("arcwright", release.version, LICENCE, target.rpm(), SUMMARY);
    package
        .using_config(config)
        .release(REVISION)
        .url(env!("CARGO_PKG_REPOSITORY"))
        .description(super::DESCRIPTION)
        // Not the name of this machine: the same sources make the same package.
        .build_host("arcwright");
    for below in own.folders().into_iter().filter(|it| is_own(it)) {
        package.with_dir_entry(FileOptions::dir(format!("/usr/{below}")).permissions(0o755))?;
    }
    for (path, entry) in own.files() {
        let mode = u16::try_from(entry.mode).context("a mode beyond permissions")?;
        let place = FileOptions::new(format!("/usr/{path}")).permissions(mode);
        let place = match path {
            _ if path.starts_with(LICENCES) => place.license(),
            _ if path.starts_with(tree::DOC) => place.doc(),
            _ => place,
        };
        package.with_file_contents(entry.bytes.clone(), place)?;
    }
    let name = format!("arcwright-{}-{REVISION}.{}.rpm", release.version, target.rpm());
    let path = folder.join(name);
    package.build()?.write_file(&path)?;
    println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    Ok(())
}

/// Returns what is installed below /usr.
fn installed(tree: &Tree) -> anyhow::Result<Tree> {
    let mut own = Tree::default();
    for (path, entry) in tree.files().filter(|(path, _)| *path != tree::LAB) {
        let (name, bytes) = (path.rsplit('/').next().unwrap_or(path), entry.bytes.clone());
        let (path, bytes) = match name {
            "LICENSE-APACHE" | "LICENSE-MIT" => (format!("{LICENCES}/{name}"), bytes),
            _ if path.starts_with(tree::MAN) => (format!("{path}.gz"), tree::packed(&bytes)?),
            _ => (path.replacen(ZSH.0, ZSH.1, 1), bytes),
        };
        own.put(path, bytes, entry.mode);
    }
    Ok(own)
}

fn is_own(folder: &str) -> bool {
    OWN_FOLDERS.iter().any(|own| Path::new(folder).starts_with(own))
}
