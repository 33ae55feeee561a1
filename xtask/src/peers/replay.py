"""Replays a trace through libCacheSim; prints one line of JSON per job.

usage: replay.py TRACE HASH_POWER JOB ...

TRACE is in the format oracleGeneral, or a CSV file of time, object and size with a first line. A job is
POLICY:CAPACITY or POLICY:CAPACITY:ONE_IN, which looks at one object in so many alone. HASH_POWER is the size of a
cache's table of objects (24 in libCacheSim unless told, the quickest; 128 MiB). All caches are kept until the
end; "bytes" is what this process holds more after a job than before the first.
"""

import json
import sys
import time

import libcachesim as peer
from libcachesim.libcachesim_python import Sampler, SamplerType


def reader_of(path: str, one_in: int) -> peer.TraceReader:
    parameters = peer.ReaderInitParam(ignore_obj_size=True)
    if one_in > 1:
        sampler = Sampler(sample_ratio=1 / one_in, type=SamplerType.SPATIAL_SAMPLER)
        alive.append(sampler)
        parameters.sampler = sampler
    kind = peer.TraceType.ORACLE_GENERAL_TRACE
    if path.endswith(".csv"):
        kind = peer.TraceType.CSV_TRACE
        parameters.has_header = True
        parameters.has_header_set = True
        parameters.delimiter = ","
        parameters.time_field = 1
        parameters.obj_id_field = 2
        parameters.obj_size_field = 3
        parameters.obj_id_is_num = True
        parameters.obj_id_is_num_set = True
    return peer.TraceReader(trace=path, trace_type=kind, reader_init_params=parameters)


def held() -> int:
    """Returns the bytes of memory that are this process's own, mapped files left out."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("RssAnon:"))
    return int(line.split()[1]) << 10


alive = []
before = held()
for job in sys.argv[3:]:
    policy, capacity, *one_in = job.split(":")
    reader = reader_of(sys.argv[1], int(one_in[0]) if one_in else 1)
    cache = getattr(peer, policy)(cache_size=int(capacity), hashpower=int(sys.argv[2]))
    alive.append(cache)
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    seconds = time.perf_counter() - start
    found = {"policy": policy, "capacity": int(capacity), "miss_ratio": miss_ratio, "seconds": seconds}
    print(json.dumps({**found, "bytes": held() - before}), flush=True)
