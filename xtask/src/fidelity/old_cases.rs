//! Cases on zfs-fuse 0.7.0: the readers of the report of February 2011 with prefetch on and
//! off, on three layouts.

/// The library that they run on.
pub(super) const VERSION: &str = "zfs-fuse-0.7.0";
/// The version whose rules the model follows there: FreeBSD 9 has the code of a year later, in which the
/// ARC counts as in zfs-fuse.
pub(super) const BEHAVIOUR: &str = "freebsd-9";

const RAIDZ: &str =
    "{ raidz1 = [\"hdd-desktop-2010\", \"hdd-desktop-2010\", \"hdd-desktop-2010\"] }";
const MIRROR: &str = "{ mirror = [\"hdd-desktop-2010\", \"hdd-desktop-2010\"] }";
const SINGLE: &str = "{ disk = \"hdd-desktop-2010\" }";

const ONE_FILE: &str = "[[file]]\nname = \"a\"\nsize = \"3072MiB\"\n";
const THREE_FILES: &str = "[[file]]\nname = \"a\"\nsize = \"1024MiB\"\n[[file]]\nname = \"b\"\n\
                           size = \"1024MiB\"\n[[file]]\nname = \"c\"\nsize = \"1024MiB\"\n";

const ONE: &str = "{ read = \"a\", io = \"1MiB\" }";
/// A twelfth of the file: with 512 bytes a call, calls are what takes the time.
const SMALL: &str = "{ read = \"a\", io = \"512B\", amount = \"256MiB\" }";
/// Starts as far apart, for the time of a pass, as those of the report.
const SAME: &str = "{ read = \"a\", io = \"1MiB\" }, { read = \"a\", io = \"1MiB\", start = \"2s\" }, \
                    { read = \"a\", io = \"1MiB\", start = \"4s\" }";
const THREE: &str = "{ read = \"a\", io = \"1MiB\" }, { read = \"b\", io = \"1MiB\" }, \
                     { read = \"c\", io = \"1MiB\" }";

/// Returns name and text of every case.
pub(super) fn all() -> Vec<(String, String)> {
    let cases = [
        ("old-one-reader-raidz", RAIDZ, ONE_FILE, ONE),
        ("old-small-reads-raidz", RAIDZ, ONE_FILE, SMALL),
        ("old-same-file-raidz", RAIDZ, ONE_FILE, SAME),
        ("old-three-files-raidz", RAIDZ, THREE_FILES, THREE),
        ("old-one-reader-mirror", MIRROR, ONE_FILE, ONE),
        ("old-same-file-mirror", MIRROR, ONE_FILE, SAME),
        ("old-one-reader-single", SINGLE, ONE_FILE, ONE),
        ("old-three-files-single", SINGLE, THREE_FILES, THREE),
    ];
    let named = |(name, data, files, clients): (&str, &str, &str, &str)| {
        (format!("{name}-{VERSION}"), text(data, files, clients))
    };
    cases.into_iter().map(named).collect()
}

/// Two passes over the same with an ARC of two thirds of the files, in a quarter of full scale.
fn text(data: &str, files: &str, clients: &str) -> String {
    format!(
        "title = \"fidelity\"\nquestion = \"Is the model right?\"\n[system]\nzfs = \"{BEHAVIOUR}\"\n\
         os = \"freebsd\"\nmemory = \"4GiB\"\ncpu = \"nas-quad\"\n[system.pool]\ndata = [{data}]\n\
         compression = \"off\"\nashift = 9\n[system.tunables]\nzfs_arc_max = \"2GiB\"\n\
         [[arm]]\nname = \"prefetch on\"\n\
         [[arm]]\nname = \"prefetch off\"\ntunables = {{ zfs_prefetch_disable = 1 }}\n{files}\
         [[phase]]\nname = \"first\"\nclients = [{clients}]\n\
         [[phase]]\nname = \"second\"\nclients = [{clients}]\n[lab]\nscale = 4\n"
    )
}
