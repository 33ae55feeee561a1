//! What the keys and the words mean.

use ratatui::text::Line;

use crate::palette::Palette;

const TEXT: &str = "q, esc    quit; esc first leaves help or a panel
 space, p  pause the display while readings continue; again: back to now
 ← →       earlier, later reading
 w         window of 1, 10, 60 steps, or since the first reading
 + -       faster, slower, when watching a run
 tab, 1-6  one panel full screen; 0 all of them

 demand    a program waits for it; prefetch: read ahead of demand
 data      contents of files; metadata: everything that leads to them
 ghost hits   misses that ghost lists remember: a larger ARC would have hit
 fed       written to cache devices; per day: at the present rate
 commits   programs that wait until their writes are stable (fsync, O_SYNC, NFS)
 latency   mean time of a disk's requests in the window, including kernel queueing";

pub(super) fn lines(palette: Palette) -> Vec<Line<'static>> {
    TEXT.lines().map(|line| Line::styled(line, palette.dim())).collect()
}
