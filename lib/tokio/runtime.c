/* Every thread's Context is probed, whatever the thread is called: worker names are the user's, and the thread of
 * a current_thread runtime is often the main one. A thread that never touched tokio shows the initial image, so
 * only a handle, a scheduler or a task id says something (checked, tokio 1.54.1). */
#include "tokio/runtime.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core.h"
#include "tokio/discover.h"
#include "tokio/tls.h"
#include "tokio/tokio_internal.h"

struct probe {
	struct tokio *tk;
	struct tls_variable context;
	const char *first_failure;
	size_t unreadable;
};

const char *flavor_text(enum flavor flavor)
{
	return flavor == FLAVOR_MULTI_THREAD ? "multi_thread" : "current_thread";
}

static struct runtime *runtime_of(struct tokio *tk, enum flavor flavor, uint64_t handle, const char *found_via)
{
	for (size_t i = 0; i < tk->runtime_count; i++)
		if (tk->runtimes[i].handle == handle)
			return &tk->runtimes[i];
	if (tk->runtime_count == RUNTIMES_MAX)
		return NULL;
	tk->runtimes = array_reserve(tk->runtimes, &tk->runtime_capacity, tk->runtime_count, 1, sizeof *tk->runtimes);
	struct runtime *rt = &tk->runtimes[tk->runtime_count++];
	*rt = (struct runtime){ .index = (uint32_t)(tk->runtime_count - 1), .flavor = flavor, .handle = handle, .workers = 1,
		                .found_via = found_via };
	const struct owned_paths *o = &tk->owned[flavor];
	if (path_load(&o->id, tk->target, handle, &rt->list_id) != OUTCOME_VALUE)
		rt->list_id = 0;
	if (path_load(&o->count, tk->target, handle, &rt->count) != OUTCOME_VALUE)
		rt->count = 0;
	uint64_t remotes, workers;
	if (flavor == FLAVOR_MULTI_THREAD &&
	    path_locate(&tk->paths[MULTI_THREAD_REMOTES], tk->target, handle, &remotes) == OUTCOME_VALUE &&
	    target_word(tk->target, remotes + o->length, &workers) && workers < WORKER_NONE)
		rt->workers = (uint32_t)workers;
	return rt;
}

uint32_t tokio_runtime_add(struct tokio *tk, enum flavor flavor, uint64_t handle, const char *found_via)
{
	const struct runtime *rt = runtime_of(tk, flavor, handle, found_via);
	return rt == NULL ? TINFO_NONE : rt->index;
}

/* What the thread's handle is; false when its Context cannot be read. */
static bool handle_read(struct probe *p, struct tokio_thread *th, uint64_t context)
{
	static const enum path_role ROLES[2] = { CONTEXT_MULTI_THREAD, CONTEXT_CURRENT_THREAD };
	struct tokio *tk = p->tk;
	for (int i = 0; i < 2; i++) {
		uint64_t handle;
		enum outcome outcome = path_locate(&tk->paths[ROLES[i]], tk->target, context, &handle);
		if (outcome == OUTCOME_FAILURE) {
			if (p->first_failure == NULL)
				p->first_failure = arena_printf(&tk->arena,
				                                "lwp %" PRIu32 ": its tokio context at 0x%" PRIx64
				                                " cannot be read (0x%" PRIx64 ")",
				                                th->lwp, context, handle);
			return false;
		}
		if (outcome == OUTCOME_NULL) { /* a live variant with a null Arc: the page was zero-filled */
			tokio_warn(tk, "lwp %" PRIu32 ": its tokio context at 0x%" PRIx64 " was not dumped", th->lwp,
			           context);
			return false;
		}
		if (outcome != OUTCOME_VALUE)
			continue;
		if (!target_is_mapped(tk->target, handle, 8)) {
			tokio_lack(tk, "lwp %" PRIu32 ": its runtime's handle at 0x%" PRIx64 " cannot be read", th->lwp,
			           handle);
			return true;
		}
		th->handle = handle;
		struct runtime *rt = runtime_of(tk, (enum flavor)i, handle, found_text(FOUND_THREAD));
		if (rt != NULL)
			rt->threads++;
		return true;
	}
	return true;
}

