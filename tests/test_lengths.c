// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/lengths.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "backends/registry.h"
#include "sim/acomp.h"
#include "tests/machine.h"
#include "tests/test.h"
#include "tests/trace_file.h"

#define NR_PAGES 600u

/* A trace of @nr contents (tests/machine.h) from @first on; content 0 is zeros. */
static const char *make_trace(const char *name, uint32_t first, unsigned nr)
{
	const char *path = scratch_path(name);
	struct trace_event ev = {.type = TRACE_STORE};
	uint8_t page[TRACE_PAGE_SIZE];
	struct trace_writer *w;
	struct trace_error err;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t id;

		content_fill(page, first + i);
		assert_ok(trace_writer_page(w, page, &id, &err), &err);
		ev.offset = i;
		assert_ok(trace_writer_event(w, &ev, &id, &err), &err);
	}
	assert_ok(trace_writer_commit(w, &err), &err);
	return path;
}

static struct trace_reader *reader_of(const char *path)
{
	struct trace_reader *reader;
	struct trace_error err;

	assert_ok(trace_reader_open(path, &reader, &err), &err);
	return reader;
}

static const struct profile *profile_of(const char *kernel, const char *set)
{
	static struct profile p;
	char err[1024];

	assert_int_equal(profile_init(&p, kernel, err, sizeof(err)), 0);
	if (set)
		assert_int_equal(profile_set(&p, set, err, sizeof(err)), 0);
	return &p;
}

static struct lengths_config config_of(const char *compressor)
{
	return (struct lengths_config){.crypto = backends_registry(),
				       .profile = profile_of("7.3", NULL),
				       .compressor = compressor,
				       .nr_threads = 2};
}

static struct lengths *lengths_at(const char *path, const struct lengths_config *config)
{
	struct trace_reader *reader = reader_of(path);
	struct trace_error err;
	struct lengths *l;

	assert_ok(lengths_open(path, reader, config, &l, &err), &err);
	trace_reader_close(reader);
	return l;
}

