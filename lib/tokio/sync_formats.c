/* Channels with what is queued in them, semaphores and Notify with who waits. Sources: tokio src/sync/ (1.38 to 1.54):
 * mpsc/{chan,list,block}.rs, oneshot.rs, watch.rs, broadcast.rs, batch_semaphore.rs, notify.rs. */
#include <stdio.h>
#include <string.h>

#include "tokio/constants.h"
#include "tokio/formats.h"
#include "tokio/formats_internal.h"
#include "tokio/tokio_internal.h"

enum {
	BLOCK_CAP = 32,          /* mpsc/block.rs, 64-bit targets */
	BLOCKS_MAX = 1 << 20,
	WAITERS_MAX = 65536,
	ONESHOT_RX_TASK = 1, ONESHOT_VALUE = 2, ONESHOT_CLOSED = 4,
};

/* What is known of a channel's blocks, once per type. */
struct block_shape {
	struct path start, next, ready, values;
	uint32_t element;
	uint64_t stride, inside; /* between slots; of the value in its MaybeUninit */
};

/* A slot is MaybeUninit<T>, in an UnsafeCell or two of loom's. */
static const struct block_shape *block_shape_of(struct viewer *viewer, uint32_t block)
{
	uint64_t key = UINT64_C(4) << 32 | block, known;
	struct target *t = viewer->target;
	if (map_get(&viewer->plans, key, &known))
		return (const struct block_shape *)(uintptr_t)known;
	struct block_shape *shape = arena_alloc(&viewer->arena, sizeof *shape);
	struct path slot;
	path_bind(&shape->start, t, &viewer->arena, block, ".header.start_index");
	path_bind(&shape->next, t, &viewer->arena, block, ".header.next~p");
	path_bind(&shape->ready, t, &viewer->arena, block, ".header.ready_slots~w");
	path_bind(&shape->values, t, &viewer->arena, block, ".values.__0");
	struct type array = shape->values.state == PATH_BOUND ? tinfo_type(t->tinfo, shape->values.type)
	                                                      : (struct type){ .kind = TYPE_OPAQUE };
	bool good = shape->start.width == 8 && shape->next.width == 8 && shape->ready.width == 8 &&
	            array.kind == TYPE_ARRAY && array.extra == BLOCK_CAP;
	if (good) {
		path_bind(&slot, t, &viewer->arena, array.target,
		          ".__0.value.value.value.__0 | .__0.value.value.value | .value.value.value.__0 | .value.value.value");
		good = slot.state == PATH_BOUND && path_is_offset(&slot, &shape->inside);
		shape->element = slot.type;
		shape->stride = array.size / BLOCK_CAP;
	}
	shape = good ? shape : NULL;
	map_set(&viewer->plans, key, (uint64_t)(uintptr_t)shape);
	return shape;
}

/* state: block, index of the next message, tail position, blocks passed. */
static bool walk_messages(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	const struct block_shape *shape = walk->context;
	struct target *t = viewer->target;
	uint64_t start, ready, values;
	(void)key;
	while (walk->state[1] != walk->state[2]) {
		uint64_t block = walk->state[0], index = walk->state[1];
		if (block == 0)
			return walk_fail(walk, "the blocks end before the messages do", 0);
		if (path_load(&shape->start, t, block, &start) != OUTCOME_VALUE ||
		    path_load(&shape->ready, t, block, &ready) != OUTCOME_VALUE)
			return walk_fail(walk, "unreadable", block);
		if (start != (index & ~(uint64_t)(BLOCK_CAP - 1))) {
			if (walk->state[3]++ == BLOCKS_MAX || start > index)
				return walk_fail(walk, "the blocks are out of order", block);
			if (path_load(&shape->next, t, block, &walk->state[0]) != OUTCOME_VALUE)
				return walk_fail(walk, "unreadable", block);
			continue;
		}
		walk->state[1]++;
		walk->done++;
		if ((ready >> (index & (BLOCK_CAP - 1)) & 1) == 0)
			continue; /* its sender has the slot but has not written it yet */
		if (path_locate(&shape->values, t, block, &values) != OUTCOME_VALUE)
			return walk_fail(walk, "unreadable", block);
		*value = (struct value){ shape->element,
			                 values + (index & (BLOCK_CAP - 1)) * shape->stride + shape->inside };
		return true;
	}
	return false;
}

