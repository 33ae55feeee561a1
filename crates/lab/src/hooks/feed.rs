//! The L2ARC feed's draws: which sublist of the ARC each pass of the L2ARC's feed looks at.
//!
//! OpenZFS draws it at random, and with few passes the draws decide what gets into a cache device.
//! The stream for them comes from the seed and is the model's too
//! ([`arcwright_scenario::feed_rng`]), so that the same seed means the same draws on both engines.
//! Eviction draws from the same function; its thread distinguishes it, which never sleeps with a
//! deadline as the feed does.

use std::cell::Cell;
use std::ffi::{c_uint, c_void};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

use arcwright_workload::Stream;

use super::Hook;
use crate::LabError;
use crate::zpool::library::Library;

type Number = unsafe extern "C" fn(*const c_void) -> c_uint;

/// What the library has.
struct Real {
    random_index: Number,
    sublists: Number,
    /// Where the states lie that are fed from.
    states: [Range<usize>; 2],
}

static REAL: OnceLock<Real> = OnceLock::new();
static RNG: Mutex<Option<Stream>> = Mutex::new(None);

thread_local! {
    static HAS_DEADLINES: Cell<bool> = const { Cell::new(false) };
}

/// Notes that this thread sleeps with a deadline.
pub(super) fn sleeps_with_deadline() {
    HAS_DEADLINES.with(|known| known.set(true));
}

/// From now on the feed draws from the beginning of the stream of `seed`.
pub(crate) fn begin(seed: u64) {
    *RNG.lock().unwrap_or_else(PoisonError::into_inner) = Some(arcwright_scenario::feed_rng(seed));
}

/// Takes the place of the library's draws, where it has what draws (OpenZFS 2.0 and later).
///
/// # Errors
/// [`LabError::Size`] when it has the states and does not say how large they are.
pub(super) fn install(library: &Library) -> Result<(), LabError> {
    let Some(real) = find(library)? else { return Ok(()) };
    let hook: Hook = ("multilist_get_random_index", random_index as *const c_void);
    if REAL.set(real).is_ok() {
        library.redirect(hook.0, hook.1)?;
    }
    Ok(())
}

fn find(library: &Library) -> Result<Option<Real>, LabError> {
    let function = |name: &str| -> Option<Number> {
        let address = library.find(name)?;
        // SAFETY: both functions of module/zfs/multilist.c take a list and return a number.
        Some(unsafe { std::mem::transmute::<*mut c_void, Number>(address) })
    };
    let random_index = function("multilist_get_random_index");
    let sublists = function("multilist_get_num_sublists");
    let states = ["ARC_mru", "ARC_mfu"].map(|name| Some((name, library.find(name)? as usize)));
    let (Some(random_index), Some(sublists), [Some(mru), Some(mfu)]) =
        (random_index, sublists, states)
    else {
        return Ok(None);
    };
    // Without its size no list would be seen to lie in a state, and every draw would be the library's.
    let range = |(name, start): (&str, usize)| {
        let size = library.size_of(name).and_then(|size| usize::try_from(size).ok());
        let size = size.filter(|size| *size > 0);
        let unknown = || LabError::Size { name: name.to_owned() };
        size.map(|size| start..start + size).ok_or_else(unknown)
    };
    Ok(Some(Real { random_index, sublists, states: [range(mru)?, range(mfu)?] }))
}

unsafe extern "C" fn random_index(list: *const c_void) -> c_uint {
    let Some(real) = REAL.get() else { return 0 };
    let feeds = HAS_DEADLINES.with(Cell::get)
        && real.states.iter().any(|state| state.contains(&(list as usize)));
    let mut rng = RNG.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the caller's own list, handed on to the library's own functions.
    unsafe {
        match &mut *rng {
            Some(rng) if feeds => {
                let sublists = (real.sublists)(list).max(1);
                c_uint::try_from(rng.below(u64::from(sublists))).unwrap_or(0)
            }
            _ => (real.random_index)(list),
        }
    }
}
