// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/codec_model.h"

#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

static const char *const apis[] = {"zstd.api=scomp", "zstd.api=acomp"};
static const char *const contexts[] = {"zstd.context=once", "zstd.context=per_request"};
static const char *const inits[] = {"zstd.stream_init=eager", "zstd.stream_init=deferred"};
static const char *const drains[] = {"zstd.stream_drain=no", "zstd.stream_drain=yes"};
static const char *const adapters[] = {"scomp.adapter=copies", "scomp.adapter=streams"};
static const char *const compressors[] = {"zstd", "zstd:1",  "lz4",	  "lz4:9",	"lz4hc",
					  "lzo",  "deflate", "deflate:1", "deflate-iaa"};

static void check_same(const struct acomp_cost *real, const struct acomp_cost *model)
{
	assert_memory_equal(real->calls, model->calls, sizeof(real->calls));
	assert_int_equal(real->path, model->path);
	assert_int_equal(real->reason, model->reason);
	assert_int_equal(real->copy_bytes, model->copy_bytes);
}

/* A page is stored, and loaded from an object in one page, and in two. */
static void check_page(struct rig *rig, enum gen_kind kind)
{
	const struct profile *p = &rig->k->profile;
	enum acomp_model how = rig->tfm->alg->model;
	uint8_t page[4096], frame[4096];
	struct acomp_cost model;
	struct side src, dst;
	unsigned len;

	gen_fill(kind, 1, page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	codec_model_compress(how, p, &model);
	check_same(&rig->req.cost, &model);
	len = rig->req.dlen;
	side_read(&dst, frame, len);
	side_finish(&src);

	side_lengths(&src, rig, frame, len);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	codec_model_decompress(how, p, false, len, &model);
	check_same(&rig->req.cost, &model);
	side_finish(&src);

	/* The last byte alone, too: deflate has made the whole page before it. */
	for (unsigned cut = len - 1; cut && cut<len; cut -= cut> 7 ? 7 : cut) {
		side_lengths(&src, rig, frame, cut, len - cut);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		codec_model_decompress(how, p, true, len, &model);
		check_same(&rig->req.cost, &model);
		side_finish(&src);
	}
	side_finish(&dst);
}

/* A page that does not fit costs the same calls. */
static void check_refused_page(struct rig *rig)
{
	uint8_t page[4096];
	struct acomp_cost model;
	struct side src, dst;

	gen_part_random(1, sizeof(page), page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_not_equal(rig_compress(rig, &src, &dst), 0);
	codec_model_compress(rig->tfm->alg->model, &rig->k->profile, &model);
	check_same(&rig->req.cost, &model);
	side_finish(&src);
	side_finish(&dst);
}

static void check_rig(struct rig *rig)
{
	check_page(rig, GEN_TEXT);
	check_page(rig, GEN_POINTERS);
	check_refused_page(rig);
	rig_destroy(rig);
}

static void the_model_makes_the_calls_that_every_profile_of_zstd_really_makes(void **state)
{
	for (unsigned i = 0; i < 32; i++)
		check_rig(rig_create("7.3", apis[i & 1], contexts[i >> 1 & 1], inits[i >> 2 & 1],
				     drains[i >> 3 & 1], adapters[i >> 4], NULL));
}

static void the_model_makes_the_calls_that_every_codec_makes_in_every_kernel(void **state)
{
	for (const char *const *preset = profile_presets(); *preset; preset++) {
		for (unsigned i = 0; i < sizeof(compressors) / sizeof(*compressors); i++)
			check_rig(rig_create_codec(*preset, compressors[i], NULL));
	}
}

static void the_drivers_of_deflate_and_the_adapters_of_scomp_may_be_mixed(void **state)
{
	static const char *const deflate_apis[] = {"deflate.api=scomp", "deflate.api=acomp"};

	for (unsigned i = 0; i < 4; i++) {
		check_rig(rig_create_codec("7.3", "deflate", deflate_apis[i & 1], adapters[i >> 1],
					   NULL));
		check_rig(rig_create_codec("7.3", "lz4", deflate_apis[i & 1], adapters[i >> 1],
					   NULL));
	}
}

static void the_model_takes_no_time(void **state)
{
	struct profile p;
	struct acomp_cost model;
	char err[128];

	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	for (unsigned how = ACOMP_MODEL_ZSTD; how <= ACOMP_MODEL_DEFLATE; how++) {
		memset(&model, 0xff, sizeof(model));
		codec_model_compress(how, &p, &model);
		assert_int_equal(model.init_ns + model.codec_ns + model.copy_ns, 0);
		assert_int_equal(model.copy_bytes, 0);
		memset(&model, 0xff, sizeof(model));
		codec_model_decompress(how, &p, true, 100, &model);
		assert_int_equal(model.init_ns + model.codec_ns + model.copy_ns, 0);
		assert_int_equal(model.copy_bytes, how == ACOMP_MODEL_SCOMP ? 100 : 0);
	}
}

static void what_does_not_stream_is_copied(void **state)
{
	static const struct {
		enum acomp_model model;
		bool streams[2]; /* 6.12, 7.3 */
	} rows[] = {
		{ACOMP_MODEL_ZSTD, {false, true}},
		{ACOMP_MODEL_SCOMP, {false, false}},
		{ACOMP_MODEL_DEFLATE, {false, true}},
	};
	static const char *const presets[] = {"6.12", "7.3"};
	struct profile p;
	char err[128];

	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(profile_init(&p, presets[i & 1], err, sizeof(err)), 0);
		assert_int_equal(codec_model_streams(rows[i / 2].model, &p),
				 rows[i / 2].streams[i & 1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_makes_the_calls_that_every_profile_of_zstd_really_makes),
		cmocka_unit_test(the_model_makes_the_calls_that_every_codec_makes_in_every_kernel),
		cmocka_unit_test(the_drivers_of_deflate_and_the_adapters_of_scomp_may_be_mixed),
		cmocka_unit_test(the_model_takes_no_time),
		cmocka_unit_test(what_does_not_stream_is_copied),
	};

	return cmocka_run_group_tests_name("codec_model", tests, NULL, NULL);
}
