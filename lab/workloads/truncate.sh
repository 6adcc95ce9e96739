# SPDX-License-Identifier: GPL-2.0
# about: many sparse files of a few pages are read, then truncated: drains of the per-CPU batches
# needs: swap=none
# needs: record-args=--events=lru
. /lab/lib.sh
lab_begin
lab_phase_begin
workload truncate --files "$(lab_size 500 5000)" --pages 48 --dir /run --times /out/times.txt || lab_die "the workload failed"
lab_counters_end
lab_record_stop