static void assert_same(const struct lengths *a, const struct lengths *b)
{
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->zeros, b->zeros);
	assert_memory_equal(a->values, b->values, a->nr_pages * sizeof(*a->values));
}

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
	struct lengths_config config = config_of(name);
	struct kernel_config kernel = {.profile = p};
	unsigned lengths = 0, failed = 0;
	struct crypto_acomp *tfm;
	struct page *from, *to;
	struct lengths *l;
	struct kernel *k;

	config.profile = p;
	l = lengths_at(path, &config);
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
	const char *path = make_trace("t.bin", 0, NR_PAGES);
	const struct crypto_registry *registry = backends_registry();

	for (const struct acomp_alg *const *alg = registry->algs; *alg; alg++) {
		if ((*alg)->refused)
			continue;
		for (const char *const *kernel = profile_presets(); *kernel; kernel++)
			check_against_codec(path, (*alg)->cra_name, profile_of(*kernel, NULL),
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
	struct lengths_config config = config_of(alg->cra_name);
	struct lengths *l;
	struct profile p;
	char set[128];

	if (key->values)
		snprintf(set, sizeof(set), "%s=%s", key->key, key->values[value]);
	else
		snprintf(set, sizeof(set), "%s=%u", key->key, value ? key->max : key->min);
	p = *profile_of("7.3", set);
	check_against_codec(path, alg->cra_name, &p, 64);
	if (is_length_key(alg, key->key))
		return;
	config.no_file = true;
	config.profile = &p;
	l = lengths_at(path, &config);
	assert_string_equal(l->key, base->key);
	assert_same(l, base);
	lengths_close(l);
}

static void no_switch_but_those_in_the_key_changes_a_length(void **state)
{
	const char *path = make_trace("t.bin", 0, 64);
	const struct crypto_registry *registry = backends_registry();
	const struct profile_key *key;

	for (const struct acomp_alg *const *alg = registry->algs; *alg; alg++) {
		struct lengths_config config = config_of((*alg)->cra_name);
		struct lengths *base;

		if ((*alg)->refused)
			continue;
		base = lengths_at(path, &config);
		profile_for_each_key (key) {
			/* Of the codecs and of the one that asks them. */
			if (!strncmp(key->key, "swap.", 5) || !strncmp(key->key, "memcg.", 6))
				continue;
			for (unsigned i = 0; i < nr_values(key); i++)
				check_switch(path, *alg, key, i, base);
		}
		lengths_close(base);
	}
}

static void another_hint_gives_other_lengths_of_zstd(void **state)
{
	const char *path = make_trace("t.bin", 0, 96);
	struct lengths_config config = config_of("zstd");
	struct lengths *base = lengths_at(path, &config), *hint;

	config.profile = profile_of("7.3", "zstd.params_hint=0");
	hint = lengths_at(path, &config);
	assert_string_not_equal(hint->key, base->key);
	assert_memory_not_equal(hint->values, base->values, 96 * sizeof(*base->values));
	lengths_close(hint);
	lengths_close(base);
}

/* The kernel's level has one key, however it is asked for. */
static void levels_are_in_the_key(void **state)
{
	const char *path = make_trace("t.bin", 0, 96);
	struct lengths_config config = config_of("zstd");
	struct lengths *base = lengths_at(path, &config), *l;

	config.compressor = "zstd:3";
	l = lengths_at(path, &config);
	assert_string_equal(l->key, base->key);
	assert_int_equal(l->origin, LENGTHS_FROM_FILE);
	lengths_close(l);
	config.compressor = "zstd:19";
	l = lengths_at(path, &config);
	assert_string_equal(l->path, scratch_path("t.bin.zstd-19.params_hint=262144.lengths"));
	assert_memory_not_equal(l->values, base->values, 96 * sizeof(*base->values));
	lengths_close(l);
	lengths_close(base);
}

static void any_number_of_threads_gives_the_same(void **state)
{
	const char *path = make_trace("t.bin", 0, 3 * NR_PAGES);
	struct lengths_config config = config_of("zstd");
	struct lengths *one, *l;

	config.no_file = true;
	config.nr_threads = 1;
	one = lengths_at(path, &config);
	assert_int_equal(one->nr_threads, 1);
	for (unsigned nr = 2; nr < 40; nr = nr * 3 - 1) {
		config.nr_threads = nr;
		l = lengths_at(path, &config);
		/* No more threads than there is work for: 8 runs of 256 pages. */
		assert_int_equal(l->nr_threads, nr < 8 ? nr : 8);
		assert_same(l, one);
		lengths_close(l);
	}
	config.nr_threads = 0;
	l = lengths_at(path, &config);
	assert_same(l, one);
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
	const char *path = make_trace("t.bin", 0, NR_PAGES);
	struct lengths_config config = config_of("zstd");
	struct progress p = {0};

	config.progress = note_progress;
	config.progress_arg = &p;
	lengths_close(lengths_at(path, &config));
	assert_true(p.calls > 0);
	assert_int_equal(p.last, NR_PAGES);
	assert_int_equal(p.total, NR_PAGES);
	/* Nothing is computed the second time. */
	p = (struct progress){0};
	lengths_close(lengths_at(path, &config));
	assert_int_equal(p.calls, 0);
}

static void a_trace_without_pages_has_none(void **state)
{
	const char *path = make_trace("empty.bin", 0, 0);
	struct lengths_config config = config_of("zstd");

	for (unsigned i = 0; i < 2; i++) {
		struct lengths *l = lengths_at(path, &config);

		assert_int_equal(l->nr_pages, 0);
		assert_int_equal(l->origin, i ? LENGTHS_FROM_FILE : LENGTHS_COMPUTED);
		lengths_close(l);
	}
}

/* ---- the file ---- */

#define FILE_NAME "f.bin.zstd.params_hint=262144.lengths"

static void the_file_is_kept_for_its_owner_and_read_the_next_time(void **state)
{
	const char *path = make_trace("f.bin", 0, NR_PAGES);
	struct lengths_config config = config_of(NULL);
	struct lengths *first, *second;
	struct stat st;

	unlink(scratch_path(FILE_NAME));
	first = lengths_at(path, &config);
	assert_int_equal(first->origin, LENGTHS_COMPUTED);
	assert_string_equal(first->path, scratch_path(FILE_NAME));
	assert_string_equal(first->why_computed, "there was no such file");
	assert_string_equal(first->why_not_kept, "");
	assert_int_equal(stat(first->path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(st.st_size, 328 + 2 * NR_PAGES);
	second = lengths_at(path, &config);
	assert_int_equal(second->origin, LENGTHS_FROM_FILE);
	assert_string_equal(second->path, first->path);
	assert_string_equal(second->key, first->key);
	assert_int_equal(second->pass_ns, 0);
	assert_same(second, first);
	lengths_close(first);
	lengths_close(second);
}

static void no_file_is_looked_for_or_made_if_none_is_wanted(void **state)
{
	const char *path = make_trace("f.bin", 0, NR_PAGES);
	struct lengths_config config = config_of("zstd");
	struct lengths *l;

	unlink(scratch_path(FILE_NAME));
	config.no_file = true;
	l = lengths_at(path, &config);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_int_not_equal(access(scratch_path(FILE_NAME), F_OK), 0);
	lengths_close(l);
}

/* The lengths of @path are made anew, for that reason, right, and kept. */
static void expect_rebuilt(const char *path, const struct lengths *right, const char *why)
{
	struct lengths_config config = config_of("zstd");
	struct lengths *l = lengths_at(path, &config);

	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_string_equal(l->why_computed, why);
	assert_same(l, right);
	lengths_close(l);
	l = lengths_at(path, &config);
	assert_int_equal(l->origin, LENGTHS_FROM_FILE);
	assert_same(l, right);
	lengths_close(l);
}

static void a_file_of_another_trace_codec_or_library_is_replaced(void **state)
{
	const char *path = make_trace("f.bin", 1000, NR_PAGES), *file = scratch_path(FILE_NAME);
	struct lengths_config config = config_of("zstd");
	struct lengths *right;
	struct bytes b;

	config.no_file = true;
	right = lengths_at(path, &config);
	lengths_close(lengths_at(
		make_trace("f.bin", 0, NR_PAGES),
		&(struct lengths_config){.crypto = config.crypto, .profile = config.profile}));
	make_trace("f.bin", 1000, NR_PAGES);
	expect_rebuilt(path, right, "the file there is of another trace");

	/* As another library, and another hint, would have left it. */
	b = bytes_read(file);
	rename(file, scratch_path("kept"));
	config.no_file = false;
	config.profile = profile_of("7.3", "zstd.params_hint=0");
	lengths_close(lengths_at(path, &config));
	assert_int_equal(rename(scratch_path("f.bin.zstd.params_hint=0.lengths"), file), 0);
	expect_rebuilt(path, right, "the file there is of another codec, parameters or library");
	free(b.data);
	lengths_close(right);
}

static void a_file_that_is_cut_or_changed_anywhere_is_replaced(void **state)
{
	const char *path = make_trace("f.bin", 0, 40), *file = scratch_path(FILE_NAME);
	struct lengths_config config = config_of("zstd");
	struct lengths *right;
	struct bytes good;

	unlink(file);
	right = lengths_at(path, &config);
	good = bytes_read(file);
	assert_int_equal(good.size, 328 + 80);
	for (size_t size = 0; size < good.size; size += size < 320 ? 41 : 7) {
		struct bytes cut = {good.data, size};

		bytes_write(&cut, file);
		expect_rebuilt(path, right,
			       size < 328 ? "the file there is none of lengths"
					  : "the file there is damaged");
	}
	for (size_t at = 0; at < good.size; at += 3) {
		struct bytes b = bytes_copy(&good);
		struct lengths *l;

		b.data[at] ^= 1u << at % 8;
		bytes_write(&b, file);
		l = lengths_at(path, &config);
		assert_int_equal(l->origin, LENGTHS_COMPUTED);
		assert_same(l, right);
		lengths_close(l);
		free(b.data);
	}
	good.size++; /* bytes_read() has room for it */
	bytes_write(&good, file);
	expect_rebuilt(path, right, "the file there is damaged");
	free(good.data);
	lengths_close(right);
}

static void what_is_no_file_is_left_alone(void **state)
{
	const char *path = make_trace("f.bin", 0, 40), *file = scratch_path(FILE_NAME);
	struct lengths_config config = config_of("zstd");
	struct lengths *l;
	struct stat st;

	unlink(file);
	assert_int_equal(mkfifo(file, 0600), 0);
	l = lengths_at(path, &config);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "not a regular file"));
	lengths_close(l);
	assert_int_equal(stat(file, &st), 0);
	assert_true(S_ISFIFO(st.st_mode));
	unlink(file);
	assert_int_equal(mkdir(file, 0700), 0);
	l = lengths_at(path, &config);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "is a directory"));
	lengths_close(l);
	assert_int_equal(rmdir(file), 0);
}

