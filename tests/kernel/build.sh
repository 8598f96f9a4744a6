#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# usage: build.sh
#
# Makes what a run boots, in $WORK/kernel-$KVER: vmlinuz, one of Debian's full kernels, fetched once,
# and init.gz, a busybox initramfs with the guest program; and $WORK/pages.bin, the input pages.
# Exit status 77, with the reason, if there is no such kernel, or a tool is missing.
set -eu -o pipefail
here=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
export WORK SUITE
dir=$WORK/kernel-$KVER

modules=(drivers/block/virtio_blk lib/lz4/lz4_compress lib/lz4/lz4hc_compress crypto/lz4 crypto/lz4hc
	crypto/zstd crypto/deflate drivers/block/zram/zram)

skip() {
	echo "kernel tests: $1" >&2
	exit 77
}

for tool in apt-get dpkg cpio gcc xz zstd; do
	command -v "$tool" >/dev/null || skip "no $tool on this system"
done
[ -x /bin/busybox ] || skip "no busybox on this system (Debian: busybox-static)"

apt() {
	"$here/apt.sh" "$@"
}

# The newest image package whose version is $KVER or begins with it.
find_package() {
	apt apt-cache pkgnames "linux-image-$KVER" |
		grep -E "^linux-image-${KVER//./\\.}([.][0-9.]+)?(\\+[a-z0-9]+)?-amd64\$" |
		grep -v -x -E 'linux-image-[0-9]+\.[0-9]+-amd64' | sort -V | tail -n 1
}

fetch_kernel() {
	local package packages

	package=$(find_package) || true
	[ -n "$package" ] || skip "no kernel $KVER in ${SUITE:-the sources of this system}"
	# Newer kernels come in several packages.
	mapfile -t packages < <(apt apt-cache depends "$package" |
		sed -n 's/.*Depends: <\{0,1\}\(linux-\(binary\|modules\)-[^ >]*\)>\{0,1\}$/\1/p')
	rm -rf "$dir/debs" "$dir/tree.tmp"
	mkdir -p "$dir/debs" "$dir/tree.tmp"
	echo "fetching $package ${packages[*]}" >&2
	(cd "$dir/debs" && apt apt-get -qq -o APT::Sandbox::User=root download "$package" "${packages[@]}") >&2 ||
		skip "the archive does not have every package of $package (any more)"
	for deb in "$dir"/debs/*.deb; do
		dpkg -x "$deb" "$dir/tree.tmp"
	done
	rm -rf "$dir/debs"
	mv "$dir/tree.tmp" "$dir/tree"
}

make_initramfs() {
	local root=$dir/root kernel_modules

	kernel_modules=$(find "$dir/tree" -type d -path '*/modules/*/kernel' -prune -print -quit)
	rm -rf "$root"
	mkdir -p "$root/bin" "$root/modules"
	cp /bin/busybox "$root/bin/"
	cp "$here/guest/init" "$root/init"
	chmod +x "$root/init"
	# What is not there is built in.
	for module in "${modules[@]}"; do
		if [ -e "$kernel_modules/$module.ko.xz" ]; then
			xz -dc "$kernel_modules/$module.ko.xz" >"$root/modules/${module##*/}.ko"
		fi
	done
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wshadow -Wno-unused-parameter -Wno-sign-compare \
		-static -o "$root/bin/guest" "$here"/guest/*.c -ljansson
	(cd "$root" && find . | cpio -o -H newc --quiet | gzip -1 >"$dir/init.gz")
}

make_pages() {
	gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -o "$WORK/make_pages" "$here/make_pages.c" \
		"$here/content.c"
	"$WORK/make_pages" "$WORK/pages.bin"
}

[ -d "$dir/tree" ] || fetch_kernel
make_initramfs
cp "$(find "$dir/tree" -type f -name 'vmlinuz*' -print -quit)" "$dir/vmlinuz"
make_pages
