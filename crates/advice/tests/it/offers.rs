//! Pools whose last sound copy fails, that are offered and not in use, whose requests no copy could answer.

use arcwright_machine::{Layout, Offer, Vdev};

use crate::healthy::{Bed, check, check_note, found, linux};

fn state(bed: &mut Bed, name: &str, state: &str) {
    let members = bed.machine.pools[0].vdevs.iter_mut().flat_map(|vdev| vdev.children.iter_mut());
    members.into_iter().filter(|leaf| leaf.name == name).for_each(|leaf| {
        leaf.state = Some(state.to_owned());
    });
}

fn said(bed: Bed, damage: impl FnOnce(&mut Bed), id: &str) -> String {
    let advice = check(bed, damage, &[id]);
    format!("{:?}", found(&advice, id))
}

fn unsound(bed: &mut Bed) {
    let pool = &mut bed.machine.pools[0];
    pool.state = Some("DEGRADED".to_owned());
    pool.vdevs.truncate(1);
    pool.vdevs[0].layout = Layout::Mirror;
    pool.vdevs[0].children.truncate(2);
    state(bed, "sda", "DEGRADED");
    state(bed, "sdb", "FAULTED");
}

#[test]
fn of_two_failing_halves_the_one_that_still_reads_is_kept() {
    let text = said(linux("2.2.4"), unsound, "pool-degraded");
    assert!(text.contains("copy what matters elsewhere first"), "{text}");
    assert!(!text.contains("zpool replace tank sda"), "{text}");
    assert!(text.contains("zpool replace tank sdb"), "{text}");
}

#[test]
fn a_resilver_from_a_failing_device_is_waited_for_with_a_copy_elsewhere() {
    let damage = |bed: &mut Bed| {
        unsound(bed);
        bed.machine.pools[0].scan = Some("resilver in progress since Sun Nov 1".to_owned());
    };
    let text = said(linux("2.2.4"), damage, "pool-degraded");
    assert!(text.contains("wait") && text.contains("copy what matters elsewhere"), "{text}");
    assert!(!text.contains("zpool replace"), "{text}");
}

#[test]
fn errors_that_no_copy_could_answer_are_told_where_the_list_was_not_read() {
    let damage = |bed: &mut Bed| {
        let pool = &mut bed.machine.pools[0];
        (pool.errors, pool.data_errors) = (None, None);
        pool.errors_beside.own = Some([0, 0, 7]);
        pool.vdevs[0].children[0].errors = Some([0, 0, 9]);
    };
    let advice = check(linux("2.2.4"), damage, &["data-errors-likely", "device-errors"]);
    let text = format!("{:?}", found(&advice, "data-errors-likely"));
    assert!(text.contains("zpool status -v tank") && !text.contains("zpool scrub"), "{text}");
}

fn offer(bed: &mut Bed, state: &str) {
    let pool = &mut bed.machine.pools[0];
    pool.state = Some(state.to_owned());
    pool.offer = Some(Offer { id: "12345".to_owned(), ..Offer::default() });
    (pool.scan, pool.errors, pool.data_errors) = (None, None, None);
}

#[test]
fn an_offered_pool_that_lacks_too_much_is_looked_for_and_never_repaired() {
    let damage = |bed: &mut Bed| {
        offer(bed, "ONLINE");
        let lost = |leaf: &mut Vdev| leaf.state = Some("UNAVAIL".to_owned());
        bed.machine.pools[0].vdevs[0].children.iter_mut().for_each(lost);
    };
    let text = said(linux("2.2.4"), damage, "pool-unopened");
    assert!(text.contains("zpool import -d /dev/disk/by-id"), "{text}");
    for never in ["zpool replace", "zpool clear", "zpool scrub", "zpool import -f ", "import -m"] {
        assert!(!text.contains(never), "{never}: {text}");
    }
    let lacks = |bed: &mut Bed| {
        offer(bed, "UNAVAIL");
        bed.machine.pools[0].offer.as_mut().unwrap().lacks_devices = true;
    };
    let text = said(linux("2.2.4"), lacks, "pool-unopened");
    assert!(text.contains("zpool import -m tank"), "{text}");
}

#[test]
fn an_offered_pool_that_is_whole_is_a_note() {
    check_note(linux("2.2.4"), |bed| offer(bed, "ONLINE"), "pool-not-imported");
}

#[test]
fn a_spare_for_a_device_that_works_is_told() {
    let damage = |bed: &mut Bed| {
        let pool = &mut bed.machine.pools[0];
        let works = pool.vdevs[0].children[0].clone();
        let spare = Vdev { name: "sdz".to_owned(), ..works.clone() };
        pool.vdevs[0].children[0] = Vdev {
            name: "spare-0".to_owned(),
            layout: Layout::Replacing,
            children: vec![works.clone(), spare],
            ..works
        };
    };
    let text = said(linux("2.2.4"), damage, "spare-in-use");
    assert!(text.contains("zpool detach tank sdz"), "{text}");
}

#[test]
fn an_unavailable_pool_in_use_that_wants_to_be_cleared_is_not_imported() {
    let damage = |bed: &mut Bed| {
        let pool = &mut bed.machine.pools[0];
        pool.state = Some("UNAVAIL".to_owned());
        pool.action = Some(
            "Make sure the affected devices are connected, then run 'zpool clear'.".to_owned(),
        );
    };
    let text = said(linux("2.2.4"), damage, "pool-suspended");
    assert!(text.contains("zpool clear tank") && !text.contains("zpool import"), "{text}");
}

#[test]
fn a_pool_of_which_the_tool_says_that_it_can_be_imported_lacks_nothing() {
    let offered = |action: &'static str, id: &str| {
        let damage = move |bed: &mut Bed| {
            let pool = &mut bed.machine.pools[0];
            let leaf = |name: &str, state: &str| Vdev {
                name: name.to_owned(),
                state: Some(state.to_owned()),
                ..Vdev::default()
            };
            pool.vdevs.clear();
            pool.strays = vec![leaf("sda", "UNAVAIL"), leaf("sdb", "ONLINE")];
            pool.state = Some("DEGRADED".to_owned());
            pool.action = Some(action.to_owned());
            pool.offer = Some(Offer { id: "7".to_owned(), ..Offer::default() });
        };
        said(linux("2.2.4"), damage, id)
    };
    let despite = "The pool can be imported despite missing or damaged devices.  The fault tolerance may be compromised.";
    let text = offered(despite, "pool-not-imported");
    assert!(!text.contains("ddrescue"), "{text}");
    // Without those words it is not known.
    let text = offered("", "pool-unopened");
    assert!(text.contains("whether it can do without was not read"), "{text}");
}
