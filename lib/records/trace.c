#include "records/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/refs.h"
#include "tinfo/tinfo.h"
#include "tokio/branch.h"

enum { FORK_DEPTH = 4 }; /* of forks within forks, when futures are looked for by address */

/* A future on a chain, in the index by address. */
struct trace_span {
	uint64_t address, size;
	uint32_t task;     /* index in tokio_tasks */
	uint32_t number;   /* of the frame in its chain */
	const char *base;  /* of the chain; NULL: the task's own */
	uint64_t chain_at; /* where a branch's chain begins */
	uint32_t chain_type;
};

void traces_release(struct traces *traces)
{
	free(traces->spans);
	traces->spans = NULL;
	arena_release(&traces->arena);
}

const char *trace_frame_ref(struct arena *arena, const char *base, const struct chain *chain, uint32_t index)
{
	return arena_printf(arena, "%s.%" PRIu32, base, trace_number(chain, index));
}

static const char *task_key(struct traces *traces, const struct task *task)
{
	return task->id != 0 ? arena_printf(&traces->arena, "%" PRIu64, task->id)
	                     : arena_printf(&traces->arena, "0x%" PRIx64, task->address);
}

const char *trace_task_title(struct traces *traces, const struct task *task)
{
	return arena_printf(&traces->arena, "task %s", task_key(traces, task));
}

void trace_of_task(struct traces *traces, const struct task *task, struct trace *out)
{
	uint64_t future;
	const char *key = task_key(traces, task);
	out->task = *task;
	out->ref = arena_printf(&traces->arena, "task/%s", key);
	out->title = trace_task_title(traces, task);
	out->base = arena_printf(&traces->arena, "frame/%s", key);
	out->held = NULL;
	out->first = 0;
	out->stage = task_stage(traces->tokio, task, &future);
	if (out->stage == STAGE_RUNNING)
		chain_follow(traces->tokio, future, task->class->future, &out->chain);
	else
		chain_follow(traces->tokio, 0, TINFO_NONE, &out->chain);
}

/* Whose word is asked: a listed task, or one that only its handle knows. */
static struct error *find_task(struct traces *traces, bool by_address, uint64_t key, struct task *out)
{
	size_t count;
	const char *why;
	struct tokio *tokio = traces->tokio;
	const struct task *task = by_address ? tokio_task_by_address(tokio, key) : tokio_task_by_id(tokio, key);
	if (task != NULL) {
		*out = *task;
		return NULL;
	}
	if (by_address && task_decode(tokio, key, out, &why) && out->class->state == CLASS_KNOWN)
		return NULL;
	tokio_tasks(tokio, &count);
	if (by_address)
		return error_new(ERROR_NOT_FOUND, "no task at 0x%" PRIx64 " (%zu tasks)", key, count);
	return error_new(ERROR_NOT_FOUND, "no task %" PRIu64 " (%zu tasks)", key, count);
}

struct span_list {
	struct traces *traces;
	size_t capacity;
	uint32_t task;
};

static void spans_of_chain(struct span_list *list, const struct chain *chain, const char *base, uint64_t at,
                           uint32_t type, int depth);

static void spans_of_branches(struct span_list *list, const struct frame *frame, const char *ref, int depth)
{
	struct branch branches[BRANCHES_MAX];
	struct tokio *tokio = list->traces->tokio;
	size_t all, count = frame_branches(tokio, frame, branches, &all);
	struct chain *chain = malloc(sizeof *chain);
	if (chain == NULL)
		abort();
	for (size_t i = 0; i < count; i++) {
		if (branches[i].state != BRANCH_ARMED)
			continue;
		chain_follow(tokio, branches[i].address, branches[i].type, chain);
		const char *base = arena_printf(&list->traces->arena, "%s:%zu", ref, i);
		spans_of_chain(list, chain, base, branches[i].address, branches[i].type, depth + 1);
	}
	free(chain);
}

static void spans_of_chain(struct span_list *list, const struct chain *chain, const char *base, uint64_t at,
                           uint32_t type, int depth)
{
	struct traces *traces = list->traces;
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct frame *f = &chain->frames[i];
		traces->spans = array_reserve(traces->spans, &list->capacity, traces->span_count, 1,
		                              sizeof *traces->spans);
		traces->spans[traces->span_count++] = (struct trace_span){
			f->address, tinfo_type(traces->tinfo, f->type).size, list->task, trace_number(chain, i), base, at, type,
		};
		if (f->fork == FORK_NONE || depth >= FORK_DEPTH)
			continue;
		const char *own = base;
		if (own == NULL) {
			size_t count;
			const struct task *tasks = tokio_tasks(traces->tokio, &count);
			own = arena_printf(&traces->arena, "frame/%s", task_key(traces, &tasks[list->task]));
		}
		spans_of_branches(list, f, trace_frame_ref(&traces->arena, own, chain, i), depth);
	}
}

