#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# update-docs.sh ZSWAPSIM: puts what the program prints into the documents that show it.
set -eu
program=$(realpath -- "$1")
cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

printed=$("$program" profiles)
# Between the first two fences.
PRINTED=$printed awk '
	/^```/ && fences++ == 0 { print; print ENVIRON["PRINTED"]; next }
	fences != 1
' docs/profiles.md >docs/profiles.md.new
mv docs/profiles.md.new docs/profiles.md
