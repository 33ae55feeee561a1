//! Fewer arms than the file has.

use super::{GOOD, parsed};

fn kept(names: &[&str]) -> Result<Vec<String>, String> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let scenario = parsed(GOOD).retain_arms(&names).map_err(|error| error.to_string())?;
    Ok(scenario.arms.into_iter().map(|arm| arm.name).collect())
}

#[test]
fn arms_keep_the_order_of_the_file() {
    assert_eq!(kept(&[]).unwrap(), ["one", "two"]);
    assert_eq!(kept(&["two", "one"]).unwrap(), ["one", "two"]);
    assert_eq!(kept(&["two"]).unwrap(), ["two"]);
}

#[test]
fn an_unknown_arm_is_named_with_the_nearest() {
    assert_eq!(kept(&["tow"]).unwrap_err(), "no arm “tow” in the scenario; did you mean “two”?");
    let far = "no arm “banana” in the scenario; its arms are “one”, “two”";
    assert_eq!(kept(&["banana"]).unwrap_err(), far);
}
