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
	FORK_SELECT,  /* the first branch that is ready ends it */
	FORK_JOIN,    /* all must be ready */
	FORK_SIDE,    /* the chain goes on through one future; the branches are polled beside it (Timeout's delay) */
	FORK_UNKNOWN, /* it holds several futures; that it polls them is a guess */
};

enum branch_state {
	BRANCH_ARMED,      /* polled together with its frame */
	BRANCH_DONE,       /* no longer polled: finished, or switched off */
	BRANCH_UNREADABLE,
};
const char *branch_state_text(enum branch_state state); /* "armed", "done", "unreadable" */

struct branch {
	const char *name;  /* of the member that holds it; NULL: branches are numbered only */
	uint64_t address;  /* of the future, where it has one */
	uint32_t type;
	enum branch_state state;
	bool has_future;   /* a branch that is done may still have its finished future */
};

enum { BRANCHES_MAX = 64 };

/* The branches of a frame with a fork, in the program's order; at most BRANCHES_MAX, their full number in *all. */
size_t frame_branches(struct tokio *tk, const struct frame *frame, struct branch out[BRANCHES_MAX], size_t *all);

#endif
