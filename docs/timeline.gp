# SPDX-License-Identifier: GPL-2.0-or-later
# gnuplot -e 'csv="pool.csv"; png="pool.png"' timeline.gp
# The pool of a replay over time: what it holds, where its memory goes, what went to disk.
set datafile separator ","
set terminal pngcairo size 1200,1200
set output png
set key outside right top
set xlabel "event"
set multiplot layout 3,1

set ylabel "MiB"
set title "pool"
mib(bytes) = bytes / 1048576.0
plot csv using (column("event")):(mib(column("stored_pages") * 4096)) with lines title "stored pages", \
     csv using (column("event")):(mib(column("pool_pages") * 4096)) with lines title "pool", \
     csv using (column("event")):(mib(column("payload_bytes"))) with lines title "payload"

set title "fragmentation"
plot csv using (column("event")):(mib(column("rounding_bytes"))) with lines title "class rounding", \
     csv using (column("event")):(mib(column("unused_bytes"))) with lines title "unused objects", \
     csv using (column("event")):(mib(column("tail_bytes"))) with lines title "zspage tails"

set ylabel "pages"
set title "beyond zswap"
plot csv using (column("event")):(column("zswpwb")) with lines title "written back", \
     csv using (column("event")):(column("refused_pages")) with lines title "refused", \
     csv using (column("event")):(column("pswpin")) with lines title "read from disk", \
     csv using (column("event")):(column("refaults")) with lines title "of those, refaults"
unset multiplot
