//! The options of fio and how each stands here: translated, without load, noted, or refused.
//!
//! The names are those of fio 3.33 and of its sources after 3.40; those that only an engine for other
//! things than files has are refused with the engine.

use std::ops::Range;

use super::error::{Checked, FioError};

/// How an option is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It becomes part of the client.
    Translated,
    /// It describes no load.
    Silent,
    /// It is taken without effect, and a note says so.
    Noted(&'static str),
    /// It is taken only with one of these values, which mean what happens anyway.
    Plain(&'static [&'static str], &'static str),
    /// It describes what cannot be done here, and why.
    Refused(&'static str),
}

/// Other names, with the name used here.
const ALIASES: [(&str, &str); 16] = [
    ("readwrite", "rw"),
    ("blocksize", "bs"),
    ("blocksize_range", "bsrange"),
    ("io_limit", "io_size"),
    ("nr_files", "nrfiles"),
    ("timeout", "runtime"),
    ("blockalign", "ba"),
    ("fileoffset", "offset"),
    ("file_offset", "offset"),
    ("ratemin", "rate_min"),
    ("ratecycle", "rate_cycle"),
    ("ss", "steadystate"),
    ("ss_dur", "steadystate_duration"),
    ("ss_ramp", "steadystate_ramp_time"),
    ("wait_for_previous", "stonewall"),
    ("hugepage_size", "hugepage-size"),
];

/// The load itself, and what is read beside it.
const TRANSLATED: &str = "\
    rw bs bsrange bssplit size io_size filesize nrfiles openfiles file_service_type ioengine \
    iodepth numjobs rwmixread rwmixwrite sync fsync fdatasync end_fsync fsync_on_close \
    startdelay runtime time_based rate rate_iops thinktime random_distribution \
    percentage_random loops norandommap filename stonewall wait_for name kb_base direct \
    buffered overwrite";

/// Names, results, layout of files before the run, and what belongs to a refused option.
const SILENT: &str = "\
    description group_reporting new_group stats thread allow_file_create allow_mounted_write \
    block_error_percentiles bwavgtime clat_percentiles clocksource comm continue_on_error \
    create_fsync create_on_open create_serialize disable_bw_measurement disable_clat \
    disable_lat disable_slat disk_util do_verify error_dump exit_what exitall_on_error \
    fallocate filetype gtod_cpu gtod_reduce ignore_error iopsavgtime job_start_clock_id \
    lat_percentiles latency_percentile latency_run latency_window log_alternate_epoch \
    log_alternate_epoch_clock_id log_avg_msec log_compression log_compression_cpus \
    log_entries log_hist_coarseness log_hist_msec log_issue_time log_max_value log_offset \
    log_prio log_store_compressed log_unix_epoch log_window_value opendir per_job_logs \
    percentile_list allrandrepeat random_generator randrepeat randseed rate_cycle \
    rate_ignore_thinktime refill_buffers scramble_buffers significant_figures \
    slat_percentiles softrandommap steadystate_check_interval steadystate_duration \
    steadystate_ramp_time thinktime_blocks_type unified_rw_reporting unique_filename \
    unit_base use_os_rand serialize_overlap write_bw_log write_hist_log write_iolog \
    write_iops_log write_lat_log rwmixcycle bs_unaligned verify_async verify_async_cpus \
    verify_backlog_batch verify_dump verify_fatal verify_header_seed verify_interval \
    verify_offset verify_pattern verify_pattern_interval verify_state_load verify_state_save \
    verify_write_sequence verifysort verifysort_nr experimental_verify";

/// Taken without effect.
const NOTED: &[(&str, &str)] = &[
    ("directory", "files are in the dataset"),
    ("invalidate fadvise_hint", "caches keep their state from the phase before"),
    ("unlink unlink_each_loop", "files are kept until the end"),
    (
        "cpumask cpus_allowed cpus_allowed_policy nice prio prioclass priohint numa_cpu_nodes \
         numa_mem_policy cgroup cgroup_nodelete cgroup_weight uid gid ioscheduler mem iomem_align \
         lockmem hugepage-size write_hint",
        "clients have no processors, priorities or memory of their own",
    ),
    (
        "buffer_compress_percentage buffer_compress_chunk buffer_pattern zero_buffers \
         dedupe_percentage dedupe_mode dedupe_global dedupe_working_set_percentage",
        "written data has no contents here",
    ),
    (
        "iodepth_batch iodepth_batch_submit iodepth_batch_complete iodepth_batch_complete_min \
         iodepth_batch_complete_max iodepth_low io_submit_mode hipri registerfiles fixedbufs \
         sqthread_poll sqthread_poll_cpu nonvectored uncached nowait",
        "each reply is followed by the next request",
    ),
    ("max_latency", "a slow request does not end the run"),
];

/// Taken when they say what happens anyway.
const PLAIN: &[(&str, &[&str], &str)] = &[
    ("offset", &["0", "0%"], "a client uses its file from the first byte"),
    ("offset_increment", &["0", "0%"], "a client uses its file from the first byte"),
    ("offset_align", &["0"], "a client uses its file from the first byte"),
    ("percentage_sequential", &["0"], "a client is random or sequential"),
    ("thinktime_blocks", &["1"], "a client pauses after every request"),
    ("thinktime_spin", &["0"], "a client that pauses takes no processor time"),
    ("thinktime_iotime", &["0"], "a client pauses after every request"),
    ("rate_process", &["linear"], "requests come at even times"),
    ("verify", &["0", "none", "null"], "verification reads are not modelled"),
    ("verify_only", &["0"], "verification reads are not modelled"),
    ("verify_backlog", &["0"], "verification reads are not modelled"),
    ("zonemode", &["none"], "zones are not modelled"),
    ("ramp_time", &["0"], "ramp time is a phase of its own here"),
    ("ramp_size", &["0"], "ramp I/O is a phase of its own here"),
    ("pre_read", &["0"], "reading a file before the run is a phase of its own here"),
    ("create_only", &["0"], "files exist before the first phase"),
    ("file_append", &["0"], "files keep their size"),
    ("fill_device", &["0"], "files keep their size"),
    ("fill_fs", &["0"], "files keep their size"),
    ("lockfile", &["none"], "clients do not lock files"),
    ("bs_is_seq_rand", &["0"], "one job has one range of sizes"),
    ("rw_sequencer", &["sequential"], "requests follow the pattern alone"),
    ("end_syncfs", &["0"], "a client syncs its own file"),
    ("exitall", &["0"], "a phase ends with its last client; give it a limit in the scenario"),
    ("atomic", &["0"], "atomic writes are not modelled"),
];

/// What cannot be done here.
const REFUSED: &[(&str, &str)] = &[
    ("ba", "requests begin at multiples of bs"),
    ("number_ios", "write io_size, the bytes in all"),
    ("filename_format", "files are called JOB.CLONE.FILE; write filename for another name"),
    ("rate_min rate_iops_min", "a client that is too slow continues"),
    (
        "read_iolog read_iolog_chunked merge_blktrace_file merge_blktrace_iters \
         merge_blktrace_scalars replay_align replay_no_stall replay_redirect replay_scale \
         replay_skip replay_time_scale",
        "recorded requests are not a job; a scenario replays traces by itself",
    ),
    ("profile", "fio profiles are not supported; write their options"),
    ("exec_prerun exec_postrun", "no program is started"),
    ("latency_target", "the number of requests under way is fixed; write iodepth"),
    ("steadystate", "a phase ends with its work or its limit; write runtime"),
    ("sync_file_range", "a client waits for writes with sync or fsync"),
    (
        "trim_backlog trim_backlog_batch trim_percentage trim_verify_zero num_range",
        "files are read and written, not trimmed",
    ),
    ("flow flow_id flow_sleep flow_watermark", "clients do not wait for each other"),
    (
        "zonesize zonerange zoneskip zonecapacity max_open_zones job_max_open_zones \
         ignore_zone_limits read_beyond_wp zone_reset_frequency zone_reset_threshold \
         write_zone_remainder recover_zbd_write_error",
        "zones are not modelled",
    ),
    ("random_sequence_stride", "requests follow the pattern alone"),
    ("thinkcycles", "clients take no processor time between requests"),
    ("write_barrier verify_policy", "a client waits for writes with sync or fsync"),
    (
        "cpuload cpumode cpuchunks chunk_size exit_on_io_done hostname port protocol listen \
         nodelay pingpong interface ttl window_size mss donorname inplace clustername rbdname pool \
         clientname busy_poll touch_objects object_class http_host http_user http_pass https \
         http_mode http_object_mode http_verbose http_s3_key http_s3_keyid http_s3_region \
         http_s3_security_token http_s3_sse_customer_algorithm http_s3_sse_customer_key \
         http_s3_storage_class http_swift_auth_token volume brick single-instance namenode chunks \
         conf cont svcl program arguments grace_time std_redirect nfs_url uri gpu_dev_id \
         gpu_dev_ids cuda_io rocm_io libblkio_driver libblkio_path skip_bad stat_type verb \
         cmd_type fdp fdp_pli dataplacement dp_scheme plids plid_select pi_act pi_chk apptag \
         apptag_mask md_per_io_size sg_write_mode readfua writefua write_mode cmdprio \
         cmdprio_class cmdprio_percentage cmdprio_bssplit cmdprio_hint threads sprandom spr_op \
         spr_num_regions spr_cs libaio_vectored userspace_reap nvme_sgl force_async",
        "it is for engines, devices or requests other than reads and writes of files",
    ),
];

/// Returns the name used here of what the file calls `written`.
pub(super) fn name(written: &str, span: &Range<usize>) -> Checked<&'static str> {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == written).map(|(_, name)| *name);
    let wanted = alias.unwrap_or(written);
    known().find(|name| *name == wanted).ok_or_else(|| {
        let error = FioError::at(span, format!("fio has no option “{written}”"));
        error.nearest(written, known().chain(ALIASES.iter().map(|(alias, _)| *alias)))
    })
}

