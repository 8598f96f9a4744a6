// SPDX-License-Identifier: GPL-2.0-or-later
#include "traces/synth_silesia.h"

/* mr, samba and x-ray: slow and white are assumed; the others' were measured. */
const struct synth_file synth_silesia[SYNTH_SILESIA_FILES] = {
	{
		.name = "dickens",
		.figures =
			{
				.pages = 2488,
				.zero = 0,
				.incompressible = 0,
				.mean_zstd = 2044,
				.mean_lz4 = 3098,
				.bins = {0,    0,  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 29, 1264,
					 1184, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0},
			},
		.style = {SYNTH_PROSE, 59350, 8, 2},
		.slow = 1,
		.white = 2,
	},
	{
		.name = "mr",
		.figures =
			{
				.pages = 2434,
				.zero = 12,
				.incompressible = 0,
				.mean_zstd = 1689,
				.mean_lz4 = 2524,
				.bins = {16, 15, 10,  7,   27,	13,  22, 20, 42, 460, 35,
					 76, 74, 105, 372, 928, 186, 26, 0,  0,	 0,   0,
					 0,  0,	 0,   0,   0,	0,   0,	 0,  0,	 0},
			},
		.style = {SYNTH_BINARY, 59700, 24, 3},
		.slow = 3,
		.white = 2,
	},
	{
		.name = "nci",
		.figures =
			{
				.pages = 8191,
				.zero = 0,
				.incompressible = 0,
				.mean_zstd = 655,
				.mean_lz4 = 1117,
				.bins = {3, 0, 22, 399, 2826, 4427, 514, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					 0, 0, 0,  0,	0,    0,    0,	 0, 0, 0, 0, 0, 0, 0, 0, 0},
			},
		.style = {SYNTH_RECORDS, 45500, 32, 3},
		.slow = 1,
		.white = 2,
	},
	{
		.name = "ooffice",
		.figures =
			{
				.pages = 1502,
				.zero = 3,
				.incompressible = 0,
				.mean_zstd = 2464,
				.mean_lz4 = 3078,
				.bins = {3,   0,  0,  4,  0,  9,  10, 14,  17,	14,  17,
					 26,  31, 20, 37, 53, 60, 73, 120, 166, 233, 237,
					 218, 98, 11, 2,  13, 16, 0,  0,   0,	0},
			},
		.style = {SYNTH_BINARY, 63160, 8, 3},
		.slow = 5,
		.white = 3,
	},
	{
		.name = "osdb",
		.figures =
			{
				.pages = 2462,
				.zero = 0,
				.incompressible = 0,
				.mean_zstd = 2970,
				.mean_lz4 = 3474,
				.bins = {0, 0, 0, 0, 0, 0,  0,	 0,    0,  0, 0, 0, 0, 0, 0, 0,
					 0, 0, 0, 0, 0, 10, 740, 1648, 64, 0, 0, 0, 0, 0, 0, 0},
			},
		.style = {SYNTH_RECORDS, 63790, 8, 2},
		.slow = 0,
		.white = 1,
	},
	{
		.name = "reymont",
		.figures =
			{
				.pages = 1617,
				.zero = 0,
				.incompressible = 4,
				.mean_zstd = 1686,
				.mean_lz4 = 2562,
				.bins = {0, 0, 0, 0, 0, 5, 9, 2, 0, 1, 0, 7, 791, 738, 49, 1,
					 1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 2, 1, 0,	  2,   1,  0},
			},
		.style = {SYNTH_PROSE, 58680, 12, 3},
		.slow = 3,
		.white = 2,
	},
	{
		.name = "samba",
		.figures =
			{
				.pages = 5275,
				.zero = 4,
				.incompressible = 227,
				.mean_zstd = 1434,
				.mean_lz4 = 1979,
				.bins = {6,   15,  125, 308, 229, 269, 278, 309, 315, 388, 519,
					 588, 609, 493, 306, 120, 15,  2,   0,	 0,   3,   0,
					 0,   4,   1,	15,  17,  24,  30,  28,	 27,  5},
			},
		.style = {SYNTH_PROSE, 60200, 8, 3},
		.slow = 3,
		.white = 2,
	},
	{
		.name = "x-ray",
		.figures =
			{
				.pages = 2068,
				.zero = 0,
				.incompressible = 0,
				.mean_zstd = 3323,
				.mean_lz4 = 4080,
				.bins = {0, 0, 0, 0, 0, 0, 0, 0,  0,   0,   0,	  0, 0, 0, 0, 0,
					 0, 0, 0, 0, 0, 0, 0, 29, 263, 383, 1388, 5, 0, 0, 0, 0},
			},
		.style = {SYNTH_BINARY, 61000, 16, 2},
		.slow = 3,
		.white = 2,
	},
	{
		.name = "xml",
		.figures =
			{
				.pages = 1305,
				.zero = 1,
				.incompressible = 0,
				.mean_zstd = 1025,
				.mean_lz4 = 1548,
				.bins = {1,  0,	  5,  85, 72, 134, 355, 205, 48, 17, 67,
					 99, 122, 75, 17, 3,  0,   0,	0,   0,	 0,  0,
					 0,  0,	  0,  0,  0,  0,   0,	0,   0,	 0},
			},
		.style = {SYNTH_RECORDS, 58300, 24, 4},
		.slow = 7,
		.white = 2,
	},
};
