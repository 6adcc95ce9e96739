#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The packages of make deb: what lintian says of them, and whether what is in them runs from a folder of its own, with
# the libraries that the packages ask for. usage: tests/deb.sh FOLDER
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/lib.sh"
DEBS=$(cd "$1" && pwd) || exit 1

tap_plan 8
lintian --fail-on error,warning "$DEBS"/*.changes >"$OUT" 2>"$ERR"
tap_is "$? $(grep -c '^[EW]:' "$OUT")" "0 0" "lintian finds no error and no warning" || tap_show "$OUT"
for deb in "$DEBS"/*.deb; do
	case $deb in *dbgsym*) ;; *) dpkg-deb -x "$deb" "$WORK/root" || exit 1 ;; esac
done
USR=$WORK/root/usr
LIB=$(dirname "$USR"/lib/*/libswapmodel.so.0)
run "$USR/bin/swaptrace" --version
tap_is "$STATUS" 0 "the program runs"
run env SWAPTRACE_SAMPLES="$USR/share/swaptrace/samples" "$USR/bin/swaptrace" reproduce swapoff
tap_is "$STATUS" 0 "and reproduces from the captures that come with it"
zcat "$USR/share/man/man1/swaptrace.1.gz" | grep -q '^\.TH'
tap_ok $? "its pages are there"
tap_is "$(nm -D --defined-only "$LIB/libswapmodel.so.0" | awk '{ print $3 }' | grep -vcE '^(swap_alloc|pv|ra)_|^SWAPMODEL_0|@@SWAPMODEL_0')" 0 \
	"the library offers its headers' functions alone"
cat >"$WORK/user.c" <<'END'
#include <swapmodel/pagevec.h>
#include <swapmodel/alloc.h>
#include <string.h>

int main(void)
{
	return strcmp(swap_alloc_generation(0), "scan-6.1");
}
END
run gcc -I"$USR/include" -o "$WORK/user" "$WORK/user.c" -L"$LIB" -lswapmodel
tap_is "$STATUS" 0 "a program can be built with it" || tap_show "$ERR"
run env LD_LIBRARY_PATH="$LIB" "$WORK/user"
tap_is "$STATUS" 0 "and runs"
if command -v pkg-config >/dev/null; then
	tap_is "$(PKG_CONFIG_PATH=$LIB/pkgconfig pkg-config --modversion --libs swapmodel | tr -d ' ' | tr '\n' ' ')" \
		"0.1 -lswapmodel " "pkg-config knows it"
else
	tap_skip "pkg-config knows it" "pkg-config is not installed"
fi
tap_end