static int span_compare(const void *a, const void *b)
{
	const struct trace_span *x = a, *y = b;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->size != y->size) /* the tightest comes last */
		return x->size > y->size ? -1 : 1;
	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->number > y->number ? -1 : x->number < y->number;
}

static void spans_index(struct traces *traces)
{
	size_t count;
	const struct task *tasks = tokio_tasks(traces->tokio, &count);
	struct span_list list = { traces, 0, 0 };
	struct chain *chain = malloc(sizeof *chain);
	if (chain == NULL)
		abort();
	traces->indexed = true;
	for (size_t i = 0; i < count; i++) {
		uint64_t future;
		list.task = (uint32_t)i;
		if (task_stage(traces->tokio, &tasks[i], &future) != STAGE_RUNNING)
			continue;
		chain_follow(traces->tokio, future, tasks[i].class->future, chain);
		spans_of_chain(&list, chain, NULL, 0, TINFO_NONE, 0);
	}
	free(chain);
	if (traces->span_count > 0)
		qsort(traces->spans, traces->span_count, sizeof *traces->spans, span_compare);
}

/* The tightest future at or around the address; of those that share a place, the innermost. */
static const struct trace_span *span_find(struct traces *traces, uint64_t address)
{
	if (!traces->indexed)
		spans_index(traces);
	size_t low = 0, high = traces->span_count;
	while (low < high) { /* behind the last that begins here or before */
		size_t middle = low + (high - low) / 2;
		if (traces->spans[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low > 0 && traces->spans[low - 1].address == address)
		return &traces->spans[low - 1];
	const struct trace_span *best = NULL;
	for (size_t i = low; i-- > 0;) {
		const struct trace_span *span = &traces->spans[i];
		if (address - span->address < span->size && (best == NULL || span->size < best->size))
			best = span;
	}
	return best;
}

static struct error *trace_of_address(struct traces *traces, uint64_t address, struct trace *out)
{
	size_t count;
	const struct trace_span *span = span_find(traces, address);
	if (span == NULL)
		return error_new(ERROR_NOT_FOUND, "no future at 0x%" PRIx64 " is on the chain of a task", address);
	const struct task *tasks = tokio_tasks(traces->tokio, &count);
	trace_of_task(traces, &tasks[span->task], out);
	const char *base = span->base != NULL ? span->base : out->base;
	if (span->base != NULL)
		chain_follow(traces->tokio, span->chain_at, span->chain_type, &out->chain);
	if (span->number >= out->chain.count)
		return error_new(ERROR_DATA, "the chain through 0x%" PRIx64 " is not the same when read again", address);
	out->first = out->chain.count - 1 - span->number;
	const struct frame *f = &out->chain.frames[out->first];
	out->held = arena_printf(&traces->arena, "task %s, %s.%" PRIu32, task_key(traces, &out->task), base, span->number);
	out->ref = arena_printf(&traces->arena, "future/0x%" PRIx64, f->address);
	out->base = arena_printf(&traces->arena, "frame/0x%" PRIx64, f->address);
	out->title = arena_printf(&traces->arena, "future 0x%" PRIx64 ": %s", f->address,
	                          tokio_type_name(traces->tokio, f->type, true));
	return NULL;
}

static struct error *frame_missing(const struct trace *trace, uint64_t number)
{
	return error_new(ERROR_NOT_FOUND, "no frame %" PRIu64 " on the chain of %s: it has %" PRIu32, number,
	                 trace->base, trace->chain.count - trace->first);
}

static struct error *trace_into_branch(struct traces *traces, const struct ref_branch *into, struct trace *out)
{
	struct branch branches[BRANCHES_MAX];
	struct frame frame = out->chain.frames[out->first];
	size_t all = 0, count = frame.fork == FORK_NONE ? 0 : frame_branches(traces->tokio, &frame, branches, &all);
	const char *ref = trace_frame_ref(&traces->arena, out->base, &out->chain, out->first);
	if (into->branch >= count)
		return error_new(ERROR_NOT_FOUND, "no branch %" PRIu64 " of %s: it has %zu", into->branch, ref, count);
	const struct branch *b = &branches[into->branch];
	if (b->state == BRANCH_UNREADABLE || (b->state == BRANCH_DONE && !b->has_future))
		return error_new(ERROR_NOT_FOUND, "branch %" PRIu64 " of %s has no future: it is %s", into->branch, ref,
		                 branch_state_text(b->state));
	chain_follow(traces->tokio, b->address, b->type, &out->chain);
	out->base = arena_printf(&traces->arena, "%s:%" PRIu64, ref, into->branch);
	out->first = 0;
	if (into->frame >= out->chain.count)
		return frame_missing(out, into->frame);
	out->first = out->chain.count - 1 - (uint32_t)into->frame;
	return NULL;
}

static struct error *trace_of_frame(struct traces *traces, const struct ref *ref, struct trace *out)
{
	struct task task;
	struct error *err = find_task(traces, ref->by_address, ref->by_address ? ref->address : ref->id, &task);
	if (err == NULL) {
		trace_of_task(traces, &task, out);
	} else if (ref->by_address) {
		error_free(err);
		err = trace_of_address(traces, ref->address, out);
	}
	if (err != NULL)
		return err;
	if (ref->frame >= out->chain.count - out->first)
		return frame_missing(out, ref->frame);
	out->first = out->chain.count - 1 - (uint32_t)ref->frame;
	for (size_t i = 0; err == NULL && i < ref->branch_count; i++)
		err = trace_into_branch(traces, &ref->branches[i], out);
	out->ref = trace_frame_ref(&traces->arena, out->base, &out->chain, out->first);
	out->title = arena_printf(&traces->arena, "frame %s", out->ref + strlen("frame/"));
	return err;
}

static struct error *trace_of_thread(struct traces *traces, uint64_t lwp, struct trace *out)
{
	size_t count;
	const struct tokio_thread *threads = tokio_threads(traces->tokio, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i].lwp != lwp)
			continue;
		const struct task *task = tokio_task_by_id(traces->tokio, threads[i].task_id);
		if (task == NULL || task->lwp != lwp)
			return error_new(ERROR_NOT_FOUND, "thread %" PRIu64 " polls no task", lwp);
		trace_of_task(traces, task, out);
		return NULL;
	}
	return error_new(ERROR_NOT_FOUND, "no thread %" PRIu64 " (%zu threads)", lwp, count);
}

