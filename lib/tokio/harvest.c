/* The registries of a runtime: who sleeps in its timer wheel, waits at its io registrations, and which blocking cells
 * stand in its queue. */
#include <inttypes.h>

#include "tokio/discover.h"
#include "tokio/held_internal.h"
#include "tokio/tokio_internal.h"

enum { ENTRIES_MAX = 4 * 1024 * 1024, LEVELS_MAX = 16, SLOTS_MAX = 256, SHARDS_OF_POOL = 64 };

static const char SLOT_HEAD[] = ".head<Some>.__0.pointer";

/* A list through `next`; calls the wakers' tasks candidates. A ring ends when the runtime's ENTRIES_MAX are used up. */
static void entries(struct tokio *tk, uint64_t *left, enum outcome outcome, uint64_t node, enum path_role next,
                    enum path_role waker, enum found found)
{
	uint64_t header;
	for (; outcome == OUTCOME_VALUE && node != 0 && *left > 0; --*left) {
		if (path_load(&tk->paths[waker], tk->target, node, &header) == OUTCOME_VALUE)
			tokio_candidate(tk, header, found);
		outcome = path_load(&tk->paths[next], tk->target, node, &node);
	}
}

static void slots(struct tokio *tk, uint64_t *left, uint64_t level)
{
	struct path head;
	uint64_t array, node;
	struct type type = tinfo_type(tk->target->tinfo, tk->paths[LEVEL_SLOTS].type);
	if (type.kind != TYPE_ARRAY || type.target == TINFO_NONE || type.extra == 0 || type.extra > SLOTS_MAX ||
	    path_locate(&tk->paths[LEVEL_SLOTS], tk->target, level, &array) != OUTCOME_VALUE)
		return;
	path_bind(&head, tk->target, &tk->arena, type.target, SLOT_HEAD);
	uint64_t stride = tinfo_type(tk->target->tinfo, type.target).size;
	for (uint64_t i = 0; i < type.extra && head.state == PATH_BOUND; i++) {
		enum outcome outcome = path_load(&head, tk->target, array + i * stride, &node);
		entries(tk, left, outcome, node, TIMER_ENTRY_NEXT, TIMER_ENTRY_WAKER, FOUND_TIMER);
	}
}

static void wheel(struct tokio *tk, uint64_t *left, uint64_t at)
{
	uint64_t levels, node;
	enum outcome outcome = path_load(&tk->paths[WHEEL_PENDING], tk->target, at, &node);
	entries(tk, left, outcome, node, TIMER_ENTRY_NEXT, TIMER_ENTRY_WAKER, FOUND_TIMER);
	if (path_load(&tk->paths[WHEEL_LEVELS], tk->target, at, &levels) != OUTCOME_VALUE)
		return;
	/* Box<[Level; 6]> */
	struct type box = tinfo_type(tk->target->tinfo, tk->paths[WHEEL_LEVELS].type);
	if (box.target == TINFO_NONE)
		return;
	struct type array = tinfo_type(tk->target->tinfo, box.target);
	if (array.kind != TYPE_ARRAY || array.target == TINFO_NONE || array.extra > LEVELS_MAX)
		return;
	uint64_t stride = tinfo_type(tk->target->tinfo, array.target).size;
	for (uint64_t i = 0; i < array.extra; i++)
		slots(tk, left, levels + i * stride);
}