/* The messages of a Chan. paths: head block, index of the first, position behind the last, a block. */
static bool view_queued(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[3];
	const struct block_shape *shape = block_shape_of(viewer, s->paths[3].type);
	if (shape == NULL)
		return false;
	if (!subject_numbers(viewer, s, 3, at, out))
		return true;
	if (at[1] > at[2]) {
		view_error(out, "index %llu passes the end at %llu", (unsigned long long)at[1], (unsigned long long)at[2]);
		return true;
	}
	out->kind = VIEW_LIST;
	out->walk = (struct walk){ .next = walk_messages, .count = at[2] - at[1], .value_type = shape->element,
		                   .context = shape };
	memcpy(out->walk.state, at, sizeof at);
	return true;
}

#define LIST ".rx_fields.__0.value.list"
static const struct formatter QUEUED = { "", 0, view_queued, 4,
	{ LIST ".head.pointer", LIST ".index", ".tx.value.tail_position~w", LIST ".head.pointer->" }, NULL };

/* A Chan, or who has one. paths: Chan, bound and permits of a bounded one, senders, receiver closed. */
static bool view_chan(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t value;
	if (subject_load(viewer, s, 1, &value) == OUTCOME_VALUE)
		formats_number(out, "capacity", value);
	if (subject_load(viewer, s, 2, &value) == OUTCOME_VALUE)
		formats_number(out, "free", value >> SEMAPHORE_PERMIT_SHIFT);
	if (subject_load(viewer, s, 3, &value) == OUTCOME_VALUE)
		formats_number(out, "senders", value);
	if (subject_load(viewer, s, 4, &value) == OUTCOME_VALUE)
		formats_word(out, "closed", value != 0 ? "true" : "false");
	if (!formats_part(viewer, s, 0, &QUEUED, out, "queued"))
		view_unreadable(out, s->address);
	return true;
}

/* state: node, the node before; offsets of next and prev. */
static bool walk_waiters(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	uint64_t node = walk->state[0], prev, next;
	(void)key;
	if (node == 0) {
		walk->count = walk->done;
		return false;
	}
	if (!target_word(viewer->target, node + walk->state[2], &next) ||
	    !target_word(viewer->target, node + walk->state[3], &prev))
		return walk_fail(walk, "unreadable", node);
	if (walk->state[4] != 0 && next != walk->state[4])
		return walk_fail(walk, "a waiter whose back link is wrong", node);
	if (walk->done == WAITERS_MAX)
		return walk_fail(walk, "too many waiters", node);
	*value = (struct value){ walk->value_type, node };
	walk->state[4] = node;
	walk->state[0] = prev;
	walk->done++;
	return true;
}

/* An intrusive list, in the order of waking: from the tail. paths: tail, a node. src/util/linked_list.rs */
static bool view_waiters(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t tail, nodes = 0, next, prev;
	struct path links[2];
	struct target *t = viewer->target;
	uint32_t waiter = s->paths[1].type;
	path_bind(&links[0], t, &viewer->arena, waiter, ".pointers.inner.value.next");
	path_bind(&links[1], t, &viewer->arena, waiter, ".pointers.inner.value.prev");
	if (!path_is_offset(&links[0], &next) || !path_is_offset(&links[1], &prev))
		return false;
	enum outcome outcome = subject_load(viewer, s, 0, &tail);
	if (outcome == OUTCOME_FAILURE) {
		view_unreadable(out, s->address);
		return true;
	}
	out->kind = VIEW_LIST;
	out->walk = (struct walk){ .next = walk_waiters, .value_type = waiter };
	out->walk.state[0] = outcome == OUTCOME_VALUE ? tail : 0;
	out->walk.state[2] = next;
	out->walk.state[3] = prev;
	/* Their number is kept nowhere: count, with the same walk. */
	struct walk counting = out->walk;
	struct value key, value;
	while (walk_waiters(viewer, &counting, &key, &value))
		nodes++;
	out->walk.count = nodes + (counting.error != NULL);
	return true;
}

#define EITHER(mutex, rest) mutex ".__0.data.value" rest " | " mutex ".__1.data.value" rest
static const struct formatter SEMAPHORE_WAITERS = { "", 0, view_waiters, 2,
	{ EITHER(".waiters", ".queue.tail<Some>.__0.pointer"), EITHER(".waiters", ".queue.tail<Some>.__0.pointer->") }, NULL };
