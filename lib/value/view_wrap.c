/* Wrappers: smart pointers, trait objects, cells, locks, atomics. In text most are what they look like in memory (what
 * is locked, how many owners there are, is worth seeing); JSON and paths look through them. Sources: library/alloc/src/
 * {rc,sync,boxed}.rs, library/core/src/{cell,ptr/non_null,mem,pin,task/wake,sync/atomic}.rs, library/std/src/sync/,
 * library/std/src/sys/sync/once/futex.rs, lock_api's and parking_lot's src/{mutex,rwlock,raw_mutex}.rs. */
#include <stdio.h>
#include <string.h>

#include "value/target.h"
#include "value/view.h"

enum { TAIL_DEPTH = 16, ALIGN_MAX = 1 << 30 };

/* The last member of an unsized struct is where its tail lies; debug information gives its offset as if it were
 * aligned like a byte. Rounds up level by level. *type is the innermost struct's tail type. */
static uint64_t tail_offset(struct viewer *viewer, uint32_t *type, uint64_t align)
{
	uint64_t offset = 0;
	for (int depth = 0; depth < TAIL_DEPTH; depth++) {
		struct type here = tinfo_type(viewer->target->tinfo, *type);
		if (here.kind != TYPE_STRUCT || here.count == 0)
			break;
		struct member last = { .type = TINFO_NONE };
		for (uint32_t i = 0; i < here.count; i++) {
			struct member m = tinfo_member(viewer->target->tinfo, here.first + i);
			if (i == 0 || m.offset >= last.offset)
				last = m;
		}
		offset += (last.offset + align - 1) & ~(align - 1);
		*type = last.type;
	}
	return offset;
}

static uint32_t concrete_type(struct viewer *viewer, uint64_t vtable, struct vtable *record)
{
	uint32_t first;
	struct target *t = viewer->target;
	if (!t->has_bias)
		return TINFO_NONE;
	uint32_t count = tinfo_vtable_at(t->tinfo, vtable - t->bias, &first);
	if (count == 0)
		return TINFO_NONE;
	*record = tinfo_vtable(t->tinfo, first);
	for (uint32_t i = 1; i < count; i++)
		if (tinfo_vtable(t->tinfo, first + i).type != record->type)
			return TINFO_NONE; /* folded: two types share the table */
	return record->type;
}

