#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: apt.sh apt-get|apt-cache ARGUMENT...
#
# Runs apt for the suites in $SUITE, e.g. "trixie-backports", of the archive that this system's own
# sources name, with a configuration and lists of its own in $WORK/apt: the system's stay as they
# are. With SUITE empty: apt as it is.
set -eu

suites=${SUITE:-}
if [ -z "$suites" ]; then
	exec "$@"
fi
dir=${WORK:?}/apt
mkdir -p "$dir/cache/archives/partial" "$dir/lists/partial"
options=(-o Dir::Etc::sourcelist="$dir/sources.list" -o Dir::Etc::sourceparts=-
	-o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache" -o APT::Sandbox::User=root)

archive() {
	local codename

	# shellcheck disable=SC1091
	codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016
	apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
		awk -v release="$codename" '$2 == release && $3 == "main" {print $1; exit}'
}

# Lists of these suites may be there already.
if [ "$(cat "$dir/suites" 2>/dev/null)" != "$suites" ]; then
	uri=$(archive)
	if [ -z "$uri" ]; then
		echo "apt.sh: no Debian archive of this release among the system's apt sources" >&2
		exit 77
	fi
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	signed=
	[ ! -e "$keyring" ] || signed="[signed-by=$keyring] "
	for suite in $suites; do
		echo "deb $signed$uri $suite main"
	done >"$dir/sources.list"
	apt-get "${options[@]}" -qq update >&2
	echo "$suites" >"$dir/suites"
fi
command=$1
shift
exec "$command" "${options[@]}" "$@"
