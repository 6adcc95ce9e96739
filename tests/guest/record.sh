#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What record does beside recording, on a real kernel: exit statuses, limits, a full disk (cases 64, 65), filters,
# owners (62), losses, a killed recorder. One guest does all of it, and the test looks at what it brought out.
# timeout: 900
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

write_script() {
	cat >"$GUEST_WORK/record.sh" <<'END'
. /lab/lib.sh
say() {
	echo "$@" >>/out/results
}

# Swaps a few thousand pages out and in, in a cgroup that has too little memory for them.
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small /sys/fs/cgroup/other
echo 10M >/sys/fs/cgroup/small/memory.max
churn() {
	sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs
		exec workload fault --pattern random --procs 1 --mb 16 --hog-rounds 0' >/dev/null 2>&1
}

# start LOG ARGS: a recorder in the background; returns when it is ready.
start() {
	log=$1
	shift
	swaptrace record "$@" >/dev/null 2>"$log" &
	pid=$!
	for try in $(seq 600); do
		grep -q recording "$log" && return
		usleep 50000
	done
	cat "$log" >&2
	lab_die "the recorder did not start"
}

# stop NAME SIGNAL: ends it and notes its status.
stop() {
	kill -$2 $pid
	wait $pid
	say "$1_status=$?"
}

# A recorder that ends by itself while there is swapping.
until_ended() {
	for try in 1 2 3 4 5 6 7 8; do
		kill -0 $pid 2>/dev/null || break
		churn
	done
	kill -KILL $pid 2>/dev/null
	wait $pid
	say "$1_status=$?"
}

fact() {
	swaptrace dump "$1" 2>/dev/null | sed -n "s/^#.* $2=\([^ ]*\).*/\1/p" | head -n 1
}

events() {
	swaptrace dump "$1" 2>/dev/null | grep -v '^#'
}

swaptrace record -o /out/a -- sh -c 'exit 42' 2>/dev/null
say "command_status=$?"
say "command_stop=$(fact /out/a stop)"
swaptrace record -q -o /out/a -- /no/such/program 2>/dev/null
say "command_not_found=$?"
[ -s /out/a.old ] && say "old_kept=yes"
say "mode=$(stat -c %a /out/a)"

# A device comes, a sysctl changes, the device goes, and an empty one goes, too.
start /out/b.log -o /out/b
for device in $(echo "$LAB_SWAP" | sed 's/ .*//'); do
	workload swapon "$device"
done
churn
echo 1 >/proc/sys/vm/page-cluster
# Something must be left in swap, and there must be room for it when it comes back.
mkdir /run/held
sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs
	exec workload fill --procs 1 --mb 16 --state /run/held' >/dev/null 2>&1 &
held=$!
for try in $(seq 600); do
	[ -e /run/held/ready ] && break
	usleep 50000
done
echo max >/sys/fs/cgroup/small/memory.max
swapoff "$device"
: >/run/held/end
wait $held
echo 10M >/sys/fs/cgroup/small/memory.max
workload swapon "$device"
swapoff "$device"
stop devices TERM
echo 3 >/proc/sys/vm/page-cluster
events /out/b | sed -n 's/.* SWAPON /SWAPON /p; s/.* SWAPOFF /SWAPOFF /p; s/.* CONFIG /CONFIG /p' >>/out/results
swaptrace info --verify /out/b >/dev/null
say "devices_verify=$?"
workload swapon "$device"

swaptrace record -q -o /out/c -d 1
say "time_status=$?"
say "time_stop=$(fact /out/c stop)"
start /out/d.log -o /out/d --max-size 24K
until_ended size
say "size_stop=$(fact /out/d stop)"
say "size_bytes=$(wc -c </out/d)"

mkdir /run/full
mount -t tmpfs -o size=64k full /run/full
start /out/e.log -o /run/full/e
until_ended full
cp /out/e.log /out/full.txt
say "full_events=$(events /run/full/e | wc -l)"

sleep 1000 &
start /out/f.log -o /out/f -p $!
churn
stop pid TERM
say "pid_unmarked=$(events /out/f | grep -vc 'filtered=1\|self=1')"
say "pid_marked=$(events /out/f | grep -c filtered=1)"
start /out/g.log -o /out/g -G small
churn
stop cgroup TERM
say "cgroup_inside=$(events /out/g | grep ' workload ' | grep -vc filtered=1)"
say "cgroup_inside_marked=$(events /out/g | grep ' workload ' | grep -c filtered=1)"
say "cgroup_filtered=$(fact /out/g filtered)"

start /out/h.log -o /out/h
churn
sleep 3
kill -KILL $pid
wait $pid
say "killed_events=$(events /out/h | wc -l)"

start /out/i.log -o /out/i -b 4096
churn
stop tiny TERM
swaptrace info --verify /out/i >/dev/null
say "tiny_verify=$?"
say "tiny_lost=$(swaptrace info /out/i | sed -n 's/^lost *\([0-9,]*\) .*/\1/p')"
say "tiny_told=$(events /out/i | sed -n 's/.* LOST n=\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n + 0 }')"

SUDO_UID=1000 SUDO_GID=1001 swaptrace record -o /out/j -d 1 2>/out/owner.txt
say "owner=$(stat -c %u:%g /out/j)"
# The command is the user's, and so is the recorder by then: of 38 and more capabilities one is left, CAP_BPF.
SUDO_UID=1000 SUDO_GID=1001 swaptrace record -q -o /out/m -- sh -c \
	'echo "$(id -u):$(id -g)"; sed -n "s/^Uid:\t\([0-9]*\).*/uid \1/p; s/^CapEff:\t0*/caps /p; s/^NoNewPrivs:\t/fixed /p; s/^Seccomp:\t/filter /p" /proc/$PPID/status' >/out/who.txt
say "user=$(tr '\n' ' ' </out/who.txt)"
swaptrace info --verify /out/m >/dev/null
say "user_verify=$?"
SUDO_UID=1000 SUDO_GID=1001 swaptrace record -q -o /out/n --as-root -- sh -c 'id -u' >/out/who.txt
say "as_root=$(cat /out/who.txt)"
SUDO_UID=1000 swaptrace record -q --keep-owner -o /out/k -d 1
say "keep_owner=$(stat -c %u /out/k)"
SUDO_UID=1000 swaptrace record -q -o /dev/null -d 1
say "null=$? $(stat -c %u /dev/null)"
swaptrace record -q --ready-fd 3 -o - -d 1 3>/out/ready 2>/out/quiet >/out/l
say "stdout_status=$?"
swaptrace info /out/l >/dev/null && say "stdout_readable=yes"
say "ready=$(cat /out/ready) quiet=$(wc -c </out/quiet)"
rm -f /out/[a-n] /out/a.old
END
}

