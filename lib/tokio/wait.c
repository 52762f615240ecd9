/* WAITING ON. Order: the state word, then the chain's end, then the resource's own words. What is said of a
 * resource here is a description; that the task's own waker lies in it is not checked yet. */
#include "tokio/wait.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "tokio/constants.h"
#include "tokio/tokio_internal.h"
#include "tokio/wait_io.h"

#define NOTHING "—"

enum { QUEUE_MAX = 65536, QUEUE_TEXT = 16 };

const char *wait_kind_text(enum wait_kind kind)
{
	static const char *const TEXTS[] = {
		"", "mutex", "rwlock", "semaphore", "mpsc", "oneshot", "watch", "broadcast", "notify", "barrier",
		"once_cell", "timer", "interval", "task", "join_set", "futures_unordered", "select", "join", "io",
		"blocking", "signal", "process", "cancellation", "yield", "never", "running", "queued", "complete",
		"unresumed", "unknown",
	};
	return TEXTS[kind];
}

static void wait_timer(struct tokio *tk, uint64_t sleep, struct wait *out)
{
	uint64_t seconds, nanos;
	out->kind = WAIT_TIMER;
	out->text = "timer";
	out->resource = sleep;
	if (path_load(&tk->paths[SLEEP_SECONDS], tk->target, sleep, &seconds) != OUTCOME_VALUE ||
	    path_load(&tk->paths[SLEEP_NANOS], tk->target, sleep, &nanos) != OUTCOME_VALUE || nanos >= 1000000000)
		return;
	out->text = arena_printf(&tk->arena, "timer (deadline %" PRId64 ".%03" PRIu64
	                                     "s on the target's monotonic clock)", (int64_t)seconds, nanos / 1000000);
	if (seconds < UINT64_MAX / 1000000000) {
		out->has_deadline = true;
		out->deadline_ns = seconds * 1000000000 + nanos;
	}
}

static void wait_task(struct tokio *tk, const struct frame *leaf, struct wait *out)
{
	struct task joined;
	const char *why;
	uint64_t header;
	const struct path *path = tokio_generic_path(tk, JOIN_HANDLE_HEADER, leaf->type);
	if (path_load(path, tk->target, leaf->address, &header) != OUTCOME_VALUE)
		return;
	out->kind = WAIT_TASK;
	out->task = header;
	const struct task *listed = tokio_task_by_address(tk, header);
	if (listed != NULL)
		out->task_id = listed->id;
	else if (task_decode(tk, header, &joined, &why))
		out->task_id = joined.id;
	if (out->task_id != 0)
		out->text = arena_printf(&tk->arena, "task %" PRIu64, out->task_id);
	else
		out->text = arena_printf(&tk->arena, "the task at 0x%" PRIx64, header);
}

struct wake_queue {
	uint64_t *ids;
	size_t count, capacity;
	bool complete;
};

static void queue_add(struct tokio *tk, struct wake_queue *q, uint64_t id)
{
	if (q->count == q->capacity) {
		size_t capacity = q->capacity == 0 ? 4 : 2 * q->capacity;
		uint64_t *grown = arena_array(&tk->arena, capacity, sizeof *grown);
		if (q->count > 0)
			memcpy(grown, q->ids, q->count * sizeof *grown);
		q->ids = grown;
		q->capacity = capacity;
	}
	q->ids[q->count++] = id;
}

/* The waiters of a semaphore, oldest first: they are pushed at the front and served from the back, so the list is
 * turned round (src/sync/batch_semaphore.rs). */
static void queue_read(struct tokio *tk, uint64_t semaphore, struct wake_queue *q)
{
	uint64_t at, header, known;
	struct map seen = MAP_INIT;
	enum outcome outcome = path_load(&tk->paths[SEMAPHORE_QUEUE], tk->target, semaphore, &at);
	while (outcome == OUTCOME_VALUE && at != 0 && q->count < QUEUE_MAX && !map_get(&seen, at, &known)) {
		map_set(&seen, at, q->count);
		if (path_load(&tk->paths[WAITER_WAKER_DATA], tk->target, at, &header) != OUTCOME_VALUE)
			header = 0;
		const struct task *task = header == 0 ? NULL : tokio_task_by_address(tk, header);
		queue_add(tk, q, task == NULL ? 0 : task->id);
		outcome = path_load(&tk->paths[WAITER_NEXT], tk->target, at, &at);
	}
	map_release(&seen);
	for (size_t i = 0; i < q->count / 2; i++) {
		uint64_t swap = q->ids[i];
		q->ids[i] = q->ids[q->count - 1 - i];
		q->ids[q->count - 1 - i] = swap;
	}
	q->complete = outcome == OUTCOME_VARIANT;
	if (!q->complete)
		tokio_lack(tk, "the wake queue of the semaphore at 0x%" PRIx64 " cannot be followed beyond 0x%" PRIx64,
		           semaphore, at);
}

