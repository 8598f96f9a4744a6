# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Sourced by quickstart and check: which Debian packages they need, and how to have them.
#
# One line a package: its name, how to see that it is there, what it is for. What is there by other
# means than a package (a compiler of one's own) is taken as it is.
# shellcheck disable=SC2034 # the lists are used there

deps_build='
gcc             cmd:gcc           the compiler
libc6-dev       header:stdio.h    the C library headers
meson           cmd:meson         configures the build
ninja-build     cmd:ninja         runs the build
pkg-config      cmd:pkg-config    finds the libraries
libzstd-dev     pc:libzstd        zstd, the codec that is measured
liblz4-dev      pc:liblz4         lz4 and lz4hc
liblzo2-dev     pc:lzo2           lzo
libjemalloc-dev pc:jemalloc       the arena of simulated page frames
libxxhash-dev   pc:libxxhash      hashes and checksums
libjansson-dev  pc:jansson        JSON
libinih-dev     pc:inih           configuration files
libarchive-dev  pc:libarchive     reads corpora as they come, packed or not
zlib1g-dev      pc:zlib           deflate; checks gzip, which libarchive does not
'

deps_check='
python3         cmd:python3       counts the test cases
libcmocka-dev   pc:cmocka         the test library
clang           cmd:clang         the second compiler
'

deps_present() {
	case $1 in
	cmd:*)
		command -v "${1#cmd:}" >/dev/null
		;;
	pc:*)
		command -v pkg-config >/dev/null && pkg-config --exists "${1#pc:}"
		;;
	header:*)
		printf '#include <%s>\n' "${1#header:}" | gcc -E -x c - >/dev/null 2>&1
		;;
	esac
}

# Prints the lines of the given lists whose package is not there.
deps_missing() {
	local package probe what

	printf '%s\n' "$@" | while read -r package probe what; do
		if [ -n "$package" ] && ! deps_present "$probe"; then
			printf '  %-16s %s\n' "$package" "$what"
		fi
	done
}

# deps_require LIST...: installs what is missing. Ends the script with status 2 when it cannot.
deps_require() {
	local me=${0##*/} missing packages as_root=()

	missing=$(deps_missing "$@")
	[ -n "$missing" ] || return 0
	mapfile -t packages < <(awk '{print $1}' <<<"$missing")
	if ! command -v apt-get >/dev/null || ! command -v dpkg >/dev/null; then
		printf '%s: these are missing (names as in Debian); install them, then run it again:\n%s\n' \
			"$me" "$missing" >&2
		exit 2
	fi
	if [ "$(id -u)" != 0 ]; then
		if ! command -v sudo >/dev/null; then
			printf '%s: these packages are missing, and there is no sudo:\n%s\n' "$me" \
				"$missing" >&2
			printf 'as root, run: apt-get update && apt-get install %s\n' \
				"${packages[*]}" >&2
			exit 2
		fi
		as_root=(sudo)
	fi
	printf '%s: installing with %s what is missing:\n%s\n' "$me" "${as_root[*]:+sudo }apt-get" \
		"$missing"
	(
		# What is installed is for everyone, whatever the caller's umask.
		umask 022
		# Lists of a source that cannot be reached now do not matter if the packages can be had.
		"${as_root[@]}" apt-get update -q
		"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
			--no-install-recommends "${packages[@]}"
	) </dev/null
	missing=$(deps_missing "$@")
	if [ -n "$missing" ]; then
		printf '%s: still missing:\n%s\n' "$me" "$missing" >&2
		exit 2
	fi
}
