//! What the keys, the mouse and the words mean.

use ratatui::text::Line;

use crate::palette::Palette;

pub(crate) const TEXT: &str = "q, esc    quit; esc first leaves help or a panel
space, p  pause the display while readings continue; again: back to now
← →       earlier, later reading
w         window of 1, 10, 60 steps, or since the first reading
+ -       faster, slower, when watching a run
tab, 1-9  one panel full screen; 0 all of them
t         the next table: pools, datasets, processes, devices
s r       sort it by the next column; the other way round
↑ ↓       scroll it; page up, page down, home, end
m         leave the mouse to the terminal, to select text; again: take it
mouse     click a panel's title: full screen; a column's head: sort by it;
          another table's name: show it; a key below: press it; wheel: scroll
demand    a program waits for it; prefetch: read ahead of demand
ahead     prefetches that missed have read ahead, as they should
3 of 5    hits, where there were too few accesses for a share
lost too early  misses that ghost lists remember: a larger ARC would have hit
fed       written to cache devices; a day: at the present rate
txgs      the last group synced; delayed: transactions that had to wait for one
commits   programs wait until their writes are stable (fsync, O_SYNC, NFS)
waiting   threads that wait for a device, in the mean; bytes are of all files
latency   mean time of a disk's requests, including kernel queueing
-         unknown, or nothing happened";

pub(super) fn lines(palette: Palette) -> Vec<Line<'static>> {
    TEXT.lines().map(|line| Line::styled(line, palette.dim())).collect()
}
