// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <string.h>

#include "sim/swap_model.h"
#include "tests/test.h"

static struct swap_model model;
static char err[256];

static void parse(const char *text)
{
	assert_int_equal(swap_model_parse(text, &model, err, sizeof(err)), 0);
	assert_string_equal(model.name, text);
}

static void a_request_takes_its_latency_and_its_transfer(void **state)
{
	parse("80/500");
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_READ, 4096), 80000 + 8192);
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_WRITE, 4096), 80000 + 8192);
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_WRITE, 65536), 80000 + 131072);
	parse("0.5");
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_READ, 4096), 500);
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_READ, 2 << 20), 500);
	parse("0/0.1");
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_READ, 4096), 40960000);
}

static void none_takes_no_time(void **state)
{
	parse("none");
	assert_true(swap_model_is_none(&model));
	assert_int_equal(swap_model_ns(&model, SWAP_MODEL_READ, 2 << 20), 0);
	parse("0/100");
	assert_false(swap_model_is_none(&model));
}

/* What the header says they are from: requests of 4 KiB, one at a time. */
static void the_built_in_devices_are_the_data_sheets(void **state)
{
	parse("nvme");
	assert_in_range(1000000000 / swap_model_ns(&model, SWAP_MODEL_READ, 4096), 18900, 19400);
	assert_in_range(1000000000 / swap_model_ns(&model, SWAP_MODEL_WRITE, 4096), 58000, 62000);
	parse("ssd");
	assert_in_range(1000000000 / swap_model_ns(&model, SWAP_MODEL_READ, 4096), 9900, 10200);
	assert_in_range(1000000000 / swap_model_ns(&model, SWAP_MODEL_WRITE, 4096), 41000, 43000);
	parse("hdd");
	assert_in_range(swap_model_ns(&model, SWAP_MODEL_READ, 4096), 12600000, 12700000);
	assert_in_range(swap_model_ns(&model, SWAP_MODEL_WRITE, 4096), 13600000, 13700000);
}

static void what_is_no_device_is_refused(void **state)
{
	static const char *const bad[] = {
		"",
		"tape",
		"NVME",
		"-1",
		"80/",
		"/500",
		"80/0",
		"80/-1",
		"1e3",
		"0x10",
		"inf",
		"nan",
		" 80",
		"80 ",
		"80/500/1",
		"80MB",
		"1.2.3",
		"100000001",
		"80/1000000001",
		"1.0000000000000000000000000000000000000000000",
	};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(swap_model_parse(bad[i], &model, err, sizeof(err)), -EINVAL);
		assert_non_null(strstr(err, "LATENCY_US"));
		assert_null(strchr(err, '\n'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_takes_its_latency_and_its_transfer),
		cmocka_unit_test(none_takes_no_time),
		cmocka_unit_test(the_built_in_devices_are_the_data_sheets),
		cmocka_unit_test(what_is_no_device_is_refused),
	};

	return cmocka_run_group_tests_name("swap_model", tests, NULL, NULL);
}
