/* children.h - what a task or a held future holds, as text:
 *
 *	held futures: 1
 *	    (frame 1, `upload`): 0x5581c0  async fn shop::upload  Suspend2 — src/up.rs:30
 *	      waiting on timer (deadline 12.500s on the target's monotonic clock)
 *	join sets: 2 (3 tasks and 2 futures)
 *	    - futures_util::…::FuturesUnordered<shop::probe> at 0x5590a0 (frame 2, `probes`): 2 children in flight, …
 *	        0x55a110  async fn shop::probe  Suspend0 — src/p.rs:9 */
#ifndef HANSEI_RECORDS_CHILDREN_H
#define HANSEI_RECORDS_CHILDREN_H

#include <stdint.h>

#include "tokio/held.h"

struct arena;
struct out;
struct tinfo;
struct tokio;

struct children {
	struct out *out;
	struct tokio *tokio;
	struct tinfo *tinfo;
	uint64_t limit; /* children of a set that are shown; the rest is counted */
};

/* "2 (3 tasks and 40 futures)"; a kind that is not there is not mentioned. */
const char *join_sets_text(struct arena *arena, uint64_t sets, uint64_t tasks, uint64_t futures);

/* The two count rows, each followed by its finds, and what is inside those. counts: of the task, or of the find `via`. */
void children_print(const struct children *children, const struct held_counts *counts, uint32_t via, unsigned indent);

#endif
