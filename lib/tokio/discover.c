#include "tokio/discover.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "tokio/held_internal.h"
#include "tokio/tls.h"
#include "tokio/tokio_internal.h"

enum { LOCAL_SETS_MAX = 65536 };

const char *found_text(enum found found)
{
	static const char *const TEXTS[] = {
		[FOUND_THREAD] = "a thread's runtime context",
		[FOUND_JOIN_HANDLE] = "a JoinHandle found in a task's storage",
		[FOUND_ABORT_HANDLE] = "an AbortHandle found in a task's storage",
		[FOUND_JOIN_SET] = "a JoinSet found in a task's storage",
		[FOUND_SEMAPHORE] = "a semaphore's queue",
		[FOUND_TIMER] = "a task waker in a timer wheel",
		[FOUND_IO] = "a task waker in an io registration",
		[FOUND_BLOCKING_QUEUE] = "a blocking queue",
		[FOUND_LOCAL_SET] = "a LocalSet found in a task's storage",
		[FOUND_LOCAL_THREAD] = "a thread that is inside it",
	};
	return TEXTS[found];
}

static void candidate_add(struct tokio *tk, uint64_t address, enum found found)
{
	uint64_t known;
	if (address == 0 || address % 8 != 0 || map_get(&tk->candidate_seen, address, &known) ||
	    tk->candidate_count == TASKS_MAX)
		return;
	map_set(&tk->candidate_seen, address, 1);
	tk->candidates = array_reserve(tk->candidates, &tk->candidate_capacity, tk->candidate_count, 1,
	                               sizeof *tk->candidates);
	tk->candidates[tk->candidate_count++] = (struct candidate){ address, found, tk->harvesting };
}

void tokio_candidate(struct tokio *tk, uint64_t header, enum found found)
{
	uint64_t known;
	if (!map_get(&tk->task_by_address, header, &known))
		candidate_add(tk, header, found);
}

void tokio_candidate_local_set(struct tokio *tk, uint64_t shared)
{
	candidate_add(tk, shared, FOUND_LOCAL_SET);
}

static void keep(struct tokio *tk, const struct task *task)
{
	tk->kept = array_reserve(tk->kept, &tk->kept_capacity, tk->kept_count, 1, sizeof *tk->kept);
	map_set(&tk->kept_by_address, task->address, tk->kept_count);
	tk->kept[tk->kept_count++] = *task;
}

/* The S of Cell<T, S> is an Arc of the owner: what kind of one, and where. */
static bool owner_find(struct tokio *tk, const struct task *task, uint32_t *type, uint64_t *address)
{
	uint64_t arc, known, key = (uint64_t)PATH_ROLE_COUNT << 32 | task->class->scheduler;
	struct path *path;
	if (task->class->scheduler == TINFO_NONE || task->class->scheduler_path.state != PATH_BOUND ||
	    path_locate(&task->class->scheduler_path, tk->target, task->address, &arc) != OUTCOME_VALUE)
		return false;
	if (map_get(&tk->generic, key, &known)) {
		path = (struct path *)(uintptr_t)known;
	} else {
		path = arena_alloc(&tk->arena, sizeof *path);
		path_bind(path, tk->target, &tk->arena, task->class->scheduler, ".ptr.pointer->.data");
		map_set(&tk->generic, key, (uintptr_t)path);
	}
	*type = path->type;
	return path->state == PATH_BOUND && path_locate(path, tk->target, arc, address) == OUTCOME_VALUE;
}

static uint32_t thread_of(const struct tokio *tk, uint64_t thread_id)
{
	for (size_t i = 0; i < tk->thread_count && thread_id != 0; i++)
		if (tk->threads[i].thread_id == thread_id)
			return tk->threads[i].lwp;
	return 0;
}

static bool local_set_add(struct tokio *tk, uint64_t address, const char *found_via)
{
	struct local_set set = { .index = (uint32_t)tk->local_set_count, .address = address, .found_via = found_via };
	for (size_t i = 0; i < tk->local_set_count; i++)
		if (tk->local_sets[i].address == address)
			return true;
	if (tk->local_set_count == LOCAL_SETS_MAX ||
	    path_load(&tk->paths[LOCAL_LIST_ID], tk->target, address, &set.list_id) != OUTCOME_VALUE || set.list_id == 0)
		return false;
	if (path_load(&tk->paths[LOCAL_OWNER], tk->target, address, &set.thread_id) == OUTCOME_VALUE)
		set.lwp = thread_of(tk, set.thread_id);
	tk->local_sets = array_reserve(tk->local_sets, &tk->local_set_capacity, tk->local_set_count, 1,
	                               sizeof *tk->local_sets);
	tk->local_sets[tk->local_set_count++] = set;
	tokio_local_set_walk(tk, set.index);
	return true;
}

static bool runtime_known(const struct tokio *tk, uint64_t handle)
{
	for (size_t i = 0; i < tk->runtime_count; i++)
		if (tk->runtimes[i].handle == handle)
			return true;
	return false;
}

