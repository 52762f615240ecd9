/* tokio's registration does not know its file descriptor: only the socket does, so the frames of the chain are
 * searched for a socket with this registration (src/io/poll_evented.rs). */
#include "tokio/wait_io.h"

#include <inttypes.h>
#include <string.h>

#include "tokio/constants.h"
#include "tokio/tokio_internal.h"

enum { SEARCH_DEPTH = 5, SEARCH_VISITS = 400, FD_MAX = 1 << 24 };

struct fd_search {
	struct tokio *tk;
	uint64_t scheduled_io;
	uint32_t visits;
	int32_t fd;
};

static bool socket_fits(struct fd_search *s, uint64_t at, uint32_t type)
{
	uint64_t io, fd;
	struct target *t = s->tk->target;
	if (path_locate(tokio_generic_path(s->tk, POLL_EVENTED_IO, type), t, at, &io) != OUTCOME_VALUE ||
	    io != s->scheduled_io ||
	    path_load(tokio_generic_path(s->tk, POLL_EVENTED_FD, type), t, at, &fd) != OUTCOME_VALUE || fd > FD_MAX)
		return false;
	s->fd = (int32_t)fd;
	return true;
}

/* By value through structs; one reference or box on the way. */
static bool socket_search(struct fd_search *s, uint64_t at, uint32_t id, int depth, bool hopped)
{
	struct tinfo *ti = s->tk->target->tinfo;
	if (depth == SEARCH_DEPTH || ++s->visits > SEARCH_VISITS || id == TINFO_NONE)
		return false;
	struct type type = tinfo_type(ti, id);
	if (tokio_root_of(s->tk, id) == ROOT_POLL_EVENTED)
		return socket_fits(s, at, id);
	if (type.kind == TYPE_POINTER && !hopped && type.name[0] != '*') {
		uint64_t to;
		return target_word(s->tk->target, at, &to) && to != 0 &&
		       socket_search(s, to, type.target, depth + 1, true);
	}
	if (type.kind != TYPE_STRUCT)
		return false;
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(ti, type.first + i);
		if (socket_search(s, at + m.offset, m.type, depth + 1, hopped))
			return true;
	}
	return false;
}

static bool frame_search(struct fd_search *s, const struct frame *f)
{
	struct tinfo *ti = s->tk->target->tinfo;
	uint32_t holder = f->type;
	uint64_t offset = 0;
	if (f->variant != TINFO_NONE) {
		struct variant v = tinfo_variant(ti, f->variant);
		holder = v.payload;
		offset = v.offset;
	}
	if (holder == TINFO_NONE)
		return false;
	struct type type = tinfo_type(ti, holder);
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(ti, type.first + i);
		if ((m.flags & (MEMBER_UNCERTAIN | MEMBER_SHADOWED)) != 0 || strcmp(m.name, "__awaitee") == 0)
			continue;
		if (socket_search(s, f->address + offset + m.offset, m.type, 0, false))
			return true;
	}
	return false;
}

static const char *interest_text(uint64_t bits)
{
	switch (bits & (INTEREST_READABLE | INTEREST_WRITABLE)) {
	case INTEREST_READABLE:
		return "readable";
	case INTEREST_WRITABLE:
		return "writable";
	case INTEREST_READABLE | INTEREST_WRITABLE:
		return "readable, writable";
	default:
		return (bits & INTEREST_PRIORITY) != 0 ? "priority" : (bits & INTEREST_ERROR) != 0 ? "error" : NULL;
	}
}

void wait_io(struct tokio *tk, const struct chain *chain, const struct frame *leaf, struct wait *out)
{
	struct fd_search search = { .tk = tk, .fd = -1 };
	uint64_t interest;
	if (path_load(&tk->paths[READINESS_IO], tk->target, leaf->address, &search.scheduled_io) != OUTCOME_VALUE)
		return;
	out->kind = WAIT_IO;
	out->resource = search.scheduled_io;
	if (path_load(&tk->paths[READINESS_INTEREST], tk->target, leaf->address, &interest) == OUTCOME_VALUE)
		out->interest = interest_text(interest);
	for (uint32_t i = chain->count; i-- > 0 && !out->has_fd;) {
		search.visits = 0;
		out->has_fd = frame_search(&search, &chain->frames[i]);
	}
	out->fd = search.fd;
	const char *interest_words = out->interest != NULL ? out->interest : "unknown interest";
	if (out->has_fd)
		out->text = arena_printf(&tk->arena, "io fd %" PRId32 " (%s)", out->fd, interest_words);
	else
		out->text = arena_printf(&tk->arena, "io at 0x%" PRIx64 " (%s)", out->resource, interest_words);
}
