// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/codec_model.h"

#include <errno.h>
#include <string.h>

#include "tests/gen_page.h"
#include "tests/test.h"
#include "tests/zstd_rig.h"

static const char *const apis[] = {"zstd.api=scomp", "zstd.api=acomp"};
static const char *const contexts[] = {"zstd.context=once", "zstd.context=per_request"};
static const char *const inits[] = {"zstd.stream_init=eager", "zstd.stream_init=deferred"};
static const char *const drains[] = {"zstd.stream_drain=no", "zstd.stream_drain=yes"};

static void check_same(const struct acomp_cost *real, const struct acomp_cost *model)
{
	assert_memory_equal(real->calls, model->calls, sizeof(real->calls));
	assert_int_equal(real->path, model->path);
	assert_int_equal(real->reason, model->reason);
	assert_int_equal(real->copy_bytes, model->copy_bytes);
}

/* A page is stored, and loaded from an object in one page, and in two. */
static void check_profile(struct rig *rig)
{
	const struct profile *p = &rig->k->profile;
	uint8_t page[4096], frame[4096];
	struct acomp_cost model;
	struct side src, dst;
	unsigned len;

	gen_fill(GEN_TEXT, 1, page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	side_lengths(&dst, rig, NULL, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), 0);
	codec_model_compress(ACOMP_MODEL_ZSTD, p, &model);
	check_same(&rig->req.cost, &model);
	len = rig->req.dlen;
	side_read(&dst, frame, len);
	side_finish(&src);

	/* One that does not shrink: the calls are the same, the answer is an error. */
	gen_part_random(1, sizeof(page), page, sizeof(page));
	side_lengths(&src, rig, page, 4096);
	assert_int_equal(rig_compress(rig, &src, &dst), -EINVAL);
	check_same(&rig->req.cost, &model);
	side_finish(&src);

	side_lengths(&src, rig, frame, len);
	assert_int_equal(rig_decompress(rig, &src, &dst), 0);
	codec_model_decompress(ACOMP_MODEL_ZSTD, p, len, false, &model);
	check_same(&rig->req.cost, &model);
	side_finish(&src);

	for (unsigned cut = 1; cut < len; cut += 7) {
		side_lengths(&src, rig, frame, cut, len - cut);
		assert_int_equal(rig_decompress(rig, &src, &dst), 0);
		codec_model_decompress(ACOMP_MODEL_ZSTD, p, len, true, &model);
		check_same(&rig->req.cost, &model);
		side_finish(&src);
	}
	side_finish(&dst);
}

static void the_model_makes_the_calls_that_every_profile_really_makes(void **state)
{
	for (unsigned i = 0; i < 16; i++) {
		struct rig *rig = rig_create("7.3", apis[i & 1], contexts[i >> 1 & 1],
					     inits[i >> 2 & 1], drains[i >> 3], NULL);

		check_profile(rig);
		rig_destroy(rig);
	}
}

static void the_model_takes_no_time(void **state)
{
	struct profile p;
	struct acomp_cost model;
	char err[128];

	memset(&model, 0xff, sizeof(model));
	assert_int_equal(profile_init(&p, "7.3", err, sizeof(err)), 0);
	codec_model_compress(ACOMP_MODEL_ZSTD, &p, &model);
	assert_int_equal(model.init_ns + model.codec_ns + model.copy_ns + model.copy_bytes, 0);
	memset(&model, 0xff, sizeof(model));
	codec_model_decompress(ACOMP_MODEL_ZSTD, &p, 100, true, &model);
	assert_int_equal(model.init_ns + model.codec_ns + model.copy_ns + model.copy_bytes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_model_makes_the_calls_that_every_profile_really_makes),
		cmocka_unit_test(the_model_takes_no_time),
	};

	return cmocka_run_group_tests_name("codec_model", tests, NULL, NULL);
}