/// Returns how an option of a name used here stands.
pub(super) fn standing(name: &str) -> Standing {
    let listed = |names: &str| names.split_whitespace().any(|other| other == name);
    if let Some((_, why)) = NOTED.iter().find(|(names, _)| listed(names)) {
        return Standing::Noted(why);
    }
    if let Some((_, values, why)) = PLAIN.iter().find(|(plain, ..)| *plain == name) {
        return Standing::Plain(values, why);
    }
    if let Some((_, why)) = REFUSED.iter().find(|(names, _)| listed(names)) {
        return Standing::Refused(why);
    }
    if listed(SILENT) { Standing::Silent } else { Standing::Translated }
}

fn known() -> impl Iterator<Item = &'static str> {
    let tables = [TRANSLATED, SILENT].into_iter();
    let tables = tables.chain(NOTED.iter().chain(REFUSED).map(|(names, _)| *names));
    tables.flat_map(str::split_whitespace).chain(PLAIN.iter().map(|(name, ..)| *name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ALIASES, Standing, known, name, standing};

    #[test]
    fn every_name_stands_once_and_every_alias_is_one_of_them() {
        let names: BTreeSet<&str> = known().collect();
        assert_eq!(names.len(), known().count());
        for (alias, meant) in ALIASES {
            assert!(names.contains(meant) && !names.contains(alias), "{alias}");
            assert_eq!(name(alias, &(0..0)), Ok(meant));
        }
    }

    #[test]
    fn a_name_has_the_standing_of_its_table() {
        assert_eq!(standing("rw"), Standing::Translated);
        assert_eq!(standing("group_reporting"), Standing::Silent);
        assert!(matches!(standing("directory"), Standing::Noted(_)));
        assert!(matches!(standing("offset"), Standing::Plain(["0", "0%"], _)));
        assert!(matches!(standing("flow"), Standing::Refused(_)));
    }
}