static void wheels(struct tokio *tk, uint64_t *left, uint64_t driver)
{
	const struct owned_paths *slice = &tk->owned[FLAVOR_CURRENT_THREAD]; /* slices are all alike */
	struct tinfo *ti = tk->target->tinfo;
	uint64_t at, data, length;
	struct member m;
	struct path in;
	if (path_locate(&tk->paths[DRIVER_WHEEL], tk->target, driver, &at) == OUTCOME_VALUE)
		wheel(tk, left, at);
	if (path_locate(&tk->paths[DRIVER_WHEELS], tk->target, driver, &at) != OUTCOME_VALUE)
		return;
	struct type type = tinfo_type(ti, tk->paths[DRIVER_WHEELS].type);
	if (tinfo_find_member(ti, &type, "data_ptr", &m) == TINFO_NONE || tinfo_type(ti, m.type).target == TINFO_NONE)
		return;
	struct type shard = tinfo_type(ti, tinfo_type(ti, m.type).target);
	path_bind(&in, tk->target, &tk->arena, shard.id, "?T");
	if (in.state != PATH_BOUND || !target_word(tk->target, at + slice->data, &data) ||
	    !target_word(tk->target, at + slice->length, &length))
		return;
	for (uint64_t i = 0; i < length && i < SHARDS_MAX; i++)
		if (path_locate(&in, tk->target, data + i * shard.size, &at) == OUTCOME_VALUE)
			wheel(tk, left, at);
}

static void registrations(struct tokio *tk, uint64_t *left, uint64_t driver)
{
	uint64_t io, header;
	enum outcome outcome = path_load(&tk->paths[DRIVER_IO], tk->target, driver, &io);
	for (; outcome == OUTCOME_VALUE && io != 0 && *left > 0; --*left) {
		if (path_load(&tk->paths[SCHEDULED_IO_READER], tk->target, io, &header) == OUTCOME_VALUE)
			tokio_candidate(tk, header, FOUND_IO);
		if (path_load(&tk->paths[SCHEDULED_IO_WRITER], tk->target, io, &header) == OUTCOME_VALUE)
			tokio_candidate(tk, header, FOUND_IO);
		uint64_t waiter;
		enum outcome first = path_load(&tk->paths[SCHEDULED_IO_WAITERS], tk->target, io, &waiter);
		entries(tk, left, first, waiter, IO_WAITER_NEXT, IO_WAITER_WAKER, FOUND_IO);
		outcome = path_load(&tk->paths[SCHEDULED_IO_NEXT], tk->target, io, &io);
	}
}

/* A VecDeque of cells, oldest first. */
static void queue(struct tokio *tk, uint32_t type, uint64_t at)
{
	struct view view;
	struct value key, value;
	struct viewer *viewer = &tk->held->types.viewer;
	uint64_t header;
	view_of(viewer, (struct value){ type, at }, VIEW_FOR_PATH, &view);
	if (view.kind == VIEW_ERROR)
		tokio_lack(tk, "the blocking queue at 0x%" PRIx64 ": %s", at, view.word);
	if (view.kind != VIEW_LIST)
		return;
	while (view.walk.next(viewer, &view.walk, &key, &value))
		if (path_load(&tk->paths[POOL_TASK_HEADER], tk->target, value.address, &header) == OUTCOME_VALUE)
			tokio_candidate(tk, header, FOUND_BLOCKING_QUEUE);
	if (view.walk.error != NULL)
		tokio_lack(tk, "the blocking queue at 0x%" PRIx64 ": %s at 0x%" PRIx64, at, view.walk.error, view.walk.fault);
}

static bool pool_of(struct tokio *tk, const struct runtime *rt, uint64_t *pool)
{
	const struct path *path = &tk->paths[rt->flavor == FLAVOR_MULTI_THREAD ? MULTI_THREAD_POOL : CURRENT_THREAD_POOL];
	return path_locate(path, tk->target, rt->handle, pool) == OUTCOME_VALUE;
}