static void context_read(struct probe *p, struct tokio_thread *th, uint64_t context)
{
	struct tokio *tk = p->tk;
	struct tokio_thread seen = { .lwp = th->lwp, .context = context, .runtime = TINFO_NONE, .worker = WORKER_NONE };
	uint64_t value;
	if (!handle_read(p, &seen, context)) {
		p->unreadable++;
		return;
	}
	if (path_load(&tk->paths[CONTEXT_TASK_ID], tk->target, context, &value) == OUTCOME_VALUE)
		seen.task_id = value;
	if (path_load(&tk->paths[CONTEXT_THREAD_ID], tk->target, context, &value) == OUTCOME_VALUE)
		seen.thread_id = value;
	if (path_load(&tk->paths[CONTEXT_SCHEDULER], tk->target, context, &value) == OUTCOME_VALUE)
		seen.scheduling = value != 0;
	if (path_load(&tk->paths[CONTEXT_WORKER_INDEX], tk->target, context, &value) == OUTCOME_VALUE &&
	    value < WORKER_NONE)
		seen.worker = (uint32_t)value;
	seen.entered = path_load(&tk->paths[CONTEXT_ENTERED], tk->target, context, &value) == OUTCOME_VALUE;
	seen.has_core = path_load(&tk->paths[CONTEXT_CORE], tk->target, context, &value) == OUTCOME_VALUE && value != 0;
	seen.in_driver = seen.has_core && path_locate(&tk->paths[CONTEXT_CORE_DRIVER], tk->target, context, &value) ==
	                                          OUTCOME_VARIANT;
	if (th->context == 0 || seen.handle != 0 || (th->handle == 0 && seen.task_id != 0))
		*th = seen; /* of several CONTEXTs the one in use */
}

static int runtime_compare(const void *a, const void *b)
{
	const struct runtime *x = a, *y = b;
	if (x->list_id != y->list_id)
		return x->list_id < y->list_id ? -1 : 1;
	return x->handle < y->handle ? -1 : x->handle > y->handle;
}

static void runtimes_number(struct tokio *tk)
{
	if (tk->runtime_count > 1)
		qsort(tk->runtimes, tk->runtime_count, sizeof *tk->runtimes, runtime_compare);
	for (size_t i = 0; i < tk->runtime_count; i++) {
		tk->runtimes[i].index = (uint32_t)i;
		for (size_t k = 0; k < tk->thread_count; k++)
			if (tk->threads[k].handle == tk->runtimes[i].handle)
				tk->threads[k].runtime = (uint32_t)i;
	}
}

static struct error *nothing_found(const struct probe *p)
{
	if (p->context.count == 0)
		return error_new(ERROR_NOT_FOUND, "no thread-local tokio::runtime::context::CONTEXT in the program's "
		                                  "symbols or debug information: is this a tokio program?");
	if (!p->context.known)
		return error_new(ERROR_NOT_FOUND, "the size of the program's thread-local storage is unknown; the "
		                                  "executable would tell (--binary)");
	if (p->first_failure != NULL)
		return error_new(ERROR_UNMAPPED, "no thread's tokio context could be read: %s", p->first_failure);
	return error_new(ERROR_NOT_FOUND, "none of %zu threads is in a tokio runtime", p->tk->thread_count);
}

struct error *tokio_find_runtimes(struct tokio *tk)
{
	static const struct tls_key CONTEXT = { "5tokio7runtime7context7CONTEXT", "tls.context", ROOT_CONTEXT };
	struct probe probe = { .tk = tk };
	const struct core *core = tk->target->core;
	const struct core_thread *threads = NULL;
	size_t count = 0;
	if (core != NULL)
		threads = core_threads(core, &count);
	tk->threads = calloc(count > 0 ? count : 1, sizeof *tk->threads);
	if (tk->threads == NULL)
		return error_memory();
	tk->thread_count = count;
	tls_find(tk, &CONTEXT, &probe.context);
	for (size_t i = 0; i < count; i++) {
		struct tokio_thread *th = &tk->threads[i];
		*th = (struct tokio_thread){ .lwp = threads[i].lwp, .runtime = TINFO_NONE, .worker = WORKER_NONE };
		for (size_t k = 0; k < probe.context.count; k++) {
			uint64_t address;
			if (tls_address(tk, &probe.context, k, i, &address))
				context_read(&probe, th, address);
		}
	}
	if (tk->runtime_count == 0)
		return nothing_found(&probe);
	if (probe.first_failure != NULL)
		tokio_warn(tk, "%s (%zu such threads)", probe.first_failure, probe.unreadable);
	runtimes_number(tk);
	return NULL;
}