static const struct formatter NOTIFY_WAITERS = { "", 0, view_waiters, 2,
	{ EITHER(".waiters", ".tail<Some>.__0.pointer"), EITHER(".waiters", ".tail<Some>.__0.pointer->") }, NULL };

/* paths: permits. */
static bool view_semaphore(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t word;
	if (!subject_numbers(viewer, s, 1, &word, out))
		return true;
	formats_number(out, "permits", word >> SEMAPHORE_PERMIT_SHIFT);
	formats_word(out, "closed", (word & SEMAPHORE_CLOSED) != 0 ? "true" : "false");
	struct view_field *field = formats_field(out, "queue");
	field->value = (struct value){ s->plan->type.id, s->address };
	field->as = &SEMAPHORE_WAITERS;
	return true;
}

/* paths: state; two bits say what it is, the rest counts calls of notify_waiters. */
static bool view_notify(struct viewer *viewer, const struct subject *s, struct view *out)
{
	static const char *const STATES[] = { "idle", "waiting", "notified" };
	uint64_t word;
	char unknown[VIEW_FIELD_WORD];
	if (!subject_numbers(viewer, s, 1, &word, out))
		return true;
	snprintf(unknown, sizeof unknown, "<unknown: %llu>", (unsigned long long)(word & 3));
	formats_word(out, "state", (word & 3) < 3 ? STATES[word & 3] : unknown);
	formats_number(out, "generation", word >> 2);
	struct view_field *field = formats_field(out, "queue");
	field->value = (struct value){ s->plan->type.id, s->address };
	field->as = &NOTIFY_WAITERS;
	return true;
}

/* paths: permits still needed, waker. */
static bool view_semaphore_waiter(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t needed;
	if (!subject_numbers(viewer, s, 1, &needed, out))
		return true;
	formats_number(out, "needed", needed);
	formats_part(viewer, s, 1, NULL, out, "waker");
	return true;
}

/* paths: notification (kind in two bits, order in the third), waker. */
static bool view_notify_waiter(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t word;
	char unknown[VIEW_FIELD_WORD];
	if (!subject_numbers(viewer, s, 1, &word, out))
		return true;
	snprintf(unknown, sizeof unknown, "<unknown: %llu>", (unsigned long long)word);
	formats_word(out, "notification", word == 0 ? "none" : word == 1 ? "one" : word == 2 ? "all" : word == 5 ? "one (last)"
	                                                                                                        : unknown);
	formats_part(viewer, s, 1, NULL, out, "waker");
	return true;
}

/* An Inner of a oneshot, or an end of one; a receiver that got its value has let go. paths: state, value. */
static bool view_oneshot(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t word;
	enum outcome outcome = subject_load(viewer, s, 0, &word);
	if (outcome == OUTCOME_VARIANT)
		return false;
	if (outcome != OUTCOME_VALUE) {
		view_unreadable(out, s->address);
		return true;
	}
	formats_word(out, "sent", (word & ONESHOT_VALUE) != 0 ? "true" : "false");
	formats_word(out, "closed", (word & ONESHOT_CLOSED) != 0 ? "true" : "false");
	formats_word(out, "receiver_waits", (word & ONESHOT_RX_TASK) != 0 ? "true" : "false");
	formats_part(viewer, s, 1, NULL, out, "value");
	return true;
}

/* A Shared of a watch. paths: state (closed, version), receivers, senders, value. */
static bool view_watch(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[3];
	if (!subject_numbers(viewer, s, 3, at, out))
		return true;
	formats_part(viewer, s, 3, NULL, out, "value");
	formats_number(out, "version", at[0] >> 1);
	formats_word(out, "closed", (at[0] & 1) != 0 ? "true" : "false");
	formats_number(out, "receivers", at[1]);
	formats_number(out, "senders", at[2]);
	return true;
}

/* A watch Receiver. paths: own version, shared state, value. */
static bool view_watch_receiver(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[2];
	if (!subject_numbers(viewer, s, 2, at, out))
		return true;
	formats_word(out, "unseen", at[0] != (at[1] & ~UINT64_C(1)) ? "true" : "false");
	formats_part(viewer, s, 2, NULL, out, "value");
	formats_number(out, "version", at[0] >> 1);
	formats_word(out, "closed", (at[1] & 1) != 0 ? "true" : "false");
	return true;
}

