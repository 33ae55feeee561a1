//! scratch
#[path = "../tests/it/driver.rs"] #[allow(unused, dead_code)] mod driver;
fn main() {
    for n in arcwright_device::profile_names() { if n=="instant" {continue;}
        print!("{n:22}");
        for d in [1,2,4,8,10,16,32] { print!(" {:8.0}", driver::random_read_iops(n, d)); }
        let p = driver::named(n);
        let b = p.capacity().0/4096; let mut r = driver::Random(7);
        let mut dev = driver::whole(&p);
        let run = driver::closed_loop(&mut dev, arcwright_units::Nanos::ZERO, 32, 3000, |_| driver::read(r.below(b)*4096,4096));
        println!("   max lat QD32 {}", run.latencies.iter().max().unwrap());
    }
}
