// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <zstd.h>

#include "tests/test.h"
#include "tests/trace_file.h"
#include "traces/build.h"

/* Every test has a directory of its own below it, "in" for inputs. */
static char root[512];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static int dir_create(void **state)
{
	const char *base = getenv("TMPDIR");
	char in[520];

	snprintf(root, sizeof(root), "%s/zswapsim-build-XXXXXX", base ? base : "/tmp");
	if (!mkdtemp(root))
		return -1;
	snprintf(in, sizeof(in), "%s/in", root);
	return mkdir(in, 0700);
}

static int dir_remove(void **state)
{
	return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const char *at(const char *name)
{
	static char paths[8][1024];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
	return path;
}

static const char *put(const char *name, const void *data, size_t size)
{
	const char *path = at(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
	return path;
}

/* Bytes of a file that is told apart from others by @seed. */
static uint8_t *content(uint64_t seed, size_t size)
{
	uint8_t *data = malloc(size + TRACE_PAGE_SIZE);

	assert_non_null(data);
	for (size_t done = 0; done < size; done += TRACE_PAGE_SIZE)
		sample_page(seed * 1000 + done / TRACE_PAGE_SIZE, data + done);
	return data;
}

static int build_at(const char *path, const char *const *inputs, bool raw, unsigned order,
		    struct trace_made *made, struct trace_error *err)
{
	const struct trace_maker_config maker = {
		.path = path,
		.maker = "test",
		.command = "test",
		.title = "test",
		.pattern = {.nr_cpus = 1, .folio_order = order, .seed = 1},
	};
	struct trace_build_config config = {.inputs = inputs, .raw = raw};

	while (inputs[config.nr_inputs])
		config.nr_inputs++;
	return trace_build(&config, &maker, made, err);
}

#define inputs_of(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct trace_made build_order(const char *const *inputs, bool raw, unsigned order)
{
	struct trace_made made;
	struct trace_error err;

	assert_ok(build_at(at("out.bin"), inputs, raw, order, &made, &err), &err);
	return made;
}

static uint64_t build(const char *const *inputs)
{
	return build_order(inputs, false, 0).nr_pages;
}

/* Nothing is written, and the one line names @name and @cause. */
static void refuse(const char *const *inputs, const char *name, const char *cause)
{
	struct trace_made made;
	struct trace_error err;
	struct stat st;

	if (build_at(at("refused.bin"), inputs, false, 0, &made, &err) == 0)
		fail_msg("%s: not refused, %lu pages", name, (unsigned long)made.nr_pages);
	if (!strstr(err.message, name) || !strstr(err.message, cause))
		fail_msg("'%s' does not say '%s' and '%s'", err.message, name, cause);
	assert_null(strchr(err.message, '\n'));
	assert_int_equal(stat(at("refused.bin"), &st), -1);
}

/* The stored pages are @data, @size bytes, cut and filled up. */
static void check_pages(const uint8_t *data, size_t size)
{
	uint64_t nr = (size + TRACE_PAGE_SIZE - 1) / TRACE_PAGE_SIZE, page = 0;
	uint8_t expected[TRACE_PAGE_SIZE];
	struct trace_event ev;
	struct trace_reader *r;
	struct trace_error err;
	uint32_t ids[1u << TRACE_MAX_ORDER];
	const void *stored;

	assert_ok(trace_reader_open(at("out.bin"), &r, &err), &err);
	assert_ok(trace_reader_check(r, &err), &err);
	for (uint64_t i = 0; i < trace_reader_info(r)->nr_events; i++) {
		assert_ok(trace_reader_event(r, i, &ev, &err), &err);
		if (ev.type != TRACE_STORE)
			continue;
		assert_ok(trace_reader_store_pages(r, &ev, ids, &err), &err);
		for (unsigned k = 0; k < 1u << ev.order; k++, page++) {
			size_t from = page * TRACE_PAGE_SIZE, n = size - from;

			assert_true(page < nr);
			memset(expected, 0, sizeof(expected));
			memcpy(expected, data + from, n < sizeof(expected) ? n : sizeof(expected));
			assert_ok(trace_reader_page(r, ids[k], &stored, &err), &err);
			assert_memory_equal(stored, expected, sizeof(expected));
		}
	}
	assert_int_equal(page, nr);
	trace_reader_close(r);
}

static void a_file_is_cut_into_pages_and_the_last_is_filled_with_zeros(void **state)
{
	static const size_t sizes[] = {1, 4095, 4096, 4097, 40000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		uint8_t *data = content(i, sizes[i]);
		const char *path = put("in/file", data, sizes[i]);

		assert_int_equal(build(inputs_of(path)), (sizes[i] + 4095) / 4096);
		check_pages(data, sizes[i]);
		free(data);
	}
}

static void folios_hold_the_pages_of_one_file_in_order(void **state)
{
	uint8_t *data = content(1, 11 * 4096);
	struct trace_made made;

	put("in/a", data, 6 * 4096);
	put("in/b", data + 6 * 4096, 5 * 4096);
	made = build_order(inputs_of(at("in/a"), at("in/b")), false, 2);
	/* 1 folio and 2 pages, 1 folio and 1 page; 11 loads, 11 invalidates, 3 marks. */
	assert_int_equal(made.nr_events, 5 + 11 + 11 + 3);
	assert_int_equal(made.nr_distinct, 11);
	check_pages(data, 11 * 4096);
	free(data);
}

static void a_directory_is_walked_by_name_and_links_and_empty_files_are_skipped(void **state)
{
	uint8_t *data = content(2, 4 * 4096);

	put("in/b", data + 4096, 4096);
	put("in/B", data, 4096);
	put("in/empty", data, 0);
	assert_int_equal(mkdir(at("in/c"), 0700), 0);
	put("in/c/z", data + 3 * 4096, 4096);
	put("in/c/a", data + 2 * 4096, 4096);
	assert_int_equal(symlink("b", at("in/a-link")), 0);
	assert_int_equal(symlink("c", at("in/dir-link")), 0);
	assert_int_equal(mkfifo(at("in/fifo"), 0600), 0);
	assert_int_equal(build(inputs_of(at("in"))), 4);
	check_pages(data, 4 * 4096);
	/* Links that are named are followed. */
	assert_int_equal(build(inputs_of(at("in/dir-link"))), 2);
	check_pages(data + 2 * 4096, 2 * 4096);
	assert_int_equal(build(inputs_of(at("in/c/"), at("in/b"))), 3);
	free(data);
}

/* An archive of two files, an empty one, a directory and, where there are such, a link. */
static const char *archive_of(const char *name, const char *format, const char *filter,
			      const char *options, const uint8_t *data, size_t first, size_t second)
{
	const struct {
		const char *name;
		mode_t type;
		const uint8_t *data;
		size_t size;
	} entries[] = {
		{"d", AE_IFDIR, NULL, 0},
		{"d/zz", AE_IFREG, data, first},
		{"d/empty", AE_IFREG, NULL, 0},
		{"d/aa", AE_IFREG, data + first, second},
	};
	struct archive *a = archive_write_new();
	const char *path = at(name);
	bool plain = !strcmp(format, "ar");

	assert_int_equal(archive_write_set_format_by_name(a, format), ARCHIVE_OK);
	if (filter)
		assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	if (options) {
		assert_int_equal(archive_write_set_options(a, options), ARCHIVE_OK);
		assert_int_equal(archive_write_set_passphrase(a, "secret"), ARCHIVE_OK);
	}
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		struct archive_entry *e = archive_entry_new();

		archive_entry_set_pathname(e, entries[i].name + (plain && i ? 2 : 0));
		archive_entry_set_filetype(e, entries[i].type);
		archive_entry_set_perm(e, 0644);
		archive_entry_set_size(e, entries[i].size);
		if (!plain || i) {
			assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
			if (entries[i].size)
				assert_int_equal(
					archive_write_data(a, entries[i].data, entries[i].size),
					entries[i].size);
		}
		archive_entry_free(e);
	}
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return path;
}

#define FIRST  (3 * 4096)
#define SECOND 5000

static void archives_are_taken_in_their_order_however_they_are_packed(void **state)
{
	static const struct {
		const char *name, *format, *filter;
	} kinds[] = {
		{"in/a.tar", "ustar", NULL},
		{"in/a.tar", "gnutar", NULL},
		{"in/a.tar", "pax", NULL},
		{"in/a.tar", "v7tar", NULL},
		{"in/a.zip", "zip", NULL},
		{"in/a.7z", "7zip", NULL},
		{"in/a.cpio", "newc", NULL},
		{"in/a.cpio", "odc", NULL},
		{"in/a.ar", "ar", NULL},
		{"in/a.tar.zst", "ustar", "zstd"},
		{"in/a.tar.gz", "ustar", "gzip"},
		{"in/a.tar.xz", "ustar", "xz"},
		{"in/a.tar.bz2", "ustar", "bzip2"},
		{"in/a.tar.lz4", "ustar", "lz4"},
		{"in/a.tar.lz", "ustar", "lzip"},
		{"in/a.tar.Z", "ustar", "compress"},
		{"in/A.TGZ", "pax", "gzip"},
		{"in/a.cpio.zst", "newc", "zstd"},
	};
	uint8_t *data = content(3, FIRST + SECOND);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *path = archive_of(kinds[i].name, kinds[i].format, kinds[i].filter, NULL,
					      data, FIRST, SECOND);

		assert_int_equal(build(inputs_of(path)), 5);
		check_pages(data, FIRST + SECOND);
	}
	free(data);
}