/* Read once per semaphore: a thousand tasks may wait for one. */
static const struct wake_queue *queue_of(struct tokio *tk, uint64_t semaphore)
{
	uint64_t known;
	if (map_get(&tk->queues, semaphore, &known))
		return (const struct wake_queue *)(uintptr_t)known;
	struct wake_queue *q = arena_alloc(&tk->arena, sizeof *q);
	queue_read(tk, semaphore, q);
	map_set(&tk->queues, semaphore, (uintptr_t)q);
	return q;
}

struct owner_row {
	const char *module;
	enum wait_kind kind;
	const char *name; /* NULL: the plain semaphore's sentence */
};

/* Which primitive the semaphore is part of, from the modules of the frames around the Acquire. */
static const struct owner_row OWNERS[] = {
	{ "tokio::sync::mutex::", WAIT_MUTEX, "a tokio::sync::Mutex" },
	{ "tokio::sync::rwlock::", WAIT_RWLOCK, "a tokio::sync::RwLock" },
	{ "tokio::sync::semaphore::", WAIT_SEMAPHORE, "a tokio::sync::Semaphore" },
	{ "tokio::sync::mpsc::bounded::", WAIT_MPSC, NULL },
};

static const struct owner_row *owner_find(struct tokio *tk, const struct chain *chain)
{
	for (uint32_t i = chain->count; i-- > 0;) {
		const char *name = tinfo_type(tk->target->tinfo, chain->frames[i].type).name;
		for (size_t k = 0; k < sizeof OWNERS / sizeof OWNERS[0]; k++)
			if (strncmp(name, OWNERS[k].module, strlen(OWNERS[k].module)) == 0)
				return &OWNERS[k];
	}
	return NULL;
}

static void semaphore_text(struct tokio *tk, const char *owner, uint64_t semaphore, struct wait *out)
{
	struct strbuf sb = STRBUF_INIT;
	if (owner != NULL)
		strbuf_addf(&sb, "%s (semaphore 0x%" PRIx64 ")", owner, semaphore);
	else
		strbuf_addf(&sb, "the semaphore at 0x%" PRIx64, semaphore);
	strbuf_addf(&sb, ": %" PRIu64 " permit%s requested, %" PRIu64 " available", out->requested,
	            out->requested == 1 ? "" : "s", out->available);
	if (out->queue_count > 0)
		strbuf_adds(&sb, "; wake queue: ");
	for (uint32_t i = 0; i < out->queue_count && i < QUEUE_TEXT; i++) {
		if (out->queue[i] != 0)
			strbuf_addf(&sb, "%stask %" PRIu64, i > 0 ? ", " : "", out->queue[i]);
		else
			strbuf_addf(&sb, "%ssomeone else", i > 0 ? ", " : "");
	}
	if (out->queue_count > QUEUE_TEXT)
		strbuf_addf(&sb, ", … (%" PRIu32 " in all)", out->queue_count);
	out->text = arena_strndup(&tk->arena, sb.text, sb.length);
	strbuf_release(&sb);
}

static void wait_semaphore(struct tokio *tk, const struct chain *chain, const struct frame *leaf, struct wait *out)
{
	uint64_t semaphore, permits;
	struct target *t = tk->target;
	if (path_load(&tk->paths[ACQUIRE_SEMAPHORE], t, leaf->address, &semaphore) != OUTCOME_VALUE ||
	    path_load(&tk->paths[ACQUIRE_NEEDED], t, leaf->address, &out->requested) != OUTCOME_VALUE ||
	    path_load(&tk->paths[SEMAPHORE_PERMITS], t, semaphore, &permits) != OUTCOME_VALUE)
		return;
	const struct owner_row *owner = owner_find(tk, chain);
	out->kind = owner != NULL ? owner->kind : WAIT_SEMAPHORE;
	out->resource = semaphore;
	out->has_permits = true;
	out->available = permits >> SEMAPHORE_PERMIT_SHIFT;
	const struct wake_queue *q = queue_of(tk, semaphore);
	out->queue = q->ids;
	out->queue_count = (uint32_t)q->count;
	out->queue_complete = q->complete;
	semaphore_text(tk, owner != NULL ? owner->name : NULL, semaphore, out);
}

