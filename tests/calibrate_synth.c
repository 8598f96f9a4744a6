// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where the numbers of traces/synth_calibration.c come from:
 *
 *	calibrate_synth > traces/synth_calibration.c
 *		measures every style at every knob
 *	calibrate_synth report [SEED]
 *		how far the pages of 'trace synth' are from the figures
 *	calibrate_synth try FILE DECAY COPY RUN
 *		calibrates another style for one of the files, and reports: so a style is found
 *
 * Sizes are those of the libzstd in use; versions differ by some bytes a page.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "tests/codec_sizes.h"
#include "tests/synth_measure.h"
#include "traces/synth.h"
#include "traces/synth_plan.h"

#define PAGES_A_KNOB 400u
#define SEED	     20260901u /* of no trace that anybody makes by default */

/* Denser where the size grows fast: at few literals, and where random bytes begin to come in. */
static void knobs_fill(uint16_t knobs[SYNTH_NR_KNOBS])
{
	static const uint16_t low[] = {1,  2,  3,  4,  6,  8,  12,  16,	 20,  24,  28,	32,
				       40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256};
	static const uint16_t beyond[] = {
		8,    16,   32,	  64,	96,   128,  192,  256,	384,  512,  640,  768,	1024, 1280,
		1536, 1792, 2048, 2304, 2560, 2688, 2752, 2816, 2880, 2944, 3008, 3072, 3136, 3200};
	unsigned n = 0;

	for (unsigned i = 0; i < sizeof(low) / sizeof(*low); i++)
		knobs[n++] = low[i];
	for (unsigned knob = 320; knob <= SYNTH_PAGE_BYTES; knob += 64)
		knobs[n++] = knob;
	for (unsigned i = 0; i < sizeof(beyond) / sizeof(*beyond); i++)
		knobs[n++] = SYNTH_PAGE_BYTES + beyond[i];
	if (n != SYNTH_NR_KNOBS)
		abort();
}

/* The mean size, or 0 if a page did not fit. */
static double knob_measure(struct codec_sizes *codecs, const struct synth_maker *m, unsigned knob)
{
	uint8_t page[SYNTH_PAGE_BYTES];
	uint64_t sum = 0;

	for (unsigned i = 0; i < PAGES_A_KNOB; i++) {
		struct random r;
		unsigned size;

		random_init(&r, SEED, (uint64_t)knob << 32 | i);
		synth_page_make(m, knob, &r, page);
		size = codec_zstd_size(codecs, page);
		if (size == CODEC_NO_FIT)
			return 0;
		sum += size;
	}
	return (double)sum / PAGES_A_KNOB;
}

/* Where the means descend, by chance or because a style has a hump: their common mean. */
static void make_monotone(double *mean, unsigned n)
{
	double pool[SYNTH_NR_KNOBS];
	unsigned weight[SYNTH_NR_KNOBS], pools = 0, at = 0;

	for (unsigned i = 0; i < n; i++) {
		pool[pools] = mean[i];
		weight[pools++] = 1;
		while (pools > 1 && pool[pools - 2] > pool[pools - 1]) {
			unsigned sum = weight[pools - 2] + weight[pools - 1];

			pool[pools - 2] = (pool[pools - 2] * weight[pools - 2] +
					   pool[pools - 1] * weight[pools - 1]) /
					  sum;
			weight[pools - 2] = sum;
			pools--;
		}
	}
	for (unsigned i = 0; i < pools; i++) {
		for (unsigned k = 0; k < weight[i]; k++)
			mean[at++] = pool[i];
	}
}

static void calibrate(struct codec_sizes *codecs, const struct synth_style *style,
		      const uint16_t knobs[SYNTH_NR_KNOBS], uint16_t sizes[SYNTH_NR_KNOBS])
{
	double mean[SYNTH_NR_KNOBS];
	struct synth_maker m;
	unsigned n = 0;

	synth_maker_init(&m, style);
	while (n < SYNTH_NR_KNOBS) {
		mean[n] = knob_measure(codecs, &m, knobs[n]);
		if (mean[n] == 0)
			break;
		n++;
	}
	make_monotone(mean, n);
	for (unsigned i = 0; i < SYNTH_NR_KNOBS; i++)
		sizes[i] = i < n ? (uint16_t)(mean[i] * 8 + 0.5) : 0;
}

static void print_row(const uint16_t row[SYNTH_NR_KNOBS], const char *indent)
{
	for (unsigned i = 0; i < SYNTH_NR_KNOBS; i++)
		printf("%s%u,%s", i % 14 ? " " : indent, row[i], i % 14 == 13 ? "\n" : "");
}

