//! What may stand on the command line about prices.

use arcwright_units::visible;
use arcwright_whatif::Prices;
use clap::Args;

#[derive(Debug, Clone, Default, Args)]
pub(crate) struct PriceArguments {
    /// What hardware costs, in any one currency: memory=AMOUNT and l2arc=AMOUNT per GiB, log=AMOUNT per device. May be given
    /// several times; rows then have a price, and the cheapest of nearly the best is chosen.
    #[arg(long = "price", value_name = "WHAT=AMOUNT", value_parser = price)]
    prices: Vec<Price>,

    /// Choose only what costs no more.
    #[arg(long, value_name = "AMOUNT", value_parser = amount, requires = "prices")]
    budget: Option<f64>,
}

/// The price of one kind of hardware.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Price {
    what: Hardware,
    amount: f64,
}

/// What has a price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hardware {
    Memory,
    L2arc,
    Log,
}

impl PriceArguments {
    /// Returns the prices that were given, of each kind the last; none without any.
    pub(crate) fn prices(&self) -> Option<Prices> {
        let of = |what: Hardware| {
            let last = self.prices.iter().rev().find(|price| price.what == what);
            last.map(|price| price.amount)
        };
        (!self.prices.is_empty()).then(|| Prices {
            memory_gib: of(Hardware::Memory),
            l2arc_gib: of(Hardware::L2arc),
            log_device: of(Hardware::Log),
            budget: self.budget,
        })
    }
}

fn price(text: &str) -> Result<Price, String> {
    let expected = || {
        format!(
            "“{}” is no price; expected memory=AMOUNT or l2arc=AMOUNT per GiB, or log=AMOUNT per device",
            visible(text)
        )
    };
    let (what, number) = text.split_once('=').ok_or_else(expected)?;
    let what = match what.trim() {
        "memory" => Hardware::Memory,
        "l2arc" => Hardware::L2arc,
        "log" => Hardware::Log,
        _ => return Err(expected()),
    };
    Ok(Price { what, amount: amount(number)? })
}

fn amount(text: &str) -> Result<f64, String> {
    /// More is no price of hardware.
    const MOST: f64 = 1e9;
    let number: Option<f64> = text.trim().parse().ok();
    number.filter(|number| (0.0..=MOST).contains(number)).ok_or_else(|| {
        format!("“{}” is no amount; expected a number from 0 to {MOST:.0}", visible(text))
    })
}
