// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/trace_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xxhash.h>

#include "tests/test.h"

static char dir[256];
static pid_t owner;

int scratch_create(void **state)
{
	const char *base = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/zswapsim-test-XXXXXX", base ? base : "/tmp");
	owner = getpid();
	return mkdtemp(dir) ? 0 : -1;
}

int scratch_remove(void **state)
{
	struct dirent *entry;
	DIR *d;

	if (getpid() != owner)
		return 0; /* a child whose assertion failed */
	d = opendir(dir);
	if (!d)
		return -1;
	while ((entry = readdir(d)))
		if (unlinkat(dirfd(d), entry->d_name, 0) && errno == EISDIR)
			unlinkat(dirfd(d), entry->d_name, AT_REMOVEDIR);
	closedir(d);
	return rmdir(dir);
}

const char *scratch_dir(void)
{
	return dir;
}

const char *scratch_path(const char *name)
{
	static char paths[8][512];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", dir, name);
	return path;
}

unsigned scratch_nr_files(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	unsigned nr = 0;

	assert_non_null(d);
	while ((entry = readdir(d)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(d);
	return nr;
}

struct bytes bytes_read(const char *path)
{
	FILE *f = fopen(path, "r");
	struct bytes b;
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	b.size = st.st_size;
	b.data = malloc(b.size + 1);
	assert_non_null(b.data);
	assert_int_equal(fread(b.data, 1, b.size, f), b.size);
	fclose(f);
	return b;
}

void bytes_write(const struct bytes *b, const char *path)
{
	FILE *f;

	unlink(path); /* truncating it would make some file systems wait for the disk */
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->size, f), b->size);
	assert_int_equal(fclose(f), 0);
}

struct bytes bytes_copy(const struct bytes *b)
{
	struct bytes copy = {malloc(b->size + 1), b->size};

	assert_non_null(copy.data);
	memcpy(copy.data, b->data, b->size);
	return copy;
}

void sample_page(uint64_t seed, uint8_t page[TRACE_PAGE_SIZE])
{
	static const char *const words[8] = {"swap ", "zswap_entry ", "page ",	 "folio ",
					     "pool ", "size_class ",  "object ", "store "};
	uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;

	for (unsigned i = 0; i < TRACE_PAGE_SIZE;) {
		const char *word;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		word = words[x >> 61];
		if (seed % 4 == 3)
			page[i++] = x >> 32;
		else
			while (*word && i < TRACE_PAGE_SIZE)
				page[i++] = *word++;
	}
	memcpy(page, &seed, sizeof(seed));
}

const struct trace_writer_config sample_config = {
	.maker = "zswapsim test",
	.command = "zswapsim trace build -o sample",
	.title = "sample",
	.seed = 42,
	.nr_cpus = 4,
	.nr_swap_types = 2,
};

void assert_ok_at(int ret, const struct trace_error *err, const char *what, const char *file,
		  int line)
{
	if (ret)
		print_error("%s: %d, %s\n", what, ret, err->message);
	_assert_int_equal(ret, 0, file, line);
}

static void sample_events(struct trace_writer *w, uint32_t *ids, uint16_t cg, uint64_t mark)
{
	struct trace_event memcg = {.type = TRACE_MEMCG, .memcg = cg};
	struct trace_event ev = {.type = TRACE_MARK, .arg = mark};
	struct trace_error err;

	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	memcg.what = TRACE_MEMCG_ONLINE;
	assert_ok(trace_writer_event(w, &memcg, NULL, &err), &err);
	memcg.what = TRACE_MEMCG_ZSWAP_MAX;
	memcg.arg = 1 << 20;
	assert_ok(trace_writer_event(w, &memcg, NULL, &err), &err);
	memcg.what = TRACE_MEMCG_ZSWAP_WRITEBACK;
	memcg.arg = 1;
	assert_ok(trace_writer_event(w, &memcg, NULL, &err), &err);
	for (unsigned i = 0; i < SAMPLE_PAGES; i++) {
		ev = (struct trace_event){.type = TRACE_STORE,
					  .time_ns = 1000 + i,
					  .cpu = i % 4,
					  .memcg = cg,
					  .swap_type = i % 2,
					  .offset = i};
		assert_ok(trace_writer_event(w, &ev, &ids[i], &err), &err);
	}
	for (unsigned i = 0; i < SAMPLE_FOLIOS; i++) {
		ev = (struct trace_event){.type = TRACE_STORE,
					  .time_ns = 2000 + i,
					  .order = 4,
					  .offset = 1024 + 16 * i};
		assert_ok(trace_writer_event(w, &ev, ids + i, &err), &err);
	}
	ev = (struct trace_event){.type = TRACE_PRESSURE, .time_ns = 3000, .arg = 32};
	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	ev = (struct trace_event){.type = TRACE_LOAD, .time_ns = 3001, .offset = 1024, .order = 4};
	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	ev.type = TRACE_INVALIDATE;
	assert_ok(trace_writer_event(w, &ev, NULL, &err), &err);
	memcg.what = TRACE_MEMCG_OFFLINE;
	memcg.arg = 0;
	memcg.time_ns = 3002;
	assert_ok(trace_writer_event(w, &memcg, NULL, &err), &err);
}

