/* A local that was borrowed keeps its storage in a coroutine after it was moved out, and is listed as if it were still
 * there (notes on rustc's DWARF, section 7): after `handle.id(); handle.await` the local `handle` is such a ghost of the
 * awaited future. It is told by its bytes: those of a future that was not polled since, or, of a coroutine that was
 * polled for the first time after the move, those of its arguments, which stay where they are. */
#include <string.h>

#include "tokio/chain.h"
#include "tokio/held_internal.h"

enum { COMPARE_MAX = 65536, PIECE = 256 };

static bool same_bytes(struct target *t, uint64_t a, uint64_t b, uint64_t length)
{
	unsigned char left[PIECE], right[PIECE];
	for (uint64_t done = 0; done < length;) {
		size_t piece = length - done < PIECE ? (size_t)(length - done) : PIECE;
		if (!target_read(t, a + done, left, piece) || !target_read(t, b + done, right, piece) ||
		    memcmp(left, right, piece) != 0)
			return false;
		done += piece;
	}
	return true;
}

/* The arguments of a coroutine, as it has them before it is first polled. */
static bool same_arguments(struct target *t, const struct frame *ghost, const struct frame *awaited)
{
	struct variant v = tinfo_variant(t->tinfo, ghost->variant);
	bool any = false;
	if (v.payload == TINFO_NONE)
		return false;
	struct type payload = tinfo_type(t->tinfo, v.payload);
	for (uint32_t i = 0; i < payload.count; i++) {
		struct member m = tinfo_member(t->tinfo, payload.first + i);
		uint64_t size = tinfo_type(t->tinfo, m.type).size;
		if (size > COMPARE_MAX || !same_bytes(t, ghost->address + v.offset + m.offset,
		                                      awaited->address + v.offset + m.offset, size))
			return false;
		any |= size > 0;
	}
	return any;
}

bool held_moved(struct held_state *s, const struct chain *holder, const struct chain *chain, uint32_t first)
{
	struct target *t = s->tk->target;
	const struct frame *ghost = &chain->frames[first];
	struct type type = tinfo_type(t->tinfo, ghost->type);
	if (type.size == 0 || type.size > COMPARE_MAX)
		return false;
	for (uint32_t i = 0; i < holder->count; i++) {
		const struct frame *f = &holder->frames[i];
		if (f->type != ghost->type)
			continue;
		if (same_bytes(t, ghost->address, f->address, type.size))
			return true;
		if (ghost->coroutine && chain->end == CHAIN_UNRESUMED && chain->count == first + 1 &&
		    same_arguments(t, ghost, f))
			return true;
	}
	return false;
}