/* Of root every directory is writable, but for those of the kernel. */
static void a_directory_that_cannot_be_written_is_no_error_and_is_told(void **state)
{
	const char *path = make_trace("f.bin", 0, NR_PAGES);
	struct trace_reader *reader = reader_of(path);
	struct lengths_config config = config_of("zstd");
	struct lengths *l, *right = lengths_at(path, &config);
	struct trace_error err;

	assert_ok(lengths_open("/proc/f.bin", reader, &config, &l, &err), &err);
	assert_int_equal(l->origin, LENGTHS_COMPUTED);
	assert_null(l->path);
	assert_non_null(strstr(l->why_not_kept, "cannot create a file in its directory"));
	assert_same(l, right);
	lengths_close(l);
	lengths_close(right);
	trace_reader_close(reader);
}

/* ---- several runs ---- */

static pid_t run_child(const char *path, const struct lengths *right, unsigned rounds)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid)
		return pid;
	for (unsigned i = 0; i < rounds; i++) {
		struct lengths_config config = config_of("zstd");
		struct trace_reader *reader;
		struct trace_error err;
		struct lengths *l;

		if (trace_reader_open(path, &reader, &err) ||
		    lengths_open(path, reader, &config, &l, &err))
			_exit(1);
		if (l->nr_pages != right->nr_pages || !l->path ||
		    memcmp(l->values, right->values, l->nr_pages * sizeof(*l->values)))
			_exit(2);
		lengths_close(l);
		trace_reader_close(reader);
		/* So that somebody has to make it again, and others meet all states of it. */
		if (i % 2)
			unlink(scratch_path(FILE_NAME));
	}
	_exit(0);
}

