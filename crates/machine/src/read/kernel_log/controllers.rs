//! What drivers of Linux say of controllers and adapters that stopped, with all of their disks.

/// Returns a USB controller that does not work any more (drivers/usb/host/xhci.c).
pub(super) fn of_xhci(head: &str, rest: &str) -> Option<String> {
    let address = head.strip_prefix("xhci_hcd ").filter(|address| address.len() < 32)?;
    let dead = ["HC died", "host not responding", "Host halt failed", "can't setup"];
    let is_dead = dead.iter().any(|words| rest.contains(words)) || rest.ends_with("fail, -19");
    is_dead.then(|| format!("USB controller {address}"))
}

/// Returns a SAS host adapter that stopped (drivers/scsi/mpt3sas/mpt3sas_base.c).
pub(super) fn of_adapter(head: &str, rest: &str) -> Option<String> {
    const STOPPED: [&str; 3] =
        ["fault_state(", "SAS host is non-operational", "sending diag reset"];
    let number = head.strip_prefix("mpt3sas_cm").or_else(|| head.strip_prefix("mpt2sas_cm"))?;
    let is_stopped = STOPPED.iter().any(|words| rest.contains(words));
    (number.parse::<u8>().is_ok() && is_stopped).then(|| format!("SAS adapter {head}"))
}
