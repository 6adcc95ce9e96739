# SPDX-License-Identifier: GPL-2.0
# Functions for scripts in the guest: . /lab/lib.sh
# Variables that are set:
#   LAB_NAME         name of the run
#   LAB_SWAP         lines "DEVICE PRIO", one per swap device, made by mkswap, not yet on (PRIO -1: none asked for)
#   LAB_SIZE         tiny, small or normal
#   LAB_RECORD_ARGS  more options for swaptrace record
#   LAB_RECORD_FROM  when the recorder starts: swapon (before the devices are on), fill, phase
#   LAB_POLICY_AT    where the guest is saved, to go on with one policy or another: swapon, phase; empty: nowhere
#
# A workload is: lab_begin; lab_workload COMMAND...; lab_phase_begin; what is under test;
# lab_phase_end; lab_end

LAB_STATE=/run/workload
LAB_RECORDER_PID=
LAB_WORKLOAD_PID=

lab_say() {
	echo "guest: $*" >&2
}

lab_die() {
	lab_say "$*"
	exit 1
}

# lab_size SMALL NORMAL: the one that fits --size; tiny is half of small.
lab_size() {
	case $LAB_SIZE in
	tiny) echo $(($1 / 2)) ;;
	small) echo "$1" ;;
	*) echo "$2" ;;
	esac
}

# Every swap device of the run, with its priority where one was asked for.
lab_swapon() {
	lab_list=/run/swap-list
	echo "$LAB_SWAP" >$lab_list
	while read -r device prio; do
		[ -n "$device" ] || continue
		workload swapon "$device" "$prio" || exit 1
	done <$lab_list
}

# lab_swapoff: every device that is on, in the order of /proc/swaps.
lab_swapoff() {
	for device in $(sed -n '2,$s/[ \t].*//p' /proc/swaps); do
		lab_say "swapoff $device"
		swapoff "$device" || lab_die "swapoff $device failed"
	done
}

# lab_file_system MB DIR: an ext2 file system on a RAM disk (no journal, whose pages would be in what is recorded). All
# else in the guest is a ramfs, whose pages are not evictable.
lab_file_system() {
	insmod /lab/modules/*brd.ko rd_nr=1 rd_size=$(($1 * 1024)) 2>/dev/null
	[ -b /dev/ram0 ] || lab_die "no RAM disk: is its driver missing in this kernel?"
	mke2fs -b 4096 /dev/ram0 >/dev/null && mkdir -p "$2" && mount -t ext4 /dev/ram0 "$2" ||
		lab_die "no file system on /dev/ram0"
}

# lab_expect NAME WANT FILE: the run is worth nothing when the kernel is not set up as its name
# says.
lab_expect() {
	lab_found=$(cat "$3") || exit 1
	[ "$lab_found" = "$2" ] || lab_die "$1 is '$lab_found', but this run needs '$2'"
}

# lab_expect_rotational 0|1: of every swap device that is a disk.
lab_expect_rotational() {
	for device in $(sed -n '2,$s/[ \t].*//p' /proc/swaps); do
		lab_expect "rotational of $device" "$1" "/sys/block/${device##*/}/queue/rotational"
	done
}

# Starts the recorder, when there is one, and waits until it says "recording".
lab_record() {
	[ -x /bin/swaptrace ] || return 0
	mkfifo /run/ready
	# shellcheck disable=SC2086 # the arguments are words
	swaptrace record --ready-fd 3 -o "/out/$LAB_NAME.swaptrace" $LAB_RECORD_ARGS 3>/run/ready >/out/record.log 2>&1 &
	LAB_RECORDER_PID=$!
	# No polling: how often would be in the recording, and differ from run to run.
	read -r lab_ready </run/ready
	rm /run/ready
	[ "$lab_ready" != recording ] || return 0
	cat /out/record.log >&2
	lab_die "the recorder did not start recording"
}

lab_record_stop() {
	[ -n "$LAB_RECORDER_PID" ] || return 0
	# Not SIGINT: a shell without job control starts background processes with that one ignored.
	kill -TERM "$LAB_RECORDER_PID"
	wait "$LAB_RECORDER_PID"
	lab_status=$?
	LAB_RECORDER_PID=
	cat /out/record.log >&2
	[ $lab_status -eq 0 ] || lab_die "the recorder ended with status $lab_status"
	[ -s "/out/$LAB_NAME.swaptrace" ] || lab_die "the recorder left no trace"
}

