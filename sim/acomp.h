/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * acomp: requests, the walk over their buffers, per-CPU streams and the registry of algorithms
 * (crypto/acompress.c, include/crypto/acompress.h, 6.16 to 7.3; kernel-spec A.1 to A.6).
 *
 * sim finds an algorithm by name in the registry that the program passed in; backends/ provides
 * the algorithms. A backend fills the cost record of a request: which contexts it built, which
 * codec calls it made, and how long each of the two took.
 */
#ifndef SIM_ACOMP_H
#define SIM_ACOMP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel.h"
#include "sim/scatterlist.h"

struct acomp_chain;
struct acomp_req;
struct acomp_trace;
struct crypto_acomp;

/* How a request went through the codec. */
enum acomp_path {
	ACOMP_PATH_NONE,    /* the codec was not reached */
	ACOMP_PATH_ONESHOT, /* both buffers in one fragment each */
	ACOMP_PATH_STREAM,
};

/* Why a request streamed: the first fragment that was not the whole. */
enum acomp_stream_reason {
	ACOMP_STREAM_NOT,
	ACOMP_STREAM_SRC, /* the source is in several fragments */
	ACOMP_STREAM_DST,
	ACOMP_STREAM_BOTH,
};

/*
 * Kernel functions whose entries are counted, by what they do for zstd (lib/zstd/zstd_*_module.c).
 * The same list serves any codec, whose functions have names of their own (acomp_alg.call_names):
 * an algorithm without streams counts one-shot calls only.
 */
enum acomp_call {
	ACOMP_CALL_INIT_CCTX,
	ACOMP_CALL_INIT_CSTREAM,
	ACOMP_CALL_COMPRESS_CCTX,
	ACOMP_CALL_COMPRESS_STREAM,
	ACOMP_CALL_FLUSH_STREAM,
	ACOMP_CALL_END_STREAM,
	ACOMP_CALL_INIT_DCTX,
	ACOMP_CALL_INIT_DSTREAM,
	ACOMP_CALL_DECOMPRESS_DCTX,
	ACOMP_CALL_DECOMPRESS_STREAM,
	ACOMP_NR_CALLS,
};

/* "zstd_init_cctx", ...: of zstd. */
extern const char *const acomp_call_names[ACOMP_NR_CALLS];

struct acomp_cost {
	uint32_t calls[ACOMP_NR_CALLS];
	enum acomp_path path;
	enum acomp_stream_reason reason;
	uint64_t init_ns;  /* building contexts */
	uint64_t codec_ns; /* inside the codec, without init_ns */
	uint64_t copy_ns;  /* linearising (scomp) */
	uint32_t copy_bytes;
	/* What a modelled device would take; 0 of an algorithm that is software. Never measured. */
	uint64_t modelled_ns;
};

/*
 * How an algorithm deals with a request, for those who ask without running it (sim/codec_model.h).
 */
enum acomp_model {
	ACOMP_MODEL_ZSTD,    /* as profile zstd.* says */
	ACOMP_MODEL_SCOMP,   /* behind the scomp adapter: linear buffers, no contexts to build */
	ACOMP_MODEL_DEFLATE, /* as profile deflate.api says */
};

/* What may stand behind the colon of a compressor string; the kernel knows @def alone. */
struct acomp_levels {
	int min, max, def;
};

/* One algorithm; constant. (struct acomp_alg, include/crypto/internal/acompress.h) */
struct acomp_alg {
	const char *cra_name;	     /* "zstd" */
	const char *cra_driver_name; /* "zstd-generic": of the newest kernel */
	enum acomp_model model;
	/* Why it cannot be had here, though kernels have it; NULL: it can. Then all below is NULL.
	 */
	const char *refused;
	/* "libzstd 1.5.4": whose results these are, and what they depend on. */
	const char *(*library)(void);
	/* Whether its lengths at the kernel's level are, to the byte, those of this kernel. */
	bool (*lengths_exact)(const struct profile *p);
	/* NULL: there are no levels. */
	struct acomp_levels (*levels)(void);
	/* [ACOMP_NR_CALLS] of the kernel's functions; NULL: of no such function. */
	const char *const *call_names;
	/*
	 * Besides library and compressor string, all that the answer for a page compressed in one
	 * piece depends on, length or errno: keys of the profile, up to NULL. NULL: nothing.
	 */
	const char *const *length_keys;
	/*
	 * @return 0 or a negative errno. Allocates the streams of the module if there are none;
	 * without contents nothing else.
	 */
	int (*init)(struct crypto_acomp *tfm);
	/* May be NULL. */
	void (*exit)(struct crypto_acomp *tfm);
	int (*compress)(struct acomp_req *req);
	int (*decompress)(struct acomp_req *req);
	/* Constructor of a per-CPU stream context, and its destructor. */
	int (*alloc_ctx)(struct kernel *k, const struct acomp_alg *alg, int level, void **ctx);
	void (*free_ctx)(void *ctx);

