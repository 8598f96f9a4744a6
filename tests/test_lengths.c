// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/lengths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/acomp.h"
#include "tests/lengths_rig.h"
#include "tests/machine.h"
#include "tests/test.h"
#include "tests/trace_file.h"

#define NR_PAGES 300u

/* ---- what they are ---- */

/* A request of zswap's form, on its own machine. */
static int compress(struct kernel *k, struct crypto_acomp *tfm, struct page *from, struct page *to)
{
	struct scatterlist in, out;
	struct acomp_req req = {0};
	int ret;

	sg_init_table(&in, 1);
	sg_set_page(&in, from, PAGE_SIZE, 0);
	sg_init_table(&out, 1);
	sg_set_page(&out, to, k->profile.zswap.buffer_pages * PAGE_SIZE, 0);
	acomp_request_set_tfm(&req, tfm);
	acomp_request_set_params(&req, &in, &out, PAGE_SIZE, PAGE_SIZE);
	ret = crypto_acomp_compress(&req);
	return ret ? ret : (int)req.dlen;
}

static void check_against_codec(const char *path, const char *name, const struct profile *p,
				unsigned nr_pages)
{
	struct lengths_config config = rig_config(name);
	struct kernel_config kernel = {.profile = p};
	unsigned lengths = 0, failed = 0;
	struct crypto_acomp *tfm;
	struct page *from, *to;
	struct lengths *l;
	struct kernel *k;

	config.profile = p;
	l = rig_lengths(path, &config);
	assert_int_equal(l->nr_pages, nr_pages);
	assert_int_equal(kernel_create(&kernel, &k), 0);
	crypto_init(k, backends_registry());
	assert_int_equal(crypto_alloc_acomp(k, name, &tfm), 0);
	from = alloc_pages(k->frames, 0, 0);
	to = alloc_pages(k->frames, 1, 0);
	for (uint32_t id = 0; id < nr_pages; id++) {
		int expected;

		content_fill(page_address(from), id);
		expected = compress(k, tfm, from, to);
		if (id == 0)
			assert_int_equal(l->zeros, expected);
		assert_int_equal(lengths_of(l, id), id ? expected : 0);
		lengths += id && expected > 0;
		failed += expected < 0;
	}
	assert_true(lengths > nr_pages / 2);
	assert_true(failed > nr_pages / 8);
	free_pages(k->frames, from);
	free_pages(k->frames, to);
	crypto_free_acomp(tfm);
	crypto_exit(k);
	kernel_destroy(k);
	lengths_close(l);
}

static void they_are_what_zswap_would_get_under_every_preset_and_codec(void **state)
{
	const char *path = rig_trace("t.bin", 0, NR_PAGES);
	const struct crypto_registry *registry = backends_registry();

	for (const struct acomp_alg *const *alg = registry->algs; *alg; alg++) {
		if ((*alg)->refused)
			continue;
		for (const char *const *kernel = profile_presets(); *kernel; kernel++)
			check_against_codec(path, (*alg)->cra_name, rig_profile(*kernel, NULL),
					    NR_PAGES);
	}
}

static bool is_length_key(const struct acomp_alg *alg, const char *key)
{
	for (const char *const *k = alg->length_keys; k && *k; k++) {
		if (!strcmp(*k, key))
			return true;
	}
	return false;
}

/* Every value of @key, or its least and its greatest. */
static unsigned nr_values(const struct profile_key *key)
{
	unsigned nr = 0;

	while (key->values && key->values[nr])
		nr++;
	return key->values ? nr : 2;
}

