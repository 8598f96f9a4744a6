#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: test.sh ZSWAPSIM [SCENARIO...]
#
# Boots each kernel of $KERNELS (default "6.12 7.3"), records the scenarios, and has ZSWAPSIM verify
# the recordings. Prints TAP; what cannot be had here is skipped.
set -u -o pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
if [ $# = 0 ]; then
	echo 'usage: test.sh ZSWAPSIM [SCENARIO...]' >&2
	exit 2
fi
zswapsim=$1
shift
scenarios=("$@")
[ $# -gt 0 ] || scenarios=(zswap_perpage_zstd zswap_paths_zstd zswap_limit_zstd zswap_memcgmax_zstd
	zswap_nowb_zstd zswap_folio64_zstd zswap_hysteresis_zstd zswap_memcgs_zstd zswap_worker_zstd zswap_pressure_zstd
	zswap_nodes_zstd)
read -r -a kernels <<<"${KERNELS:-6.12 7.3}"
export WORK=${WORK:-$here/../../build-kernel}

number=0
failed=0

# result STATUS NAME [LOG]
result() {
	number=$((number + 1))
	case $1 in
	0) echo "ok $number - $2" ;;
	77) echo "ok $number - $2 # SKIP $(tail -n 1 <<<"$3")" ;;
	*)
		echo "not ok $number - $2"
		failed=1
		;;
	esac
	[ -z "${3:-}" ] || printf '# %s\n' "${3//$'\n'/$'\n# '}"
}

verify() {
	local kernel=$1 scenario=$2 results=$WORK/results-$1

	# Of the kernel's own making: it need not be this libzstd's.
	if [ ! -e "$results/perpage_zswap_zstd.csv" ]; then
		KVER=$kernel "$here/run" zswap_perpage_zstd || return
	fi
	"$zswapsim" verify --kernel "$kernel" --vectors "$results/$scenario.csv" \
		--pages "$WORK/pages.bin" --lengths "$results/perpage_zswap_zstd.csv"
}

echo "1..$((${#kernels[@]} * ${#scenarios[@]} * 2))"
for kernel in "${kernels[@]}"; do
	for scenario in "${scenarios[@]}"; do
		log=$(KVER=$kernel "$here/run" "$scenario" 2>&1)
		status=$?
		result $status "${scenario}_is_recorded_in_$kernel" "$log"
		[ $status != 0 ] || log=$(verify "$kernel" "$scenario" 2>&1) || status=$?
		result $status "${scenario}_is_the_same_here_as_in_$kernel" "$log"
	done
done
exit $failed
