/* chain.h - the await chain: from a root future along what each polls next, to where it waits. A frame is a future
 * that has a name of its own; references, Pin and Box in between are followed silently. The chain of a running
 * task may be torn: the compiler writes a coroutine's state late. */
#ifndef HANSEI_TOKIO_CHAIN_H
#define HANSEI_TOKIO_CHAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "rust/names.h"
#include "tokio/branch.h"

struct tokio;

enum chain_end {
	CHAIN_LEAF,           /* a future known to poll no other */
	CHAIN_NEVER,          /* core::future::Pending: never ready */
	CHAIN_UNRESUMED,      /* never polled: holds its arguments only */
	CHAIN_RETURNED,       /* finished, or an adapter whose inner future is gone */
	CHAIN_PANICKED,
	CHAIN_UNKNOWN,        /* no rule says what the last frame polls */
	CHAIN_DYN_UNKNOWN,    /* a trait object whose vtable is none of ours; fault is the vtable's address */
	CHAIN_DYN_AMBIGUOUS,  /* several types share its functions */
	CHAIN_UNREADABLE,     /* fault is the address */
	CHAIN_CYCLE,
	CHAIN_DEEP,           /* CHAIN_DEPTH reached */
	CHAIN_EMPTY,          /* there is no future (finished, or its type is not known) */
};
const char *chain_end_text(enum chain_end end);

enum { CHAIN_DEPTH = 256 };

struct frame {
	uint64_t address;
	uint32_t type;
	enum future_kind kind;
	const char *name;    /* folded, without the kind word */
	const char *state;   /* of a coroutine: "Suspend0", "Returned" …; of an enum its live variant; else NULL */
	const char *file;    /* await site of a suspended coroutine, folded; NULL: none */
	uint32_t line;
	uint32_t variant;    /* index of the live state (struct variant), or TINFO_NONE */
	uint32_t locals;     /* live at this point; members, for what is no coroutine */
	enum fork fork;      /* what it polls beside or instead of the next frame: frame_branches */
	bool coroutine;
	bool dyn;            /* reached through a trait object */
	bool inferred;       /* reached by a rule of thumb: the only future its holder has */
	bool foreign;        /* site in a registry crate, git checkout or std */
};

struct chain {
	struct frame frames[CHAIN_DEPTH]; /* root first; listings number from the other end (#0 is the last) */
	uint32_t count;
	enum chain_end end;
	uint64_t fault;
	const char *note;    /* one sentence on an end that is no ordinary one; NULL */
};

/* Follows the chain of the future of this type at this address. */
void chain_follow(struct tokio *tk, uint64_t address, uint32_t type, struct chain *out);

/* The frame whose await site stands for the chain in a listing: for a running task the first from the root that
 * has one, else the deepest one in the user's own code, else the outermost. NULL: no site. */
const struct frame *chain_site(const struct chain *chain, bool running);

/* The type to name for a last future that is not decoded: through references, Pin, poll_fn closures with one
 * capture and single-member structs, up to a known leaf, an enum or a raw pointer. */
uint32_t chain_leaf_type(struct tokio *tk, uint32_t type);

#endif
