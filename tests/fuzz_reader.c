// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * libFuzzer target: any bytes as a trace. A second pass makes the checksums right, so that what is
 * behind them is reached; a trace that opens is read in every way that a replay reads it.
 *
 *	CC=clang meson setup build-fuzz -Dfuzz=true -Db_lundef=false
 *	ninja -C build-fuzz && mkdir corpus && cp *.bin corpus
 *	build-fuzz/tests/fuzz_reader -max_len=262144 corpus
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xxhash.h>

#include "traces/layout.h"
#include "traces/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void seal_blocks(uint8_t *data, size_t size, uint64_t offset, uint64_t bytes)
{
	struct zswt_block b;

	for (; bytes >= sizeof(b); offset += sizeof(b), bytes -= sizeof(b)) {
		memcpy(&b, data + offset, sizeof(b));
		if (le64toh(b.offset) > size || le32toh(b.bytes) > size - le64toh(b.offset))
			continue;
		b.checksum = htole64(XXH3_64bits(data + le64toh(b.offset), le32toh(b.bytes)));
		memcpy(data + offset, &b, sizeof(b));
	}
}

static void seal_sections(uint8_t *data, size_t size, struct zswt_footer *f)
{
	for (int kind = ZSWT_BLOCKS + 1; kind < ZSWT_SECTIONS; kind++) {
		struct zswt_section *s = &f->sections[kind];
		uint64_t offset = le64toh(s->offset), bytes = le64toh(s->bytes);

		if (offset > size || bytes > size - offset)
			continue;
		if (kind == ZSWT_INDEX)
			seal_blocks(data, size, offset, bytes);
		s->checksum = htole64(XXH3_64bits(data + offset, bytes));
	}
}

static void seal(uint8_t *data, size_t size)
{
	struct zswt_header h;
	struct zswt_footer f;
	XXH128_canonical_t hash;

	if (size < sizeof(h) + sizeof(f))
		return;
	memcpy(&f, data + size - sizeof(f), sizeof(f));
	memcpy(f.magic, ZSWT_END_MAGIC, sizeof(f.magic));
	seal_sections(data, size, &f);
	f.checksum = htole64(XXH3_64bits(&f, offsetof(struct zswt_footer, checksum)));
	memcpy(data + size - sizeof(f), &f, sizeof(f));
	memcpy(&h, data, sizeof(h));
	memcpy(h.magic, ZSWT_MAGIC, sizeof(h.magic));
	h.version = htole32(ZSWT_VERSION);
	h.file_bytes = htole64(size);
	h.checksum = htole64(XXH3_64bits(&h, offsetof(struct zswt_header, checksum)));
	memcpy(data, &h, sizeof(h));
	XXH128_canonicalFromHash(&hash, XXH3_128bits(data, size - ZSWT_HASH_TO_END));
	memcpy(data + size - ZSWT_HASH_TO_END, &hash, sizeof(hash));
}

/* What is read must be there, and is read. */
static volatile uint8_t sum;

static void read_all(struct trace_reader *r)
{
	const struct trace_info *info = trace_reader_info(r);
	uint32_t ids[1u << TRACE_MAX_ORDER];
	struct trace_error err;

	for (uint64_t i = 0; i < info->nr_events; i++) {
		struct trace_event ev;
		const void *page;

		if (trace_reader_event(r, i, &ev, &err))
			continue;
		if (ev.type == TRACE_MARK)
			sum += strlen(trace_reader_mark(r, ev.arg));
		if (ev.type != TRACE_STORE || trace_reader_store_pages(r, &ev, ids, &err))
			continue;
		for (unsigned k = 0; k < 1u << ev.order; k++)
			if (trace_reader_page(r, ids[k], &page, &err) == 0)
				sum += ((const uint8_t *)page)[TRACE_PAGE_SIZE - 1];
	}
	for (uint32_t i = 0; i < info->nr_memcgs; i++) {
		struct trace_memcg memcg;

		trace_reader_memcg(r, i, &memcg);
		sum += strlen(memcg.path);
	}
	for (uint32_t i = 0; i < info->nr_compressors; i++) {
		uint16_t length;

		sum += strlen(trace_reader_compressor(r, i));
		for (uint64_t id = 0; id < info->nr_pages; id++)
			if (trace_reader_length(r, id, i, &length, &err))
				abort();
	}
}

static void try(const char *path, int fd, const uint8_t *data, size_t size)
{
	struct trace_reader *r;
	struct trace_error err;

	if (ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	if (trace_reader_open(path, &r, &err)) {
		if (strchr(err.message, '\n'))
			abort();
		return;
	}
	trace_reader_check(r, &err);
	read_all(r);
	trace_reader_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[64];
	static int fd = -1;
	uint8_t *copy = malloc(size + 1);

	if (!copy)
		return 0;
	if (fd < 0) {
		fd = memfd_create("trace", 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	memcpy(copy, data, size);
	try(path, fd, copy, size);
	seal(copy, size);
	try(path, fd, copy, size);
	free(copy);
	return 0;
}
