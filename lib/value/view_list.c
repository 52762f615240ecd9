/* Sequences: arrays, slices, Vec, VecDeque, LinkedList and what is made of them. Sources: library/alloc/src/
 * {vec/mod,raw_vec/mod,collections/vec_deque/mod,collections/linked_list,collections/binary_heap/mod}.rs (1.63 to
 * 1.97); the type of a Vec's elements is said by RawVec's marker only. */
#include <string.h>

#include "value/target.h"
#include "value/view.h"

bool walk_fail(struct walk *walk, const char *error, uint64_t fault)
{
	walk->error = error;
	walk->fault = fault;
	return false;
}

bool walk_array(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	unsigned char byte;
	(void)key;
	if (walk->done >= walk->count)
		return false;
	uint64_t at = walk->base + walk->done * walk->stride;
	if (walk->stride != 0 && target_peek(viewer->target, at, 1) == NULL && !target_read(viewer->target, at, &byte, 1))
		return walk_fail(walk, "unreadable", at);
	*value = (struct value){ walk->value_type, at };
	walk->done++;
	return true;
}

bool walk_seek(struct walk *walk, uint64_t index)
{
	if (walk->next != walk_array)
		return false;
	walk->done = index < walk->count ? index : walk->count;
	return true;
}

void view_array(struct viewer *viewer, struct view *out, uint64_t base, uint32_t type, uint64_t count,
                uint64_t capacity)
{
	struct type element = type != TINFO_NONE ? tinfo_type(viewer->target->tinfo, type) : (struct type){ .size = 0 };
	if (count > capacity && element.size != 0) {
		view_error(out, "length %llu passes the capacity of %llu", (unsigned long long)count,
		           (unsigned long long)capacity);
		return;
	}
	if (element.size != 0 && count > INT64_MAX / element.size) {
		view_error(out, "length %llu cannot be", (unsigned long long)count);
		return;
	}
	out->kind = VIEW_LIST;
	out->walk = (struct walk){ .next = walk_array, .count = count, .value_type = type, .base = base,
		                   .stride = element.size };
}

bool view_slice(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2], capacity;
	uint32_t type = tinfo_type(viewer->target->tinfo, s->paths[0].type).target;
	if (type == TINFO_NONE)
		return false;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (subject_load(viewer, s, 2, &capacity) != OUTCOME_VALUE)
		capacity = UINT64_MAX;
	view_array(viewer, out, at[0], type, at[1], capacity);
	return true;
}

/* paths: pointer, length, marker [, capacity]. */
static bool view_vec(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2], capacity;
	uint32_t type = phantom_type(viewer, s->paths[2].type);
	if (type == TINFO_NONE)
		return false;
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	if (subject_load(viewer, s, 3, &capacity) != OUTCOME_VALUE)
		capacity = UINT64_MAX;
	view_array(viewer, out, at[0], type, at[1], capacity);
	return true;
}

/* state: elements before the wrap, elements all in all that the buffer has room for. */
static bool walk_ring(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	unsigned char byte;
	(void)key;
	if (walk->done >= walk->count)
		return false;
	uint64_t head = walk->state[0], capacity = walk->state[1];
	uint64_t index = walk->done < capacity - head ? head + walk->done : walk->done - (capacity - head);
	uint64_t at = walk->base + index * walk->stride;
	if (walk->stride != 0 && !target_read(viewer->target, at, &byte, 1))
		return walk_fail(walk, "unreadable", at);
	*value = (struct value){ walk->value_type, at };
	walk->done++;
	return true;
}

