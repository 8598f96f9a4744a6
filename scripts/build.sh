# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by quickstart and check: build directories that are never stale.

# What a build directory was configured with; another line of it means that it is no good any more.
build_identity() {
	local cc=$1

	shift
	printf '%s\n' "$PWD" "$cc $("$cc" --version | head -n 1)" "meson $(meson --version)" "$@"
	cksum <meson_options.txt
	pkg-config --modversion libzstd jemalloc libxxhash jansson inih libarchive
}

# build DIR CC MESON-OPTION...: configures DIR if it is not yet so configured, and compiles.
build() {
	local dir=$1 cc=$2 identity

	shift 2
	identity=$(build_identity "$cc" "$@")
	if [ -e "$dir" ] && [ ! -d "$dir/meson-private" ] && [ -n "$(ls -A "$dir")" ]; then
		printf '%s: %s is in the way: it is no build directory of meson\n' "${0##*/}" "$dir" >&2
		return 1
	fi
	if [ "$(cat "$dir/.identity" 2>/dev/null)" = "$identity" ]; then
		ninja -C "$dir" && return
		# It may be the directory's fault: it was made from other sources.
		printf '%s: %s is built once more, from nothing\n' "${0##*/}" "$dir"
	elif [ -e "$dir" ]; then
		printf '%s: %s was configured otherwise; it is made anew\n' "${0##*/}" "$dir"
	fi
	rm -rf "$dir"
	CC=$cc meson setup "$dir" "$@" && printf '%s\n' "$identity" >"$dir/.identity" &&
		ninja -C "$dir"
}