# lab_begin: swap on, recorder on where it is to see all that follows.
lab_begin() {
	mkdir -p $LAB_STATE
	[ "$LAB_RECORD_FROM" != swapon ] || lab_record
	[ "$LAB_POLICY_AT" != swapon ] || lab_policy
	lab_swapon
	[ "$LAB_RECORD_FROM" != fill ] || lab_record
}

# lab_wait_state NAME: for the workload's file, or until the workload is gone.
lab_wait_state() {
	while [ ! -e "$LAB_STATE/$1" ]; do
		kill -0 "$LAB_WORKLOAD_PID" 2>/dev/null || lab_die "the workload died"
		usleep 20000
	done
}

# lab_workload COMMAND ARGS...: starts it and returns when its memory is swapped out.
lab_workload() {
	echo "workload: $*" >>/out/guest.txt
	workload "$@" --state $LAB_STATE &
	LAB_WORKLOAD_PID=$!
	lab_wait_state ready
}

# lab_fault: lets the workload fault its pages back and waits until it has.
lab_fault() {
	: >$LAB_STATE/go
	lab_wait_state done
}

# lab_policy: everything up to here is the same for all policies of the run. Says so to the host, which saves the
# machine; then the policy comes in on the second serial port. /out/from_ns: when that was, on the clock of traces.
lab_policy() {
	usleep 1000000 # what is still under way comes to an end
	sed 's/ .*//; s/\.//; s/$/0000000/' /proc/uptime >/out/from_ns
	echo LAB-READY >/dev/console
	lab_end=
	while [ "$lab_word $lab_end" != "policy end" ]; do
		read -r lab_word lab_spec lab_end || lab_die "no policy came"
	done </dev/ttyS1
	lab_say "policy $lab_spec"
	for lab_setting in $(echo "$lab_spec" | tr ',' ' '); do
		lab_set "${lab_setting%%=*}" "${lab_setting#*=}"
	done
}

# lab_set KEY VALUE: a setting of a policy, in the kernel.
lab_set() {
	case $1=$2 in
	recorded=*) return 0 ;;
	page-cluster=*) lab_file=/proc/sys/vm/page-cluster lab_value=$2 ;;
	readahead=vma) lab_file=/sys/kernel/mm/swap/vma_ra_enabled lab_value=1 ;;
	readahead=cluster) lab_file=/sys/kernel/mm/swap/vma_ra_enabled lab_value=0 ;;
	*) lab_file=/sys/module/swaptrace/parameters/$1 lab_value=$2 ;;
	esac
	[ -w "$lab_file" ] || lab_die "this kernel has no switch for $1=$2 ($lab_file)"
	echo "$lab_value" >"$lab_file" || lab_die "the kernel does not take $1=$2"
}

lab_phase_begin() {
	[ "$LAB_POLICY_AT" != phase ] || lab_policy
	[ "$LAB_RECORD_FROM" != phase ] || lab_record
	lab_counters_begin
}

lab_counters_begin() {
	lab_say "the phase under test begins"
	cp /proc/vmstat /run/vmstat
	cp /proc/uptime /run/uptime
}

# lab_counters_end: what the kernel counted since, into vmstat.txt.
lab_counters_end() {
	cp /proc/uptime /run/uptime-end
	cp /proc/vmstat /run/vmstat-end
	{
		awk 'NR == FNR { t = $1; next } { printf "seconds %.2f\n", $1 - t }' /run/uptime /run/uptime-end
		awk 'NR == FNR { before[$1] = $2; next }
		     /^(pswp|swap_ra|swp|pgfault|pgmajfault|thp_swp|pgactivate|pgrotated)/ { printf "%s %d\n", $1, $2 - before[$1] }' \
			/run/vmstat /run/vmstat-end
	} >/out/vmstat.txt
	cat /out/vmstat.txt
}

# lab_phase_end: a phase without swap-in tests nothing.
lab_phase_end() {
	lab_counters_end
	grep -q '^pswpin [1-9]' /out/vmstat.txt || lab_die "nothing was read from swap in the phase under test"
}

lab_end() {
	lab_record_stop
	: >$LAB_STATE/end
	wait "$LAB_WORKLOAD_PID" || lab_die "the workload failed"
}
