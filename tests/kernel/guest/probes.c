// SPDX-License-Identifier: GPL-2.0-or-later
#include "probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util.h"

#define TRACING "/sys/kernel/tracing/"

/* What is fetched with an event; the kernel's type information finds the arguments. */
#define SIZE_ARG    "bytes=size:u64"
#define CHARGE_ARGS SIZE_ARG " memcg=objcg->memcg->css.cgroup->kn->id:u64"
#define COUNT_ARGS  "node=sc->nid:s32 memcg=sc->memcg->css.cgroup->kn->id:u64"
#define SCAN_ARGS   COUNT_ARGS " nr=sc->nr_to_scan:s64"
#define RESULT	    "result=$retval:s64"

/* What the scomp adapter copies with: to 6.14, and since. */
#define SCOMP_COPIES "scatterwalk_map_and_copy", "memcpy_from_sglist"

#define MAX_PRESSURE 4096

#define NR_CODEC_PROBES 10

/*
 * Those before NR_COLUMNS have a column in every row, in this order. The first are the codec's, of
 * which an algorithm has NR_CODEC_PROBES or fewer.
 */
enum {
	ZS_MALLOC = NR_CODEC_PROBES,
	ZS_FREE,
	ZS_OBJ_WRITE,
	ZS_OBJ_READ_BEGIN,
	ZS_OBJ_READ_SG_BEGIN,
	ZS_MAP_OBJECT,
	ZSWAP_STORE,
	ZSWAP_LOAD,
	CHARGE,
	UNCHARGE,
	NR_COLUMNS,
	OFFLINE = NR_COLUMNS,
	SHRINK_WORKER,
	SHRINK_WORKER_END,
	SHRINKER_COUNT,
	SHRINKER_COUNT_END,
	SHRINKER_SCAN,
	SHRINKER_SCAN_END,
	NR_PROBES,
};

struct probe {
	const char *function;
	const char *args;     /* NULL: none */
	const char *end_name; /* of a probe of the function's end; NULL: of its beginning */
};

/* Which functions of the codec each algorithm has probes on. */
static const struct {
	const char *algorithm;
	const char *functions[NR_CODEC_PROBES];
} codecs[] = {
	{"zstd",
	 {"zstd_init_cctx", "zstd_init_cstream", "zstd_compress_cctx", "zstd_compress_stream",
	  "zstd_flush_stream", "zstd_end_stream", "zstd_init_dctx", "zstd_init_dstream",
	  "zstd_decompress_dctx", "zstd_decompress_stream"}},
	{"deflate",
	 {"zlib_deflateInit2", "zlib_deflateReset", "zlib_deflate", "zlib_inflateInit2",
	  "zlib_inflateReset", "zlib_inflate"}},
	{"lz4", {"LZ4_compress_default", "LZ4_decompress_safe", SCOMP_COPIES}},
	{"lz4hc", {"LZ4_compress_HC", "LZ4_decompress_safe", SCOMP_COPIES}},
	{"lzo",
	 {"lzo1x_1_compress", "lzo1x_1_compress_safe", "lzo1x_decompress_safe", SCOMP_COPIES}},
	{"lzo-rle",
	 {"lzorle1x_1_compress", "lzorle1x_1_compress_safe", "lzo1x_decompress_safe",
	  SCOMP_COPIES}},
};

static const struct probe zswap_probes[NR_PROBES] = {
	[ZS_MALLOC] = {.function = "zs_malloc", .args = SIZE_ARG},
	[ZS_FREE] = {.function = "zs_free"},
	[ZS_OBJ_WRITE] = {.function = "zs_obj_write"},
	[ZS_OBJ_READ_BEGIN] = {.function = "zs_obj_read_begin"},
	[ZS_OBJ_READ_SG_BEGIN] = {.function = "zs_obj_read_sg_begin"},
	[ZS_MAP_OBJECT] = {.function = "zs_map_object"},
	[ZSWAP_STORE] = {.function = "zswap_store"},
	[ZSWAP_LOAD] = {.function = "zswap_load"},
	[CHARGE] = {.function = "obj_cgroup_charge_zswap", .args = CHARGE_ARGS},
	[UNCHARGE] = {.function = "obj_cgroup_uncharge_zswap", .args = CHARGE_ARGS},
	[OFFLINE] = {.function = "zswap_memcg_offline_cleanup"},
	[SHRINK_WORKER] = {.function = "shrink_worker"},
	[SHRINK_WORKER_END] = {.function = "shrink_worker", .end_name = "shrink_worker_end"},
	[SHRINKER_COUNT] = {.function = "zswap_shrinker_count", .args = COUNT_ARGS},
	[SHRINKER_COUNT_END] = {.function = "zswap_shrinker_count",
				.args = RESULT,
				.end_name = "zswap_shrinker_count_end"},
	[SHRINKER_SCAN] = {.function = "zswap_shrinker_scan", .args = SCAN_ARGS},
	[SHRINKER_SCAN_END] = {.function = "zswap_shrinker_scan",
			       .args = RESULT,
			       .end_name = "zswap_shrinker_scan_end"},
};

