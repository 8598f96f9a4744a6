// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/report_private.h"

json_t *report_refused_json(const uint64_t *rejected)
{
	json_t *o = json_object();
	uint64_t all = 0;

	for (unsigned i = 0; i < ZSWAP_NR_REJECTS; i++) {
		put(o, zswap_reject_names[i], rejected[i]);
		all += rejected[i];
	}
	put(o, "all", all);
	return o;
}

json_t *report_swap_json(const struct replay_result *x)
{
	json_t *o = json_object();

	put(o, "slots_in_use", x->slots_in_use);
	put(o, "slots_on_disk", x->dev.pages);
	put(o, "write_requests", x->dev.written_requests);
	put(o, "written_pages", x->dev.written_pages);
	put(o, "read_requests", x->dev.read_requests);
	put(o, "read_pages", x->dev.read_pages);
	put(o, "nr_disk_swapins", x->nr_disk_swapins);
	return o;
}

static json_t *memcg_json(const struct replay_memcg *m)
{
	json_t *o = json_object(), *stat = json_object();

	put_string(o, "path", m->path);
	put(o, "parent", m->parent);
	json_object_set_new(o, "online", json_boolean(m->online));
	json_object_set_new(o, "zswap.max",
			    m->zswap_max == MEMCG_MAX ? json_string("max")
						      : json_integer((json_int_t)m->zswap_max));
	put(o, "zswap.writeback", m->zswap_writeback);
	put(stat, "zswap", m->zswap_bytes);
	put(stat, "zswapped", m->zswapped_pages * PAGE_SIZE);
	put(stat, "zswap_incomp", m->zswap_incomp_pages * PAGE_SIZE);
	put(stat, "zswpin", m->zswpin);
	put(stat, "zswpout", m->zswpout);
	put(stat, "zswpwb", m->zswpwb);
	put(stat, "pswpin", m->pswpin);
	put(stat, "pswpout", m->pswpout);
	json_object_set_new(o, "memory.stat", stat);
	put(o, "zswap_max_hits", m->zswap_max_hits);
	json_object_set_new(o, "refused_pages", report_refused_json(m->rejected));
	put(o, "nr_disk_swapins", m->nr_disk_swapins);
	put(o, "nr_zswap_protected", m->nr_zswap_protected);
	return o;
}

json_t *report_memcgs_json(const struct replay_result *x)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < x->nr_memcgs; i++)
		json_array_append_new(a, memcg_json(&x->memcgs[i]));
	return a;
}

json_t *report_changes_json(const struct replay_result *x)
{
	json_t *a = json_array();

	for (unsigned i = 0; i < x->nr_changes; i++) {
		json_t *o = json_object();

		put(o, "before_event", x->changes[i].event);
		put_string(o, "change", x->changes[i].text);
		json_array_append_new(a, o);
	}
	return a;
}

json_t *report_modelled_json(const struct replay_result *x)
{
	const struct swap_model *m = &x->swap_model;
	json_t *o, *dev;

	if (swap_model_is_none(m))
		return json_null();
	o = json_object();
	dev = json_object();
	put_string(dev, "name", m->name);
	put(dev, "read_latency_ns", m->latency_ns[SWAP_MODEL_READ]);
	put(dev, "read_bytes_per_second", m->bytes_per_second[SWAP_MODEL_READ]);
	put(dev, "write_latency_ns", m->latency_ns[SWAP_MODEL_WRITE]);
	put(dev, "write_bytes_per_second", m->bytes_per_second[SWAP_MODEL_WRITE]);
	json_object_set_new(o, "swap_device", dev);
	put(o, "device_read_ns", x->dev.modelled_ns[SWAP_MODEL_READ]);
	put(o, "device_write_ns", x->dev.modelled_ns[SWAP_MODEL_WRITE]);
	put(o, "trace_ns", x->trace_ns);
	json_object_set_new(o, "swap_in", report_latency_json(&x->in_modelled));
	json_object_set_new(o, "swap_in_from_disk", report_latency_json(&x->in_disk_modelled));
	return o;
}
