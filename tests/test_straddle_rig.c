// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "backends/registry.h"
#include "sim/straddle_rig.h"
#include "sim/zs_class.h"
#include "tests/machine.h"
#include "tests/test.h"

static struct straddle_rig *rig_of(const char *kernel, unsigned chain_size)
{
	static struct profile profile;
	struct replay_config config;
	struct straddle_rig *rig;
	char err[256];

	assert_int_equal(profile_init(&profile, kernel, err, sizeof(err)), 0);
	replay_config_init(&config);
	config.profile = &profile;
	config.crypto = backends_registry();
	assert_int_equal(straddle_rig_create(&config, chain_size, &rig), 0);
	return rig;
}

static unsigned length_of(const char *kernel, uint32_t content)
{
	struct machine *m = machine_create(&(struct machine_config){.kernel = kernel});
	unsigned length;

	machine_store1(m, 1, content);
	length = m->last.length;
	machine_destroy(m);
	return length;
}

/* Whether payloads of @length in chunk @i cross a page (D.6, both rules). */
static bool crosses(const struct zs_class_geometry *c, unsigned i, unsigned length)
{
	return !c->huge && i * c->size % PAGE_SIZE + 8 + length > PAGE_SIZE;
}

/* Each chunk that straddles is measured, any other is refused: contents, ways and chain sizes. */
static void chunks_that_straddle_are_measured_and_no_others(void **state)
{
	static const char *const kernels[] = {"6.12", "6.17", "7.3", "7.4"};
	static const uint32_t contents[] = {5, 2, 6, 10, 14, 18, 22, 26};
	unsigned measured = 0, refused = 0;

	for (unsigned k = 0; k < 4; k++) {
		for (unsigned chain = 4; chain <= 16; chain += 4) {
			struct straddle_rig *rig = rig_of(kernels[k], chain);
			struct zs_class_table table;

			assert_int_equal(zs_class_table_init(&table, PAGE_SIZE, chain, 0), 0);
			for (unsigned n = 0; n < 8; n++) {
				unsigned length = length_of(kernels[k], contents[n]);
				const struct zs_class_geometry *c = zs_class_lookup(&table, length);
				uint64_t first[3] = {0}, other[3] = {0};
				char page[PAGE_SIZE];

				content_fill(page, contents[n]);
				for (unsigned i = 1; i < c->objs; i++) {
					int ret =
						straddle_rig_measure(rig, page, i, 3, first, other);

					if (crosses(c, i, length)) {
						assert_int_equal(ret, 0);
						assert_true(first[2] > 0 && other[2] > 0);
						measured++;
					} else {
						assert_int_equal(ret, -EUCLEAN);
						refused++;
					}
				}
			}
			zs_class_table_finish(&table);
			straddle_rig_destroy(rig);
		}
	}
	assert_true(measured > 300);
	assert_true(refused > 300);
}

static void a_chunk_that_the_zspage_does_not_have_is_refused(void **state)
{
	struct straddle_rig *rig = rig_of("7.3", 8);
	uint64_t first[1], other[1];
	char page[PAGE_SIZE];

	content_fill(page, 5);
	assert_int_equal(straddle_rig_measure(rig, page, 1000, 1, first, other), -EUCLEAN);
	/* And leaves nothing behind. */
	assert_int_equal(straddle_rig_measure(rig, page, 1000, 1, first, other), -EUCLEAN);
	straddle_rig_destroy(rig);
}

static void pages_that_are_not_stored_are_refused(void **state)
{
	struct straddle_rig *rig = rig_of("6.12", 8);
	uint64_t first[1], other[1];
	char page[PAGE_SIZE];

	/* Random bytes, which 6.12 does not keep. */
	content_fill(page, 3);
	assert_int_equal(straddle_rig_measure(rig, page, 1, 1, first, other), -EUCLEAN);
	straddle_rig_destroy(rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chunks_that_straddle_are_measured_and_no_others),
		cmocka_unit_test(a_chunk_that_the_zspage_does_not_have_is_refused),
		cmocka_unit_test(pages_that_are_not_stored_are_refused),
	};

	return cmocka_run_group_tests_name("straddle_rig", tests, NULL, NULL);
}
