/* held_internal.h - the scan behind held.h. */
#ifndef HANSEI_TOKIO_HELD_INTERNAL_H
#define HANSEI_TOKIO_HELD_INTERNAL_H

#include "tokio/held.h"
#include "tokio/held_plan.h"

/* Where the scan is: what it finds is of this place. */
struct held_place {
	uint64_t task;
	uint32_t via, frame, set;
	const char *local;
	const struct chain *chain; /* of the holder: its frames are not held */
};

struct held_pending { /* a set or reference, looked at after the locals that are values */
	struct held_place place;
	uint64_t address;
	uint32_t type;
	enum hold kind;
};

struct held_block { /* of one task, in the order of scanning */
	uint64_t task;
	size_t item, items, set, sets;
};

struct held_state {
	struct tokio *tk;
	struct hold_types types;
	struct chain *chains;     /* one per hop */
	int hop;
	uint64_t visits;          /* values looked at; HELD_VISITS end the scan */
	bool quiet;               /* a running task: what does not fit is torn, not damaged */
	struct map futures, sets_seen, semaphores;
	struct map handles;       /* headers of tasks whose JoinHandle was met: there is one per task */
	struct map set_plans;

	struct held *items;
	size_t count, capacity;
	struct held_set *sets;
	size_t set_count, set_capacity;
	struct held_member *members;
	size_t member_count, member_capacity;
	struct held_block *blocks;
	size_t block_count, block_capacity;
	struct held_pending *pending;
	size_t pending_count, pending_capacity;

	struct held_census census;
	struct map block_of;      /* task -> block, when final */
	struct map find_at;       /* address -> find, several of one key */
	bool indexed;
	struct held_span *spans;  /* of nodes */
	size_t span_count;
};

struct held_state *held_new(struct tokio *tk);
void held_free(struct held_state *state);
/* Scans a task that was found; once per task. */
void held_scan(struct held_state *state, const struct task *task);
/* Brings everything into the order of tk->tasks. */
void held_finish(struct held_state *state);

/* held_moved.c: is it what is left behind by a move into one of the frames of the chain? */
bool held_moved(struct held_state *state, const struct chain *holder, const struct chain *chain, uint32_t first);

/* held_set.c: the children of a set, handed to held_hit one by one; the tasks of a JoinSet to tokio_candidate. */
void held_scan_set(struct held_state *state, const struct held_pending *pending);
/* A future found at a place: recorded unless it is over, awaited, or known. Its index, or HELD_NONE; *over: nothing is
 * left of it. */
uint32_t held_hit(struct held_state *state, const struct held_place *place, uint32_t type, uint64_t address, bool borrowed,
                  bool *over);

#endif
