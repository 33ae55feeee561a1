//! Carrying out what `arcwright-tunables` decided: files, live values, the journal.