static bool view_object(struct viewer *viewer, const struct subject *s, uint64_t data, uint64_t vtable, struct view *out)
{
	uint64_t size, align;
	struct vtable record;
	uint32_t tail = tinfo_type(viewer->target->tinfo, s->paths[0].type).target;
	out->kind = VIEW_POINTER;
	out->pointer = data;
	out->owned = true;
	if (data == 0)
		return true;
	if (!target_word(viewer->target, vtable + 8, &size) || !target_word(viewer->target, vtable + 16, &align) ||
	    align == 0 || (align & (align - 1)) != 0 || align > ALIGN_MAX) {
		view_error(out, "0x%llx is no vtable", (unsigned long long)vtable);
		return true;
	}
	uint32_t concrete = concrete_type(viewer, vtable, &record);
	if (concrete == TINFO_NONE) {
		out->pointer = data;
		snprintf(out->word, sizeof out->word, "<unknown type, vtable 0x%llx>", (unsigned long long)vtable);
		return true;
	}
	struct type type = tinfo_type(viewer->target->tinfo, concrete);
	if ((type.flags & TYPE_SIZED) != 0 && type.size != size) {
		view_error(out, "the vtable at 0x%llx is not of %.80s", (unsigned long long)vtable, type.name);
		return true;
	}
	out->concrete = concrete;
	out->value = (struct value){ concrete, data + tail_offset(viewer, &tail, align) };
	return true;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static bool is_any(const char *text, const char *const *beginnings)
{
	for (; *beginnings != NULL; beginnings++)
		if (begins(text, *beginnings))
			return true;
	return false;
}

/* A wide pointer to elements or to a text: of a reference or box right there, of Arc and Rc behind two counts. */
static bool view_wide(struct viewer *viewer, const struct subject *s, uint64_t data, uint64_t length, struct view *out)
{
	static const char *const SLICES[] = { "&[", "&mut [", "*const [", "*mut [", "alloc::boxed::Box<[", NULL };
	static const char *const COUNTED[] = { "alloc::sync::ArcInner<", "alloc::rc::RcInner<", "alloc::rc::RcBox<", NULL };
	static const char *const TEXTS[] = { "str>", "std::path::Path>", "std::ffi::os_str::OsStr>", NULL };
	struct tinfo *ti = viewer->target->tinfo;
	uint32_t pointed = tinfo_type(ti, s->paths[0].type).target;
	struct member m = { .type = pointed, .offset = 0 };
	if (pointed == TINFO_NONE)
		return false;
	struct type pointee = tinfo_type(ti, pointed);
	bool counted = is_any(pointee.name, COUNTED);
	const char *argument = counted ? strchr(pointee.name, '<') + 1 : "";
	if (!counted && !is_any(s->plan->type.name, SLICES))
		return false;
	if (counted && tinfo_find_member(ti, &pointee, "data", &m) == TINFO_NONE &&
	    tinfo_find_member(ti, &pointee, "value", &m) == TINFO_NONE)
		return false;
	if (is_any(argument, TEXTS)) {
		out->kind = VIEW_TEXT;
		out->address = data + m.offset;
		out->length = length;
		if (length > INT64_MAX || !memory_there(viewer, out->address, length))
			view_unreadable(out, out->address);
		return true;
	}
	if (counted && argument[0] != '[')
		return false; /* a struct that ends in a slice: two levels, and no text of it */
	struct type element = tinfo_type(ti, m.type);
	if (counted && element.kind == TYPE_ARRAY && element.target != TINFO_NONE)
		m.type = element.target;
	view_array(viewer, out, data + m.offset, m.type, length, UINT64_MAX);
	return true;
}

bool view_pair(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (strcmp(s->row->paths[1], ".vtable") == 0)
		return view_object(viewer, s, at[0], at[1], out);
	return view_wide(viewer, s, at[0], at[1], out);
}

/* paths[0]: a thin pointer, or a wide one. words: "raw", "weak". */
bool view_pointer(struct viewer *viewer, const struct subject *s, struct view *out)
{
	const struct path *path = &s->paths[0];
	uint64_t inner;
	if (path_locate(path, viewer->target, s->address, &inner) != OUTCOME_VALUE) {
		view_unreadable(out, s->address);
		return true;
	}
	struct type type = tinfo_type(viewer->target->tinfo, path->type);
	if (type.kind != TYPE_POINTER) {
		out->kind = VIEW_SAME;
		out->value = (struct value){ path->type, inner };
		return type.kind == TYPE_STRUCT;
	}
	if (!target_word(viewer->target, inner, &out->pointer)) {
		view_unreadable(out, inner);
		return true;
	}
	out->kind = VIEW_POINTER;
	out->value = (struct value){ type.target, out->pointer };
	out->raw = s->row->words != NULL;
	out->owned = !out->raw;
	return true;
}

/* A weak pointer as serde sees it: what it leads to while somebody owns that, else nothing. paths: pointer, strong
 * count. `Weak::new()` is all ones. */
static bool view_weak(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t pointer, strong;
	if (subject_load(viewer, s, 0, &pointer) != OUTCOME_VALUE)
		return false;
	if (pointer == UINT64_MAX) {
		out->kind = VIEW_NOTHING;
		return true;
	}
	if (subject_load(viewer, s, 1, &strong) != OUTCOME_VALUE) {
		view_unreadable(out, pointer);
		return true;
	}
	out->kind = strong == 0 ? VIEW_NOTHING : VIEW_POINTER;
	out->pointer = pointer;
	out->owned = true;
	out->value = (struct value){ tinfo_type(viewer->target->tinfo, s->paths[0].type).target, pointer };
	return true;
}

/* paths: state of the Once, the value in its MaybeUninit or union. std/src/sys/sync/once/futex.rs: COMPLETE is 4 up to
 * 1.82 (INCOMPLETE 0), 0 since (INCOMPLETE 3); bits above the lowest two say that threads are waiting. */
static bool view_once(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t state, inner;
	if (subject_load(viewer, s, 0, &state) != OUTCOME_VALUE) {
		view_unreadable(out, s->address);
		return true;
	}
	bool old = viewer->rustc != 0 && viewer->rustc < 83;
	if (old ? state != 4 : (state & 3) != 0) {
		out->kind = VIEW_NOTHING;
		snprintf(out->word, sizeof out->word, "<uninit>");
		return true;
	}
	if (path_locate(&s->paths[1], viewer->target, s->address, &inner) != OUTCOME_VALUE)
		return false;
	out->kind = VIEW_SAME;
	out->value = (struct value){ s->paths[1].type, inner };
	return true;
}

/* In JSON an AtomicBool is true or false; text has the byte. */
static bool view_flag(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t byte;
	if (!subject_numbers(viewer, s, 1, &byte, out))
		return true;
	if (byte > 1) {
		view_error(out, "%llu is no bool", (unsigned long long)byte);
		return true;
	}
	view_word(out, "%s", byte != 0 ? "true" : "false");
	snprintf(out->json, sizeof out->json, "%s", byte != 0 ? "true" : "false");
	return true;
}

/* parking_lot/src/raw_mutex.rs: LOCKED_BIT 1, PARKED_BIT 2. */
static bool view_raw_mutex(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t byte;
	if (!subject_numbers(viewer, s, 1, &byte, out))
		return true;
	if ((byte & ~UINT64_C(3)) != 0)
		view_word(out, "locked=%s, parked=%s, <unknown bits: 0x%llx>", (byte & 1) != 0 ? "true" : "false",
		          (byte & 2) != 0 ? "true" : "false", (unsigned long long)(byte & ~UINT64_C(3)));
	else
		view_word(out, "locked=%s, parked=%s", (byte & 1) != 0 ? "true" : "false", (byte & 2) != 0 ? "true" : "false");
	return true;
}

/* A waker is the task it wakes, where that is known: the pointer alone, without what it leads to. */
static bool view_waker(struct viewer *viewer, const struct subject *s, struct view *out)
{
	if (!subject_numbers(viewer, s, 1, &out->pointer, out))
		return true;
	out->kind = VIEW_POINTER;
	out->raw = true;
	return true;
}

#define UNINIT(path) path ".value.value.__0 | " path ".value.value"
#define DROPPED(path) path ".value.__0 | " path ".value"
#define LAZY(path) path ".value.value.__0 | " path ".value.value"

static const struct formatter ROWS[] = {
	{ "core::cell::UnsafeCell", FORMAT_PEEL, view_same, 1, { ".value" }, NULL },
	{ "core::cell::Cell", FORMAT_PEEL, view_same, 1, { ".value.value" }, NULL },
	{ "core::cell::RefCell", FORMAT_JSON_ONLY, view_same, 1, { ".value.value" }, NULL },
	{ "core::cell::once::OnceCell", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "core::cell::lazy::LazyCell", FORMAT_JSON_ONLY, view_same, 1, { ".state.value<Init>.__0" }, NULL },
	{ "core::mem::manually_drop::ManuallyDrop", FORMAT_PEEL, view_same, 1, { ".value.__0 | .value" }, NULL },
	{ "core::mem::maybe_dangling::MaybeDangling", FORMAT_PEEL, view_same, 1, { ".__0" }, NULL },
	{ "core::pin::Pin", FORMAT_PEEL, view_same, 1, { ".pointer | .__pointer" }, NULL },
	{ "core::ptr::unique::Unique", 0, view_pointer, 1, { ".pointer.pointer | .pointer" }, "raw" },
	{ "core::ptr::non_null::NonNull", 0, view_pointer, 1, { ".pointer" }, "raw" },
	{ "core::num::nonzero::NonZero", 0, view_same, 1, { ".__0.__0 | .__0" }, NULL },
	{ "core::num::niche_types::", FORMAT_PREFIX, view_same, 1, { ".__0" }, NULL },
	{ "core::num::wrapping::Wrapping", 0, view_same, 1, { ".__0" }, NULL },
	{ "core::num::saturating::Saturating", 0, view_same, 1, { ".__0" }, NULL },
	{ "core::sync::atomic::AtomicBool", FORMAT_JSON_ONLY, view_flag, 1, { ".v.value~1" }, NULL },
	{ "core::sync::atomic::AtomicBool", FORMAT_CLOSED, view_same, 1, { ".v.value" }, NULL },
	{ "core::sync::atomic::Atomic<bool>", FORMAT_JSON_ONLY | FORMAT_PREFIX, view_flag, 1, { ".v.value~1" }, NULL },
	{ "core::sync::atomic::Atomic<bool>", FORMAT_CLOSED | FORMAT_PREFIX, view_same, 1, { ".v.value.__0 | .v.value" }, NULL },
	{ "core::sync::atomic::AtomicPtr", 0, view_same, 1, { ".p.value" }, NULL },
	{ "core::sync::atomic::Atomic", FORMAT_PREFIX, view_same, 1,
	  { ".v.value.__0 | .v.value | .p.value.__0 | .p.value" }, NULL },
	{ "alloc::borrow::Cow", 0, view_payload, 0, { NULL }, NULL },

	{ "alloc::sync::Arc", 0, view_pointer, 1, { ".ptr.pointer" }, NULL },
	{ "alloc::rc::Rc", 0, view_pointer, 1, { ".ptr.pointer" }, NULL },
	{ "alloc::sync::ArcInner", FORMAT_JSON_ONLY, view_same, 1, { ".data" }, NULL },
	{ "alloc::rc::RcInner", FORMAT_JSON_ONLY, view_same, 1, { ".value" }, NULL },
	{ "alloc::rc::RcBox", FORMAT_JSON_ONLY, view_same, 1, { ".value" }, NULL },
	{ "alloc::sync::Weak", FORMAT_JSON_ONLY, view_weak, 2, { ".ptr.pointer", ".ptr.pointer->.strong~w" }, NULL },
	{ "alloc::rc::Weak", FORMAT_JSON_ONLY, view_weak, 2, { ".ptr.pointer", ".ptr.pointer->.strong~w" }, NULL },

	{ "std::sync::poison::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "std::sync::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "std::sync::nonpoison::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "std::sync::poison::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "std::sync::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "std::sync::nonpoison::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "lock_api::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "lock_api::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".data.value" }, NULL },
	{ "parking_lot::raw_mutex::RawMutex", 0, view_raw_mutex, 1, { ".state~1" }, NULL },
	{ "std::sync::once_lock::OnceLock", 0, view_once, 2, { ".once.inner.state_and_queued~4 | .once.inner.state~4",
	  UNINIT(".value.value") }, NULL },
	{ "std::sync::lazy_lock::LazyLock", FORMAT_JSON_ONLY, view_once, 2,
	  { ".once.inner.state_and_queued~4 | .once.inner.state~4", LAZY(".data.value") }, NULL },

	{ "core::task::wake::Waker", 0, view_waker, 1, { ".waker.data" }, NULL },
	{ "core::task::wake::RawWaker", 0, view_waker, 1, { ".data" }, NULL },
};

const struct formatter_table STD_WRAP = FORMATTER_TABLE(ROWS);
