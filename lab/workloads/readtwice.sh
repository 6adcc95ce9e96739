# SPDX-License-Identifier: GPL-2.0
# about: sparse files are read by two processes each: additions to the LRU, the second read activates
# needs: swap=none
# needs: record-args=--events=lru
. /lab/lib.sh
lab_file_system 16 /run/files
lab_begin
lab_counters_begin
workload readtwice --files "$(lab_size 8 16)" --pages "$(lab_size 512 8192)" --dir /run/files || lab_die "the workload failed"
lab_counters_end
lab_record_stop
