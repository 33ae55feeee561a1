//! Tables of devices as six systems print them, whole and with something taken away.

use crate::devices::{DeviceIo, DeviceTable};
use crate::machine::{Machine, Reason};
use crate::sources::Sources;

fn machine(text: &str) -> Machine {
    Machine::read(&Sources::recognize(text))
}

fn table(text: &str) -> Option<DeviceTable> {
    machine(text).device_table
}

/// Returns what is known of a device in few words: rates, KiB, milliseconds, queue, busy.
fn short(device: &DeviceIo) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
    let kib = |value: Option<f64>| number(value.map(|value| value / 1024.0));
    let ms = |value: Option<u64>| number(value.map(|value| value as f64 / 1e6));
    format!(
        "{} {} {} {} {} {} {} {} {} {}",
        device.name,
        number(device.read_ops_per_s),
        number(device.write_ops_per_s),
        kib(device.read_bytes_per_s),
        kib(device.write_bytes_per_s),
        ms(device.read_wait_ns),
        ms(device.write_wait_ns),
        ms(device.wait_ns),
        number(device.queue),
        number(device.busy_pct),
    )
}

/// Reads a paste of which every line must be known.
fn check(text: &str, since_boot: Option<bool>, expected: &[&str]) {
    let machine = machine(text);
    assert_eq!(machine.problems, [], "{text}");
    let table = machine.device_table.unwrap_or_else(|| panic!("{text}"));
    let found: Vec<String> = table.devices.iter().map(short).collect();
    assert_eq!(
        (table.since_boot, found),
        (since_boot, expected.iter().map(|e| (*e).to_owned()).collect())
    );
}

const OLD: &str = "\
Linux 3.10.0-1160.el7.x86_64 (files.example.org) \t11/15/2026 \t_x86_64_\t(8 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.20    0.00    2.11   40.02    0.00   56.67

Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00   10.01   20.02   100.04   200.03    20.00     0.30   10.00    8.00   11.00   5.00  15.00
sdb               0.00     0.00    0.00   20.00     0.00   200.00    20.00     0.30   10.00    0.00   10.00   5.00  15.00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           1.20    0.00    2.11   40.02    0.00   56.67

Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00   30.00   10.00   400.00   100.00    20.00     1.00   30.00   40.00    5.00   5.00  80.00
sdb               0.00     0.00   30.00   10.00   400.00   100.00    20.00     1.00   10.00   10.00    5.00   5.00  40.00

Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
sda               0.00     0.00   10.00   30.00   200.00   300.00    20.00     2.00   10.00   20.00    5.00   5.00  60.00
sdb               0.00     0.00    0.00   10.00     0.00   100.00    20.00     0.00   10.00    0.00    9.00   5.00  20.00
";

#[test]
fn of_several_reports_the_first_is_left_out_and_waits_count_by_request() {
    check(
        OLD,
        Some(false),
        &[
            "sda 20.0 20.0 300.0 200.0 35.0 5.0 20.0 1.5 70.0",
            "sdb 15.0 10.0 200.0 100.0 10.0 7.0 10.0 0.5 30.0",
        ],
    );
    assert_eq!(machine(OLD).kernel.as_deref(), Some("3.10.0-1160.el7.x86_64"));
}

#[test]
fn one_report_counts_since_the_start_unless_the_command_says_otherwise() {
    let one: String = OLD.lines().take(8).map(|line| format!("{line}\n")).collect();
    let rows = [
        "sda 10.0 20.0 100.0 200.0 8.0 11.0 10.0 0.3 15.0",
        // It did not read: there is no mean of that.
        "sdb 0.0 20.0 0.0 200.0 - 10.0 10.0 0.3 15.0",
    ];
    check(&one, Some(true), &rows);
    check(&one.replace('.', ",").replace("3,10,0-1160,el7,x86_64", "3.10.0"), Some(true), &rows);
    check(&format!("root@files:~# iostat -x\n{one}"), Some(true), &rows);
    check(&format!("root@files:~# iostat -xy 5 1\n{one}"), Some(false), &rows);
    check(&format!("iostat -y -x 5 1\n{one}"), Some(false), &rows);
}