/* paths: pointer, length, marker, head, capacity. */
static bool view_ring(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t pointer, length, head, capacity;
	uint32_t type = phantom_type(viewer, s->paths[2].type);
	if (type == TINFO_NONE)
		return false;
	if (subject_load(viewer, s, 0, &pointer) != OUTCOME_VALUE || subject_load(viewer, s, 1, &length) != OUTCOME_VALUE ||
	    subject_load(viewer, s, 3, &head) != OUTCOME_VALUE || subject_load(viewer, s, 4, &capacity) != OUTCOME_VALUE) {
		view_unreadable(out, s->address);
		return true;
	}
	struct type element = tinfo_type(viewer->target->tinfo, type);
	if (element.size == 0)
		capacity = UINT64_MAX;
	if (length > capacity || head > capacity) {
		view_error(out, "length %llu, head %llu pass the capacity of %llu", (unsigned long long)length,
		           (unsigned long long)head, (unsigned long long)capacity);
		return true;
	}
	view_array(viewer, out, pointer, type, length, capacity);
	if (out->kind != VIEW_LIST)
		return true;
	out->walk.next = walk_ring;
	out->walk.state[0] = head;
	out->walk.state[1] = capacity;
	return true;
}

/* state: next node, offset of the element, offset of `next`, the node before (for the back link). */
static bool walk_linked(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	uint64_t node = walk->state[0], next, back;
	(void)key;
	if (walk->done >= walk->count) {
		if (node != 0)
			walk_fail(walk, "more nodes than the length says", node);
		return false;
	}
	if (node == 0)
		return walk_fail(walk, "fewer nodes than the length says", 0);
	if (!target_word(viewer->target, node + walk->state[2], &next) ||
	    !target_word(viewer->target, node + walk->state[3], &back))
		return walk_fail(walk, "unreadable", node);
	if (back != walk->state[4]) /* what leads here does not come from where it should: a cycle, or damage */
		return walk_fail(walk, "a node whose back link is wrong", node);
	*value = (struct value){ walk->value_type, node + walk->state[1] };
	walk->state[4] = node;
	walk->state[0] = next;
	walk->done++;
	return true;
}

/* paths: head, length, node. `next` and `prev` are Option<NonNull>: a word, 0 for None. */
static bool view_linked(struct viewer *viewer, const struct subject *s, struct view *out)
{
	static const char *const PARTS[] = { "element", "next", "prev" };
	struct member parts[3];
	uint64_t head, length;
	struct type node = tinfo_type(viewer->target->tinfo, s->paths[2].type);
	for (int i = 0; i < 3; i++)
		if (tinfo_find_member(viewer->target->tinfo, &node, PARTS[i], &parts[i]) == TINFO_NONE)
			return false;
	enum outcome outcome = subject_load(viewer, s, 0, &head);
	if (subject_load(viewer, s, 1, &length) != OUTCOME_VALUE || outcome == OUTCOME_FAILURE) {
		view_unreadable(out, s->address);
		return true;
	}
	out->kind = VIEW_LIST;
	out->walk = (struct walk){ .next = walk_linked, .count = length, .value_type = parts[0].type };
	out->walk.state[0] = outcome == OUTCOME_VALUE ? head : 0;
	for (int i = 0; i < 3; i++)
		out->walk.state[1 + i] = parts[i].offset;
	return true;
}

#define RAW_VEC(path) path "inner.ptr.pointer.pointer | " path "ptr.pointer.pointer | " path "ptr.pointer"
#define RAW_CAP(path) path "inner.cap~8 | " path "cap~8"
#define RAW_MARK(path) path "_marker | " path "ptr._marker"

static const struct formatter ROWS[] = {
	{ "alloc::vec::Vec", 0, view_vec, 3, { RAW_VEC(".buf."), ".len", RAW_MARK(".buf."), RAW_CAP(".buf.") }, NULL },
	{ "alloc::collections::binary_heap::BinaryHeap", 0, view_same, 1, { ".data" }, NULL },
	{ "alloc::collections::vec_deque::VecDeque", 0, view_ring, 5,
	  { RAW_VEC(".buf."), ".len", RAW_MARK(".buf."), ".head", RAW_CAP(".buf.") }, NULL },
	{ "alloc::collections::linked_list::LinkedList", 0, view_linked, 3,
	  { ".head<Some>.__0.pointer", ".len", ".head<Some>.__0.pointer->" }, NULL },
};

const struct formatter_table STD_LIST = FORMATTER_TABLE(ROWS);