/* broadcast: the position, and how many receivers. paths: position, receivers, closed, slots [, own position]. */
static bool view_broadcast(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[3], mask, next;
	if (!subject_numbers(viewer, s, 3, at, out))
		return true;
	if (subject_load(viewer, s, 3, &mask) == OUTCOME_VALUE)
		formats_number(out, "capacity", mask + 1);
	formats_number(out, "sent", at[0]);
	if (subject_load(viewer, s, 4, &next) == OUTCOME_VALUE)
		formats_number(out, "unread", at[0] - next);
	formats_number(out, "receivers", at[1]);
	formats_word(out, "closed", at[2] != 0 ? "true" : "false");
	return true;
}

#define BROADCAST(base) EITHER(base ".tail", ".pos~8"), EITHER(base ".tail", ".rx_cnt~8"), \
	                EITHER(base ".tail", ".closed~1"), base ".mask"
#define WATCH ".shared.ptr.pointer->.data"
#define WATCHED(to) to ".state~w", to ".ref_count_rx~w", to ".ref_count_tx~w", EITHER(to ".value", "")
#define ONESHOT ".inner<Some>.__0.ptr.pointer->.data"
#define HANDLE ".chan.inner.ptr.pointer->.data"
#define CHAN(to) to, to ".semaphore.bound", to ".semaphore.semaphore.permits~w", to ".tx_count~w", \
	         to ".rx_fields.__0.value.rx_closed~1"

static const struct formatter ROWS[] = {
	{ "tokio::sync::mpsc::bounded::Receiver", 0, view_chan, 0, { CHAN(HANDLE) }, NULL },
	{ "tokio::sync::mpsc::bounded::Sender", 0, view_chan, 0, { CHAN(HANDLE) }, NULL },
	{ "tokio::sync::mpsc::unbounded::UnboundedReceiver", 0, view_chan, 0, { CHAN(HANDLE) }, NULL },
	{ "tokio::sync::mpsc::unbounded::UnboundedSender", 0, view_chan, 0, { CHAN(HANDLE) }, NULL },
	{ "tokio::sync::mpsc::chan::Chan", 0, view_chan, 0, { CHAN("") }, NULL },
	{ "tokio::sync::batch_semaphore::Semaphore", 0, view_semaphore, 1, { ".permits~w" }, NULL },
	{ "tokio::sync::semaphore::Semaphore", 0, view_same, 1, { ".ll_sem" }, NULL },
	{ "tokio::sync::batch_semaphore::Waiter", 0, view_semaphore_waiter, 2, { ".state~w", ".waker.__0.value" }, NULL },
	{ "tokio::sync::notify::Notify", 0, view_notify, 1, { ".state~w" }, NULL },
	{ "tokio::sync::notify::Waiter", 0, view_notify_waiter, 2, { ".notification~w", ".waker.__0.value" }, NULL },
	{ "tokio::sync::oneshot::Inner", 0, view_oneshot, 2, { ".state~w", ".value.__0.value" }, NULL },
	{ "tokio::sync::oneshot::Sender", 0, view_oneshot, 2, { ONESHOT ".state~w", ONESHOT ".value.__0.value" }, NULL },
	{ "tokio::sync::oneshot::Receiver", FORMAT_TEXT_ONLY, view_oneshot, 2,
	  { ONESHOT ".state~w", ONESHOT ".value.__0.value" }, NULL },
	{ "tokio::sync::watch::Shared", 0, view_watch, 4, { WATCHED("") }, NULL },
	{ "tokio::sync::watch::Sender", 0, view_watch, 4, { WATCHED(WATCH) }, NULL },
	{ "tokio::sync::watch::Receiver", 0, view_watch_receiver, 3,
	  { ".version~w", WATCH ".state~w", EITHER(WATCH ".value", "") }, NULL },
	{ "tokio::sync::broadcast::Shared", 0, view_broadcast, 3, { BROADCAST("") }, NULL },
	{ "tokio::sync::broadcast::Sender", 0, view_broadcast, 3, { BROADCAST(".shared.ptr.pointer->.data") }, NULL },
	{ "tokio::sync::broadcast::Receiver", 0, view_broadcast, 3, { BROADCAST(".shared.ptr.pointer->.data"), ".next" }, NULL },
};

const struct formatter_table *tokio_sync_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