struct probes {
	int pipe;
	struct probe list[NR_PROBES]; /* the codec's that are not there have no function */
	bool absent[NR_PROBES];
	uint64_t since_row[NR_PROBES], in_all[NR_PROBES];
	int64_t alloc_len;
	probes_charge_fn charged;
	void *arg;
	struct pressure pressure[MAX_PRESSURE];
	unsigned nr_pressure;
	char text[1 << 18];
	size_t have; /* bytes of @text that are not read yet: part of a line */
};

static const char *name_of(const struct probe *probe)
{
	return probe->end_name ? probe->end_name : probe->function;
}

static bool set_probe(const struct probe *probe)
{
	int fd = open(TRACING "kprobe_events", O_WRONLY | O_APPEND | O_CLOEXEC);
	char text[256];
	bool ok;

	if (fd < 0)
		die("no kprobe events in this kernel");
	snprintf(text, sizeof(text), "%s:kprobes/%s %s %s", probe->end_name ? "r" : "p",
		 name_of(probe), probe->function, probe->args ? probe->args : "");
	ok = write(fd, text, strlen(text)) >= 0;
	close(fd);
	return ok;
}

static void choose_probes(struct probes *probes, const char *algorithm)
{
	memcpy(probes->list, zswap_probes, sizeof(probes->list));
	for (unsigned i = 0; i < ARRAY_LEN(codecs); i++) {
		if (strcmp(codecs[i].algorithm, algorithm))
			continue;
		for (unsigned j = 0; j < NR_CODEC_PROBES; j++)
			probes->list[j].function = codecs[i].functions[j];
	}
}

struct probes *probes_create(struct output *out, const char *algorithm, probes_charge_fn charged,
			     void *arg)
{
	struct probes *probes = calloc(1, sizeof(*probes));
	json_t *absent = json_array();

	if (!probes || !absent)
		die("out of memory");
	probes->charged = charged;
	probes->arg = arg;
	probes->alloc_len = -1;
	choose_probes(probes, algorithm);
	write_file(TRACING "events/kprobes/enable", "0");
	write_file(TRACING "kprobe_events", "");
	write_file(TRACING "buffer_size_kb", "8192");
	for (unsigned i = 0; i < NR_PROBES; i++) {
		if (!probes->list[i].function || set_probe(&probes->list[i]))
			continue;
		probes->absent[i] = true;
		json_array_append_new(absent, json_string(name_of(&probes->list[i])));
	}
	probes->pipe = open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (probes->pipe < 0)
		die("no trace_pipe");
	must_write(TRACING "events/kprobes/enable", "1");
	output_step(out, "kprobes", json_pack("{s:o}", "absent", absent));
	return probes;
}

static uint64_t argument(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	at += at ? strlen(name) : 0;
	if (!at)
		return 0;
	return *at == '-' ? (uint64_t)strtoll(at, NULL, 0) : strtoull(at, NULL, 0);
}

/* A call and its end are two events; there is no other call in between. */
static void note_pressure(struct probes *probes, unsigned probe, const char *arguments)
{
	struct pressure *pressure = &probes->pressure[probes->nr_pressure];

	if (probes->nr_pressure == MAX_PRESSURE)
		die("more calls of the shrinker than there is room for");
	if (probe == SHRINKER_COUNT_END || probe == SHRINKER_SCAN_END) {
		pressure->result = argument(arguments, " result=");
		probes->nr_pressure++;
		return;
	}
	*pressure = (struct pressure){
		.is_scan = probe == SHRINKER_SCAN,
		.node = argument(arguments, " node="),
		.memcg = argument(arguments, " memcg="),
		.nr_to_scan = argument(arguments, " nr="),
	};
}

