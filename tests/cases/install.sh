#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# make install and uninstall, and what was installed: pages, completions, the model library, the samples.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"

# A folder with a blank: packagers have them.
DEST="$WORK/dest dir"
USR=$DEST/usr
# The build that the program under test came from, so that nothing is built anew.
O=$(dirname "$SWAPTRACE")
[ "$O" != "$TOP" ] || O=$TOP/build

make_it() {
	make -C "$TOP" --no-print-directory O="$O" CC="$(sed 's/ .*//' "$O/flags")" DESTDIR="$DEST" PREFIX=/usr "$@"
}

# check_syntax SHELL FILE: a completion script is at least grammatical.
check_syntax() {
	local shell=$1 file=$2
	if command -v "$shell" >/dev/null; then
		run "$shell" -n "$file"
		tap_is "$STATUS" 0 "$shell can read its completion"
	else
		tap_skip "$shell can read its completion" "$shell is not installed"
	fi
}

# offers WORD...: what bash offers for the last word.
offers() {
	(
		# shellcheck source=/dev/null
		. "$USR/share/bash-completion/completions/swaptrace"
		# shellcheck disable=SC2034 # bash's own interface to completions
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_swaptrace
		printf '%s\n' "${COMPREPLY[@]}"
	)
}

check_pages() {
	local page status=0
	for page in "$USR"/share/man/man?/*; do
		if command -v mandoc >/dev/null; then
			# The one warning that is meant: pages carry a version, no date.
			mandoc -T lint -W warning "$page" | grep -v 'missing date' && status=1
		elif command -v groff >/dev/null; then
			groff -man -Tutf8 -ww -z "$page" 2>"$ERR" && [ ! -s "$ERR" ] && continue
			tap_show "$ERR"
			status=1
		else
			tap_skip "the pages are good roff" "neither mandoc nor groff is installed"
			return
		fi
	done
	tap_ok $status "the pages are good roff"
}

tap_plan 22
# What a build is made of follows its flags and its folder; what is there already is not made again.
compiles() {
	make_it -n "$@" all | grep -c "echo '  CC"
}
tap_is "$(compiles)" 0 "nothing is compiled twice"
tap_ok $(($(compiles HAVE_BPF=0) > 50 && $(compiles CFLAGS=-O1) > 50 && $(compiles O="$WORK/new") > 50 ? 0 : 1)) \
	"other flags and another folder are another build"

# As packagers call it: their flags come to ours, and none of ours is lost.
run make_it O="$WORK/packaged" CPPFLAGS='-DPACKAGED -D_FORTIFY_SOURCE=2' CFLAGS='-O1 -g' LDFLAGS=-Wl,-z,now \
	V=1 "$WORK/packaged/libswapmodel.a" "$WORK/packaged/cli/main.o" "$WORK/packaged/tests/inject"
[ "$STATUS" -eq 0 ] && grep -q -- '-I\. .*-DPACKAGED .*-O1 -g .*-c .*cli/main\.c' "$OUT" &&
	grep -q -- '-O1 -g -Wl,-z,now -o .*inject' "$OUT"
tap_ok $? "CPPFLAGS, CFLAGS and LDFLAGS on make's command line are added" || tap_show "$ERR"
run make_it ARCH=riscv all
[ "$STATUS" -eq 2 ] && grep -q 'ARCH=riscv, but .* give CROSS_COMPILE=' "$ERR"
tap_ok $? "another ARCH without a compiler for it is refused" || tap_show "$ERR"

run make_it install
tap_is "$STATUS" 0 "make install" || tap_show "$ERR"

run "$USR/bin/swaptrace" --version
tap_is "$(cat "$OUT")" "$("$SWAPTRACE" --version)" "the installed program runs"
missing=
for name in $("$SWAPTRACE" help --list); do
	[ -s "$USR/share/man/man1/swaptrace-$name.1" ] || missing="$missing $name"
done
for page in man1/swaptrace.1 man5/swaptrace.data.5 man7/swaptrace.7; do
	[ -s "$USR/share/man/$page" ] || missing="$missing $page"
done
tap_is "$missing" "" "every subcommand, the format and the ideas have their page"
check_pages
missing=
for name in README.md LICENSE NEWS.md CONTRIBUTING.md $(git -C "$TOP" ls-files 'docs/*' 2>/dev/null); do
	[ -s "$USR/share/doc/swaptrace/$name" ] || missing="$missing $name"
done
tap_is "$missing" "" "README, licence and documents are installed, where their links lead"

check_syntax bash "$USR/share/bash-completion/completions/swaptrace"
check_syntax zsh "$USR/share/zsh/site-functions/_swaptrace"
check_syntax fish "$USR/share/fish/vendor_completions.d/swaptrace.fish"
tap_is "$(offers swaptrace repl)" replay "bash completes subcommands"
tap_is "$(offers swaptrace reproduce dr)" drain "and operands that are words"
tap_is "$(offers swaptrace replay --ver)" --verify "and options"
touch "$WORK/a file"
tap_is "$(offers swaptrace replay "$WORK/a f")" "$WORK/a file" "and names of files with a blank"

# A program of somebody else, with nothing but the installed header and library.
cat >"$WORK/user.c" <<'END'
#include <swapmodel/readahead.h>
#include <swapmodel/pagevec.h>
#include <swapmodel/alloc.h>

int main(void)
{
	/* Two hits since the last call: 2 + 2 pages. */
	return ra_swapin_nr_pages_fn(100, 105, 2, 8, 0) != 4;
}
END
run gcc -Wall -Wextra -Werror -I"$USR/include" -o "$WORK/user" "$WORK/user.c" -L"$USR/lib" -l:libswapmodel.a
tap_is "$STATUS" 0 "the model library can be used by itself" || tap_show "$ERR"
run "$WORK/user"
tap_is "$STATUS" 0 "and answers"
sed 's/return .*/return !swap_alloc_generation(0);/' "$WORK/user.c" >"$WORK/shared.c"
run gcc -Wall -Wextra -Werror -I"$USR/include" -o "$WORK/shared" "$WORK/shared.c" -L"$USR/lib" -lswapmodel
tap_is "$STATUS $(readelf -d "$WORK/shared" | grep -c 'NEEDED.*libswapmodel\.so\.0')" "0 1" "and as a shared library" || tap_show "$ERR"
run env LD_LIBRARY_PATH="$USR/lib" "$WORK/shared"
tap_is "$STATUS" 0 "and answers"

cd "$WORK" || exit 1
run env -u SWAPTRACE_SAMPLES "$USR/bin/swaptrace" reproduce swapoff
tap_is "$STATUS" 0 "reproduce finds the installed captures" || tap_show "$ERR"
cd "$TOP" || exit 1
make_it uninstall >/dev/null 2>"$ERR"
tap_is "$(find "$DEST" ! -type d)" "" "make uninstall leaves nothing"
tap_end