static void print_calibration(struct codec_sizes *codecs)
{
	uint16_t knobs[SYNTH_NR_KNOBS], sizes[SYNTH_NR_KNOBS];

	knobs_fill(knobs);
	printf("// SPDX-License-Identifier: GPL-2.0-or-later\n"
	       "/* Made by tests/calibrate_synth.c with libzstd %s: do not edit. */\n"
	       "#include \"traces/synth_silesia.h\"\n\n"
	       "/* clang-format off */\n"
	       "const uint16_t synth_knobs[SYNTH_NR_KNOBS] = {\n",
	       ZSTD_versionString());
	print_row(knobs, "\t");
	printf("};\n\nconst uint16_t synth_silesia_sizes[SYNTH_SILESIA_FILES][SYNTH_NR_KNOBS] = "
	       "{\n");
	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		calibrate(codecs, &synth_silesia[f].style, knobs, sizes);
		printf("\t{ /* %s */\n", synth_silesia[f].name);
		print_row(sizes, "\t\t");
		printf("\t},\n");
	}
	printf("};\n");
}

static void report_line(const struct synth_file *file, const struct synth_count *count)
{
	struct synth_errors e = synth_count_errors(count, &file->figures);

	printf("%-8s zstd %7.1f (%+5.2f %%)  bins differ by %5.2f %%  lz4 %7.1f (%+5.2f %%)\n",
	       file->name, (double)count->sum_zstd / count->pages, 100 * e.zstd, 100 * e.bins,
	       (double)count->sum_lz4 / count->pages, 100 * e.lz4);
}

static int report(struct codec_sizes *codecs, uint64_t seed)
{
	const struct synth_config config = {.profile = "silesia", .seed = seed};
	struct synth_count count = {0};
	uint8_t page[SYNTH_PAGE_BYTES];
	struct trace_error err;
	struct synth *s;
	unsigned file = 0;
	bool file_ends;

	if (synth_create(&config, &s, &err)) {
		fprintf(stderr, "calibrate_synth: %s\n", err.message);
		return 2;
	}
	printf("libzstd %s, seed %" PRIu64 "\n", ZSTD_versionString(), seed);
	while (synth_next(s, page, &file_ends) == 1) {
		synth_count_page(&count, codecs, page);
		if (!file_ends)
			continue;
		report_line(&synth_silesia[file++], &count);
		memset(&count, 0, sizeof(count));
	}
	synth_destroy(s);
	return 0;
}

static int try_style(struct codec_sizes *codecs, char **argv)
{
	const struct synth_file *figures = NULL;
	uint16_t sizes[SYNTH_NR_KNOBS];
	struct synth_count count = {0};
	uint8_t page[SYNTH_PAGE_BYTES];
	struct synth_plan plan;
	struct synth_file file;

	for (unsigned f = 0; f < SYNTH_SILESIA_FILES; f++) {
		if (!strcmp(synth_silesia[f].name, argv[0]))
			figures = &synth_silesia[f];
	}
	if (!figures) {
		fprintf(stderr, "calibrate_synth: no such file among the figures: %s\n", argv[0]);
		return 2;
	}
	file = *figures;
	file.style.decay = atoi(argv[1]);
	file.style.copy_bytes = atoi(argv[2]);
	file.style.run_bytes = atoi(argv[3]);
	calibrate(codecs, &file.style, synth_knobs, sizes);
	if (synth_plan_init(&plan, &file, sizes, SEED, 0))
		abort();
	for (uint32_t i = 0; i < plan.nr_pages; i++) {
		synth_plan_page(&plan, i, page);
		synth_count_page(&count, codecs, page);
	}
	synth_plan_finish(&plan);
	report_line(&file, &count);
	return 0;
}

int main(int argc, char **argv)
{
	struct codec_sizes *codecs = codec_sizes_create();
	int ret = 0;

	if (argc == 1) {
		print_calibration(codecs);
	} else if (argc <= 3 && !strcmp(argv[1], "report")) {
		ret = report(codecs, argc == 3 ? strtoull(argv[2], NULL, 10) : 1);
	} else if (argc == 6 && !strcmp(argv[1], "try")) {
		ret = try_style(codecs, argv + 2);
	} else {
		fprintf(stderr,
			"usage: calibrate_synth [report [SEED] | try FILE DECAY COPY RUN]\n");
		ret = 2;
	}
	codec_sizes_destroy(codecs);
	return ret;
}
