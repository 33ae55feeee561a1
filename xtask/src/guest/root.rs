//! The guest's root: busybox, the programs of OpenZFS with their libraries, the modules they need.
//!
//! Neither the init script nor the program under test: they are added at every start (`boot`), so
//! that a change of theirs costs no build.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

use super::program::output;

/// Programs, with where packages keep them.
const PROGRAMS: [&str; 6] =
    ["bin/busybox", "bin/kmod", "sbin/zpool", "sbin/zfs", "sbin/zdb", "sbin/zgenhostid"];
/// What else `kmod` is called.
const MODULE_TOOLS: [&str; 5] = ["modprobe", "insmod", "rmmod", "lsmod", "modinfo"];
/// Modules that the guest loads; what they need comes along.
const MODULES: [&str; 3] = ["virtio_pci", "virtio_blk", "zfs"];
/// Lists that come with the kernel and that `depmod` reads.
const LISTS: [&str; 3] = ["modules.builtin", "modules.builtin.modinfo", "modules.order"];
/// Folders that must be there when init starts.
const FOLDERS: [&str; 12] = [
    "bin",
    "sbin",
    "usr/bin",
    "usr/sbin",
    "lib",
    "proc",
    "sys",
    "dev",
    "run",
    "tmp",
    "etc/modprobe.d",
    "var/lib",
];
/// Opened by name at run time when a thread is ended; `ldd` does not see it.
const LATE: &str = "/lib/x86_64-linux-gnu/libgcc_s.so.1";
/// What the guest says it is: the programs and the kernel are this system's.
const OS_RELEASE: &str = "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n\
     VERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nVERSION_CODENAME=bookworm\nID=debian\n";

/// Puts the root together from the unpacked packages.
pub(super) fn assemble(release: &str, tree: &Path, root: &Path) -> anyhow::Result<()> {
    for folder in FOLDERS {
        fs::create_dir_all(root.join(folder))?;
    }
    fs::write(root.join("etc/os-release"), OS_RELEASE)?;
    fs::write(
        root.join("etc/passwd"),
        "root:x:0:0:root:/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n",
    )?;
    fs::write(root.join("etc/group"), "root:x:0:\nnogroup:x:65534:\n")?;
    programs(tree, root)?;
    for tool in MODULE_TOOLS {
        symlink("../bin/kmod", root.join("sbin").join(tool))?;
    }
    kernel_modules(release, tree, root)
}

fn programs(tree: &Path, root: &Path) -> anyhow::Result<()> {
    add_programs(&PROGRAMS, tree, root)
}

/// Copies programs of unpacked packages into a root, with the libraries that they need.
pub(super) fn add_programs(names: &[&str], tree: &Path, root: &Path) -> anyhow::Result<()> {
    let mut libraries = BTreeSet::from([PathBuf::from(LATE)]);
    for name in names {
        let source = [(*name).to_owned(), format!("usr/{name}")].map(|name| tree.join(name));
        let source = source.iter().find(|path| path.exists());
        let source = source.with_context(|| format!("the packages hold no {name}"))?;
        copy(source, &root.join(name))?;
        libraries.extend(needed(source, tree)?);
    }
    for library in libraries {
        // The loader asks for the name it was linked with, in the system's folders.
        let name = library.file_name().unwrap_or_default();
        let place = if name.to_string_lossy().starts_with("ld-linux") { "lib64" } else { "lib" };
        let folder = root.join(place);
        fs::create_dir_all(&folder)?;
        let found = fs::canonicalize(&library)
            .with_context(|| format!("failed to find the library {}", library.display()))?;
        copy(&found, &folder.join(name))?;
    }
    Ok(())
}

/// Returns the libraries of a program, those of the packages before those of this machine.
fn needed(program: &Path, tree: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let folders = ["lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu", "lib", "usr/lib"];
    let folders: Vec<String> =
        folders.iter().map(|folder| tree.join(folder).to_string_lossy().into_owned()).collect();
    let mut ldd = Command::new("ldd");
    // A static program is no failure; ldd says so and ends with one.
    let text = match output(ldd.arg(program).env("LD_LIBRARY_PATH", folders.join(":"))) {
        Err(error) if error.to_string().contains("not a dynamic") => return Ok(Vec::new()),
        other => other?,
    };
    libraries(&text).with_context(|| format!("{} lacks a library", program.display()))
}