static unsigned find(const struct probes *probes, const char *name)
{
	unsigned i = 0;

	while (i < NR_PROBES &&
	       (!probes->list[i].function || strcmp(name, name_of(&probes->list[i]))))
		i++;
	return i;
}

/* "task-pid [cpu] flags time: FUNCTION: (function+0x0/0x10) name=value ..." */
static void read_event(struct probes *probes, char *line)
{
	char *end = strstr(line, ": ("), *function = end;
	uint64_t bytes;
	unsigned i;

	if (!end)
		return;
	while (function > line && function[-1] != ' ')
		function--;
	*end = '\0';
	i = find(probes, function);
	if (i == NR_PROBES)
		return;
	probes->since_row[i]++;
	probes->in_all[i]++;
	bytes = argument(end + 1, " bytes=");
	if (i == ZS_MALLOC)
		probes->alloc_len = bytes;
	else if (i == CHARGE)
		probes->charged(probes->arg, argument(end + 1, " memcg="), bytes);
	else if (i == UNCHARGE)
		probes->charged(probes->arg, argument(end + 1, " memcg="), -(int64_t)bytes);
	else if (i >= SHRINKER_COUNT)
		note_pressure(probes, i, end + 1);
}

static void read_lines(struct probes *probes)
{
	char *line = probes->text, *end;

	while ((end = memchr(line, '\n', probes->text + probes->have - line))) {
		*end = '\0';
		if (strstr(line, "LOST"))
			die("events were lost: the trace buffer is too small");
		read_event(probes, line);
		line = end + 1;
	}
	probes->have -= line - probes->text;
	memmove(probes->text, line, probes->have);
}

void probes_drain(struct probes *probes)
{
	ssize_t ret;

	while ((ret = read(probes->pipe, probes->text + probes->have,
			   sizeof(probes->text) - probes->have)) > 0) {
		probes->have += ret;
		read_lines(probes);
	}
	if (ret < 0 && errno != EAGAIN)
		die("cannot read trace_pipe");
}

void probes_output_names(const struct probes *probes, struct output *out)
{
	for (unsigned i = 0; i < NR_COLUMNS; i++) {
		if (probes->list[i].function)
			output_text(out, probes->list[i].function);
	}
	output_text(out, "alloc_len");
}

void probes_output(struct probes *probes, struct output *out)
{
	for (unsigned i = 0; i < NR_COLUMNS; i++) {
		if (probes->list[i].function)
			output_number(out, probes->absent[i] ? -1 : (int64_t)probes->since_row[i]);
	}
	output_number(out, probes->alloc_len);
	probes_reset(probes);
}

void probes_output_nothing(const struct probes *probes, struct output *out)
{
	for (unsigned i = 0; i < NR_COLUMNS; i++) {
		if (probes->list[i].function)
			output_number(out, -1);
	}
	output_number(out, -1);
}

void probes_reset(struct probes *probes)
{
	memset(probes->since_row, 0, sizeof(probes->since_row));
	probes->alloc_len = -1;
}

int64_t probes_alloc_len(const struct probes *probes)
{
	return probes->alloc_len;
}

const struct pressure *probes_pressure(const struct probes *probes, unsigned *nr)
{
	*nr = probes->nr_pressure;
	return probes->pressure;
}

void probes_forget_pressure(struct probes *probes)
{
	probes->nr_pressure = 0;
}

uint64_t probes_offlined(const struct probes *probes)
{
	return probes->in_all[OFFLINE];
}

bool probes_worker_is_running(const struct probes *probes)
{
	return probes->in_all[SHRINK_WORKER] != probes->in_all[SHRINK_WORKER_END];
}

void probes_check(struct probes *probes, struct output *out)
{
	json_int_t differing = 0, missed_in_all = 0;
	char text[16384], *next = NULL;

	probes_drain(probes);
	read_file(TRACING "kprobe_profile", text, sizeof(text));
	for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		unsigned long long hits, missed;
		char name[64];
		unsigned i;

		if (sscanf(line, " %63s %llu %llu", name, &hits, &missed) != 3)
			continue;
		missed_in_all += missed;
		i = find(probes, name);
		differing += i == NR_PROBES || hits != probes->in_all[i];
	}
	output_step(out, "kprobe_check",
		    json_pack("{s:I, s:I}", "events_differing_from_kprobe_profile", differing,
			      "missed", missed_in_all));
}