/* Takes up the task's owner when its list has the task's number. */
static bool owner_admit(struct tokio *tk, const struct task *task, enum found found)
{
	uint32_t type;
	uint64_t owner, id;
	if (task->owner == 0 || !owner_find(tk, task, &type, &owner))
		return false;
	if (type == tk->roots[ROOT_LOCAL_SHARED])
		return path_load(&tk->paths[LOCAL_LIST_ID], tk->target, owner, &id) == OUTCOME_VALUE && id == task->owner &&
		       local_set_add(tk, owner, found_text(found));
	if (type != tk->roots[ROOT_MULTI_THREAD] && type != tk->roots[ROOT_CURRENT_THREAD])
		return false;
	enum flavor flavor = type == tk->roots[ROOT_MULTI_THREAD] ? FLAVOR_MULTI_THREAD : FLAVOR_CURRENT_THREAD;
	if (runtime_known(tk, owner))
		return true;
	if (path_load(&tk->owned[flavor].id, tk->target, owner, &id) != OUTCOME_VALUE || id != task->owner)
		return false;
	uint32_t index = tokio_runtime_add(tk, flavor, owner, found_text(found));
	if (index != TINFO_NONE)
		tokio_runtime_walk(tk, index);
	return index != TINFO_NONE;
}

static void candidate_check(struct tokio *tk, struct candidate c)
{
	struct task task;
	const char *why;
	uint64_t known;
	if (c.found == FOUND_LOCAL_SET || c.found == FOUND_LOCAL_THREAD) {
		local_set_add(tk, c.address, found_text(c.found));
		return;
	}
	if (map_get(&tk->task_by_address, c.address, &known) || !task_decode(tk, c.address, &task, &why) ||
	    task.class->state != CLASS_KNOWN)
		return;
	if (task.class->blocking) {
		task.runtime = c.runtime;
		if (task.state == TASK_COMPLETE)
			keep(tk, &task);
		else
			tokio_task_add(tk, &task);
		return;
	}
	bool admitted = owner_admit(tk, &task, c.found);
	if (map_get(&tk->task_by_address, c.address, &known))
		return;
	keep(tk, &task);
	if (!admitted && task.state != TASK_COMPLETE)
		tokio_warn(tk, "the task at 0x%" PRIx64 " (%s) belongs to list %" PRIu64 ", whose owner was not found",
		           c.address, found_text(c.found), task.owner);
}

/* The sets that threads are inside of (tokio::task::local::CURRENT). */
static void current_local_sets(struct tokio *tk)
{
	static const struct tls_key CURRENT = { "5tokio4task5local7CURRENT", "tls.local", ROOT_LOCAL_DATA };
	struct tls_variable variable;
	uint64_t data, shared;
	tls_find(tk, &CURRENT, &variable);
	for (size_t i = 0; i < tk->thread_count; i++)
		for (size_t k = 0; k < variable.count; k++)
			if (tls_address(tk, &variable, k, i, &data) &&
			    path_locate(&tk->paths[LOCAL_CURRENT], tk->target, data, &shared) == OUTCOME_VALUE)
				candidate_add(tk, shared, FOUND_LOCAL_THREAD);
}

static int runtime_compare(const void *a, const void *b)
{
	const struct runtime *x = a, *y = b;
	return (x->list_id > y->list_id) - (x->list_id < y->list_id);
}

static int local_set_compare(const void *a, const void *b)
{
	const struct local_set *x = a, *y = b;
	return (x->list_id > y->list_id) - (x->list_id < y->list_id);
}

static void renumber_tasks(struct task *tasks, size_t count, const uint32_t *runtimes, const uint32_t *local_sets)
{
	for (size_t i = 0; i < count; i++) {
		if (tasks[i].runtime != TINFO_NONE)
			tasks[i].runtime = runtimes[tasks[i].runtime];
		if (tasks[i].local_set != TINFO_NONE)
			tasks[i].local_set = local_sets[tasks[i].local_set];
	}
}

/* Those that were found are numbered by age, behind the `known` first ones, whose numbers are told already. */
static void renumber(struct tokio *tk, size_t known)
{
	uint32_t *runtimes = arena_array(&tk->arena, tk->runtime_count, sizeof *runtimes);
	uint32_t *local_sets = arena_array(&tk->arena, tk->local_set_count, sizeof *local_sets);
	if (tk->runtime_count > known)
		qsort(tk->runtimes + known, tk->runtime_count - known, sizeof *tk->runtimes, runtime_compare);
	if (tk->local_set_count > 1)
		qsort(tk->local_sets, tk->local_set_count, sizeof *tk->local_sets, local_set_compare);
	for (uint32_t i = 0; i < tk->runtime_count; i++) {
		runtimes[tk->runtimes[i].index] = i;
		tk->runtimes[i].index = i;
	}
	for (uint32_t i = 0; i < tk->local_set_count; i++) {
		local_sets[tk->local_sets[i].index] = i;
		tk->local_sets[i].index = i;
	}
	renumber_tasks(tk->tasks, tk->task_count, runtimes, local_sets);
	renumber_tasks(tk->kept, tk->kept_count, runtimes, local_sets);
}

void tokio_discover(struct tokio *tk)
{
	size_t known = tk->runtime_count;
	size_t scanned = 0, kept = 0, harvested = 0;
	tk->held = held_new(tk);
	tk->harvesting = TINFO_NONE;
	current_local_sets(tk);
	for (;;) {
		if (tk->candidate_count > 0) {
			candidate_check(tk, tk->candidates[--tk->candidate_count]);
		} else if (scanned < tk->task_count) {
			struct task task = tk->tasks[scanned++];
			held_scan(tk->held, &task);
		} else if (kept < tk->kept_count) {
			struct task task = tk->kept[kept++];
			held_scan(tk->held, &task);
		} else if (harvested < tk->runtime_count) {
			tokio_harvest(tk, (uint32_t)harvested++);
		} else {
			break;
		}
	}
	renumber(tk, known);
}