#[test]
fn forms_of_linux_differ_in_titles_and_units() {
    check(
        "Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s     wkB/s   wrqm/s  %wrqm w_await wareq-sz     d/s     dkB/s   drqm/s  %drqm d_await dareq-sz     f/s f_await  aqu-sz  %util\n\
         nvme0n1         10.01    100.04     0.00   0.00    0.25    10.00   20.00    200.00     0.00   0.00    0.05    10.00    1.00      4.00     0.00   0.00    3.00     4.00    2.00    7.00    0.10   5.00\n",
        Some(true),
        &["nvme0n1 10.0 20.0 100.0 200.0 0.2 0.1 - 0.1 5.0"],
    );
    check(
        "Device:         rrqm/s   wrqm/s     r/s     w/s   rsec/s   wsec/s avgrq-sz avgqu-sz   await  svctm  %util\n\
         sda               0.00     0.00   10.00   20.00   100.00   200.00    20.00     0.30   10.00   5.00  15.00\n",
        Some(true),
        &["sda 10.0 20.0 50.0 100.0 - - 10.0 0.3 15.0"],
    );
    check(
        "Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util\n\
         sda               0.00     0.00   10.00   20.00     1.00     2.00    20.00     0.30   10.00    8.00   11.00   5.00  15.00\n",
        Some(true),
        &["sda 10.0 20.0 1024.0 2048.0 8.0 11.0 10.0 0.3 15.0"],
    );
}

#[test]
fn a_report_of_whole_seconds_is_no_mean_since_the_start() {
    let titles = "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await  svctm  %util\n";
    let of = |rates: &str| {
        let rows = ["sda", "sdb"]
            .map(|name| format!("{name} 0.00 0.00 {rates} 20.00 0.30 10.00 5.00 15.00\n"));
        titles.to_owned() + &rows.concat()
    };
    let told = [
        "sda 10.0 20.5 100.0 200.0 - - 10.0 0.3 15.0",
        "sdb 10.0 20.5 100.0 200.0 - - 10.0 0.3 15.0",
    ];
    check(&of("10.00 20.50 100.00 200.00"), Some(false), &told);
    check(&of("10.01 20.50 100.00 200.00"), Some(true), &told);
    let head = "Linux 6.1.0-28-amd64 (nas) \t11/15/2026 \t_x86_64_\t(8 CPU)\n\n";
    check(&format!("{head}{}", of("10.00 20.50 100.00 200.00")), Some(true), &told);
}

const FREEBSD: &str = "                        extended device statistics  
device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b  
ada0          12      40    512.0   1024.0     5     3     0     4    0   4 
ada1          12       0    512.0      0.0     6     0     0     6    0   5 
";

#[test]
fn forms_of_freebsd_and_illumos() {
    check(
        FREEBSD,
        Some(true),
        &[
            "ada0 12.0 40.0 512.0 1024.0 5.0 3.0 4.0 0.0 4.0",
            "ada1 12.0 0.0 512.0 0.0 6.0 - 6.0 0.0 5.0",
        ],
    );
    check(
        "                        extended device statistics  \n\
         device     r/s   w/s    kr/s    kw/s wait svc_t  %b  \n\
         ada0      12.0  40.0   512.0  1024.0    3   4.5   7 \n",
        Some(true),
        // How many wait is of one moment there.
        &["ada0 12.0 40.0 512.0 1024.0 - - 4.5 - 7.0"],
    );
    check(
        "                    extended device statistics              \n    \
         r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device\n   \
         10.0    3.5  100.0   43.0  1.0  0.5    9.0   12.5   0  11 c0t5000C500A1B2C3D4d0\n",
        Some(true),
        &["c0t5000C500A1B2C3D4d0 10.0 3.5 100.0 43.0 - - 12.5 0.5 11.0"],
    );
}

const GSTAT: &str = "dT: 1.002s  w: 1.000s
 L(q)  ops/s    r/s   kBps   ms/r    w/s   kBps   ms/w   %busy Name
    0     52     12    512    5.0     40   1024    3.0    4.1| ada0
    1     52     12    512   25.5     40   1024    3.5   99.1| ada1p3
";

#[test]
fn gstat_counts_over_the_time_that_it_tells() {
    let rows = [
        "ada0 12.0 40.0 512.0 1024.0 5.0 3.0 - 0.0 4.1",
        "ada1p3 12.0 40.0 512.0 1024.0 25.5 3.5 - 1.0 99.1",
    ];
    check(GSTAT, Some(false), &rows);
    let (_, untimed) = GSTAT.split_once('\n').unwrap();
    check(untimed, None, &rows);
    check(&GSTAT.replace("dT: 1.002s", "dT: 0.002s"), None, &rows);
    check(
        "dT: 1.001s  w: 1.000s  filter: ada\n L(q)  ops/s    r/s     kB   kBps   ms/r    w/s     kB   kBps   ms/w    d/s     kB   kBps   ms/d   %busy Name\n    \
         0     53     12     42    512    5.0     40     25   1024    3.0      1      9      9    7.7    4.1  ada0\n",
        Some(false),
        &["ada0 12.0 40.0 512.0 1024.0 5.0 3.0 - 0.0 4.1"],
    );
}

