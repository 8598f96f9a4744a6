// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpuid_private.h"
#include "tests/test.h"

/* ---- synthetic CPUs ---- */

static struct cpuid_cpu parsed(const char *text)
{
	struct cpuid_cpu cpu;
	char err[256] = "";

	if (cpuid_cpu_parse(&cpu, text, err, sizeof(err)))
		fail_msg("%s: %s", text, err);
	return cpu;
}

static void a_cpu_is_read_from_text_and_the_last_value_of_a_key_holds(void **state)
{
	struct cpuid_cpu cpu = parsed("bmi1=0,bmi2=1,hypervisor=0,maxleaf=6,bmi1=1,maxleaf=7");

	assert_int_equal(cpu.nr, 4);
	assert_int_equal(cpu.force[0].value, CPUID_7_EBX_BMI1);
	assert_int_equal(cpu.force[1].value, CPUID_7_EBX_BMI2);
	assert_int_equal(cpu.force[2].value, 0);
	assert_int_equal(cpu.force[3].value, 7);
}

static void a_bad_cpu_is_refused_with_its_part_and_the_known_keys(void **state)
{
	static const struct {
		const char *text, *in_message;
	} bad[] = {
		{"", "known: bmi1"},	       {"bmi1", "'bmi1'"},
		{"bmi3=1", "'bmi3=1'"},	       {"bmi1=2", "0 to 1"},
		{"bmi1=", "0 to 1"},	       {"bmi1=1,", "known"},
		{",bmi1=1", "known"},	       {"bmi1=1x", "'bmi1=1x'"},
		{"bmi2=-1", "0 to 1"},	       {"maxleaf=65536", "0 to 65535"},
		{"maxleaf=0x7", "0 to 65535"}, {"bmi1=1 ,bmi2=1", "'bmi1=1 '"},
		{"BMI1=1", "known"},	       {"=1", "known"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct cpuid_cpu cpu;
		char err[256] = "";

		assert_int_equal(cpuid_cpu_parse(&cpu, bad[i].text, err, sizeof(err)), -EINVAL);
		if (!strstr(err, bad[i].in_message))
			fail_msg("'%s': %s", bad[i].text, err);
		assert_null(strchr(err, '\n'));
	}
}

static uint32_t answer(const struct cpuid_cpu *cpu, uint32_t leaf, enum cpuid_reg reg)
{
	uint32_t regs[CPUID_NR_REGS];

	cpuid_cpu_answer(cpu, leaf, 0, regs);
	return regs[reg];
}

static void a_cpu_answers_as_this_one_but_for_its_forced_bits(void **state)
{
	struct cpuid_cpu none = parsed("bmi1=0,bmi2=0"), both = parsed("bmi1=1,bmi2=1,maxleaf=7");
	const uint32_t bits = CPUID_7_EBX_BMI1 | CPUID_7_EBX_BMI2;
	uint32_t real[CPUID_NR_REGS], regs[CPUID_NR_REGS];

	if (!cpuid_execute(0, 0, real)) {
		print_message("# SKIP no CPUID here\n");
		skip();
	}
	cpuid_cpu_answer(&none, 0, 0, regs);
	assert_memory_equal(regs, real, sizeof(real));
	cpuid_cpu_answer(NULL, 0, 0, regs);
	assert_memory_equal(regs, real, sizeof(real));
	assert_int_equal(answer(&both, 0, CPUID_EAX), 7);
	assert_int_equal(answer(&none, 7, CPUID_EBX) & bits, 0);
	assert_int_equal(answer(&both, 7, CPUID_EBX) & bits, bits);
	if (real[CPUID_EAX] >= 7) {
		cpuid_execute(7, 0, real);
		assert_int_equal(answer(&none, 7, CPUID_EBX) | bits, real[CPUID_EBX] | bits);
		assert_int_equal(answer(&none, 7, CPUID_ECX), real[CPUID_ECX]);
	}
}

static void a_leaf_beyond_the_last_is_answered_with_zeros(void **state)
{
	struct cpuid_cpu cpu = parsed("bmi2=1,maxleaf=6");

	for (unsigned reg = 0; reg < CPUID_NR_REGS; reg++)
		assert_int_equal(answer(&cpu, 7, reg), 0);
	assert_int_equal(answer(&cpu, CPUID_LEAF_HYPERVISOR, CPUID_EAX),
			 answer(NULL, CPUID_LEAF_HYPERVISOR, CPUID_EAX));
}

static void a_cpu_with_bmi_has_leaf_7(void **state)
{
	struct cpuid_cpu cpu;

	cpuid_cpu_with_bmi(&cpu, false, true);
	assert_true(answer(&cpu, 0, CPUID_EAX) >= 7);
	assert_int_equal(answer(&cpu, 7, CPUID_EBX) & CPUID_7_EBX_BMI1, 0);
	assert_int_not_equal(answer(&cpu, 7, CPUID_EBX) & CPUID_7_EBX_BMI2, 0);
}

/* ---- the decoder ---- */

/* Bytes from here on cannot be read. */
static bool readable_before(void *end, uint64_t address)
{
	return address < (uint64_t)(uintptr_t)end;
}

static struct cpuid_insn decoded(const uint8_t *code, size_t len)
{
	struct cpuid_insn insn;

	cpuid_decode((uint64_t)(uintptr_t)code, readable_before, (void *)(code + len), &insn);
	return insn;
}

#define assert_decodes(kind_, length_, ...)                                                        \
	do {                                                                                       \
		const uint8_t code[] = {__VA_ARGS__};                                              \
		struct cpuid_insn insn = decoded(code, sizeof(code));                              \
                                                                                                   \
		assert_int_equal(insn.kind, CPUID_INSN_##kind_);                                   \
		if (length_)                                                                       \
			assert_int_equal(insn.length, length_);                                    \
	} while (0)

static void cpuid_is_seen_behind_any_prefix_but_lock(void **state)
{
	assert_decodes(CPUID, 2, 0x0f, 0xa2);
	assert_decodes(CPUID, 3, 0x48, 0x0f, 0xa2);
	assert_decodes(CPUID, 3, 0x66, 0x0f, 0xa2);
	assert_decodes(CPUID, 6, 0xf3, 0x2e, 0x66, 0x41, 0x0f, 0xa2);
	assert_decodes(CPUID, 15, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		       0x66, 0x66, 0x0f, 0xa2);
	assert_decodes(OTHER, 0, 0xf0, 0x0f, 0xa2);
}

static void other_instructions_are_not_taken_for_cpuid(void **state)
{
	assert_decodes(OTHER, 0, 0x0f, 0xa3, 0xc0);	  /* bt */
	assert_decodes(OTHER, 0, 0xb8, 0x0f, 0xa2, 0, 0); /* mov $0xa20f, %eax */
	assert_decodes(OTHER, 0, 0x0f, 0x0b);		  /* ud2 */
	assert_decodes(OTHER, 0, 0xc4, 0xe2, 0x0f, 0xa2); /* VEX */
	assert_decodes(OTHER, 0, 0x90);
}

static void code_is_read_no_further_than_the_processor_would(void **state)
{
	assert_decodes(UNREADABLE, 0, 0x0f);
	assert_decodes(UNREADABLE, 0, 0x66, 0x48);
	assert_decodes(UNREADABLE, 0, 0xcd);
	assert_decodes(OTHER, 1, 0xe8); /* a call, whose distance does not matter */
	/* Sixteen bytes are no instruction. */
	assert_decodes(UNREADABLE, 0, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
		       0x66, 0x66, 0x66, 0x66, 0x0f, 0xa2);
}

static void ways_into_the_kernel_and_pushf_are_told_apart(void **state)
{
	const uint8_t syscall[] = {0x0f, 0x05}, int80[] = {0xcd, 0x80};

	assert_decodes(KERNEL, 2, 0x0f, 0x05);
	assert_decodes(KERNEL, 2, 0xcd, 0x80);
	assert_true(decoded(syscall, 2).syscall);
	assert_false(decoded(int80, 2).syscall);
	assert_decodes(PUSHF, 1, 0x9c);
	assert_decodes(PUSHF, 2, 0x66, 0x9c);
}

static void repeated_string_instructions_have_a_width_and_a_kind(void **state)
{
	static const struct {
		uint8_t code[4];
		unsigned length, width;
		bool movs;
	} strings[] = {
		{{0xf3, 0xaa}, 2, 1, false},
		{{0xf3, 0xab}, 2, 4, false},
		{{0xf3, 0x48, 0xab}, 3, 8, false},
		{{0x66, 0xf3, 0xab}, 3, 2, false},
		{{0xf3, 0xa4}, 2, 1, true},
		{{0xf3, 0x48, 0xa5}, 3, 8, true},
		{{0xf3, 0x48, 0x66, 0xa5}, 4, 2, true}, /* REX does not stand before the opcode */
	};

	for (size_t i = 0; i < sizeof(strings) / sizeof(*strings); i++) {
		struct cpuid_insn insn = decoded(strings[i].code, strings[i].length);

		assert_int_equal(insn.kind, CPUID_INSN_STRING);
		assert_int_equal(insn.length, strings[i].length);
		assert_int_equal(insn.width, strings[i].width);
		assert_int_equal(insn.movs, strings[i].movs);
	}
	assert_decodes(OTHER, 0, 0xaa);		    /* not repeated */
	assert_decodes(OTHER, 0, 0xf3, 0x67, 0xaa); /* 32-bit addresses */
	assert_decodes(OTHER, 0, 0x65, 0xf3, 0xa4); /* from another segment */
	assert_decodes(OTHER, 0, 0xf3, 0xa6);	    /* cmps */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cpu_is_read_from_text_and_the_last_value_of_a_key_holds),
		cmocka_unit_test(a_bad_cpu_is_refused_with_its_part_and_the_known_keys),
		cmocka_unit_test(a_cpu_answers_as_this_one_but_for_its_forced_bits),
		cmocka_unit_test(a_leaf_beyond_the_last_is_answered_with_zeros),
		cmocka_unit_test(a_cpu_with_bmi_has_leaf_7),
		cmocka_unit_test(cpuid_is_seen_behind_any_prefix_but_lock),
		cmocka_unit_test(other_instructions_are_not_taken_for_cpuid),
		cmocka_unit_test(code_is_read_no_further_than_the_processor_would),
		cmocka_unit_test(ways_into_the_kernel_and_pushf_are_told_apart),
		cmocka_unit_test(repeated_string_instructions_have_a_width_and_a_kind),
	};

	return cmocka_run_group_tests_name("cpuid", tests, NULL, NULL);
}