/* A file packed by itself. */
static const char *packed_of(const char *name, const char *filter, const void *data, size_t size)
{
	const char *path = at(name);
	struct archive_entry *e = archive_entry_new();
	struct archive *a = archive_write_new();

	archive_write_set_format_raw(a);
	assert_int_equal(archive_write_add_filter_by_name(a, filter), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_pathname(e, "data");
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, data, size), size);
	archive_entry_free(e);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	return path;
}

static void a_packed_file_is_unpacked_whatever_its_name(void **state)
{
	static const char *const filters[] = {"zstd", "gzip", "xz", "bzip2", "lz4", "lzip"};
	uint8_t *data = content(4, 9000);

	for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
		const char *path = packed_of("in/packed", filters[i], data, 9000);

		assert_int_equal(build(inputs_of(path)), 3);
		check_pages(data, 9000);
	}
	free(data);
}

/* As "ar rc" of binutils does: libarchive's own writer adds the type. */
static void members_of_ar_have_no_type_and_are_files(void **state)
{
	uint8_t *data = content(11, 5000);
	const char *path = at("in/a.ar");
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\n", "data/", 0, 0, 0, "644", 5000);
	assert_int_equal(fwrite(data, 1, 5000, f), 5000);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(build(inputs_of(path)), 2);
	check_pages(data, 5000);
	free(data);
}

