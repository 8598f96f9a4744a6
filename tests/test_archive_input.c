// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <archive.h>
#include <archive_entry.h>
#include <zstd.h>

#include "tests/build_rig.h"
#include "tests/test.h"
#include "tests/trace_file.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};

	return cmocka_run_group_tests_name("archive_input", tests, NULL, NULL);
}
