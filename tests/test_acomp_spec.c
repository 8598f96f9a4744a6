// SPDX-License-Identifier: GPL-2.0-or-later
/* Compressor strings: sim/acomp_spec.c. */
#include <errno.h>
#include <string.h>

#include "backends/registry.h"
#include "backends/zstd.h"
#include "sim/acomp.h"
#include "tests/test.h"

static int parse(const char *text, struct acomp_spec *spec, char *err, size_t size)
{
	memset(spec, 0xff, sizeof(*spec));
	return crypto_parse_acomp(backends_registry(), text, spec, err, size);
}

static void a_name_alone_means_the_level_that_kernels_use(void **state)
{
	static const struct {
		const char *name;
		int level;
		const char *driver, *library;
	} rows[] = {
		{"zstd", 3, "zstd-generic", "libzstd "},    {"lz4", 1, "lz4-scomp", "liblz4 "},
		{"lz4hc", 9, "lz4hc-scomp", "liblz4 "},	    {"lzo", 0, "lzo-scomp", "liblzo2 "},
		{"deflate", 6, "deflate-generic", "zlib "},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct acomp_spec spec, by_driver;
		char err[256];

		assert_int_equal(parse(rows[i].name, &spec, err, sizeof(err)), 0);
		assert_string_equal(spec.alg->cra_name, rows[i].name);
		assert_string_equal(spec.name, rows[i].name);
		assert_int_equal(spec.level, rows[i].level);
		assert_memory_equal(spec.alg->library(), rows[i].library, strlen(rows[i].library));
		assert_true(strlen(spec.alg->library()) > strlen(rows[i].library));
		assert_int_equal(parse(rows[i].driver, &by_driver, err, sizeof(err)), 0);
		assert_ptr_equal(by_driver.alg, spec.alg);
	}
}

static void a_level_that_is_the_kernels_is_left_out_of_the_name(void **state)
{
	static const struct {
		const char *text, *name;
		int level;
	} rows[] = {
		{"zstd:3", "zstd", 3},	      {"zstd:19", "zstd:19", 19},
		{"zstd:-7", "zstd:-7", -7},   {"zstd:0", "zstd:0", 0},
		{"lz4:1", "lz4", 1},	      {"lz4:65537", "lz4:65537", 65537},
		{"lz4hc:12", "lz4hc:12", 12}, {"deflate:9", "deflate:9", 9},
		{"deflate:06", "deflate", 6}, {"zstd-generic:22", "zstd:22", 22},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct acomp_spec spec;

		assert_int_equal(parse(rows[i].text, &spec, NULL, 0), 0);
		assert_int_equal(spec.level, rows[i].level);
		assert_string_equal(spec.name, rows[i].name);
	}
}

