/* held.h - the census of futures that no await chain has: held in the locals of a frame (plain, boxed, in tuples,
 * Options, vectors, maps) or children of a set of futures (FuturesUnordered and what is built on it). Scanned by value:
 * no reference is followed, with the exception of Box, trait objects, Pin<&mut F> and the nodes of containers. What is
 * behind Arc, Rc, raw pointers or in unions is not found: every listing is a lower bound.
 *
 * A future that is awaited (a frame of the chain of the task or find that holds it) is not held. What was found has
 * frames of its own, in whose locals the search goes on (HELD_HOPS deep).
 *
 * The scan is part of listing the tasks, since it also finds the tasks that others have handles of (discover.c). */
#ifndef HANSEI_TOKIO_HELD_H
#define HANSEI_TOKIO_HELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chain;
struct task;
struct tokio;
struct wait;

enum { HELD_HOPS = 8, HELD_LEVELS = 12, SET_CHILDREN_MAX = 65536, HELD_VISITS = 16 * 1024 * 1024 };
#define HELD_NONE UINT32_MAX

struct held {
	uint64_t address;
	uint32_t type;
	uint64_t task;      /* header of the task that owns it, in the end */
	uint32_t via;       /* the find it is a local or child of; HELD_NONE: of the task's own chain */
	uint32_t frame;     /* of the task's or that find's chain; 0 is the most recently polled */
	const char *local;  /* of that frame; NULL: the frame is the set itself */
	uint32_t set;       /* whose child it is; HELD_NONE: a local */
	uint32_t frames;    /* on its own chain */
	uint32_t holds, sets; /* finds that are its locals, and sets, in its own frames */
	bool dyn, borrowed; /* reached through a trait object; a reference to a future of somebody else */
};

enum held_set_kind { SET_UNORDERED, SET_JOIN };

/* A node of a set. */
struct held_member {
	uint64_t node;  /* of a JoinSet: the task's header */
	uint32_t find;  /* HELD_NONE: completed and not yet reaped, or a task */
};

struct held_set {
	enum held_set_kind kind;
	uint64_t address;
	uint32_t type;
	uint64_t task;
	uint32_t via, frame;
	const char *local;
	uint32_t first, count;    /* members */
	uint32_t live;            /* children in flight; of a JoinSet: tasks */
	uint64_t recorded;        /* what the set itself counts; UINT64_MAX unknown */
	uint64_t node_size;
	bool complete;            /* the walk reached its end */
};

struct held_census {
	const struct held *items; /* by task, in the order of tokio_tasks; what is inside a find follows it */
	size_t count;
	const struct held_set *sets;
	size_t set_count;
	const struct held_member *members;
	uint64_t chains;          /* tasks whose own future is in flight */
	uint64_t frames;          /* on their chains and on those of the finds */
	uint32_t deepest;         /* frames of the longest of them */
};

/* Of all tasks; made with their listing. */
const struct held_census *tokio_held(struct tokio *tk);

struct held_counts {
	uint32_t first, count;          /* all finds of the task, nested ones too */
	uint32_t set_first, set_count;
	uint32_t holds, sets;           /* locals and sets of the task's own chain */
	uint64_t set_tasks, set_futures; /* in those sets: tasks of JoinSets, live children of the others */
};
void held_of_task(struct tokio *tk, const struct task *task, struct held_counts *out);
/* The same two numbers of a find. */
void held_in_find(struct tokio *tk, uint32_t find, struct held_counts *out);

/* The innermost find at this address; HELD_NONE. *others: how many more there are. */
uint32_t held_at(struct tokio *tk, uint64_t address, size_t *others);
/* The set one of whose nodes the address lies in; NULL: none. */
const struct held_set *held_node_at(struct tokio *tk, uint64_t address);

/* Follows the find's chain and decides what it waits for. */
void held_follow(struct tokio *tk, const struct held *held, struct chain *chain, struct wait *wait);

enum held_armed { HELD_ARMED_UNKNOWN, HELD_IDLE, HELD_ARMED };
/* Is it polled beside the chain: a branch of select!, join! or a timeout that its holder awaits? */
enum held_armed held_armed(struct tokio *tk, const struct held *held);

#endif