/* A future that nobody decodes is named. */
static const char *leaf_text(struct tokio *tk, uint32_t type)
{
	uint64_t known;
	if (map_get(&tk->leaf_texts, type, &known))
		return (const char *)(uintptr_t)known;
	const char *name = tokio_type_name(tk, chain_leaf_type(tk, type), false);
	const char *text = arena_printf(&tk->arena, "future %s", name);
	map_set(&tk->leaf_texts, type, (uintptr_t)text);
	return text;
}

static void wait_leaf(struct tokio *tk, const struct chain *chain, struct wait *out)
{
	const struct frame *leaf = &chain->frames[chain->count - 1];
	out->text = NULL;
	switch (tokio_root_of(tk, leaf->type)) {
	case ROOT_SLEEP:
		wait_timer(tk, leaf->address, out);
		break;
	case ROOT_JOIN_HANDLE:
		wait_task(tk, leaf, out);
		break;
	case ROOT_ACQUIRE:
		wait_semaphore(tk, chain, leaf, out);
		break;
	case ROOT_READINESS:
		wait_io(tk, chain, leaf, out);
		break;
	default:
		break;
	}
	if (out->text == NULL)
		out->text = leaf_text(tk, leaf->type);
}

/* A future that is never ready: unless a timeout around it ends the wait; of several the first to fire. */
static void wait_never(struct tokio *tk, const struct chain *chain, struct wait *out)
{
	out->kind = WAIT_NEVER;
	out->text = "never ready";
	for (uint32_t i = 0; i < chain->count; i++) {
		const struct frame *f = &chain->frames[i];
		struct wait timer = { .kind = WAIT_NONE };
		uint64_t sleep;
		if (tokio_root_of(tk, f->type) != ROOT_TIMEOUT ||
		    path_locate(tokio_generic_path(tk, TIMEOUT_DELAY, f->type), tk->target, f->address, &sleep) !=
		            OUTCOME_VALUE)
			continue;
		wait_timer(tk, sleep, &timer);
		if (out->kind != WAIT_TIMER || timer.deadline_ns < out->deadline_ns)
			*out = timer;
	}
}

static void wait_by_end(struct tokio *tk, const struct chain *chain, struct wait *out)
{
	switch (chain->end) {
	case CHAIN_LEAF:
	case CHAIN_UNKNOWN:
		if (chain->count > 0)
			wait_leaf(tk, chain, out);
		return;
	case CHAIN_NEVER:
		wait_never(tk, chain, out);
		return;
	case CHAIN_UNRESUMED:
		out->kind = WAIT_UNRESUMED;
		out->text = NOTHING " (unresumed)";
		return;
	case CHAIN_RETURNED:
		out->text = NOTHING " (returned)";
		return;
	case CHAIN_PANICKED:
		out->text = NOTHING " (panicked)";
		return;
	case CHAIN_EMPTY:
		out->kind = WAIT_NONE;
		return;
	case CHAIN_DYN_UNKNOWN:
	case CHAIN_DYN_AMBIGUOUS:
	case CHAIN_UNREADABLE:
	case CHAIN_CYCLE:
	case CHAIN_DEEP:
		out->text = arena_printf(&tk->arena, "unknown (%s)", chain->note);
		return;
	}
}

void wait_decide(struct tokio *tk, const struct task *task, const struct chain *chain, struct wait *out)
{
	*out = (struct wait){ .kind = WAIT_UNKNOWN, .text = NOTHING };
	if (task->class != NULL && task->class->blocking) {
		out->kind = WAIT_NONE; /* it runs, or waits for a thread */
		return;
	}
	switch (task->state) {
	case TASK_COMPLETE:
		out->kind = WAIT_COMPLETE;
		return;
	case TASK_RUNNING:
		out->kind = WAIT_RUNNING;
		if (task->lwp != 0)
			out->text = arena_printf(&tk->arena, NOTHING " (mid-poll on lwp %" PRIu32 ")", task->lwp);
		else
			out->text = NOTHING " (mid-poll)";
		return;
	case TASK_DAMAGED:
		return;
	case TASK_QUEUED:
		out->kind = WAIT_QUEUED;
		out->text = NOTHING " (queued)";
		return;
	case TASK_IDLE:
		break;
	}
	wait_by_end(tk, chain, out);
}
