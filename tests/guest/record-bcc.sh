#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The second recorder as a witness: in one guest of one CPU, two recorders at the same time, one with programs compiled
# in the guest by libbcc while the kernel's BTF is hidden, one with the ordinary ones. Both must tell the same events,
# with every key but the times, in the same order. Compiling takes minutes under emulation:
# only: make check-bcc
# KERNEL says which (6.12, 6.1).
# timeout: 3600
set -u
# shellcheck source=tests/guest/lib.sh
. "$(dirname "$0")/lib.sh"

write_script() {
	cat >"$GUEST_WORK/bcc.sh" <<'END_OF_SCRIPT'
. /lab/lib.sh
# start NAME ARGS: a recorder in the background; returns when it is ready.
start() {
	name=$1
	shift
	swaptrace record -e ra,alloc,lru -o "/out/$name.swaptrace" "$@" >/dev/null 2>"/out/$name.log" &
	pid=$!
	while ! grep -q recording "/out/$name.log"; do
		kill -0 $pid 2>/dev/null || break
		usleep 50000
	done
	grep -q recording "/out/$name.log" || { cat "/out/$name.log" >&2; lab_die "$name did not start"; }
}

inside() {
	sh -c 'echo $$ >/sys/fs/cgroup/small/cgroup.procs; exec "$@"' sh "$@"
}

faults() {
	inside workload fault --pattern "$1" --seed 7 --procs 1 --mb 14 --hog-rounds 0 >/dev/null ||
		lab_die "the workload failed"
}

echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir /sys/fs/cgroup/small /run/held
echo 10M >/sys/fs/cgroup/small/memory.max
set -- $(echo "$LAB_SWAP" | sed 's/ .*//')
workload swapon "$1"
inside workload fill --procs 1 --mb 16 --state /run/held &
held=$!
while [ ! -e /run/held/ready ]; do
	kill -0 $held || lab_die "the workload died"
	usleep 50000
done

# Headers that are none, and a recorder that is to stop before it has begun.
mkdir -p /run/broken/include/linux
: >/run/broken/include/linux/kconfig.h
BCC_KERNEL_SOURCE=/run/broken swaptrace record --backend bcc -o /out/none 2>/out/broken.log
echo "broken $?"
swaptrace record --backend bcc -o /out/none 2>/out/stopped.log &
sleep 2
kill -TERM $!
wait $!
echo "stopped $?"

# The kernels of the threads have no BTF: "auto" takes bcc.
mount -t tmpfs none /sys/kernel/btf
begin=$(cut -d ' ' -f 1 /proc/uptime)
start bcc
bcc=$pid
echo "seconds $begin $(cut -d ' ' -f 1 /proc/uptime)"
umount /sys/kernel/btf
start libbpf
libbpf=$pid

workload swapon "$2"
faults mixed
echo 0 >/sys/kernel/mm/swap/vma_ra_enabled
faults seq
echo 5 >/proc/sys/vm/page-cluster
faults random
echo max >/sys/fs/cgroup/small/memory.max
swapoff "$1" || lab_die "swapoff failed"
: >/run/held/end
wait $held
swapoff "$2" || lab_die "swapoff failed"
kill -TERM $libbpf $bcc
wait $libbpf && wait $bcc || lab_die "a recorder failed"
END_OF_SCRIPT
}

# events NAME: what can be compared, without times and without the recorders' own doings. Those of the group lru (the
# first recorder sees the second one start) from the second swapon to the last swapoff.
events() {
	"$SWAPTRACE" dump "$GUEST_DIR/$1.swaptrace" 2>/dev/null | grep -v '^#' | awk '
		$5 == "SWAPON" { on = 1 }
		{ lru = $5 ~ /^(DRAIN|FLUSH|LRUADD|RELEASE)$/; state = $5 ~ /^(SLOTS|CLUSTER|PCPU|CONFIG)$/ }
		$5 == "CLOCK" || (lru && !on) || ($4 == "swaptrace" && !state) { next }
		$5 == "SWAPOFF" && /op=end/ { on = ++ended < 2 }
		{ $1 = ""; if (state) $3 = "-"; gsub(/ ns=[0-9]+/, ""); print }' >"$WORK/events.$1"
	grep -vE ' (DRAIN|FLUSH|LRUADD|RELEASE) ' "$WORK/events.$1" >"$WORK/events.$1.swap"
	grep -E ' (DRAIN|FLUSH|LRUADD|RELEASE) ' "$WORK/events.$1" | grep -v op=rotate >"$WORK/events.$1.lru"
}

# Of two recorders, the second one's kretprobe hides the drain's caller from the first one.
without_site() {
	sed 's/ site=[^ ]*//; s/ rotate=[0-9]*//' "$1"
}

same() {
	cmp -s "$1" "$2"
	tap_ok $? "$3" || diff "$1" "$2" | head -n 20 | tap_comment
}

# at_least GOT MIN DESCRIPTION
at_least() {
	[ "${1:-0}" -ge "$2" ]
	tap_ok $? "$3" || echo "# got: $1, want at least: $2"
}