static void what_is_not_there_is_refused_with_what_there_is(void **state)
{
	static const struct {
		const char *text;
		int ret;
		const char *words[3];
	} rows[] = {
		{"brotli", -ENOENT, {"no compressor 'brotli'", "zstd[:", "deflate[:1 to 9]"}},
		{"", -ENOENT, {"no compressor ''", "lzo,", "lz4hc[:1 to 12]"}},
		{":3", -ENOENT, {"no compressor ''", "zstd", "lz4"}},
		{"lz", -ENOENT, {"no compressor 'lz'", "lz4", "lzo"}},
		{"lz4hcx", -ENOENT, {"'lz4hcx'", "lz4", "lzo"}},
		{"zstd:", -EINVAL, {"'zstd': levels are numbers from -131072 to 22", "3", "''"}},
		{"zstd:23", -EINVAL, {"-131072 to 22", "'23'", "zstd"}},
		{"zstd:-131073", -EINVAL, {"-131072 to 22", "'-131073'", "zstd"}},
		{"zstd:99999999999999999999", -EINVAL, {"-131072 to 22", "zstd", "999"}},
		{"zstd: 3", -EINVAL, {"' 3'", "zstd", "22"}},
		{"zstd:+3", -EINVAL, {"'+3'", "zstd", "22"}},
		{"zstd:3x", -EINVAL, {"'3x'", "zstd", "22"}},
		{"zstd:3:4", -EINVAL, {"'3:4'", "zstd", "22"}},
		{"zstd:--3", -EINVAL, {"'--3'", "zstd", "22"}},
		{"lz4:0", -EINVAL, {"1 to 65537", "'0'", "lz4"}},
		{"lz4:-1", -EINVAL, {"1 to 65537", "'-1'", "lz4"}},
		{"lz4hc:0", -EINVAL, {"1 to 12", "9", "lz4hc"}},
		{"lz4hc:13", -EINVAL, {"1 to 12", "9", "lz4hc"}},
		{"deflate:0", -EINVAL, {"1 to 9", "6", "deflate"}},
		{"deflate:10", -EINVAL, {"1 to 9", "6", "deflate"}},
		{"lzo:1", -EINVAL, {"'lzo' has no levels", "lzo", "no"}},
		{"lzo-rle", -EOPNOTSUPP, {"'lzo-rle' is not to be had", "no library", "zstd[:"}},
		{"lzo-rle:1", -EOPNOTSUPP, {"'lzo-rle'", "no library", "lzo,"}},
		{"842", -EOPNOTSUPP, {"'842' is not to be had", "no library", "deflate"}},
	};

	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct acomp_spec spec;
		char err[512] = "";

		assert_int_equal(parse(rows[i].text, &spec, err, sizeof(err)), rows[i].ret);
		assert_null(strchr(err, '\n'));
		for (unsigned w = 0; w < 3; w++) {
			if (!strstr(err, rows[i].words[w]))
				fail_msg("'%s': '%s' does not say '%s'", rows[i].text, err,
					 rows[i].words[w]);
		}
	}
}

static void a_line_that_does_not_fit_is_cut(void **state)
{
	struct acomp_spec spec;
	char err[600];

	for (size_t size = 1; size < 300; size++) {
		memset(err, 'x', sizeof(err));
		assert_int_equal(parse("nothing", &spec, err, size), -ENOENT);
		assert_true(strlen(err) < size);
		assert_int_equal(err[size], 'x');
	}
	assert_int_equal(parse("nothing", &spec, NULL, 0), -ENOENT);
	assert_int_equal(crypto_parse_acomp(NULL, "zstd", &spec, err, sizeof(err)), -ENOENT);
	assert_null(spec.alg);
}

/* So that those who have the lengths of such pages know how its requests go. */
static void an_algorithm_that_is_refused_is_known_all_the_same(void **state)
{
	struct acomp_spec spec;
	struct kernel k = {0};
	struct crypto_acomp *tfm = NULL;

	assert_int_equal(parse("lzo-rle", &spec, NULL, 0), -EOPNOTSUPP);
	assert_int_equal(spec.alg->model, ACOMP_MODEL_SCOMP);
	crypto_init(&k, backends_registry());
	assert_int_equal(crypto_alloc_acomp(&k, "lzo-rle", &tfm), -EOPNOTSUPP);
	assert_int_equal(crypto_alloc_acomp(&k, "lz4:0", &tfm), -EINVAL);
	assert_int_equal(crypto_alloc_acomp(&k, "lz5", &tfm), -ENOENT);
	assert_null(tfm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_alone_means_the_level_that_kernels_use),
		cmocka_unit_test(a_level_that_is_the_kernels_is_left_out_of_the_name),
		cmocka_unit_test(what_is_not_there_is_refused_with_what_there_is),
		cmocka_unit_test(a_line_that_does_not_fit_is_cut),
		cmocka_unit_test(an_algorithm_that_is_refused_is_known_all_the_same),
	};

	return cmocka_run_group_tests_name("acomp_spec", tests, NULL, NULL);
}
