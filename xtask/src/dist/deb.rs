//! Debian packages: `arcwright`, one static program, and `arcwright-lab`, which needs the C library.
//!
//! `dpkg-deb` packs what [`super::tree`] gathered; the texts of the packages are in `packaging/debian`.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context as _;

use super::Release;
use super::programs::Target;
use super::tree::{self, Entry, Tree};
use crate::guest::program::{self, output};
use crate::systems::empty_folder;

/// Who is named where Debian's own variables (`DEBFULLNAME`, `DEBEMAIL`) name nobody.
const MAINTAINER: (&str, &str) = ("The Arcwright developers", "arcwright@users.noreply.github.com");
/// Revision of the packages of one release.
const REVISION: &str = "1";

/// Says whether this machine can pack them.
pub(super) fn is_possible() -> bool {
    output(Command::new("dpkg-deb").arg("--version")).is_ok()
}

/// Writes the packages for `target`.
pub(super) fn write(
    folder: &Path,
    target: Target,
    tree: &Tree,
    release: &Release,
) -> anyhow::Result<()> {
    pack(folder, target, "arcwright", &main(tree, release)?, release)?;
    match lab(tree, release)? {
        Some(lab) => pack(folder, target, "arcwright-lab", &lab, release),
        None => Ok(()),
    }
}

/// Returns what the package `arcwright` installs below /usr.
fn main(tree: &Tree, release: &Release) -> anyhow::Result<Tree> {
    let mut own = Tree::default();
    for (path, entry) in tree.files().filter(|(path, _)| *path != tree::LAB) {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            // Their text is in the file that Debian names copyright.
            "LICENSE-APACHE" | "LICENSE-MIT" => {}
            "CHANGELOG.md" => {
                let path = format!("{}/changelog.gz", tree::DOC);
                own.put(path, tree::packed(&entry.bytes)?, entry.mode);
            }
            _ if path.starts_with("share/man/") => {
                own.put(format!("{path}.gz"), tree::packed(&entry.bytes)?, entry.mode);
            }
            _ => own.put(path, entry.bytes.clone(), entry.mode),
        }
    }
    documents(&mut own, "arcwright", release)?;
    let overrides = text("arcwright.lintian-overrides")?.into_bytes();
    own.put("share/lintian/overrides/arcwright", overrides, 0o644);
    Ok(own)
}

/// Returns what the package `arcwright-lab` installs; none where there is no lab.
fn lab(tree: &Tree, release: &Release) -> anyhow::Result<Option<Tree>> {
    let Some((_, Entry { bytes, mode })) = tree.files().find(|(path, _)| *path == tree::LAB) else {
        return Ok(None);
    };
    let mut own = Tree::default();
    own.put(tree::LAB, bytes.clone(), *mode);
    documents(&mut own, "arcwright-lab", release)?;
    Ok(Some(own))
}

/// Adds what every package must have: who may copy it, and what changed.
fn documents(own: &mut Tree, package: &str, release: &Release) -> anyhow::Result<()> {
    let doc = format!("share/doc/{package}");
    own.put(format!("{doc}/copyright"), text("copyright")?.into_bytes(), 0o644);
    let when = release.time()?.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string();
    let version = version(release);
    let changes = format!(
        "{package} ({version}) unstable; urgency=medium\n\n  * Release {}; its changes are in changelog.gz of \
         the package arcwright.\n\n -- {}  {when}\n",
        release.version,
        maintainer()
    );
    own.put(format!("{doc}/changelog.Debian.gz"), tree::packed(changes.as_bytes())?, 0o644);
    Ok(())
}

/// Packs a tree as one package.
fn pack(
    folder: &Path,
    target: Target,
    package: &str,
    tree: &Tree,
    release: &Release,
) -> anyhow::Result<()> {
    let stage = empty_folder(&folder.join("build").join(format!("{package}-{}", target.debian())))?;
    for (path, entry) in tree.files() {
        put(&stage.join("usr").join(path), entry)?;
    }
    let size: usize = tree.files().map(|(_, entry)| entry.bytes.len().div_ceil(1024)).sum();
    let control = text(&format!("{package}.control"))?
        .replace("@VERSION@", &version(release))
        .replace("@ARCHITECTURE@", target.debian())
        .replace("@MAINTAINER@", &maintainer())
        .replace("@HOMEPAGE@", env!("CARGO_PKG_REPOSITORY"))
        .replace("@SIZE@", &size.to_string());
    let control = Entry { bytes: control.into_bytes(), mode: 0o644 };
    put(&stage.join("DEBIAN/control"), &control)?;
    let sums = Entry { bytes: md5sums(&stage, tree)?, mode: 0o644 };
    put(&stage.join("DEBIAN/md5sums"), &sums)?;
    let path = folder.join(format!("{package}_{}_{}.deb", version(release), target.debian()));
    let mut command = Command::new("dpkg-deb");
    command
        .args(["--root-owner-group", "-Zxz", release.quality.xz(), "--build"])
        .args([&stage, &path])
        .env("SOURCE_DATE_EPOCH", release.epoch.to_string())
        .stdout(std::process::Stdio::null());
    program::run(&mut command)?;
    println!("{} ({} bytes)", path.display(), fs::metadata(&path)?.len());
    Ok(())
}

/// Writes a file with its folders, whatever mask the user has.
fn put(path: &Path, entry: &Entry) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let mut missing: Vec<&Path> = path.ancestors().skip(1).take_while(|it| !it.exists()).collect();
    while let Some(folder) = missing.pop() {
        fs::create_dir(folder)?;
        fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    }
    fs::write(path, &entry.bytes).with_context(|| format!("cannot write {}", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(entry.mode))?;
    Ok(())
}

/// Asks `md5sum`, which is as essential on Debian as `dpkg`, for what `dpkg --verify` compares.
fn md5sums(stage: &Path, tree: &Tree) -> anyhow::Result<Vec<u8>> {
    let paths = tree.files().map(|(path, _)| format!("usr/{path}"));
    let sums = output(Command::new("md5sum").current_dir(stage).args(paths))?;
    Ok(sums.into_bytes())
}

fn version(release: &Release) -> String {
    format!("{}-{REVISION}", release.version)
}

fn maintainer() -> String {
    let told = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let (name, mail) = MAINTAINER;
    let name = told("DEBFULLNAME").unwrap_or_else(|| name.to_owned());
    let mail = told("DEBEMAIL").unwrap_or_else(|| mail.to_owned());
    format!("{name} <{mail}>")
}

/// Reads a text of the packages.
fn text(name: &str) -> anyhow::Result<String> {
    let path = crate::root().join("packaging/debian").join(name);
    fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))
}
