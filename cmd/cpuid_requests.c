// SPDX-License-Identifier: GPL-2.0-or-later
/* Whole requests, stepped through: what they execute is counted, not computed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "backends/registry.h"
#include "cmd/cpuid_report.h"

/* A page of text: something between the fastest and the slowest. */
static void fill_page(uint8_t *page)
{
	static const char *const words[] = {"swap ",   "page ",	 "of ", "the ", "kernel ",
					    "entry, ", "which ", "is ", "not ", "cold. "};
	uint32_t random = 1;

	for (unsigned i = 0; i < PAGE_SIZE;) {
		const char *word;

		random = random * 1664525 + 1013904223;
		for (word = words[(random >> 16) % 10]; *word && i < PAGE_SIZE; word++, i++)
			page[i] = *word;
	}
}

struct stepped {
	struct acomp_req req;
	bool compress;
	int ret;
};

static void do_request(void *arg)
{
	struct stepped *s = arg;

	s->ret = s->compress ? crypto_acomp_compress(&s->req) : crypto_acomp_decompress(&s->req);
}

enum { PLAIN, FRAME, FRAME_HEAD, FRAME_TAIL, BACK, NR_PAGES };

struct buffers {
	struct page *pages[NR_PAGES];
	struct scatterlist sg[2];
	unsigned frame_len;
};

static bool get_buffers(struct kernel *k, struct buffers *b)
{
	for (unsigned i = 0; i < NR_PAGES; i++) {
		b->pages[i] = alloc_pages(k->frames, 0, 0);
		if (!b->pages[i])
			return false;
	}
	fill_page(page_address(b->pages[PLAIN]));
	return true;
}

/* As an object that begins at the end of one page of its zspage. */
static void split_frame(struct buffers *b)
{
	const char *frame = page_address(b->pages[FRAME]);
	unsigned head = b->frame_len / 2, tail = b->frame_len - head;

	sg_init_table(b->sg, 2);
	sg_set_page(&b->sg[0], b->pages[FRAME_HEAD], head, PAGE_SIZE - head);
	sg_set_page(&b->sg[1], b->pages[FRAME_TAIL], tail, 0);
	memcpy(sg_virt(&b->sg[0]), frame, head);
	memcpy(sg_virt(&b->sg[1]), frame + head, tail);
}

static void set_up(struct stepped *s, struct buffers *b, enum cpuid_request which)
{
	s->compress = which == CPUID_STORE;
	if (which == CPUID_STORE) {
		acomp_request_set_src_folio(&s->req, b->pages[PLAIN], 0, PAGE_SIZE);
		acomp_request_set_dst_folio(&s->req, b->pages[FRAME], 0, PAGE_SIZE);
		return;
	}
	if (which == CPUID_LOAD)
		acomp_request_set_src_folio(&s->req, b->pages[FRAME], 0, b->frame_len);
	else
		acomp_request_set_src_sg(&s->req, b->sg, b->frame_len);
	acomp_request_set_dst_folio(&s->req, b->pages[BACK], 0, PAGE_SIZE);
}

/* The second of two is counted: the first binds symbols, and asks where one asks once. */
static int step_one(struct crypto_acomp *tfm, struct buffers *b, enum cpuid_request which,
		    struct cpuid_count *count)
{
	struct stepped s;
	int ret;

	for (unsigned i = 0; i < 2; i++) {
		memset(&s, 0, sizeof(s));
		acomp_request_set_tfm(&s.req, tfm);
		set_up(&s, b, which);
		if (i == 0)
			do_request(&s);
	}
	ret = cpuid_count_call(do_request, &s, NULL, count);
	if (ret)
		return ret;
	if (!s.ret && which == CPUID_STORE) {
		b->frame_len = s.req.dlen;
		split_frame(b);
	}
	return s.ret;
}

static int step_all(struct cpuid_report *r, struct kernel *k, struct crypto_acomp *tfm, char *err,
		    size_t err_size)
{
	struct buffers b;

	if (!get_buffers(k, &b)) {
		snprintf(err, err_size, "out of memory");
		return -ENOMEM;
	}
	for (enum cpuid_request i = 0; i < CPUID_NR_REQUESTS; i++) {
		struct cpuid_count *count = &r->request[i].stepped;
		int ret = step_one(tfm, &b, i, count);

		if (!ret)
			continue;
		snprintf(err, err_size, "%s", *count->reason ? count->reason : strerror(-ret));
		return ret;
	}
	r->stepped = true;
	return 0;
}

int cpuid_step_requests(struct cpuid_report *r, char *err, size_t err_size)
{
	struct kernel_config config = {.profile = r->profile};
	struct crypto_acomp *tfm;
	struct kernel *k;
	int ret = kernel_create(&config, &k);

	if (!ret) {
		crypto_init(k, backends_registry());
		ret = crypto_alloc_acomp(k, "zstd", &tfm);
		if (!ret) {
			ret = step_all(r, k, tfm, err, err_size);
			crypto_free_acomp(tfm);
		}
		crypto_exit(k);
		kernel_destroy(k);
	}
	if (ret && !*err)
		snprintf(err, err_size, "%s", strerror(-ret));
	return ret;
}
