/* trace.h - from a reference to the await chain it means: of a task, of a frame on a chain (from there on), of a
 * branch, of a future by its address, of a thread's task. Texts live in the arena of the struct traces. */
#ifndef HANSEI_RECORDS_TRACE_H
#define HANSEI_RECORDS_TRACE_H

#include "base/arena.h"
#include "tokio/tokio.h"

struct error;
struct ref;
struct tinfo;
struct trace_span;

struct trace {
	struct task task;  /* who polls it */
	const char *ref;   /* "task/5", "future/0x55d0c8", "frame/5.2", "frame/5.0:1.2" */
	const char *title; /* "task 5", "future 0x55d0c8", "frame 5.2": heads it among others */
	const char *base;  /* its frames are BASE.N, N counted from the most recently polled: "frame/5", "frame/5.0:1" */
	const char *held;  /* of a future by its address: where on a chain it was found; else NULL */
	enum stage stage;  /* what became of the task's future */
	uint32_t first;    /* the outermost frame that is meant: frames[first .. count) */
	struct chain chain; /* root first, all of it; last here, since everything before it is cleared */
};

/* Where chains are found: one per program. Futures are looked up by address in an index made at the first need. */
struct traces {
	struct tokio *tokio;
	struct tinfo *tinfo;
	struct arena arena;
	bool indexed;
	struct trace_span *spans; /* by address */
	size_t span_count;
};

#define TRACES_INIT(tk, ti) { .tokio = (tk), .tinfo = (ti), .arena = ARENA_INIT }
void traces_release(struct traces *traces);

/* Errors: ERROR_NOT_FOUND (no such task, frame, branch, thread; nothing on any chain at the address; a thread that
 * polls no task), ERROR_USAGE (a reference to something that has no chain). */
struct error *trace_find(struct traces *traces, const struct ref *ref, struct trace *out);
/* The chain of a task that is at hand. */
void trace_of_task(struct traces *traces, const struct task *task, struct trace *out);

/* "task 5", "task 0x55d0c8". */
const char *trace_task_title(struct traces *traces, const struct task *task);

/* "frame/5.2" for a frame of the chain by its index there. */
const char *trace_frame_ref(struct arena *arena, const char *base, const struct chain *chain, uint32_t index);
/* The number that listings give it: 0 is the most recently polled. */
static inline uint32_t trace_number(const struct chain *chain, uint32_t index)
{
	return chain->count - 1 - index;
}

/* Why the chain was not followed further, when it does not end in an ordinary way; else NULL. In the arena. */
const char *trace_stopped(struct arena *arena, const struct task *task, const struct chain *chain);
/* What the last frame of a chain waits for; false when nothing is decoded, or the task is being polled. */
bool trace_wait(struct tokio *tokio, const struct task *task, const struct chain *chain, struct wait *out);

#endif
