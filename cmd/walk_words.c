// SPDX-License-Identifier: GPL-2.0-or-later
#include "cmd/walk_words.h"

#include <errno.h>

#include "sim/acomp_trace.h"

const char *walk_ret_name(int ret)
{
	switch (ret) {
	case 0:
		return "0";
	case -EIO:
		return "-EIO";
	case -EINVAL:
		return "-EINVAL";
	case -ENOSPC:
		return "-ENOSPC";
	case -EFAULT:
		return "-EFAULT";
	}
	return "another error";
}

const char *walk_path_name(enum acomp_path path)
{
	static const char *const names[] = {
		[ACOMP_PATH_NONE] = "none",
		[ACOMP_PATH_ONESHOT] = "oneshot",
		[ACOMP_PATH_STREAM] = "stream",
	};

	return names[path];
}

const char *walk_reason_name(enum acomp_stream_reason reason)
{
	static const char *const names[] = {
		[ACOMP_STREAM_NOT] = "",
		[ACOMP_STREAM_SRC] = "source",
		[ACOMP_STREAM_DST] = "destination",
		[ACOMP_STREAM_BOTH] = "both",
	};

	return names[reason];
}

const char *walk_step_name(const struct walker_step *step)
{
	static const char *const events[ACOMP_NR_EVENTS] = {
		[ACOMP_EVENT_LOCK] = "lock",	     [ACOMP_EVENT_UNLOCK] = "unlock",
		[ACOMP_EVENT_SET_UP] = "set_up",     [ACOMP_EVENT_NEXT_SRC] = "next_src",
		[ACOMP_EVENT_NEXT_DST] = "next_dst", [ACOMP_EVENT_DONE_SRC] = "done_src",
		[ACOMP_EVENT_DONE_DST] = "done_dst", [ACOMP_EVENT_RESTART] = "restart",
		[ACOMP_EVENT_COPY] = "copy",
	};

	switch (step->kind) {
	case WALKER_STEP_SRC_ENDS:
		return "source_ends";
	case WALKER_STEP_DST_ENDS:
		return "destination_ends";
	case WALKER_STEP_OOPS:
		return "oops";
	}
	return step->event == ACOMP_EVENT_CALL ? acomp_call_names[step->call] : events[step->event];
}

bool walk_step_is_init(const struct walker_step *step)
{
	if (step->kind != WALKER_STEP_EVENT || step->event != ACOMP_EVENT_CALL)
		return false;
	return step->call == ACOMP_CALL_INIT_CCTX || step->call == ACOMP_CALL_INIT_CSTREAM ||
	       step->call == ACOMP_CALL_INIT_DCTX || step->call == ACOMP_CALL_INIT_DSTREAM;
}