static void runs_that_make_the_file_at_once_are_all_right(void **state)
{
	const char *path = make_trace("f.bin", 0, 300);
	struct lengths_config config = config_of("zstd");
	struct lengths *right, *l;
	unsigned files;
	pid_t pid[4];

	unlink(scratch_path(FILE_NAME));
	right = lengths_at(path, &config);
	files = scratch_nr_files();
	for (unsigned i = 0; i < 4; i++)
		pid[i] = run_child(path, right, 12);
	for (unsigned i = 0; i < 4; i++) {
		int status;

		assert_int_equal(waitpid(pid[i], &status, 0), pid[i]);
		assert_int_equal(status, 0);
	}
	l = lengths_at(path, &config);
	assert_same(l, right);
	assert_int_equal(scratch_nr_files(), files);
	lengths_close(l);
	lengths_close(right);
}

static void a_run_that_is_killed_leaves_a_whole_file_or_none(void **state)
{
	const char *path = make_trace("f.bin", 0, 300), *file = scratch_path(FILE_NAME);
	struct lengths_config config = config_of("zstd");
	struct lengths *right = lengths_at(path, &config);
	unsigned whole = 0, none = 0;
	struct bytes good = bytes_read(file);

	for (unsigned i = 0; i < 40; i++) {
		struct timespec pause = {.tv_nsec = (5 + i * 7 % 60) * 1000 * 1000};
		pid_t pid = run_child(path, right, 1000);
		int status;

		nanosleep(&pause, NULL);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		if (access(file, F_OK)) {
			none++;
			continue;
		}
		struct bytes b = bytes_read(file);

		assert_int_equal(b.size, good.size);
		assert_memory_equal(b.data, good.data, good.size);
		free(b.data);
		whole++;
	}
	print_message("# a whole file after %u, none after %u of 40 kills\n", whole, none);
	free(good.data);
	lengths_close(right);
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
	struct lengths_config config = config_of("zstd");
	struct lengths *l = lengths_at(path, &config);
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
	l = lengths_at(path, &config);
	assert_int_equal(lengths_of(l, 2), 3);
	assert_int_equal(l->zeros, 32);
	lengths_close(l);
	assert_int_equal(scratch_nr_files(), files);
}

