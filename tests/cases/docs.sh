#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Documents name what is there: files in backquotes, links, sections of docs/kernel-facts.md that comments cite.
# sanitizers: no
set -u
# shellcheck source=tests/lib.sh
. "$(dirname "$0")/../lib.sh"
cd "$TOP" || exit 1

DOCS="README.md CONTRIBUTING.md NEWS.md docs/README.md docs/ARCHITECTURE.md docs/glossary.md docs/kernel-facts.md docs/gen-mthp.md docs/fidelity.md lab/README.md"

# named FILE: paths in backquotes that begin with a folder of ours, NAME and SERIES being anybody's.
named() {
	# shellcheck disable=SC2016 # the backquotes of Markdown
	grep -oE '`(common|render|traces|import|export|bpf|replay|analyze|doctor|cli|tests|lab|docs)/[^` ]*`' "$1" | tr -d '`' |
		grep -vE 'NAME|SERIES|SECTION|[{}]' | sort -u
}

# there PATH: a file or folder; * may stand for any part of a name.
there() {
	compgen -G "$1" >/dev/null
}

# sections FILE: the anchors that its headings have on the web.
sections() {
	sed -n 's/^##* //p' "$1" | tr 'A-Z' 'a-z' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# dangling FILE: links to files or sections that are not there.
dangling() {
	local link file section folder
	folder=$(dirname "$1")
	grep -oE '\]\([^)]*\)' "$1" | sed 's/^](//; s/)$//' | while IFS= read -r link; do
		case $link in *://* | mailto:*) continue ;; esac
		file=${link%%#*} section=
		[ "$link" = "$file" ] || section=${link#*#}
		file=${file:+$folder/$file}
		file=${file:-$1}
		[ -e "$file" ] || echo "$1: $link: no such file"
		[ -z "$section" ] || sections "$file" | grep -qxF "$section" || echo "$1: $link: no such section"
	done
}

# cited: FILE:LINE SECTION for each section of the facts that a source names. In a comment that has named the document, "#name" alone
# is one, too.
cited() {
	git grep -lF 'docs/kernel-facts.md' -- '*.c' '*.h' '*.sh' 2>/dev/null | grep -v '^tests/cases/docs.sh$' | while IFS= read -r file; do
		grep -noE '(kernel-facts\.md|[ (/*])#[a-z][a-z0-9-]+[a-z0-9]' "$file" | grep -vE '#(include|define|if|ifdef|ifndef|endif|undef|else|elif|error|pragma|shellcheck)$' |
			sed "s|^\([0-9]*\):.*#|$file:\1 |"
	done
}

tap_plan 7
missing=
for doc in $DOCS; do
	[ -s "$doc" ] || missing="$missing $doc"
done
tap_is "$missing" "" "the documents are there"

for doc in $DOCS; do
	named "$doc" | while IFS= read -r path; do
		there "$path" || echo "$doc: $path"
	done
done >"$WORK/found"
[ "$(named CONTRIBUTING.md | wc -l)" -gt 30 ] && [ ! -s "$WORK/found" ]
tap_ok $? "files that the documents name exist" || tap_show "$WORK/found"

# Each of the five recipes says which files to touch, and which tests.
awk '/^## An? / { if (name && (files < 4 || !tests)) print name; name = $0; files = tests = 0 }
	name { files += gsub(/`[a-z]+\/[^` ]*`/, "&"); tests += /`tests\// }
	END { if (files < 4 || !tests) print name }' CONTRIBUTING.md >"$WORK/found"
tap_is "$(grep -cE '^## An? ' CONTRIBUTING.md) $(cat "$WORK/found")" "5 " "five recipes, each with its files and tests"

for doc in $DOCS; do
	dangling "$doc"
done >"$WORK/found"
[ ! -s "$WORK/found" ]
tap_ok $? "links lead somewhere" || tap_show "$WORK/found"

if git rev-parse --git-dir >/dev/null 2>&1; then
	cited >"$WORK/cited"
	sections docs/kernel-facts.md | sort >"$WORK/sections"
	awk 'FNR == NR { known[$1]; next } !($2 in known)' "$WORK/sections" "$WORK/cited" >"$WORK/found"
	[ "$(wc -l <"$WORK/cited")" -gt 20 ] && [ ! -s "$WORK/found" ]
	tap_ok $? "comments cite sections of docs/kernel-facts.md that exist" || tap_show "$WORK/found"
else
	tap_skip "comments cite sections of docs/kernel-facts.md that exist" "not a git checkout"
fi

# Commits that serve as examples. A tarball and a shallow clone have none.
if git rev-parse --git-dir >/dev/null 2>&1 && [ "$(git rev-parse --is-shallow-repository)" = false ]; then
	missing=
	for name in $(grep -oE 'commit [0-9a-f]{7,}' CONTRIBUTING.md | sed 's/commit //'); do
		git cat-file -e "$name^{commit}" 2>/dev/null || missing="$missing $name"
	done
	tap_is "$missing" "" "commits that serve as examples are there"
else
	tap_skip "commits that serve as examples are there" "no whole git checkout"
fi

missing=
for name in $("$SWAPTRACE" help --list); do
	[ "$name" = help ] || grep -qE "\`$name\`" NEWS.md || missing="$missing $name"
done
tap_is "$missing" "" "NEWS.md names every subcommand"
tap_end
