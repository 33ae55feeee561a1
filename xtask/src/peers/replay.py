"""Replays a trace through libCacheSim; prints one line of JSON per policy and capacity.

usage: replay.py TRACE POLICY:CAPACITY ...      (TRACE in the format oracleGeneral)
"""

import json
import sys
import time

import libcachesim as peer

for job in sys.argv[2:]:
    policy, capacity = job.split(":")
    reader = peer.TraceReader(
        trace=sys.argv[1],
        trace_type=peer.TraceType.ORACLE_GENERAL_TRACE,
        reader_init_params=peer.ReaderInitParam(ignore_obj_size=True),
    )
    cache = getattr(peer, policy)(cache_size=int(capacity))
    start = time.perf_counter()
    miss_ratio, _ = cache.process_trace(reader)
    seconds = time.perf_counter() - start
    print(json.dumps({"policy": policy, "capacity": int(capacity), "miss_ratio": miss_ratio, "seconds": seconds}))
