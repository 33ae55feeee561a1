//! What the keys and the words mean.

use ratatui::text::Line;

use crate::palette::Palette;

const TEXT: &str = "\
 q, esc    quit; esc first leaves help or a panel
 space, p  hold the window while readings go on; again: back to now
 ← →       an earlier, a later reading
 w         window of 1, 10, 60 steps, or since the first reading
 + -       faster, slower, where a run is watched
 tab, 1-6  one panel on the whole screen; 0 all of them

 demand    somebody waits for it; prefetch: read ahead of being asked for
 data      contents of files; metadata: everything that leads to them
 lost too early   misses that ghost lists remember: a larger ARC would have had them
 fed       written to cache devices; a day: what that makes in a day, if it goes on
 commits   programs that wait until their writes are safe (fsync, O_SYNC, NFS)
 latency   mean time of a disk's requests in the window, queueing in the kernel included";

pub(super) fn lines(palette: Palette) -> Vec<Line<'static>> {
    TEXT.lines().map(|line| Line::styled(line, palette.dim())).collect()
}