static void check_switch(const char *path, const struct acomp_alg *alg,
			 const struct profile_key *key, unsigned value, const struct lengths *base)
{
	struct lengths_config config = rig_config(alg->cra_name);
	struct lengths *l;
	struct profile p;
	char set[128];

	if (key->values)
		snprintf(set, sizeof(set), "%s=%s", key->key, key->values[value]);
	else
		snprintf(set, sizeof(set), "%s=%u", key->key, value ? key->max : key->min);
	p = *rig_profile("7.3", set);
	check_against_codec(path, alg->cra_name, &p, 64);
	if (is_length_key(alg, key->key))
		return;
	config.no_file = true;
	config.profile = &p;
	l = rig_lengths(path, &config);
	assert_string_equal(l->key, base->key);
	assert_same_lengths(l, base);
	lengths_close(l);
}

static void no_switch_but_those_in_the_key_changes_a_length(void **state)
{
	const char *path = rig_trace("t.bin", 0, 64);
	const struct crypto_registry *registry = backends_registry();
	const struct profile_key *key;

	for (const struct acomp_alg *const *alg = registry->algs; *alg; alg++) {
		struct lengths_config config = rig_config((*alg)->cra_name);
		struct lengths *base;

		if ((*alg)->refused)
			continue;
		base = rig_lengths(path, &config);
		profile_for_each_key (key) {
			for (unsigned i = 0; i < nr_values(key); i++)
				check_switch(path, *alg, key, i, base);
		}
		lengths_close(base);
	}
}

static void another_hint_gives_other_lengths_of_zstd(void **state)
{
	const char *path = rig_trace("t.bin", 0, 96);
	struct lengths_config config = rig_config("zstd");
	struct lengths *base = rig_lengths(path, &config), *hint;

	config.profile = rig_profile("7.3", "zstd.params_hint=0");
	hint = rig_lengths(path, &config);
	assert_string_not_equal(hint->key, base->key);
	assert_memory_not_equal(hint->values, base->values, 96 * sizeof(*base->values));
	lengths_close(hint);
	lengths_close(base);
}

/* The kernel's level has one key, however it is asked for. */
static void levels_are_in_the_key(void **state)
{
	const char *path = rig_trace("t.bin", 0, 96);
	struct lengths_config config = rig_config("zstd");
	struct lengths *base = rig_lengths(path, &config), *l;

	config.compressor = "zstd:3";
	l = rig_lengths(path, &config);
	assert_string_equal(l->key, base->key);
	assert_int_equal(l->origin, LENGTHS_FROM_FILE);
	lengths_close(l);
	config.compressor = "zstd:19";
	l = rig_lengths(path, &config);
	assert_string_equal(l->path, scratch_path("t.bin.zstd-19.params_hint=262144.lengths"));
	assert_memory_not_equal(l->values, base->values, 96 * sizeof(*base->values));
	lengths_close(l);
	lengths_close(base);
}

static void any_number_of_threads_gives_the_same(void **state)
{
	const char *path = rig_trace("t.bin", 0, 6 * NR_PAGES);
	struct lengths_config config = rig_config("zstd");
	struct lengths *one, *l;

	config.no_file = true;
	config.nr_threads = 1;
	one = rig_lengths(path, &config);
	assert_int_equal(one->nr_threads, 1);
	for (unsigned nr = 2; nr < 40; nr = nr * 3 - 1) {
		config.nr_threads = nr;
		l = rig_lengths(path, &config);
		/* No more threads than there is work for: 8 runs of 256 pages. */
		assert_int_equal(l->nr_threads, nr < 8 ? nr : 8);
		assert_same_lengths(l, one);
		lengths_close(l);
	}
	config.nr_threads = 0;
	l = rig_lengths(path, &config);
	assert_same_lengths(l, one);
	lengths_close(l);
	lengths_close(one);
}

struct progress {
	uint64_t calls, last, total;
};

static void note_progress(void *arg, uint64_t done, uint64_t total)
{
	struct progress *p = arg;

	assert_true(done >= p->last && done <= total);
	*p = (struct progress){p->calls + 1, done, total};
}

