/* tokio's values: what of them is worth seeing. Members by name, numbers by their source (constants.h); checked in
 * tokio 1.38 to 1.54. */
#include "tokio/formats.h"

#include <stdio.h>
#include <string.h>

#include "tokio/formats_internal.h"
#include "tokio/tokio_internal.h"

struct view_field *formats_field(struct view *out, const char *name)
{
	struct view_field *field = &out->fields[out->field_count++];
	*field = (struct view_field){ .name = name, .value = { TINFO_NONE, 0 } };
	out->kind = VIEW_RECORD;
	return field;
}

void formats_number(struct view *out, const char *name, uint64_t value)
{
	snprintf(formats_field(out, name)->word, VIEW_FIELD_WORD, "%llu", (unsigned long long)value);
}

void formats_word(struct view *out, const char *name, const char *word)
{
	snprintf(formats_field(out, name)->word, VIEW_FIELD_WORD, "%s", word);
}

bool formats_part(struct viewer *viewer, const struct subject *s, unsigned path, const struct formatter *as,
                  struct view *out, const char *name)
{
	uint64_t at;
	if (s->paths[path].state != PATH_BOUND ||
	    path_locate(&s->paths[path], viewer->target, s->address, &at) != OUTCOME_VALUE)
		return false;
	struct view_field *field = formats_field(out, name);
	field->value = (struct value){ s->paths[path].type, at };
	field->as = as;
	return true;
}

/* src/sync/once_cell.rs. paths: flag, value. */
static bool view_once_cell(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t set, at;
	if (!subject_numbers(viewer, s, 1, &set, out))
		return true;
	out->kind = VIEW_NOTHING;
	snprintf(out->word, sizeof out->word, "<empty>");
	if (set == 0)
		return true;
	if (path_locate(&s->paths[1], viewer->target, s->address, &at) != OUTCOME_VALUE)
		return false;
	out->kind = VIEW_SAME;
	out->value = (struct value){ s->paths[1].type, at };
	return true;
}

/* A pointer to a task's header says which task; what is behind it is no one's business. */
static bool view_task(struct viewer *viewer, const struct subject *s, struct view *out)
{
	if (!subject_numbers(viewer, s, 1, &out->pointer, out))
		return true;
	out->kind = VIEW_POINTER;
	out->raw = true;
	return true;
}

/* src/time/sleep.rs, src/runtime/time/entry.rs: the state word is a tick in ms, all ones when deregistered, one less
 * while it fires. paths: seconds and nanoseconds of the deadline, state word of the timer. */
static bool view_sleep(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2], word;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	snprintf(formats_field(out, "deadline")->word, VIEW_FIELD_WORD, "%lld.%03us", (long long)at[0],
	         (unsigned)(at[1] / 1000000));
	switch (subject_load(viewer, s, 2, &word)) {
	case OUTCOME_VALUE:
		formats_word(out, "state", word == UINT64_MAX ? "deregistered" : word == UINT64_MAX - 1 ? "pending fire" : "registered");
		break;
	case OUTCOME_VARIANT:
		formats_word(out, "state", "never polled");
		break;
	default:
		break;
	}
	return true;
}

#define SLEEP(from) from ".t.tv_sec", from ".t.tv_nsec.__0 | " from ".t.tv_nsec"

static const struct formatter ROWS[] = {
	/* src/loom/std/, src/util/: the shims around std's own. */
	{ "tokio::loom::std::unsafe_cell::UnsafeCell", FORMAT_PEEL, view_same, 1, { ".__0.value" }, NULL },
	{ "tokio::loom::std::atomic_u16::AtomicU16", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::loom::std::atomic_u32::AtomicU32", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::loom::std::atomic_usize::AtomicUsize", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::loom::std::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".__0.data.value" }, NULL },
	{ "tokio::loom::std::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".__0.data.value" }, NULL },
	{ "tokio::loom::std::parking_lot::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".__1.data.value" }, NULL },
	{ "tokio::loom::std::parking_lot::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".__1.data.value" }, NULL },
	{ "tokio::util::cacheline::CachePadded", FORMAT_PEEL, view_same, 1, { ".value" }, NULL },

	{ "tokio::sync::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".c.value" }, NULL },
	{ "tokio::sync::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".c.value" }, NULL },
	{ "tokio::sync::once_cell::OnceCell", 0, view_once_cell, 2,
	  { ".value_set~1", ".value.__0.value.value.value.__0 | .value.__0.value.value.value" }, NULL },
	{ "tokio::time::instant::Instant", 0, view_same, 1, { ".std" }, NULL },

	{ "tokio::runtime::task::join::JoinHandle", 0, view_task, 1, { ".raw.ptr.pointer" }, NULL },
	{ "tokio::runtime::task::abort::AbortHandle", 0, view_task, 1, { ".raw.ptr.pointer" }, NULL },
	{ "tokio::runtime::task::raw::RawTask", 0, view_task, 1, { ".ptr.pointer" }, NULL },
	{ "tokio::time::sleep::Sleep", FORMAT_TEXT_ONLY, view_sleep, 2,
	  { SLEEP(".deadline.std.__0"), ".timer<Some>.__0<Traditional>.__0.inner.state.state~w" }, NULL },
	{ "tokio::time::sleep::Sleep", FORMAT_TEXT_ONLY, view_sleep, 2,
	  { SLEEP(".entry<*>.__0.deadline.std.__0"), ".entry<Traditional>.__0.inner<Some>.__0.state.state~w" }, NULL },
	{ "tokio::time::sleep::Sleep", FORMAT_TEXT_ONLY, view_sleep, 2,
	  { SLEEP(".entry.deadline.std.__0"), ".entry.inner<Some>.__0.state.state~w" }, NULL },

	/* A runtime is everything: not to be opened by the way. */
	{ "tokio::runtime::handle::Handle", 0, view_opaque, 0, { NULL }, NULL },
	{ "tokio::runtime::runtime::Runtime", 0, view_opaque, 0, { NULL }, NULL },
	{ "tokio::runtime::scheduler::Handle", 0, view_opaque, 0, { NULL }, NULL },
	{ "tokio::runtime::scheduler::multi_thread::handle::Handle", 0, view_opaque, 0, { NULL }, NULL },
	{ "tokio::runtime::scheduler::current_thread::Handle", 0, view_opaque, 0, { NULL }, NULL },
	{ "tokio::runtime::driver::Handle", 0, view_opaque, 0, { NULL }, NULL },
};

const struct formatter_table *tokio_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
