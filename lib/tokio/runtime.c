/* Every thread's Context is probed, whatever the thread is called: worker names are the user's, and the thread of
 * a current_thread runtime is often the main one. A thread that never touched tokio shows the initial image, so
 * only a handle, a scheduler or a task id says something (checked, tokio 1.54.1). */
#include "tokio/runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/core.h"
#include "elf/elf_file.h"
#include "tokio/discover.h"
#include "tokio/tokio_internal.h"

enum { SEGMENT_TLS = 7 }; /* PT_TLS */

struct tls_block {
	uint64_t vaddr, size, alignment;
	bool known;
};

struct context_place {
	uint64_t offset; /* of the Context in the TLS block */
};

struct probe {
	struct tokio *tk;
	struct tls_block block;
	struct context_place places[CONTEXTS_MAX];
	size_t place_count;
	const char *first_failure;
	size_t unreadable;
};

const char *flavor_text(enum flavor flavor)
{
	return flavor == FLAVOR_MULTI_THREAD ? "multi_thread" : "current_thread";
}

static uint64_t meta_number(struct tinfo *ti, const char *key)
{
	const char *text = tinfo_meta(ti, key);
	return text == NULL ? 0 : strtoull(text, NULL, 0);
}

static struct tls_block tls_block_find(struct target *t)
{
	struct tls_block block = { 0, 0, 1, false };
	if (t->executable != NULL) {
		size_t count;
		const struct elf_segment *segments = elf_segments(t->executable, &count);
		for (size_t i = 0; i < count; i++)
			if (segments[i].type == SEGMENT_TLS)
				return (struct tls_block){ segments[i].vaddr, segments[i].memory_size,
					                   segments[i].alignment, true };
	}
	block.size = meta_number(t->tinfo, "tls_size");
	block.alignment = meta_number(t->tinfo, "tls_align");
	block.vaddr = meta_number(t->tinfo, "tls_address");
	block.known = block.size != 0;
	return block;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* tokio's CONTEXT among the TLS symbols, not std::sync::mpmc's; v0 and legacy spellings of std's thread_local!
 * since and before __RUST_STD_INTERNAL_VAL. A trailing .llvm.N is cut by the caller. */
static bool symbol_is_context(const char *name)
{
	if (strstr(name, "5tokio7runtime7context7CONTEXT") == NULL)
		return false;
	return strstr(name, "__RUST_STD_INTERNAL_VAL") != NULL || ends_with(name, "getit3VAL") ||
	       strstr(name, "7__getit3VAL17h") != NULL;
}

static void place_add(struct probe *p, uint64_t variable, uint32_t type)
{
	uint64_t inside;
	uint32_t found;
	struct tokio *tk = p->tk;
	if (!type_find_inside(tk->target, type, tk->roots[ROOT_CONTEXT], NULL, &inside, &found))
		return;
	for (size_t i = 0; i < p->place_count; i++)
		if (p->places[i].offset == variable + inside)
			return;
	if (p->place_count < CONTEXTS_MAX)
		p->places[p->place_count++].offset = variable + inside;
}

/* The type std wraps the Context in, for a symbol: that of the static with its name, else that of any. */
static uint32_t context_type(struct tokio *tk, const char *symbol)
{
	uint32_t count = tinfo_count(tk->target->tinfo, TABLE_STATICS), any = TINFO_NONE;
	for (uint32_t i = 0; i < count; i++) {
		struct static_variable s = tinfo_static(tk->target->tinfo, i);
		uint64_t inside;
		uint32_t found;
		if (strcmp(s.role, "tls.context") != 0)
			continue;
		size_t length = strlen(s.symbol);
		if (length > 0 && strncmp(s.symbol, symbol, length) == 0)
			return s.type;
		if (any == TINFO_NONE &&
		    type_find_inside(tk->target, s.type, tk->roots[ROOT_CONTEXT], NULL, &inside, &found))
			any = s.type;
	}
	return any;
}

/* Symbols are the truth about what the linker kept (a DIE may name the copy it dropped); without the executable
 * the layouts' own statics serve. */
static void places_find(struct probe *p)
{
	struct target *t = p->tk->target;
	if (t->executable != NULL) {
		size_t count;
		const struct elf_symbol *symbols = elf_tls_symbols(t->executable, &count);
		for (size_t i = 0; i < count; i++)
			if (symbol_is_context(symbols[i].name))
				place_add(p, symbols[i].value, context_type(p->tk, symbols[i].name));
	}
	uint32_t count = tinfo_count(t->tinfo, TABLE_STATICS);
	for (uint32_t i = 0; i < count && p->place_count == 0; i++) {
		struct static_variable s = tinfo_static(t->tinfo, i);
		if (strcmp(s.role, "tls.context") == 0 && (s.flags & STATIC_TLS) != 0)
			place_add(p, s.address, s.type);
	}
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
	if (p->place_count == 0)
		return error_new(ERROR_NOT_FOUND, "no thread-local tokio::runtime::context::CONTEXT in the program's "
		                                  "symbols or debug information: is this a tokio program?");
	if (!p->block.known)
		return error_new(ERROR_NOT_FOUND, "the size of the program's thread-local storage is unknown; the "
		                                  "executable would tell (--binary)");
	if (p->first_failure != NULL)
		return error_new(ERROR_UNMAPPED, "no thread's tokio context could be read: %s", p->first_failure);
	return error_new(ERROR_NOT_FOUND, "none of %zu threads is in a tokio runtime", p->tk->thread_count);
}

struct error *tokio_find_runtimes(struct tokio *tk)
{
	struct probe probe = { .tk = tk, .block = tls_block_find(tk->target) };
	const struct core *core = tk->target->core;
	const struct core_thread *threads = NULL;
	size_t count = 0;
	if (core != NULL)
		threads = core_threads(core, &count);
	tk->threads = calloc(count > 0 ? count : 1, sizeof *tk->threads);
	if (tk->threads == NULL)
		return error_memory();
	tk->thread_count = count;
	places_find(&probe);
	for (size_t i = 0; i < count; i++) {
		struct tokio_thread *th = &tk->threads[i];
		*th = (struct tokio_thread){ .lwp = threads[i].lwp, .runtime = TINFO_NONE, .worker = WORKER_NONE };
		for (size_t k = 0; k < probe.place_count && probe.block.known; k++) {
			uint64_t address;
			if (core_tls_address(core, &threads[i], probe.block.vaddr, probe.block.size,
			                     probe.block.alignment, probe.places[k].offset, &address))
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