#[test]
fn another_run_is_not_a_second_report() {
    let check = |text: &str, named: usize| {
        let machine = machine(text);
        let since_boot = machine.device_table.unwrap().since_boot;
        assert_eq!((since_boot, machine.problems.len()), (Some(true), named), "{text}");
    };
    let one: String = OLD.lines().take(8).map(|line| format!("{line}\n")).collect();
    let later = one.replace("20.00", "30.00");
    check(&format!("{one}\n{later}"), 1);
    check(&format!("{one}# iostat -x\n{later}"), 1);
    check(&format!("{FREEBSD}And now:\n{}", FREEBSD.replace("12", "19")), 2);
    let list = "NAME   SIZE  ALLOC   FREE  CAP  HEALTH\ntank  1.00T   500G   524G  48%  ONLINE\n";
    check(&format!("{FREEBSD}{list}{}", FREEBSD.replace("12", "19")), 1);
}

#[test]
fn an_unknown_line_among_reports_changes_no_number() {
    let one: String = OLD.lines().take(8).map(|line| format!("{line}\n")).collect();
    for text in [one.as_str(), FREEBSD, GSTAT] {
        let whole = table(text);
        for at in 0..=text.lines().count() {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.insert(at, "and so it goes on");
            let found = table(&lines.join("\n"));
            let untimed = text == GSTAT && at == 1;
            let expected = whole.clone().map(|table| DeviceTable {
                since_boot: table.since_boot.filter(|_| !untimed),
                ..table
            });
            assert_eq!(found, expected, "{at}: {text}");
        }
    }
}

/// Checks that what is left says nothing new of any device.
fn check_less(less: Option<DeviceTable>, whole: &DeviceTable, what: &str) {
    let Some(less) = less else { return };
    // Without `-y` or `dT:` it may be of another time, and says so.
    assert!(less.since_boot == whole.since_boot || less.since_boot != Some(false), "{what}");
    for device in less.devices {
        let old = whole.devices.iter().find(|old| old.name == device.name);
        let old = old.unwrap_or_else(|| panic!("{what}: {}", device.name));
        let floats = |device: &DeviceIo| {
            let bytes = [device.read_bytes_per_s, device.write_bytes_per_s];
            let rates =
                [device.read_ops_per_s, device.write_ops_per_s, device.queue, device.busy_pct];
            [rates.as_slice(), bytes.as_slice()].concat()
        };
        let waits = |device: &DeviceIo| [device.read_wait_ns, device.write_wait_ns, device.wait_ns];
        let same =
            floats(&device).iter().zip(floats(old)).all(|(new, old)| new.is_none() || *new == old);
        let also =
            waits(&device).iter().zip(waits(old)).all(|(new, old)| new.is_none() || *new == old);
        assert!(same && also, "{what}: {} was {}", short(&device), short(old));
    }
}

#[test]
fn a_line_a_word_or_a_column_less_is_no_other_number() {
    let twice = format!("{FREEBSD}{}", FREEBSD.replace("512.0", "900.0"));
    let again = format!("{GSTAT}{}", GSTAT.replace("512", "900"));
    for text in [OLD, FREEBSD, &twice, GSTAT, &again] {
        let whole = table(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for gone in 0..lines.len() {
            let mut less = lines.clone();
            let line = less.remove(gone);
            check_less(table(&less.join("\n")), &whole, &format!("without “{line}”"));
            for at in 0..line.split_whitespace().count() {
                let mut words: Vec<&str> = line.split_whitespace().collect();
                words.remove(at);
                let (short, mut less) = (words.join(" "), lines.clone());
                less[gone] = &short;
                check_less(table(&less.join("\n")), &whole, &format!("“{short}” for “{line}”"));
            }
        }
        for column in 0..14 {
            let without = |line: &&str| {
                let mut words: Vec<&str> = line.split_whitespace().collect();
                if words.len() > 7 && column < words.len() && words[0] != "avg-cpu:" {
                    words.remove(column);
                }
                words.join(" ")
            };
            let less: Vec<String> = lines.iter().map(without).collect();
            check_less(table(&less.join("\n")), &whole, &format!("without column {column}"));
        }
    }
}

#[test]
fn a_row_that_lost_a_value_is_named_and_not_read() {
    let text = GSTAT.replace("25.5", "");
    let machine = machine(&text);
    let table = machine.device_table.unwrap();
    assert_eq!(table.devices.len(), 1);
    let reason = &machine.problems[0].reason;
    assert!(matches!(reason, Reason::Garbled(words) if words.contains("ada1p3")), "{reason:?}");
}
