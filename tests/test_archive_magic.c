// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "tests/test.h"
#include "traces/archive_magic.h"
#include "traces/random.h"

/* The oldest form of a tar header, which has no magic. */
static void tar_header(uint8_t head[ARCHIVE_MAGIC_BYTES], bool signed_sum)
{
	unsigned sum = 0;
	int chars = 0;

	memset(head, 0, ARCHIVE_MAGIC_BYTES);
	strcpy((char *)head, "caf\xc3\xa9.txt");
	strcpy((char *)head + 100, "0000644");
	strcpy((char *)head + 124, "00000000012");
	memset(head + 148, ' ', 8);
	for (size_t i = 0; i < ARCHIVE_MAGIC_BYTES; i++) {
		sum += head[i];
		chars += (int8_t)head[i];
	}
	snprintf((char *)head + 148, 8, "%06o", signed_sum ? (unsigned)chars : sum);
	head[155] = ' ';
}

static void a_tar_is_told_by_its_checksum(void **state)
{
	uint8_t head[ARCHIVE_MAGIC_BYTES];

	tar_header(head, false);
	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_TAR);
	assert_int_equal(archive_magic(head, sizeof(head) - 1), ARCHIVE_NONE);
	head[0]++;
	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_NONE);
	tar_header(head, true);
	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_TAR);
}

static void zeros_text_and_noise_are_bytes(void **state)
{
	uint8_t head[ARCHIVE_MAGIC_BYTES] = {0};
	struct random r;

	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_NONE);
	assert_int_equal(archive_magic(head, 0), ARCHIVE_NONE);
	memset(head, ' ', sizeof(head));
	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_NONE);
	memcpy(head, "#mtree\n", 7);
	assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_NONE);
	random_init(&r, 1, 0);
	for (int i = 0; i < 20000; i++) {
		random_bytes(&r, head, sizeof(head));
		assert_int_equal(archive_magic(head, sizeof(head)), ARCHIVE_NONE);
	}
}

static void other_archives_are_told_by_their_magic(void **state)
{
	assert_int_equal(archive_magic((const uint8_t *)"PK\3\4", 4), ARCHIVE_ZIP);
	assert_int_equal(archive_magic((const uint8_t *)"PK\3", 3), ARCHIVE_NONE);
	assert_int_equal(archive_magic((const uint8_t *)"7z\xbc\xaf\x27\x1c", 6), ARCHIVE_7ZIP);
	assert_int_equal(archive_magic((const uint8_t *)"070701", 6), ARCHIVE_CPIO);
	assert_int_equal(archive_magic((const uint8_t *)"!<arch>\n", 8), ARCHIVE_AR);
}

static void check_name(const char *path, bool archive, bool packed, bool compress)
{
	struct archive_promise name = archive_name(path);

	assert_int_equal(name.archive, archive);
	assert_int_equal(name.packed, packed);
	assert_int_equal(name.compress, compress);
}

static void a_name_promises_what_its_suffixes_say(void **state)
{
	check_name("silesia.tar", true, false, false);
	check_name("a/b.d/silesia.tar.zst", true, true, false);
	check_name("SILESIA.TAR.GZ", true, true, false);
	check_name("silesia.tgz", true, true, false);
	check_name("silesia.zip", true, false, false);
	check_name("corpus.7z", true, false, false);
	check_name("xml.zst", false, true, false);
	check_name("xml", false, false, false);
	check_name("old.tar.Z", true, true, true);
	check_name("old.z", false, false, false);
	check_name("notes.tar.txt", false, false, false);
	check_name("dir.tar/file", false, false, false);
	check_name(".zip", false, false, false);
	check_name("", false, false, false);
	assert_true(archive_name("x.tar").tar);
	assert_false(archive_name("x.zip").tar);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tar_is_told_by_its_checksum),
		cmocka_unit_test(zeros_text_and_noise_are_bytes),
		cmocka_unit_test(other_archives_are_told_by_their_magic),
		cmocka_unit_test(a_name_promises_what_its_suffixes_say),
	};

	return cmocka_run_group_tests_name("archive_magic", tests, NULL, NULL);
}