void sample_write(const char *path)
{
	struct trace_memcg memcg = {.path = "/a", .online = true, .zswap_max = TRACE_NO_LIMIT};
	uint8_t page[TRACE_PAGE_SIZE];
	uint32_t ids[SAMPLE_PAGES];
	struct trace_writer *w;
	struct trace_error err;
	uint16_t a, b;
	uint64_t mark;

	assert_ok(trace_writer_create(path, &sample_config, &w, &err), &err);
	for (unsigned i = 0; i < SAMPLE_PAGES; i++) {
		sample_page(i, page);
		assert_ok(trace_writer_page(w, page, &ids[i], &err), &err);
		assert_int_equal(ids[i], i);
	}
	assert_ok(trace_writer_memcg(w, &memcg, &a, &err), &err);
	memcg = (struct trace_memcg){
		.path = "/a/b", .parent = a, .zswap_writeback = true, .zswap_max = 4096};
	assert_ok(trace_writer_memcg(w, &memcg, &b, &err), &err);
	assert_ok(trace_writer_mark_name(w, "fill", &mark, &err), &err);
	sample_events(w, ids, b, mark);
	assert_ok(trace_writer_commit(w, &err), &err);
}

struct zswt_header *header_of(struct bytes *b)
{
	return (void *)b->data;
}

struct zswt_footer *footer_of(struct bytes *b)
{
	return (void *)(b->data + b->size - sizeof(struct zswt_footer));
}

uint64_t section_offset(struct bytes *b, enum zswt_section_kind kind)
{
	return le64toh(footer_of(b)->sections[kind].offset);
}

void *section_of(struct bytes *b, enum zswt_section_kind kind)
{
	return b->data + section_offset(b, kind);
}

struct zswt_event *event_of(struct bytes *b, unsigned type, uint64_t *number)
{
	struct zswt_event *ev = section_of(b, ZSWT_EVENTS);

	for (*number = 0; *number < le64toh(header_of(b)->nr_events); ++*number)
		if (ev[*number].type == type)
			return &ev[*number];
	fail_msg("no event of type %u", type);
	return NULL;
}

void reseal(struct bytes *b)
{
	struct zswt_header *h = header_of(b);
	struct zswt_footer *f = footer_of(b);
	XXH128_canonical_t hash;

	for (int kind = ZSWT_BLOCKS + 1; kind < ZSWT_SECTIONS; kind++) {
		struct zswt_section *s = &f->sections[kind];

		/* A damaged entry may have no bytes in the file. */
		if (le64toh(s->offset) <= b->size &&
		    le64toh(s->bytes) <= b->size - le64toh(s->offset))
			s->checksum = htole64(
				XXH3_64bits(b->data + le64toh(s->offset), le64toh(s->bytes)));
	}
	f->checksum = htole64(XXH3_64bits(f, offsetof(struct zswt_footer, checksum)));
	h->checksum = htole64(XXH3_64bits(h, offsetof(struct zswt_header, checksum)));
	XXH128_canonicalFromHash(&hash, XXH3_128bits(b->data, b->size - ZSWT_HASH_TO_END));
	memcpy(f->hash, &hash, sizeof(hash));
}

static const char *damaged_path(void)
{
	return scratch_path("damaged");
}

int try_bytes(const struct bytes *b, struct trace_error *err)
{
	struct trace_reader *r;
	int ret;

	bytes_write(b, damaged_path());
	ret = trace_reader_open(damaged_path(), &r, err);
	if (ret)
		return ret;
	ret = trace_reader_check(r, err);
	trace_reader_close(r);
	return ret;
}

void expect_message(const struct trace_error *err, const char *path, uint64_t offset,
		    const char *cause)
{
	char at[64];

	assert_null(strchr(err->message, '\n'));
	assert_true(strlen(err->message) < sizeof(err->message) - 1);
	if (!strstr(err->message, cause))
		fail_msg("'%s' does not say '%s'", err->message, cause);
	assert_int_equal(strncmp(err->message, path, strlen(path)), 0);
	assert_int_equal(err->offset, offset);
	snprintf(at, sizeof(at), ": offset %" PRIu64 ": ", offset);
	assert_int_equal(!strstr(err->message, at), offset == UINT64_MAX);
}

void expect_refused(const struct bytes *b, uint64_t offset, const char *cause)
{
	struct trace_error err = {0};

	assert_int_equal(try_bytes(b, &err), -EINVAL);
	expect_message(&err, damaged_path(), offset, cause);
}

uint64_t rss_anon(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	uint64_t kib = 0;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1)
			break;
	fclose(f);
	return kib << 10;
}