# result NAME: what the guest noted.
result() {
	sed -n "s/^$1=//p" "$GUEST_DIR/results"
}

# noted NAME WANT DESCRIPTION
noted() {
	local status=0
	[ "$(result "$1")" = "$2" ] || status=1
	tap_ok $status "$3" || echo "# got: $(result "$1"), want: $2"
}

# at_least NAME MIN DESCRIPTION
at_least() {
	local got
	got=$(result "$1")
	[ "${got:-0}" -ge "$2" ]
	tap_ok $? "$3" || echo "# got: $got, want at least: $2"
}

# has PATTERN FILE DESCRIPTION
has() {
	grep -qE -e "$1" "$GUEST_DIR/$2"
	tap_ok $? "$3" || sed 's/^/# /' "$GUEST_DIR/$2"
}

check_command() {
	noted command_status 42 "the command's exit status is passed on"
	noted command_stop exit "the trace says that the command ended"
	noted command_not_found 127 "a command that is not there: 127"
	noted old_kept yes "an existing trace is kept as FILE.old"
	noted mode 600 "a trace is for its owner alone"
}

check_devices() {
	noted devices_status 0 "SIGTERM ends a recording cleanly"
	noted devices_verify 0 "hits = delivered + lost + filtered"
	has '^SWAPON type=0 pages=16384 prio=-2 flags=ssd,blkdev name=/dev/nvme' results "a new device, with its facts"
	has '^SWAPOFF op=begin type=0' results "the begin of swapoff"
	[ "$(grep -c '^SWAPOFF op=end type=0 ret=0' "$GUEST_DIR/results")" -eq 2 ]
	tap_ok $? "the end of swapoff, also of an empty device"
	has '^CONFIG page_cluster=1 ' results "a sysctl that changes"
	has '^CONFIG page_cluster=3 .*hits=[0-9]+ prev=[0-9]+ last=[0-9]+' results "the state of readahead at the start"
}

check_limits() {
	noted time_status 0 "-d ends with 0"
	noted time_stop time "and says why"
	noted size_status 0 "--max-size ends with 0"
	noted size_stop size "and says why"
	at_least size_bytes 24576 "and not before that size"
	noted full_status 4 "a full disk: exit status 4"
	has 'No space left on device after [0-9]+ bytes / [0-9]+ events' full.txt "and how much was written"
	at_least full_events 100 "what was written can be read"
	has "/ $(result full_events) events" full.txt "and it is as much as the message says"
	at_least killed_events 1000 "what a killed recorder has written can be read"
}

check_filters() {
	noted pid_unmarked 0 "-p: events of all others are marked"
	at_least pid_marked 1000 "and kept"
	at_least cgroup_inside 1000 "-G: events inside the cgroup are not marked"
	noted cgroup_inside_marked 0 "none of them"
	noted cgroup_filtered 1 "the header says that there was a filter"
}

check_losses() {
	noted tiny_status 0 "a buffer that is too small ends with 0"
	at_least tiny_lost 1 "events are lost"
	noted tiny_told "$(result tiny_lost | tr -d ,)" "the LOST events tell how many"
	noted tiny_verify 0 "and hits = delivered + lost + filtered all the same"
}

check_output() {
	noted owner 1000:1001 "after sudo the trace belongs to its caller"
	has '/out/j now belongs to uid 1000' owner.txt "and a line says so"
	noted keep_owner 0 "but not with --keep-owner"
	noted null "0 0" "/dev/null works and keeps its owner"
	noted stdout_status 0 "standard output works"
	noted stdout_readable yes "as a trace"
	noted ready "recording quiet=0" "--quiet is silent, --ready-fd is told"
}

# What is left when recording has begun: one capability, number 39, and nothing to gain by any program.
check_privileges() {
	noted user "1000:1001 uid 1000 caps 8000000000 fixed 1 filter 2 " \
		"after sudo the command and the recorder run as the caller, the recorder with CAP_BPF alone"
	noted user_verify 0 "and the counts of the programs are read at the end all the same"
	noted as_root 0 "--as-root: the command is root's"
}

guest_or_skip 6.12
write_script
tap_plan 43
[ -x "${RECORDER:-}" ] || guest_recorder
tap_ok $? "a recorder without libraries is there"
GUEST_TIMEOUT=${GUEST_TIMEOUT:-600} guest_run record --kernel 6.12 --script "$GUEST_WORK/record.sh" --swap nvme:64 \
	--recorder "$RECORDER"
tap_ok $? "the guest's script runs"
check_command
check_devices
check_limits
check_filters
check_losses
check_output
check_privileges
tap_end