/* As xml, samba and mozilla of the Silesia corpus, plain and packed. */
static void a_tar_that_is_not_named_so_is_a_file(void **state)
{
	uint8_t *data = content(5, FIRST + SECOND);
	const char *path = archive_of("in/xml", "ustar", NULL, NULL, data, FIRST, SECOND);
	struct bytes tar = bytes_read(path);

	assert_int_equal(build(inputs_of(path)), (tar.size + 4095) / 4096);
	check_pages(tar.data, tar.size);
	path = packed_of("in/xml.zst", "zstd", tar.data, tar.size);
	assert_int_equal(build(inputs_of(path)), (tar.size + 4095) / 4096);
	check_pages(tar.data, tar.size);
	free(tar.data);
	free(data);
}

static void bytes_that_some_reader_would_take_for_its_own_are_bytes(void **state)
{
	static const char mtree[] = "#mtree\n/set type=file\n./a size=3\n";
	static const char uu[] = "Dear Sir,\n\nbegin 644 secret\n#0V%T\n`\nend\n";
	static uint8_t zeros[8192];
	static const char zip_end[] = "MZ and so on PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static const struct {
		const char *name;
		const void *data;
		size_t size;
	} plain[] = {
		{"in/notes", mtree, sizeof(mtree) - 1},
		{"in/mail", uu, sizeof(uu) - 1},
		{"in/dump", zeros, sizeof(zeros)},
		{"in/program.exe", zip_end, sizeof(zip_end) - 1},
		{"in/magic", "\x1f\x9d\x90 is compress, or so it seems", 31},
	};

	zeros[5000] = 1;
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		const char *path = put(plain[i].name, plain[i].data, plain[i].size);

		assert_int_equal(build(inputs_of(path)), (plain[i].size + 4095) / 4096);
		check_pages(plain[i].data, plain[i].size);
	}
}

static void raw_looks_into_nothing(void **state)
{
	uint8_t *data = content(6, FIRST + SECOND);
	const char *path = archive_of("in/a.tar.gz", "ustar", "gzip", NULL, data, FIRST, SECOND);
	struct bytes packed = bytes_read(path);

	build_order(inputs_of(path), true, 0);
	check_pages(packed.data, packed.size);
	free(packed.data);
	free(data);
}

