#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""usage: lengths.py RECORDING.csv

Prints what the kernel made of each input page that it was to compress in a recording of zswap, for
`zswapsim verify --lengths`. One page a row; pages that were never compressed have none.
"""
import collections
import csv
import sys

PAGE_SIZE = 4096


def kind_of(row, before):
    """What became of the page that this row stores, and its length."""

    def grew(column):
        return int(row[column]) > int(before[column])

    length = int(row["alloc_len"])
    if grew("swpout_zero"):
        return "zero", 0
    if grew("reject_compress_fail"):
        return "fail", 0
    if grew("reject_compress_poor"):
        return "poor", 0
    if length < 0:
        return None, 0
    return ("raw", PAGE_SIZE) if length >= PAGE_SIZE else ("stored", length)


def lengths_of(rows):
    known = {}
    before = collections.defaultdict(int)
    for row in rows:
        if row["op"] == "store":
            src = int(row["src"])
            kind, length = kind_of(row, before)
            # Where writeback is not allowed, what is raw elsewhere fails.
            if kind and known.get(src, ("fail", 0))[0] == "fail":
                known[src] = (kind, length)
            elif kind in ("stored", "raw", "zero") and known[src] != (kind, length):
                sys.exit(f"page {src}: {known[src]} before, {kind} {length} in row {row['seq']}")
        before = row
    return known


def main():
    with open(sys.argv[1], encoding="utf-8", newline="") as recording:
        known = lengths_of(csv.DictReader(recording))
    print("page_index,comp_len,kind")
    for src, (kind, length) in sorted(known.items()):
        print(f"{src},{length},{kind}")


main()
