// SPDX-License-Identifier: GPL-2.0-or-later
/* Only as much of x86-64's encoding as the counter has to know. */
#include <string.h>

#include "backends/cpuid_private.h"

/* Longer ones are not executed. */
#define MAX_LENGTH 15

struct code {
	uint64_t address;
	unsigned pos;
	cpuid_readable_fn readable;
	void *arg;
	bool unreadable;
};

CPUID_RAW_ACCESS static uint8_t next_byte(struct code *c)
{
	uint64_t address = c->address + c->pos;

	if (c->pos >= MAX_LENGTH || !c->readable(c->arg, address)) {
		c->unreadable = true;
		return 0;
	}
	c->pos++;
	return *(const uint8_t *)(uintptr_t)address;
}

struct prefixes {
	bool operand16, address32, segment, lock, rep, repne, rex_w;
};

/* Returns the first byte that is none. */
static uint8_t read_prefixes(struct code *c, struct prefixes *p)
{
	uint8_t byte;

	memset(p, 0, sizeof(*p));
	for (;;) {
		byte = next_byte(c);
		if (c->unreadable)
			return byte;
		switch (byte) {
		case 0x66:
			p->operand16 = true;
			break;
		case 0x67:
			p->address32 = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e: /* these four mean nothing in 64-bit mode */
			break;
		case 0x64:
		case 0x65:
			p->segment = true;
			break;
		case 0xf0:
			p->lock = true;
			break;
		case 0xf2:
			p->repne = true;
			break;
		case 0xf3:
			p->rep = true;
			break;
		case 0x40 ... 0x4f: /* REX: counts only right before the opcode */
			p->rex_w = byte & 8;
			continue;
		default:
			return byte;
		}
		p->rex_w = false;
	}
}

static void decode_string(const struct prefixes *p, uint8_t opcode, struct cpuid_insn *insn)
{
	if (!p->rep || p->address32 || p->segment || p->repne || p->lock)
		return;
	insn->kind = CPUID_INSN_STRING;
	insn->movs = opcode == 0xa4 || opcode == 0xa5;
	if (opcode == 0xa4 || opcode == 0xaa)
		insn->width = 1;
	else
		insn->width = p->rex_w ? 8 : p->operand16 ? 2 : 4;
}

void cpuid_decode(uint64_t address, cpuid_readable_fn readable, void *arg, struct cpuid_insn *insn)
{
	struct code c = {.address = address, .readable = readable, .arg = arg};
	struct prefixes p;
	uint8_t opcode = read_prefixes(&c, &p);

	memset(insn, 0, sizeof(*insn));
	switch (opcode) {
	case 0x0f:
		opcode = next_byte(&c);
		/* With LOCK either is an invalid opcode. */
		if (opcode == 0xa2 && !p.lock)
			insn->kind = CPUID_INSN_CPUID;
		if (opcode == 0x05 && !p.lock) {
			insn->kind = CPUID_INSN_KERNEL;
			insn->syscall = true;
		}
		break;
	case 0x9c:
		insn->kind = CPUID_INSN_PUSHF;
		break;
	case 0xa4:
	case 0xa5:
	case 0xaa:
	case 0xab:
		decode_string(&p, opcode, insn);
		break;
	case 0xcd:
		next_byte(&c); /* the number of the interrupt */
		insn->kind = CPUID_INSN_KERNEL;
		break;
	}
	insn->length = c.pos;
	if (c.unreadable)
		insn->kind = CPUID_INSN_UNREADABLE;
}