static void holes_of_sparse_files_are_zeros(void **state)
{
	const size_t size = 12 * 4096 + 100;
	uint8_t *data = calloc(1, 13 * 4096), *some = content(7, 4096);
	struct archive_entry *e = archive_entry_new();
	struct archive *a = archive_write_new();

	/* In front, in between and at the end. */
	memcpy(data + 2 * 4096 + 50, some, 4096);
	memcpy(data + 7 * 4096, some, 4096);
	archive_write_set_format_pax(a);
	assert_int_equal(archive_write_open_filename(a, at("in/sparse.tar")), ARCHIVE_OK);
	archive_entry_set_pathname(e, "sparse");
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_size(e, size);
	archive_entry_sparse_add_entry(e, 2 * 4096 + 50, 4096);
	archive_entry_sparse_add_entry(e, 7 * 4096, 4096);
	assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
	assert_int_equal(archive_write_data(a, data, size), size);
	archive_entry_free(e);
	assert_int_equal(archive_write_close(a), ARCHIVE_OK);
	archive_write_free(a);
	assert_int_equal(build(inputs_of(at("in/sparse.tar"))), 13);
	check_pages(data, size);
	free(some);
	free(data);
}

static void a_damaged_archive_is_one_line_and_no_trace(void **state)
{
	static const struct {
		const char *name, *format, *filter;
		bool checksum; /* else nobody can tell a changed byte */
	} kinds[] = {
		{"in/a.tar", "ustar", NULL, false},	  {"in/a.zip", "zip", NULL, true},
		{"in/a.7z", "7zip", NULL, true},	  {"in/a.cpio", "newc", NULL, false},
		{"in/a.tar.zst", "ustar", "zstd", false}, {"in/a.tar.gz", "ustar", "gzip", true},
		{"in/a.tar.xz", "ustar", "xz", true},	  {"in/a.tar.bz2", "ustar", "bzip2", true},
		{"in/a.tar.lz4", "ustar", "lz4", true},
	};
	uint8_t *data = content(8, FIRST + SECOND);

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *path = archive_of(kinds[i].name, kinds[i].format, kinds[i].filter, NULL,
					      data, FIRST, SECOND);
		struct bytes whole = bytes_read(path);

		assert_int_equal(truncate(path, whole.size / 2), 0);
		refuse(inputs_of(path), path, ": ");
		if (kinds[i].checksum) {
			whole.data[whole.size / 2] ^= 0x10;
			bytes_write(&whole, path);
			refuse(inputs_of(path), path, ": ");
		}
		assert_int_equal(unlink(path), 0);
		free(whole.data);
	}
	free(data);
}

/* Behind the end of the archive, where reading the archive does not come. */
static void damage_behind_the_end_of_a_packed_archive_is_seen(void **state)
{
	uint8_t *data = content(9, FIRST + SECOND);
	struct bytes tar =
		bytes_read(archive_of("in/a.tar", "ustar", NULL, NULL, data, FIRST, SECOND));
	size_t padded = tar.size + (1 << 20), bound = ZSTD_compressBound(padded);
	struct bytes packed = {.data = malloc(bound)};
	ZSTD_CCtx *cctx = ZSTD_createCCtx();

	tar.data = realloc(tar.data, padded);
	assert_non_null(tar.data);
	memset(tar.data + tar.size, 0, padded - tar.size);
	ZSTD_CCtx_setParameter(cctx, ZSTD_c_checksumFlag, 1);
	packed.size = ZSTD_compress2(cctx, packed.data, bound, tar.data, padded);
	assert_false(ZSTD_isError(packed.size));
	bytes_write(&packed, at("in/a.tar.zst"));
	assert_int_equal(build(inputs_of(at("in/a.tar.zst"))), 5);
	packed.data[packed.size - 1] ^= 1;
	bytes_write(&packed, at("in/a.tar.zst"));
	refuse(inputs_of(at("in/a.tar.zst")), "a.tar.zst", "checksum");
	ZSTD_freeCCtx(cctx);
	free(packed.data);
	free(tar.data);
	free(data);
}

static void the_checksum_of_gzip_is_looked_at(void **state)
{
	uint8_t *data = content(9, 9000);
	struct bytes packed = bytes_read(packed_of("in/a.gz", "gzip", data, 9000));

	packed.data[packed.size - 6] ^= 1;
	bytes_write(&packed, at("in/a.gz"));
	refuse(inputs_of(at("in/a.gz")), "a.gz", "gzip: ");
	free(packed.data);
	free(data);
}