	/* The proposals for batching (sim/acomp_batch.h). All may be 0 or NULL. */
	unsigned flags; /* CRYPTO_ALG_REQ_SEG, ACOMP_ALG_MODELLED */
	/* How many units it likes to have at once; NULL: 1. */
	unsigned (*get_batch_size)(const struct kernel *k);
	/* Requests of one unit each, together; results in each request's dlen and in @errors. */
	void (*batch_compress)(struct acomp_req *const *reqs, int *errors, unsigned nr);
	void (*batch_decompress)(struct acomp_req *const *reqs, int *errors, unsigned nr);
};

struct crypto_registry {
	const struct acomp_alg *const *algs; /* ends with NULL */
	/* The accelerator of the machine, as its backend understands it; NULL: the backend's own.
	 */
	const void *device;
};

/* Calls of the API for compression; each comes to one or more of the algorithm. */
struct acomp_counts {
	uint64_t calls, units;
	uint64_t submissions; /* calls of the algorithm */
};

struct acomp_watch;

struct crypto_acomp {
	struct kernel *k;
	const struct acomp_alg *alg; /* may be another driver of it than the registry has */
	int level;		     /* 0 where there are none */
	void *ctx;		     /* the algorithm's own, from init to exit */
	struct crypto_streams *streams;
	struct acomp_counts counts;
	struct acomp_watch *watch; /* NULL: nobody (sim/acomp_batch.h) */
};

#define ACOMP_MAX_NAME 32

/* A compressor string, "NAME" or "NAME:LEVEL", taken apart. NAME may be the driver's. */
struct acomp_spec {
	const struct acomp_alg *alg;
	int level;
	/* The string in its one form: without the level if it is the kernel's. */
	char name[ACOMP_MAX_NAME];
};

/*
 * 0; or, with a line in @err (unless that is NULL) that says what there is: -ENOENT (no algorithm
 * of that name), -EINVAL (no such level), -EOPNOTSUPP (no library has it; *spec is filled all the
 * same).
 */
int crypto_parse_acomp(const struct crypto_registry *registry, const char *name,
		       struct acomp_spec *spec, char *err, size_t err_size);

/* Puts the registry into @k; before any crypto_alloc_acomp. */
void crypto_init(struct kernel *k, const struct crypto_registry *registry);
/* Frees the streams of all modules; every tfm must be gone. */
void crypto_exit(struct kernel *k);

/* @name as above. 0, or an error of crypto_parse_acomp() or of the algorithm's init. */
int crypto_alloc_acomp(struct kernel *k, const char *name, struct crypto_acomp **out);
void crypto_free_acomp(struct crypto_acomp *tfm); /* accepts NULL */

/* ---- requests (A.1) ---- */

#define ACOMP_REQ_SRC_VIRT   0x02u
#define ACOMP_REQ_SRC_NONDMA 0x04u
#define ACOMP_REQ_DST_VIRT   0x08u
#define ACOMP_REQ_DST_NONDMA 0x10u

struct acomp_req {
	struct crypto_acomp *tfm;
	unsigned flags;
	union {
		struct scatterlist *src;
		const void *svirt;
	};
	union {
		struct scatterlist *dst;
		void *dvirt;
	};
	unsigned slen;
	unsigned dlen;		   /* in: capacity; out: bytes produced, 0 on error (zstd) */
	unsigned unit_size;	   /* bytes; 0: the request is one piece (sim/acomp_batch.h) */
	struct acomp_chain *chain; /* where units go, page by page (sim/acomp_chain.h); or NULL */
	struct scatterlist src_sg, dst_sg; /* what the folio setters fill */
	struct acomp_cost cost;		   /* of the last call */
	struct acomp_trace *trace;	   /* who watches (sim/acomp_trace.h); NULL: nobody */
};

