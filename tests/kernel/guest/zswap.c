// SPDX-License-Identifier: GPL-2.0-or-later
#include "zswap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "slub.h"
#include "util.h"

#define PARAMETERS "/sys/module/zswap/parameters/"
#define MAX_POOLS  32

static void set_compressor(const char *name)
{
	char text[64];
	int ret = write_file(PARAMETERS "compressor", name);

	read_file(PARAMETERS "compressor", text, sizeof(text));
	if (!ret && !strcmp(text, name))
		return;
	errno = -ret;
	die("the compressor is %s, not %s", text, name);
}

/* Gone since 6.18. The kernel's command line may have chosen another than zsmalloc already. */
static void set_zpool(void)
{
	char cmdline[1024], text[64];
	const char *chosen;

	read_file("/proc/cmdline", cmdline, sizeof(cmdline));
	chosen = strstr(cmdline, "zswap.zpool=");
	if (!chosen) {
		write_file(PARAMETERS "zpool", "zsmalloc");
		return;
	}
	chosen += strlen("zswap.zpool=");
	read_file(PARAMETERS "zpool", text, sizeof(text));
	if (strncmp(chosen, text, strlen(text)) || !*text)
		die("the allocator is '%s', not '%.*s'", text, (int)strcspn(chosen, " "), chosen);
}

static void set_parameters(const struct zswap_settings *settings, const char *compressor)
{
	must_write("/sys/kernel/mm/transparent_hugepage/enabled", "never");
	must_write("/proc/sys/vm/page-cluster", "0");
	set_zpool();
	set_compressor(compressor);
	must_write(PARAMETERS "max_pool_percent", "%d", settings->max_pool_percent);
	if (settings->accept_threshold_percent)
		must_write(PARAMETERS "accept_threshold_percent", "%d",
			   settings->accept_threshold_percent);
	must_write(PARAMETERS "shrinker_enabled", "%d", settings->shrinker);
	must_write(PARAMETERS "enabled", "1");
}

static int64_t get_parameter(const char *path)
{
	char text[32];

	read_file(path, text, sizeof(text));
	return atoll(text);
}

static int64_t get_totalram_pages(void)
{
	char text[8192];

	read_file("/proc/meminfo", text, sizeof(text));
	return atoll(text + strlen("MemTotal:")) * 1024 / (int64_t)PAGE_SIZE;
}

static json_t *text_parameter(const char *path)
{
	char text[64];

	read_file(path, text, sizeof(text));
	return json_string(text);
}

static void output_config(struct zswap *zswap, json_t *more)
{
	json_int_t totalram = get_totalram_pages();
	json_int_t max_percent = get_parameter(PARAMETERS "max_pool_percent");
	json_int_t accept_percent = get_parameter(PARAMETERS "accept_threshold_percent");
	json_int_t max_pages = totalram * max_percent / 100;
	json_t *facts = json_object();

	json_object_set_new(facts, "compressor", text_parameter(PARAMETERS "compressor"));
	json_object_set_new(facts, "zpool", text_parameter(PARAMETERS "zpool"));
	json_object_set_new(facts, "max_pool_percent", json_integer(max_percent));
	json_object_set_new(facts, "accept_threshold_percent", json_integer(accept_percent));
	json_object_set_new(facts, "shrinker_enabled",
			    text_parameter(PARAMETERS "shrinker_enabled"));
	json_object_set_new(facts, "totalram_pages", json_integer(totalram));
	json_object_set_new(facts, "max_pages", json_integer(max_pages));
	json_object_set_new(facts, "accept_thr_pages",
			    json_integer(max_pages * accept_percent / 100));
	json_object_set_new(facts, "region_pages", json_integer(zswap->nr_pages));
	if (more && json_object_update(facts, more))
		die("out of memory");
	json_decref(more);
	output_step(zswap->out, "config", facts);
}

/* zsmalloc's pools of zswap are numbered; the one in use is the newest. */
static void open_slab_counts(struct zswap *zswap)
{
	char pool[16] = "zswap1", path[64];

	for (unsigned i = 1; i <= MAX_POOLS; i++) {
		snprintf(path, sizeof(path), "/sys/kernel/slab/zspage-zswap%x", i);
		if (!access(path, F_OK))
			snprintf(pool, sizeof(pool), "zswap%x", i);
	}
	zswap->zspages = slub_open_objects("zspage", pool);
	zswap->handles = slub_open_objects("zs_handle", pool);
}

static void make_memcgs(struct zswap *zswap, const char *const *paths)
{
	zswap->memcgs.current = NO_MEMCG;
	zswap->has_memcg_columns = paths != NULL;
	for (; paths && *paths; paths++)
		memcgs_add(&zswap->memcgs, *paths);
	if (zswap->has_memcg_columns)
		return;
	memcgs_add(&zswap->memcgs, "/t");
	memcgs_make(&zswap->memcgs, 0);
	memcgs_enter(&zswap->memcgs, 0);
}

static void open_files(struct zswap *zswap)
{
	zswap->vmstat = open_to_read("/proc/vmstat");
	zswap->pagemap = open_to_read("/proc/self/pagemap");
	zswap->kpagecgroup = open_to_read("/proc/kpagecgroup");
	if (zswap->vmstat < 0 || zswap->pagemap < 0 || zswap->kpagecgroup < 0)
		die("files are missing in /proc");
	zswap->zswap_current = zswap->memory_current = zswap->memory_stat = zswap->cpu_stat = -1;
	if (zswap->has_memcg_columns)
		return;
	zswap->zswap_current = memcgs_open(&zswap->memcgs, 0, "memory.zswap.current");
	zswap->memory_current = memcgs_open(&zswap->memcgs, 0, "memory.current");
	zswap->memory_stat = memcgs_open(&zswap->memcgs, 0, "memory.stat");
	zswap->cpu_stat = memcgs_open(&zswap->memcgs, 0, "cpu.stat");
}

static void map_region(struct zswap *zswap, uint32_t nr_pages)
{
	zswap->nr_pages = nr_pages;
	zswap->region = mmap(NULL, nr_pages * PAGE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	zswap->src = calloc(nr_pages, sizeof(*zswap->src));
	zswap->owner = calloc(nr_pages, sizeof(*zswap->owner));
	if (zswap->region == MAP_FAILED || !zswap->src || !zswap->owner)
		die("out of memory");
	madvise(zswap->region, nr_pages * PAGE_SIZE, MADV_NOHUGEPAGE);
}

void zswap_setup(struct zswap *zswap, struct guest *guest, const struct zswap_settings *settings)
{
	*zswap = (struct zswap){.guest = guest, .out = &guest->out};
	set_parameters(settings, guest->algorithm);
	map_region(zswap, settings->nr_pages);
	output_config(zswap, settings->facts);
	make_memcgs(zswap, settings->memcgs);
	open_files(zswap);
	open_slab_counts(zswap);
	zswap->probes = probes_create(zswap->out, guest->algorithm, memcgs_charge, &zswap->memcgs);
}

void zswap_finish(struct zswap *zswap)
{
	probes_check(zswap->probes, zswap->out);
}