/// Reads lines such as `libz.so.1 => /lib/libz.so.1 (0x…)` and `/lib64/ld-linux-… (0x…)`.
fn libraries(text: &str) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.contains("not found") {
            bail!("{line}");
        }
        let path = line.split("=> ").last().and_then(|rest| rest.split(" (").next());
        found.extend(path.filter(|path| path.starts_with('/')).map(PathBuf::from));
    }
    Ok(found)
}

fn kernel_modules(release: &str, tree: &Path, root: &Path) -> anyhow::Result<()> {
    let place = Path::new("lib/modules").join(release);
    depmod(release, tree, tree)?;
    let all = fs::read_to_string(tree.join(&place).join("modules.dep"))?;
    for module in wanted(&all)? {
        copy(&tree.join(&place).join(&module), &root.join(&place).join(&module))?;
    }
    for list in LISTS {
        copy(&tree.join(&place).join(list), &root.join(&place).join(list))?;
    }
    depmod(release, tree, root)
}

/// Returns the files of the modules wanted and of those they need, from `modules.dep`.
fn wanted(dependencies: &str) -> anyhow::Result<BTreeSet<String>> {
    let mut files = BTreeSet::new();
    for module in MODULES {
        let file = format!("/{module}.ko");
        let line = dependencies.lines().filter_map(|line| line.split_once(':'));
        let mut line = line.filter(|(path, _)| path.ends_with(&file));
        let (path, needs) = line.next().with_context(|| format!("the kernel has no {module}"))?;
        files.insert(path.to_owned());
        files.extend(needs.split_whitespace().map(str::to_owned));
    }
    Ok(files)
}

fn depmod(release: &str, tree: &Path, root: &Path) -> anyhow::Result<()> {
    use std::os::unix::process::CommandExt as _;
    let mut command = Command::new(tree.join("bin/kmod"));
    let command = command.arg0("depmod").arg("-b").arg(root).arg(release);
    output(command.env("LD_LIBRARY_PATH", tree.join("lib/x86_64-linux-gnu")))?;
    Ok(())
}

/// Copies a file with its rights, and makes it the owner's to write.
fn copy(source: &Path, target: &Path) -> anyhow::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let failed = || format!("failed to copy {}", source.display());
    fs::copy(source, target).with_context(failed)?;
    let rights = fs::metadata(target)?.permissions().mode() | 0o600;
    fs::set_permissions(target, fs::Permissions::from_mode(rights))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{libraries, wanted};

    #[test]
    fn what_ldd_names_is_found_and_what_it_misses_is_an_error() {
        let text = "\tlinux-vdso.so.1 (0x1)\n\tlibz.so.1 => /lib/libz.so.1 (0x2)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x3)\n";
        let expected =
            ["/lib/libz.so.1", "/lib64/ld-linux-x86-64.so.2"].map(std::path::PathBuf::from);
        assert_eq!(libraries(text).unwrap(), expected);
        assert!(libraries("\tlibtirpc.so.3 => not found\n").is_err());
    }

    #[test]
    fn a_module_brings_what_it_needs() {
        let text = "kernel/virtio_pci.ko: kernel/virtio.ko\nkernel/not_virtio_pci.ko:\n\
                    kernel/virtio_blk.ko: kernel/virtio.ko\nextra/zfs.ko: extra/spl.ko\nkernel/x.ko:";
        let files: Vec<String> = wanted(text).unwrap().into_iter().collect();
        let expected = [
            "extra/spl.ko",
            "extra/zfs.ko",
            "kernel/virtio.ko",
            "kernel/virtio_blk.ko",
            "kernel/virtio_pci.ko",
        ];
        assert_eq!(files, expected);
        assert!(wanted("extra/zfs.ko:").is_err());
    }
}