static void progress_goes_up_to_all_pages(void **state)
{
	const char *path = rig_trace("t.bin", 0, NR_PAGES);
	struct lengths_config config = rig_config("zstd");
	struct progress p = {0};

	config.progress = note_progress;
	config.progress_arg = &p;
	lengths_close(rig_lengths(path, &config));
	assert_true(p.calls > 0);
	assert_int_equal(p.last, NR_PAGES);
	assert_int_equal(p.total, NR_PAGES);
	/* Nothing is computed the second time. */
	p = (struct progress){0};
	lengths_close(rig_lengths(path, &config));
	assert_int_equal(p.calls, 0);
}

static void a_trace_without_pages_has_none(void **state)
{
	const char *path = rig_trace("empty.bin", 0, 0);
	struct lengths_config config = rig_config("zstd");

	for (unsigned i = 0; i < 2; i++) {
		struct lengths *l = rig_lengths(path, &config);

		assert_int_equal(l->nr_pages, 0);
		assert_int_equal(l->origin, i ? LENGTHS_FROM_FILE : LENGTHS_COMPUTED);
		lengths_close(l);
	}
}

/* ---- content-free traces ---- */

static const char *make_content_free(const char *const *names, unsigned nr, const uint16_t *lengths,
				     unsigned nr_pages)
{
	struct trace_writer_config config = sample_config;
	const char *path = scratch_path("free.bin");
	struct trace_writer *w;
	struct trace_error err;

	config.compressors = names;
	config.nr_compressors = nr;
	assert_ok(trace_writer_create(path, &config, &w, &err), &err);
	for (unsigned i = 0; i < nr_pages; i++) {
		uint32_t id;

		assert_ok(trace_writer_lengths(w, lengths + (size_t)i * nr, &id, &err), &err);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	return path;
}

static void a_content_free_trace_brings_its_own(void **state)
{
	static const char *const names[] = {"lzo-rle", "zstd"};
	static const uint16_t lengths[] = {1, 0, 2, 777, 3, 4096, 4097, 5000, 65535, 65535};
	const char *path = make_content_free(names, 2, lengths, 5);
	struct lengths_config config = rig_config("zstd");
	struct lengths *l = rig_lengths(path, &config);
	unsigned files = scratch_nr_files();

	assert_int_equal(l->origin, LENGTHS_FROM_TRACE);
	assert_string_equal(l->key, "zstd");
	assert_null(l->path);
	assert_int_equal(lengths_of(l, 0), 0);
	assert_int_equal(lengths_of(l, 1), 777);
	assert_int_equal(lengths_of(l, 2), 4096);
	/* Too long for a page: what zstd answers then. */
	assert_int_equal(lengths_of(l, 3), -EINVAL);
	assert_int_equal(lengths_of(l, 4), -EINVAL);
	assert_in_range(l->zeros, 1, 40);
	lengths_close(l);
	/* One that this program does not have, too. */
	config.compressor = "lzo-rle";
	l = rig_lengths(path, &config);
	assert_int_equal(lengths_of(l, 2), 3);
	assert_int_equal(l->zeros, 32);
	lengths_close(l);
	assert_int_equal(scratch_nr_files(), files);
}

static void the_most_like_of_several_is_taken(void **state)
{
	static const uint16_t lengths[] = {1, 2, 3, 4};
	struct lengths_config config = rig_config("zstd");
	char exact[LENGTHS_KEY_BYTES];
	const char *names[] = {"zstdx", "zstd params=0",
			       "zstd a=b zstd.params_hint=262144 libzstd 9", exact};
	struct trace_reader *reader;
	struct trace_error err;
	const char *path;
	struct lengths *l;

	reader = rig_reader(rig_trace("t.bin", 0, 1));
	assert_ok(lengths_key(reader, &config, exact, &err), &err);
	trace_reader_close(reader);
	for (unsigned nr = 4; nr > 1; nr--) {
		path = make_content_free(names, nr, lengths, 1);
		l = rig_lengths(path, &config);
		assert_int_equal(lengths_of(l, 0), nr);
		assert_string_equal(l->key, names[nr - 1]);
		lengths_close(l);
	}
}

static void one_without_lengths_of_the_compressor_names_those_it_has(void **state)
{
	static const char *const names[] = {"lzo", "zstdx y=1"};
	static const uint16_t lengths[] = {1, 2};
	struct trace_reader *reader = rig_reader(make_content_free(names, 2, lengths, 1));
	struct lengths_config config = rig_config("zstd");
	char key[LENGTHS_KEY_BYTES];
	struct trace_error err;
	struct lengths *l;

	assert_int_equal(lengths_open("x", reader, &config, &l, &err), -ENODATA);
	expect_message(&err, scratch_path("free.bin"), UINT64_MAX,
		       "a content-free trace without lengths by 'zstd'; it has those by 'lzo', "
		       "'zstdx y=1'");
	assert_int_equal(lengths_key(reader, &config, key, &err), -ENODATA);
	trace_reader_close(reader);
}

/* ---- errors ---- */

static void an_unknown_compressor_is_named(void **state)
{
	struct trace_reader *reader = rig_reader(rig_trace("t.bin", 0, 1));
	struct lengths_config config = rig_config("snappy");
	struct trace_error err;
	struct lengths *l;

	assert_int_equal(lengths_open("x", reader, &config, &l, &err), -ENOENT);
	assert_non_null(strstr(err.message, "there is no compressor 'snappy'; there are "));
	config.compressor = "lzo-rle";
	assert_int_equal(lengths_open("x", reader, &config, &l, &err), -EOPNOTSUPP);
	assert_non_null(strstr(err.message, "'lzo-rle' is not to be had: "));
	config.compressor = "zstd:x";
	assert_int_equal(lengths_open("x", reader, &config, &l, &err), -EINVAL);
	assert_non_null(strstr(err.message, "levels are numbers from"));
	trace_reader_close(reader);
}

static void a_damaged_page_ends_the_pass_with_its_place(void **state)
{
	const char *path = rig_trace("t.bin", 0, NR_PAGES);
	struct bytes b = bytes_read(path);
	struct lengths_config config = rig_config("zstd");
	struct trace_reader *reader;
	struct trace_error err;
	struct lengths *l;

	b.data[section_offset(&b, ZSWT_BLOCKS) + 100000] ^= 1;
	bytes_write(&b, path);
	reader = rig_reader(path);
	unlink(scratch_path("t.bin.zstd.params_hint=262144.lengths"));
	assert_int_equal(lengths_open(path, reader, &config, &l, &err), -EINVAL);
	assert_non_null(strstr(err.message, "is damaged (its checksum differs)"));
	assert_int_not_equal(access(scratch_path("t.bin.zstd.params_hint=262144.lengths"), F_OK),
			     0);
	trace_reader_close(reader);
	free(b.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(they_are_what_zswap_would_get_under_every_preset_and_codec),
		cmocka_unit_test(no_switch_but_those_in_the_key_changes_a_length),
		cmocka_unit_test(another_hint_gives_other_lengths_of_zstd),
		cmocka_unit_test(levels_are_in_the_key),
		cmocka_unit_test(any_number_of_threads_gives_the_same),
		cmocka_unit_test(progress_goes_up_to_all_pages),
		cmocka_unit_test(a_trace_without_pages_has_none),
		cmocka_unit_test(a_content_free_trace_brings_its_own),
		cmocka_unit_test(the_most_like_of_several_is_taken),
		cmocka_unit_test(one_without_lengths_of_the_compressor_names_those_it_has),
		cmocka_unit_test(an_unknown_compressor_is_named),
		cmocka_unit_test(a_damaged_page_ends_the_pass_with_its_place),
	};

	return cmocka_run_group_tests_name("lengths", tests, scratch_create, scratch_remove);
}