static void an_encrypted_archive_is_refused_as_such(void **state)
{
	uint8_t *data = content(10, FIRST + SECOND);
	const char *path =
		archive_of("in/a.zip", "zip", NULL, "zip:encryption=aes256", data, FIRST, SECOND);

	refuse(inputs_of(path), "a.zip", "encrypted");
	free(data);
}

static void a_name_that_promises_what_is_not_there_is_an_error(void **state)
{
	static const char *const names[] = {"in/a.zip", "in/a.tar", "in/a.tar.gz", "in/a.zst",
					    "in/a.Z"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *path = put(names[i], "no archive at all", 17);

		refuse(inputs_of(path), names[i], "--raw");
		assert_int_equal(build_order(inputs_of(path), true, 0).nr_pages, 1);
		assert_int_equal(unlink(path), 0);
	}
}

/* A tar that some program unpacked on the way, and left its name. */
static void an_archive_that_is_not_packed_as_its_name_says_is_an_error(void **state)
{
	uint8_t *data = content(12, FIRST + SECOND);
	const char *path = archive_of("in/a.tar.gz", "ustar", NULL, NULL, data, FIRST, SECOND);

	refuse(inputs_of(path), "a.tar.gz", "its name says packed");
	assert_int_equal(unlink(path), 0);
	free(data);
}

static void without_a_page_there_is_no_trace(void **state)
{
	static uint8_t zeros[10240];
	uint8_t *data = content(11, 100);

	refuse(inputs_of(put("in/empty", "", 0)), "empty", "not one byte");
	refuse(inputs_of(at("in")), "in", "not one byte");
	/* A tar, and a packed file, of nothing. */
	refuse(inputs_of(put("in/nothing.tar", zeros, sizeof(zeros))), "nothing.tar",
	       "not one byte");
	refuse(inputs_of(packed_of("in/nothing.zst", "zstd", data, 0)), "nothing.zst",
	       "not one byte");
	refuse(inputs_of(archive_of("in/empty.zip", "zip", NULL, NULL, data, 0, 0)), "empty.zip",
	       "not one byte");
	free(data);
}

static void what_cannot_be_read_is_named(void **state)
{
	refuse(inputs_of(put("in/there", "x", 1), at("in/missing")), "in/missing", "No such file");
	refuse(inputs_of("/dev/null"), "/dev/null", "neither a file nor a directory");
}

static void a_file_without_permission_is_named(void **state)
{
	const char *secret = put("in/secret", "x", 1);
	bool root_user = geteuid() == 0;

	assert_int_equal(chmod(secret, 0), 0);
	/* Root may read everything: be somebody else for a while. */
	if (root_user && (chown(root, 65534, -1) || chown(at("in"), 65534, -1) || seteuid(65534))) {
		print_message("# SKIP cannot be somebody else than root\n");
		skip();
	}
	refuse(inputs_of(at("in")), "in/secret", "Permission denied");
	if (root_user)
		assert_int_equal(seteuid(0), 0);
}

static void an_input_is_not_written_over(void **state)
{
	const char *path = put("in/file", "precious", 8);
	struct trace_made made;
	struct trace_error err;
	struct bytes after;

	assert_int_equal(link(path, at("hard")), 0);
	assert_int_equal(symlink("in/file", at("soft")), 0);
	assert_int_equal(build_at(path, inputs_of(path), false, 0, &made, &err), -EEXIST);
	assert_int_equal(build_at(at("hard"), inputs_of(at("in")), false, 0, &made, &err), -EEXIST);
	assert_int_equal(build_at(at("soft"), inputs_of(path), false, 0, &made, &err), -EEXIST);
	assert_non_null(strstr(err.message, "one of the inputs"));
	after = bytes_read(path);
	assert_int_equal(after.size, 8);
	assert_memory_equal(after.data, "precious", 8);
	free(after.data);
	/* Beside the inputs it may be, and its temporary files are none of them. */
	assert_int_equal(build_at(at("in/out.bin"), inputs_of(at("in")), false, 0, &made, &err), 0);
	assert_int_equal(made.nr_pages, 1);
}

