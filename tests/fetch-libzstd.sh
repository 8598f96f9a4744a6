#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: fetch-libzstd.sh PREFIX [SUITE]
#
# Puts libzstd and its headers from another Debian suite (trixie: 1.5.7, the zstd of kernels from
# 6.16 on) into PREFIX/include and PREFIX/lib, for `meson setup -Dzstd_prefix=PREFIX`. The archive is
# the one that this system's own apt sources name; the system's configuration and lists stay as they
# are. If PREFIX is filled already, returns at once. Exit status 77, with the reason, if the library
# cannot be had here.
set -u

die() {
	echo "fetch-libzstd: $1" >&2
	exit "$2"
}

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	die "usage: fetch-libzstd.sh PREFIX [SUITE]" 2
fi
suite=${2:-trixie}
mkdir -p "$1" || die "cannot make $1" 2
prefix=$(cd "$1" && pwd) || exit 2

# Written last, when everything else is in its place.
stamp=$prefix/.fetched-$suite
[ -e "$stamp" ] && exit 0

for tool in apt-get apt-cache dpkg; do
	command -v "$tool" >/dev/null || die "no $tool on this system" 77
done
# shellcheck disable=SC1091
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/system/partial" "$work/cache/archives/partial" "$work/root"

# apt with nothing of its own changed.
apt() {
	tool=$1
	shift
	"$tool" -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}

# Where the system has its release from; with the options of apt-get that are given.
system_uri() {
	# shellcheck disable=SC2016
	apt apt-get "$@" indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
		awk -v release="$codename" '$2 == release && $3 == "main" { print $1; exit }'
}

uri=$(system_uri)
if [ -z "$uri" ]; then
	# The system has no lists, as in many container images.
	apt apt-get -qq -o Dir::State::Lists="$work/system" update >"$work/log" 2>&1
	uri=$(system_uri -o Dir::State::Lists="$work/system")
fi
[ -n "$uri" ] || die "no Debian archive of '$codename' among this system's apt sources" 77

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
signed=
[ -e "$keyring" ] && signed="[signed-by=$keyring] "
echo "deb $signed$uri $suite main" >"$work/sources.list"

private() {
	tool=$1
	shift
	apt "$tool" -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=- \
		-o Dir::State::Lists="$work/lists" -o APT::Get::List-Cleanup=false "$@"
}

echo "fetching libzstd of $suite from $uri" >&2
# An update that could not read everything succeeds with warnings.
if ! private apt-get -qq update >"$work/log" 2>&1 ||
	! grep -q . "$work"/lists/*Packages* 2>/dev/null; then
	die "cannot read the package list of $suite: $(tail -n 1 "$work/log")" 77
fi
(cd "$work" && private apt-get -qq download libzstd1 libzstd-dev) >"$work/log" 2>&1 ||
	die "cannot download libzstd1 and libzstd-dev: $(tail -n 1 "$work/log")" 77
for deb in "$work"/*.deb; do
	dpkg -x "$deb" "$work/root" || die "cannot unpack $deb" 77
done
[ -e "$work/root/usr/include/zstd.h" ] || die "no zstd.h in the packages of $suite" 77

cp -a "$work/root/usr/include" "$work/root/usr/lib" "$prefix/" || die "cannot write $prefix" 2
sed -n 's/^#define ZSTD_VERSION_\(MAJOR\|MINOR\|RELEASE\) *\([0-9]*\)$/\2/p' \
	"$prefix/include/zstd.h" | paste -sd. >"$stamp"
echo "libzstd $(cat "$stamp") is in $prefix" >&2
