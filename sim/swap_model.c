// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/swap_model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_A_US	    1000.0
#define BYTES_A_MB  1000000.0
#define MAX_US	    1e8 /* a hundred seconds */
#define MAX_MBPS    1e9
#define NS_A_SECOND 1000000000u

static const struct swap_model built_in[] = {
	{"none", {0, 0}, {0, 0}},
	{"hdd", {12660000, 13660000}, {156000000, 156000000}},
	{"ssd", {92000, 16000}, {550000000, 520000000}},
	{"nvme", {51000, 15000}, {3500000000u, 3300000000u}},
};

void swap_model_init(struct swap_model *model)
{
	*model = built_in[0];
}

bool swap_model_is_none(const struct swap_model *model)
{
	for (unsigned dir = 0; dir < SWAP_MODEL_NR_DIRS; dir++) {
		if (model->latency_ns[dir] || model->bytes_per_second[dir])
			return false;
	}
	return true;
}

/* Digits, with a fraction perhaps: strtod() alone would take "inf", "0x1" and " 1". */
static int read_decimal(const char *text, const char **end, double max, double *value)
{
	size_t len = strspn(text, "0123456789.");
	char *stop;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	*value = strtod(text, &stop);
	*end = stop;
	return stop == text + len && *value <= max ? 0 : -EINVAL;
}

static int parse_numbers(const char *text, struct swap_model *model)
{
	double us, mbps = 0;
	const char *end;
	int ret = read_decimal(text, &end, MAX_US, &us);

	if (!ret && *end == '/') {
		ret = read_decimal(end + 1, &end, MAX_MBPS, &mbps);
		/* Less than a byte a second is no speed. */
		if (!ret && mbps * BYTES_A_MB < 1)
			ret = -EINVAL;
	}
	if (ret || *end || strlen(text) >= sizeof(model->name))
		return -EINVAL;
	snprintf(model->name, sizeof(model->name), "%s", text);
	for (unsigned dir = 0; dir < SWAP_MODEL_NR_DIRS; dir++) {
		model->latency_ns[dir] = llround(us * NS_A_US);
		model->bytes_per_second[dir] = llround(mbps * BYTES_A_MB);
	}
	return 0;
}

int swap_model_parse(const char *text, struct swap_model *model, char *err, size_t err_size)
{
	for (size_t i = 0; i < sizeof(built_in) / sizeof(*built_in); i++) {
		if (!strcmp(text, built_in[i].name)) {
			*model = built_in[i];
			return 0;
		}
	}
	if (!parse_numbers(text, model))
		return 0;
	snprintf(err, err_size,
		 "'%s': no such swap device; there are none, hdd, ssd and nvme, or "
		 "LATENCY_US[/MBPS], such as 80/500",
		 text);
	return -EINVAL;
}

uint64_t swap_model_ns(const struct swap_model *model, enum swap_model_dir dir, uint64_t bytes)
{
	uint64_t speed = model->bytes_per_second[dir];
	uint64_t transfer =
		speed ? (uint64_t)((double)bytes * NS_A_SECOND / (double)speed + 0.5) : 0;

	return model->latency_ns[dir] + transfer;
}
