// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/zs_rig.h"

#include "tests/test.h"

struct rig rig_with(const char *preset, unsigned chain, unsigned obj_word, bool contents)
{
	struct kernel_config config = {.no_contents = !contents, .nr_nodes = 2};
	struct profile profile;
	char err[256];
	struct rig r;

	assert_int_equal(profile_init(&profile, preset, err, sizeof(err)), 0);
	profile.zsmalloc.chain_size = chain;
	profile.zsmalloc.obj_word = obj_word;
	config.profile = &profile;
	assert_int_equal(kernel_create(&config, &r.k), 0);
	r.pool = zs_create_pool(r.k, "test");
	assert_non_null(r.pool);
	return r;
}

struct rig rig_of(const char *preset)
{
	return rig_with(preset, 8, ZS_OBJ_WORD_CLASS9_IDX15, true);
}

void rig_finish(struct rig *r)
{
	assert_int_equal(zs_nr_mapped(r->pool), 0);
	zs_destroy_pool(r->pool);
	kernel_destroy(r->k);
}

unsigned long must_malloc(struct rig *r, size_t size)
{
	unsigned long handle = zs_malloc(r->pool, size, 0);

	assert_false(IS_ERR_VALUE(handle));
	return handle;
}

struct zs_obj_location locate(struct rig *r, unsigned long handle)
{
	struct zs_obj_location loc;

	zs_obj_locate(r->pool, handle, &loc);
	return loc;
}