void acomp_request_set_tfm(struct acomp_req *req, struct crypto_acomp *tfm);
void acomp_request_set_params(struct acomp_req *req, struct scatterlist *src,
			      struct scatterlist *dst, unsigned slen, unsigned dlen);
void acomp_request_set_src_sg(struct acomp_req *req, struct scatterlist *src, unsigned slen);
void acomp_request_set_src_dma(struct acomp_req *req, const void *src, unsigned slen);
void acomp_request_set_src_nondma(struct acomp_req *req, const void *src, unsigned slen);
/* One embedded entry: the folio's head page, @off bytes in, @len long. */
void acomp_request_set_src_folio(struct acomp_req *req, struct page *folio, size_t off,
				 unsigned len);
void acomp_request_set_dst_sg(struct acomp_req *req, struct scatterlist *dst, unsigned dlen);
void acomp_request_set_dst_dma(struct acomp_req *req, void *dst, unsigned dlen);
void acomp_request_set_dst_nondma(struct acomp_req *req, void *dst, unsigned dlen);
void acomp_request_set_dst_folio(struct acomp_req *req, struct page *folio, size_t off,
				 unsigned len);

/*
 * Clear the cost record, then call the algorithm. Its return value. A request that has a unit size
 * is compressed as sim/acomp_batch.h says; for decompression the unit size means nothing.
 */
int crypto_acomp_compress(struct acomp_req *req);
int crypto_acomp_decompress(struct acomp_req *req);

/* ---- the walk (A.2 to A.4) ---- */

#define ACOMP_WALK_SRC_LINEAR 0x02u
#define ACOMP_WALK_DST_LINEAR 0x04u

struct acomp_walk {
	union {
		struct {
			const uint8_t *virt;
			unsigned offset;
		} lin;
		struct scatter_walk sg;
	} in, out;
	void *src_addr, *dst_addr; /* of the current fragments */
	unsigned slen, dlen;	   /* remaining bytes */
	unsigned flags;
	int fault;		   /* -EFAULT once a walk went past its list (the kernel's oops) */
	struct acomp_trace *trace; /* of the request */
};

/* 0, or -EINVAL if slen or dlen is 0. */
int acomp_walk_virt(struct acomp_walk *walk, struct acomp_req *req);
/* Length of the next fragment, 0 at the end (or on a zero-length entry); sets src_addr. */
unsigned acomp_walk_next_src(struct acomp_walk *walk);
unsigned acomp_walk_next_dst(struct acomp_walk *walk);
/* @used: 0 to the fragment's length. */
void acomp_walk_done_src(struct acomp_walk *walk, unsigned used);
void acomp_walk_done_dst(struct acomp_walk *walk, unsigned used);

/* ---- per-CPU streams (A.6) ---- */

/*
 * From an algorithm's init: allocates the context of the first possible CPU, if the module has none
 * yet. Each level is a module of its own, as a kernel would have to be built anew for it.
 */
int crypto_acomp_alloc_streams(struct crypto_acomp *tfm);
/*
 * The stream context of the current CPU, or, if it has none yet, the first possible CPU's, and a
 * request to the worker to make one. Never NULL after crypto_acomp_alloc_streams.
 */
void *crypto_acomp_lock_stream_bh(struct crypto_acomp *tfm);
void crypto_acomp_unlock_stream_bh(struct crypto_acomp *tfm);
/*
 * The worker (acomp_stream_workfn): makes the contexts that were asked for; stops at the first
 * allocation failure, to be tried again. The simulator runs it between two operations, outside of
 * any timed path. Returns how many it made.
 */
unsigned crypto_acomp_run_worker(struct kernel *k);
/*
 * For tests and reports: CPUs with a context of their own; operations served by CPU 0's instead. Of
 * all levels.
 */
unsigned crypto_acomp_nr_contexts(struct kernel *k, const struct acomp_alg *alg);
uint64_t crypto_acomp_nr_fallbacks(struct kernel *k, const struct acomp_alg *alg);

#endif