static void an_error_leaves_the_old_trace(void **state)
{
	const char *bad = put("in/bad.zip", "no", 2), *target = put("old.bin", "old", 3);
	struct trace_made made;
	struct trace_error err;
	struct bytes after;

	assert_true(build_at(target, inputs_of(bad), false, 0, &made, &err) < 0);
	after = bytes_read(target);
	assert_int_equal(after.size, 3);
	assert_memory_equal(after.data, "old", 3);
	free(after.data);
}

static void the_same_inputs_give_the_same_bytes(void **state)
{
	uint8_t *data = content(12, 30000);
	struct trace_made made;
	struct trace_error err;
	struct bytes a, b;

	put("in/file", data, 30000);
	assert_ok(build_at(at("a.bin"), inputs_of(at("in")), false, 4, &made, &err), &err);
	assert_ok(build_at(at("b.bin"), inputs_of(at("in")), false, 4, &made, &err), &err);
	a = bytes_read(at("a.bin"));
	b = bytes_read(at("b.bin"));
	assert_int_equal(a.size, made.file_bytes);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.data, b.data, a.size);
	free(a.data);
	free(b.data);
	free(data);
}

static void memory_does_not_grow_with_the_input(void **state)
{
	const size_t mib = 96;
	uint64_t before, after;

	put("in/large", "x", 1);
	assert_int_equal(truncate(at("in/large"), mib << 20), 0);
	before = rss_anon();
	assert_int_equal(build(inputs_of(at("in/large"))), mib << 8);
	after = rss_anon();
	assert_true(after < before + (16 << 20));
}

/* As many whole pages as the figures have, and one more where a file does not end with one. */
static void silesia_has_as_many_pages_as_its_figures(void **state)
{
	const char *vectors = getenv("ZSWAPSIM_VECTORS"), *silesia = getenv("ZSWAPSIM_SILESIA");
	char path[4096], line[1024], name[64];
	unsigned pages, seen = 0;
	FILE *figures;

	snprintf(path, sizeof(path), "%s/silesia-page-sizes.csv", vectors ? vectors : "");
	figures = fopen(path, "r");
	if (!figures || !silesia) {
		if (figures)
			fclose(figures);
		print_message("# SKIP the Silesia files are not here\n");
		skip();
	}
	while (fgets(line, sizeof(line), figures)) {
		uint64_t bytes;
		struct bytes head;

		if (sscanf(line, "%63[^,],%u,", name, &pages) != 2)
			continue;
		snprintf(path, sizeof(path), "%s/%s.zst", silesia, name);
		if (access(path, R_OK))
			continue;
		head = bytes_read(path);
		bytes = ZSTD_getFrameContentSize(head.data, head.size);
		free(head.data);
		assert_int_equal(bytes / 4096, pages);
		assert_int_equal(build(inputs_of(path)), (bytes + 4095) / 4096);
		seen++;
	}
	fclose(figures);
	if (!seen) {
		print_message("# SKIP the Silesia files are not here\n");
		skip();
	}
}

#define test(f) cmocka_unit_test_setup_teardown(f, dir_create, dir_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_file_is_cut_into_pages_and_the_last_is_filled_with_zeros),
		test(folios_hold_the_pages_of_one_file_in_order),
		test(a_directory_is_walked_by_name_and_links_and_empty_files_are_skipped),
		test(archives_are_taken_in_their_order_however_they_are_packed),
		test(a_packed_file_is_unpacked_whatever_its_name),
		test(members_of_ar_have_no_type_and_are_files),
		test(a_tar_that_is_not_named_so_is_a_file),
		test(bytes_that_some_reader_would_take_for_its_own_are_bytes),
		test(raw_looks_into_nothing),
		test(holes_of_sparse_files_are_zeros),
		test(a_damaged_archive_is_one_line_and_no_trace),
		test(damage_behind_the_end_of_a_packed_archive_is_seen),
		test(the_checksum_of_gzip_is_looked_at),
		test(an_encrypted_archive_is_refused_as_such),
		test(a_name_that_promises_what_is_not_there_is_an_error),
		test(an_archive_that_is_not_packed_as_its_name_says_is_an_error),
		test(without_a_page_there_is_no_trace),
		test(what_cannot_be_read_is_named),
		test(a_file_without_permission_is_named),
		test(an_input_is_not_written_over),
		test(an_error_leaves_the_old_trace),
		test(the_same_inputs_give_the_same_bytes),
		test(memory_does_not_grow_with_the_input),
		test(silesia_has_as_many_pages_as_its_figures),
	};

	return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