count() {
	grep -cE -e "$2" "$WORK/events.$1"
}

missed() {
	"$SWAPTRACE" dump --header "$GUEST_DIR/bcc.swaptrace" | sed -n "s/^# probe .*symbol=$1 .* missed=//p"
}

compare() {
	local kernel=$1 type missing
	events bcc
	events libbpf
	for type in LOOKUP RA READ CACHE UNCACHE SWAPOUT ALLOC WRITE UNREF FREE SWAPON SWAPOFF CONFIG SLOTS; do
		tap_is "$(count bcc.swap "^ [^ ]+ [^ ]+ [^ ]+ $type ")" "$(count libbpf.swap "^ [^ ]+ [^ ]+ [^ ]+ $type ")" \
			"$kernel: as many $type"
	done
	at_least "$(count libbpf.swap ' RA mode=vma ')" 500 "$kernel: with readahead by VMA"
	at_least "$(count libbpf.swap ' RA mode=cluster ')" 500 "$kernel: and by cluster"
	at_least "$(count libbpf.swap ' SLOTS ')" 1 "$kernel: and slots that were in use before"
	same "$WORK/events.bcc.swap" "$WORK/events.libbpf.swap" "$kernel: all events of ra and alloc are the same, in the same order"
	without_site "$WORK/events.bcc.lru" >"$WORK/a"
	without_site "$WORK/events.libbpf.lru" >"$WORK/b"
	same "$WORK/a" "$WORK/b" "$kernel: so are those of lru but for what interrupts do"
	at_least "$(count libbpf.lru ' LRUADD ')" 5000 "$kernel: among them joinings"
	at_least "$(count libbpf.lru ' DRAIN ')" 100 "$kernel: and drains"
	missing=$(($(count libbpf 'LRUADD op=rotate') - $(count bcc 'LRUADD op=rotate')))
	if [ "$kernel" = 6.1 ]; then
		tap_skip "$kernel: what was not seen is told as missed" "only kernels from 6.7 on can tell"
	else
		at_least "$(missed folio_rotate_reclaimable)" "$missing" "$kernel: what was not seen is told as missed"
	fi
	tap_comment <<<"$(wc -l <"$WORK/events.bcc.swap") and $(wc -l <"$WORK/a") events, $missing rotations not seen by kprobe," \
		"$(missed folio_rotate_reclaimable) said to be missed"
}

KERNEL=${KERNEL:-6.12}
guest_or_skip "$KERNEL"
[ -x "$SWAPTRACE" ] || tap_skip_all "$SWAPTRACE is not built"
! "$SWAPTRACE" record --backend bcc -o "$WORK/none" 2>&1 </dev/null | grep -q 'built without' ||
	tap_skip_all "this swaptrace was built without bcc (libbpfcc-dev)"
"$TOP/lab/run.sh" --fetch --kernel "$KERNEL" --disk bcc >/dev/null 2>"$WORK/disk.log" ||
	tap_skip_all "$(tail -n 1 "$WORK/disk.log")"
tap_plan 33
write_script
GUEST_TIMEOUT=${GUEST_TIMEOUT:-1800} guest_run bcc --kernel "$KERNEL" --script "$GUEST_WORK/bcc.sh" --disk bcc --mem 1500 \
	--swap nvme:64+nvme:64 --recorder "$SWAPTRACE"
tap_ok $? "the guest's script runs" || exit 1
tap_comment <"$GUEST_DIR/stdout"
tap_grep '^broken 4$' "$GUEST_DIR/stdout" "headers that cannot be compiled: exit status 4"
tap_grep 'libbcc cannot compile the programs: .*error: ' "$GUEST_DIR/broken.log" "and the first error is told"
tap_grep '^stopped 4$' "$GUEST_DIR/stdout" "a signal while compiling: exit status 4"
tap_grep 'interrupted while libbcc was compiling' "$GUEST_DIR/stopped.log" "at once"
[ ! -e "$GUEST_DIR/none" ]
tap_ok $? "neither leaves a file"
for backend in bcc libbpf; do
	run "$SWAPTRACE" info --verify "$GUEST_DIR/$backend.swaptrace"
	tap_is "$STATUS" 0 "$backend: info --verify" || tap_show "$ERR"
done
run "$SWAPTRACE" dump --header "$GUEST_DIR/bcc.swaptrace"
tap_grep ' backend=bcc( |$)' "$OUT" "without BTF the programs were compiled in the guest"
tap_grep ' attach=kprobe,kretprobe ' "$OUT" "and attached by kprobes"
run "$SWAPTRACE" replay --verify --json "$GUEST_DIR/bcc.swaptrace"
holds '.results[0].verify | .windows_checked > 500 and .windows_agreed == .windows_checked' "$OUT"
tap_ok $? "bcc: every window is predicted" || jq -c '.results[0].verify' "$OUT" | tap_comment
compare "$KERNEL"
tap_end
