//! scratch
use arcwright_device::{Profile, validation::*};
use arcwright_units::Nanos;
fn main() {
    let only: Option<String> = std::env::args().nth(1);
    for d in measured_drives() {
        if only.as_deref().is_some_and(|o| o != d.name) {
            continue;
        }
        let text =
            std::fs::read_to_string(format!("/work/main/crates/device/validation/{}.toml", d.name))
                .unwrap();
        let p = Profile::parse(d.name, &text).unwrap();
        let (t, bad) = parse_trace(
            &std::fs::read_to_string(format!("/work/shared/traces/{}", d.trace_file)).unwrap(),
        );
        let m = replay(&p, &t);
        let s: Vec<Nanos> = t.iter().map(|x| x.service).collect();
        let mean = |v: &[Nanos]| v.iter().map(|x| x.0 as f64 / 1e6).sum::<f64>() / v.len() as f64;
        println!(
            "{} bad {bad} measured {:.3} model {:.3} rms {:.3} disksim {:.3}",
            d.name,
            mean(&s),
            mean(&m),
            demerit_ms(&s, &m),
            d.disksim_demerit_ms
        );
        let f = format!("/tmp/dv/{}.out", d.name);
        let mut o = String::new();
        for (x, y) in t.iter().zip(&m) {
            o += &format!(
                "{:?} {} {} {} {}\n",
                x.request.io,
                x.request.offset / 512,
                x.request.size / 512,
                x.service.0,
                y.0
            );
        }
        std::fs::write(f, o).unwrap();
    }
}