static void blocking(struct tokio *tk, const struct runtime *rt)
{
	uint64_t pool, at;
	if (!pool_of(tk, rt, &pool))
		return;
	if (path_locate(&tk->paths[POOL_QUEUE], tk->target, pool, &at) == OUTCOME_VALUE)
		queue(tk, tk->paths[POOL_QUEUE].type, at);
	if (path_locate(&tk->paths[POOL_SHARDS], tk->target, pool, &at) != OUTCOME_VALUE)
		return;
	struct type array = tinfo_type(tk->target->tinfo, tk->paths[POOL_SHARDS].type);
	struct path in;
	if (array.kind != TYPE_ARRAY || array.target == TINFO_NONE || array.extra > SHARDS_OF_POOL)
		return;
	/* Mutex<Shard{queue}>; in 1.52.0 Shard{queue: Mutex<VecDeque>} */
	path_bind(&in, tk->target, &tk->arena, array.target, "?T.queue | .queue?T");
	uint64_t stride = tinfo_type(tk->target->tinfo, array.target).size;
	for (uint64_t i = 0; i < array.extra && in.state == PATH_BOUND; i++) {
		uint64_t shard;
		if (path_locate(&in, tk->target, at + i * stride, &shard) == OUTCOME_VALUE)
			queue(tk, in.type, shard);
	}
}

void tokio_harvest(struct tokio *tk, uint32_t runtime)
{
	const struct runtime rt = tk->runtimes[runtime];
	uint64_t driver, left = ENTRIES_MAX;
	const struct path *path = &tk->paths[rt.flavor == FLAVOR_MULTI_THREAD ? MULTI_THREAD_DRIVER : CURRENT_THREAD_DRIVER];
	if (path_locate(path, tk->target, rt.handle, &driver) == OUTCOME_VALUE) {
		wheels(tk, &left, driver);
		registrations(tk, &left, driver);
		if (left == 0)
			tokio_lack(tk, "the timers and sockets of the runtime at 0x%" PRIx64 " have no end", rt.handle);
	}
	tk->harvesting = runtime;
	blocking(tk, &rt);
	tk->harvesting = TINFO_NONE;
}

bool runtime_pool(struct tokio *tk, const struct runtime *rt, struct blocking_pool *out)
{
	uint64_t pool, workers;
	if (!pool_of(tk, rt, &pool) ||
	    path_load(&tk->paths[POOL_THREADS], tk->target, pool, &out->threads) != OUTCOME_VALUE ||
	    path_load(&tk->paths[POOL_IDLE], tk->target, pool, &out->idle) != OUTCOME_VALUE)
		return false;
	if (path_load(&tk->paths[POOL_DEPTH], tk->target, pool, &out->queued) != OUTCOME_VALUE)
		out->queued = 0;
	if (path_load(&tk->paths[POOL_SCHEDULERS], tk->target, pool, &workers) != OUTCOME_VALUE)
		workers = rt->flavor == FLAVOR_MULTI_THREAD ? rt->workers : 0;
	out->reconciled = out->threads >= workers && out->idle <= out->threads - workers;
	if (out->reconciled)
		out->threads -= workers;
	return true;
}

enum park_state runtime_worker_park(struct tokio *tk, const struct runtime *rt, uint32_t worker)
{
	static const enum park_state STATES[] = { PARK_AWAKE, PARK_PARKED, PARK_DRIVER, PARK_NOTIFIED };
	const struct owned_paths *o = &tk->owned[rt->flavor]; /* slices are all alike */
	uint64_t remotes, data, length, state;
	struct type remote = { .size = 0 };
	if (tk->roots[ROOT_REMOTE] != TINFO_NONE)
		remote = tinfo_type(tk->target->tinfo, tk->roots[ROOT_REMOTE]);
	if (rt->flavor != FLAVOR_MULTI_THREAD || remote.size == 0 ||
	    path_locate(&tk->paths[MULTI_THREAD_REMOTES], tk->target, rt->handle, &remotes) != OUTCOME_VALUE ||
	    !target_word(tk->target, remotes + o->data, &data) || !target_word(tk->target, remotes + o->length, &length) ||
	    worker >= length ||
	    path_load(&tk->paths[REMOTE_PARK], tk->target, data + worker * remote.size, &state) != OUTCOME_VALUE ||
	    state >= sizeof STATES / sizeof STATES[0])
		return PARK_UNREAD;
	return STATES[state];
}
