"""What ZFS caches do and what a change would bring: arcwright from Python.

The same crates answer as in the program ``arcwright``, to the last digit::

    import arcwright_zfs as aw

    outcome = aw.run("steam-library")
    answer = aw.whatif("steam-library", memory=["32GiB", "64GiB"], parameters={"zfs_prefetch_disable": 1})
    findings = aw.doctor("nas.tar.gz")
    curve = aw.Trace.open("volume.csv.gz").curve(["4GiB", "8GiB"])

Many configurations at once, on several processes or on Ray: :mod:`arcwright_zfs.sweeps`.
"""

from ._core import ArcwrightError
from .changes import Combination, WhatIf, whatif
from .machine import Finding, Findings, doctor, scenario_of
from .outcome import Arm, Outcome, Phase, Scenario, outcome_of, run, scenarios
from .sweeps import sweep
from .trace import Curve, Trace

__all__ = [
    "ArcwrightError",
    "Arm",
    "Combination",
    "Curve",
    "Finding",
    "Findings",
    "Outcome",
    "Phase",
    "Scenario",
    "Trace",
    "WhatIf",
    "doctor",
    "outcome_of",
    "run",
    "scenario_of",
    "scenarios",
    "sweep",
    "whatif",
]