static void the_most_like_of_several_is_taken(void **state)
{
	static const uint16_t lengths[] = {1, 2, 3, 4};
	struct lengths_config config = config_of("zstd");
	char exact[LENGTHS_KEY_BYTES];
	const char *names[] = {"zstdx", "zstd params=0",
			       "zstd a=b zstd.params_hint=262144 libzstd 9", exact};
	struct trace_reader *reader;
	struct trace_error err;
	const char *path;
	struct lengths *l;

	reader = reader_of(make_trace("t.bin", 0, 1));
	assert_ok(lengths_key(reader, &config, exact, &err), &err);
	trace_reader_close(reader);
	for (unsigned nr = 4; nr > 1; nr--) {
		path = make_content_free(names, nr, lengths, 1);
		l = lengths_at(path, &config);
		assert_int_equal(lengths_of(l, 0), nr);
		assert_string_equal(l->key, names[nr - 1]);
		lengths_close(l);
	}
}

static void one_without_lengths_of_the_compressor_names_those_it_has(void **state)
{
	static const char *const names[] = {"lzo", "zstdx y=1"};
	static const uint16_t lengths[] = {1, 2};
	struct trace_reader *reader = reader_of(make_content_free(names, 2, lengths, 1));
	struct lengths_config config = config_of("zstd");
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
	struct trace_reader *reader = reader_of(make_trace("t.bin", 0, 1));
	struct lengths_config config = config_of("snappy");
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
	const char *path = make_trace("t.bin", 0, NR_PAGES);
	struct bytes b = bytes_read(path);
	struct lengths_config config = config_of("zstd");
	struct trace_reader *reader;
	struct trace_error err;
	struct lengths *l;

	b.data[section_offset(&b, ZSWT_BLOCKS) + 100000] ^= 1;
	bytes_write(&b, path);
	reader = reader_of(path);
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
		cmocka_unit_test(the_file_is_kept_for_its_owner_and_read_the_next_time),
		cmocka_unit_test(no_file_is_looked_for_or_made_if_none_is_wanted),
		cmocka_unit_test(a_file_of_another_trace_codec_or_library_is_replaced),
		cmocka_unit_test(a_file_that_is_cut_or_changed_anywhere_is_replaced),
		cmocka_unit_test(what_is_no_file_is_left_alone),
		cmocka_unit_test(a_directory_that_cannot_be_written_is_no_error_and_is_told),
		cmocka_unit_test(runs_that_make_the_file_at_once_are_all_right),
		cmocka_unit_test(a_run_that_is_killed_leaves_a_whole_file_or_none),
		cmocka_unit_test(a_content_free_trace_brings_its_own),
		cmocka_unit_test(the_most_like_of_several_is_taken),
		cmocka_unit_test(one_without_lengths_of_the_compressor_names_those_it_has),
		cmocka_unit_test(an_unknown_compressor_is_named),
		cmocka_unit_test(a_damaged_page_ends_the_pass_with_its_place),
	};

	return cmocka_run_group_tests_name("lengths", tests, scratch_create, scratch_remove);
}