struct error *trace_find(struct traces *traces, const struct ref *ref, struct trace *out)
{
	struct task task;
	struct error *err;
	memset(out, 0, offsetof(struct trace, chain));
	switch (ref->kind) {
	case REF_TASK:
		err = find_task(traces, ref->by_address, ref->by_address ? ref->address : ref->id, &task);
		if (err == NULL)
			trace_of_task(traces, &task, out);
		return err;
	case REF_ADDRESS:
		if (tokio_task_by_address(traces->tokio, ref->address) == NULL)
			return trace_of_address(traces, ref->address, out);
		trace_of_task(traces, tokio_task_by_address(traces->tokio, ref->address), out);
		return NULL;
	case REF_FUTURE:
		return trace_of_address(traces, ref->address, out);
	case REF_FRAME:
		return trace_of_frame(traces, ref, out);
	case REF_THREAD:
		return trace_of_thread(traces, ref->id, out);
	case REF_CONN:
	case REF_STREAM:
	case REF_RUNTIME:
	case REF_LOCALSET:
	case REF_RESOURCE:
		break;
	}
	return error_new(ERROR_USAGE, "%s has no await chain: a task, frame, future or thread is expected", ref->text);
}

const char *trace_stopped(struct arena *arena, const struct task *task, const struct chain *chain)
{
	const struct frame *last = chain->count > 0 ? &chain->frames[chain->count - 1] : NULL;
	switch (chain->end) {
	case CHAIN_LEAF:
	case CHAIN_NEVER:
	case CHAIN_UNRESUMED:
	case CHAIN_RETURNED:
	case CHAIN_PANICKED:
		return NULL;
	case CHAIN_UNKNOWN:
		if (last == NULL || last->fork != FORK_NONE)
			return NULL;
		return arena_printf(arena, "what %s polls is not known", last->name);
	case CHAIN_EMPTY:
		return task->class->problem;
	case CHAIN_DYN_UNKNOWN:
	case CHAIN_DYN_AMBIGUOUS:
	case CHAIN_UNREADABLE:
	case CHAIN_CYCLE:
	case CHAIN_DEEP:
		break;
	}
	return chain->note != NULL ? chain->note : chain_end_text(chain->end);
}

bool trace_wait(struct tokio *tokio, const struct task *task, const struct chain *chain, struct wait *out)
{
	struct task asked = *task;
	*out = (struct wait){ .kind = WAIT_NONE, .text = "" };
	if (task->state == TASK_RUNNING || task->state == TASK_COMPLETE)
		return false;
	if (chain->end == CHAIN_NEVER) { /* itself, whatever a timeout around it waits for */
		out->kind = WAIT_NEVER;
		out->text = "never ready";
		return true;
	}
	asked.state = TASK_IDLE; /* the resource's own words, also of a task that has been woken since */
	wait_decide(tokio, &asked, chain, out);
	switch (out->kind) {
	case WAIT_NONE:
	case WAIT_RUNNING:
	case WAIT_QUEUED:
	case WAIT_COMPLETE:
	case WAIT_UNRESUMED:
	case WAIT_UNKNOWN:
		return false;
	default:
		return true;
	}
}
