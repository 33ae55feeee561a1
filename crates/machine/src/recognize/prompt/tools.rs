//! Commands told from sentences that begin with the name of one: by what must follow it.

/// Programs of disks and copies, whose arguments tell a command from a line of their output.
pub(super) const TOOLS: [&str; 21] = [
    "gpart",
    "glabel",
    "geli",
    "geom",
    "camcontrol",
    "diskinfo",
    "swapon",
    "mkswap",
    "swapinfo",
    "blkid",
    "zdb",
    "smartctl",
    "dd",
    "fio",
    "pv",
    "rsync",
    "ls",
    "rm",
    "iostat",
    "gstat",
    "top",
];
/// What follows `zpool` and `zfs`.
pub(super) const SUBCOMMANDS: [&str; 28] = [
    "iostat",
    "status",
    "list",
    "get",
    "version",
    "history",
    "upgrade",
    "events",
    "add",
    "create",
    "import",
    "export",
    "scrub",
    "set",
    "--version",
    "clear",
    "attach",
    "detach",
    "offline",
    "online",
    "remove",
    "replace",
    "resilver",
    "destroy",
    "labelclear",
    "split",
    "rollback",
    "inherit",
];

/// Returns whether words are a command about disks, memory or timing, told by what must follow it.
pub(super) fn is_tool(program: &str, words: &[String]) -> bool {
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let rest = || words.iter().skip(1);
    match program {
        "gpart" | "glabel" | "geli" | "geom" => {
            let verbs = ["show", "list", "status", "add", "create", "destroy", "label", "disk"];
            // Not commands in one line with what they printed.
            verbs.contains(&second) && !words.iter().any(|word| word == "=>")
        }
        "camcontrol" => second == "devlist",
        "diskinfo" | "swapon" | "mkswap" | "swapinfo" | "blkid" | "zdb" | "smartctl" => {
            second.is_empty() || second.starts_with(['-', '/'])
        }
        "dd" => rest().any(|word| word.starts_with("if=") || word.starts_with("of=")),
        // Intervals, counts and disks have digits, words of a sentence have none.
        "iostat" | "gstat" => {
            let plain = |word: &String| {
                word.starts_with('-') || word.contains(|c: char| c.is_ascii_digit())
            };
            second.starts_with('-') && rest().all(plain)
        }
        "top" => second.len() > 1 && second.starts_with('-'),
        "fio" => second.ends_with(".fio") || second.starts_with('-'),
        "pv" | "rsync" | "ls" | "rm" => rest().any(|word| word.starts_with(['-', '/'])),
        _ => false,
    }
}
