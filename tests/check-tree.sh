#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# check-tree.sh [ROOT]: rules of the tree that no compiler knows. Prints TAP.
set -u -o pipefail
cd -P -- "${1:-"$(dirname -- "${BASH_SOURCE[0]}")/.."}" || exit

max_lines=700

# report NAME: the case passes if standard input, the list of what breaks it, is empty.
report() {
	local found

	found=$(cat)
	if [ -z "$found" ]; then
		echo "ok - $1"
	else
		printf 'not ok - %s\n# %s\n' "$1" "${found//$'\n'/$'\n# '}"
	fi
}

# includes FILE...: "FILE:HEADER" for each of the project's headers that they include.
includes() {
	[ $# = 0 ] || grep -H -o -E '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^"]*"' "$@" |
		sed -E 's/:[^"]*"(.*)"$/:\1/'
}

# without PATTERN: drops the headers that match it.
without() {
	grep -v -E ":($1)\$"
}

sources() {
	find "$@" -name '*.[ch]' 2>/dev/null | sort
}

# Headers that know nothing of any subsystem, and those that acomp.h is built on besides.
base='kernel|page|profile|scatterlist|err|list|poison|ref_list|slab'

# What is not listed in the meson.build of its directory is not built, and not tested.
unlisted() {
	local file

	for file; do
		grep -q -F "'${file##*/}'" "${file%/*}/meson.build" || echo "$file"
	done
}

unlisted_tests() {
	local file name

	for file in tests/test_*.c tests/cli/test_*.c; do
		name=${file##*/test_}
		grep -q -F "'${name%.c}'" tests/meson.build || echo "$file"
	done
}

too_long() {
	wc -l "$@" | awk -v max=$max_lines '$2 != "total" && $1 > max {print $2 ": " $1 " lines"}'
}

# Links of the documents to files that are not there.
dead_links() {
	local file link

	for file in *.md docs/*.md; do
		grep -o -E '\]\([^)#:]+' "$file" | sed 's/^](//' | while read -r link; do
			[ -e "$(dirname "$file")/$link" ] || echo "$file: $link"
		done
	done
	return 0 # a document without links is none of grep's errors
}

# The header of policies is compiled by others, with nothing of ours: complaints of "$@" about it.
stands_alone() {
	echo '#include "sim/policy.h"
	int fits(struct zswapsim_want *want, struct zswapsim_entry *entry);
	int fits(struct zswapsim_want *want, struct zswapsim_entry *entry)
	{
		return zswapsim_fits(want, entry) && zswapsim_index(entry->id);
	}' |
		"$@" -Wall -Wextra -Werror -pedantic -fsyntax-only -I. - 2>&1
}

# Other versions than 14 format otherwise.
format_of() {
	clang-format --version 2>/dev/null | grep -o 'version [0-9]*'
}

unformatted() {
	clang-format --dry-run -Werror "$@" 2>&1 | sed -n 's/^\([^:]*\):.*error:.*/\1/p' | sort -u
}

scripts=(quickstart check .ci/run)
mapfile -t scripts_elsewhere < <(find scripts tests -name '*.sh' -o -name '*.py' | sort)
scripts+=("${scripts_elsewhere[@]}")
mapfile -t c_files < <(sources sim traces backends cmd tests)

echo 1..12
mapfile -t files < <(sources sim)
includes "${files[@]}" | without '(sim|traces)/.*' | report sim_includes_only_sim_and_traces
mapfile -t files < <(sources sim | grep -E '/zs(_|page|malloc)')
includes "${files[@]}" | without "sim/(zs(_.*|page|malloc)|$base)\.h" | report zsmalloc_knows_pages_and_no_codec
mapfile -t files < <(sources traces)
includes "${files[@]}" | without 'traces/.*' | report traces_include_only_traces
mapfile -t files < <(sources backends)
includes "${files[@]}" | without "backends/.*|sim/(acomp(_trace|_batch)?|$base)\.h" |
	report backends_include_of_sim_only_acomp_and_what_it_stands_on
mapfile -t files < <(find sim traces backends cmd -name '*.c' | sort)
unlisted "${files[@]}" | report every_source_is_built
unlisted_tests | report every_test_is_run
too_long "${c_files[@]}" "${scripts[@]}" | report "no_file_is_longer_than_${max_lines}_lines"
grep -L -E '^(/\*|//|#) SPDX-License-Identifier: GPL-2.0-or-later' "${c_files[@]}" "${scripts[@]}" |
	report every_source_has_its_license_line
dead_links | report every_link_of_the_documents_leads_somewhere
stands_alone "${CC:-cc}" -std=c11 -x c | report the_header_of_policies_stands_alone_in_c11
if command -v c++ >/dev/null; then
	stands_alone c++ -std=c++11 -x c++ | report the_header_of_policies_stands_alone_in_cxx
else
	echo "ok - the_header_of_policies_stands_alone_in_cxx # SKIP there is no C++ compiler"
fi
if [ "$(format_of)" = 'version 14' ]; then
	unformatted "${c_files[@]}" | report every_source_is_formatted
else
	echo "ok - every_source_is_formatted # SKIP there is no clang-format 14"
fi
