/* branch.h - futures that poll several others side by side: select!, join!, Timeout, and the combinators of other
 * crates. Each branch has a chain of its own: chain_follow from its address and type. */
#ifndef HANSEI_TOKIO_BRANCH_H
#define HANSEI_TOKIO_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame;
struct tokio;

enum fork {
	FORK_NONE,
	FORK_SELECT, /* the first branch that is ready ends it */
	FORK_JOIN,   /* all must be ready */
	FORK_SIDE,   /* the chain goes on through one future; the branches are what is polled beside it (Timeout) */
};

enum branch_state {
	BRANCH_ARMED,      /* polled together with its frame */
	BRANCH_DONE,       /* no longer polled: finished, or switched off */
	BRANCH_UNREADABLE,
};
const char *branch_state_text(enum branch_state state); /* "armed", "done", "unreadable" */

struct branch {
	const char *name;  /* "left"; NULL where the branches are numbered only */
	uint64_t address;  /* of the future; without meaning unless it is armed, or has_future */
	uint32_t type;
	enum branch_state state;
	bool has_future;   /* a branch that is done may still have its (finished) future */
};

enum { BRANCHES_MAX = 64 };

/* The branches of a frame with a fork, in the program's order; at most BRANCHES_MAX, their full number in *all. */
size_t frame_branches(struct tokio *tk, const struct frame *frame, struct branch out[BRANCHES_MAX], size_t *all);

#endif
