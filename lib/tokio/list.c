/* The owned lists: per runtime an array of shards, each a mutex around an intrusive list of task headers
 * (src/runtime/task/list.rs, src/util/sharded_list.rs, 1.38 to 1.54). A shard is walked head to end with a visited
 * set; a bad node ends its shard only. Locks are not looked at: a torn link shows as a repeated or bad node. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "tokio/discover.h"
#include "tokio/held_internal.h"
#include "tokio/tokio_internal.h"

bool tokio_task_add(struct tokio *tk, const struct task *task)
{
	if (tk->task_count == TASKS_MAX)
		return false;
	tk->tasks = array_reserve(tk->tasks, &tk->task_capacity, tk->task_count, 1, sizeof *tk->tasks);
	map_set(&tk->task_by_address, task->address, tk->task_count);
	tk->tasks[tk->task_count++] = *task;
	return true;
}

/* A list of tasks being walked. */
struct task_list {
	const char *name;         /* "runtime 0, shard 3" */
	uint64_t id;              /* of the owner; 0 unread */
	uint32_t runtime, local_set;
};

static void list_walk(struct tokio *tk, const struct task_list *list, enum outcome outcome, uint64_t header)
{
	const char *why;
	uint64_t known;
	while (outcome == OUTCOME_VALUE && header != 0) {
		struct task task;
		if (map_get(&tk->task_by_address, header, &known)) {
			tokio_lack(tk, "%s: the task at 0x%" PRIx64 " was already met; the list is damaged from there on",
			           list->name, header);
			return;
		}
		if (!task_decode(tk, header, &task, &why)) {
			tokio_lack(tk, "%s: no task at 0x%" PRIx64 ": %s; the rest of the list is lost", list->name, header,
			           why);
			return;
		}
		task.runtime = list->runtime;
		task.local_set = list->local_set;
		task.stray = task.owner != list->id && list->id != 0;
		if (task.stray)
			tokio_warn(tk, "the task at 0x%" PRIx64 " is in list %" PRIu64
			               " (%s) but says it belongs to list %" PRIu64, header, list->id, list->name, task.owner);
		if (!tokio_task_add(tk, &task)) {
			tokio_lack(tk, "more than %d tasks; the rest is not listed", TASKS_MAX);
			return;
		}
		if (!task.class->has_trailer) {
			tokio_lack(tk, "%s: no way on from the task at 0x%" PRIx64 ": its vtable 0x%" PRIx64
			               " gives no trailer", list->name, header, task.class->vtable);
			return;
		}
		outcome = path_load(&tk->paths[TRAILER_NEXT], tk->target, header + task.class->trailer_offset, &header);
	}
	if (outcome == OUTCOME_FAILURE)
		tokio_lack(tk, "%s: its list cannot be read at 0x%" PRIx64, list->name, header);
}

static void shard_walk(struct tokio *tk, const struct runtime *rt, uint64_t shard, uint64_t index)
{
	char name[64];
	uint64_t header;
	struct task_list list = { .name = name, .id = rt->list_id, .runtime = rt->index, .local_set = TINFO_NONE };
	enum outcome outcome = path_load(&tk->owned[rt->flavor].head, tk->target, shard, &header);
	snprintf(name, sizeof name, "runtime %" PRIu32 ", shard %" PRIu64, rt->index, index);
	list_walk(tk, &list, outcome, header);
}

void tokio_local_set_walk(struct tokio *tk, uint32_t local_set)
{
	char name[64];
	uint64_t header;
	struct local_set set = tk->local_sets[local_set];
	struct task_list list = { .name = name, .id = set.list_id, .runtime = TINFO_NONE, .local_set = local_set };
	enum outcome outcome = path_load(&tk->paths[LOCAL_HEAD], tk->target, set.address, &header);
	snprintf(name, sizeof name, "the LocalSet at 0x%" PRIx64, set.address);
	list_walk(tk, &list, outcome, header);
}

void tokio_runtime_walk(struct tokio *tk, uint32_t runtime)
{
	const struct runtime copy = tk->runtimes[runtime], *rt = &copy;
	const struct owned_paths *o = &tk->owned[rt->flavor];
	uint64_t lists, data = 0, length = 0;
	size_t before = tk->task_count;
	enum outcome outcome = path_locate(&o->lists, tk->target, rt->handle, &lists);
	if (outcome != OUTCOME_VALUE || !target_word(tk->target, lists + o->data, &data) ||
	    !target_word(tk->target, lists + o->length, &length)) {
		tokio_lack(tk, "runtime %" PRIu32 " at 0x%" PRIx64 ": its list of tasks cannot be read at 0x%" PRIx64,
		           rt->index, rt->handle, lists);
		return;
	}
	if (length > SHARDS_MAX || !target_is_mapped(tk->target, data, 8)) {
		tokio_lack(tk, "runtime %" PRIu32 " at 0x%" PRIx64 ": its list of tasks claims %" PRIu64
		               " shards at 0x%" PRIx64, rt->index, rt->handle, length, data);
		return;
	}
	for (uint64_t i = 0; i < length; i++)
		shard_walk(tk, rt, data + i * o->shard_size, i);
	size_t found = tk->task_count - before;
	if (found < rt->count)
		tokio_warn(tk, "runtime %" PRIu32 " at 0x%" PRIx64 ": %zu tasks were found where its list counts %" PRIu64,
		           rt->index, rt->handle, found, rt->count);
}

static int task_compare(const void *a, const void *b)
{
	const struct task *x = a, *y = b;
	uint64_t xid = x->id - 1, yid = y->id - 1; /* 0 becomes the greatest */
	if (xid != yid)
		return xid < yid ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Believes a thread's current task only where the task agrees. Between polls a worker shows its own cell. */
static void pollers_find(struct tokio *tk)
{
	for (size_t i = 0; i < tk->thread_count; i++) {
		const struct tokio_thread *th = &tk->threads[i];
		uint64_t index;
		if (th->task_id == 0 || !map_get(&tk->task_by_id, th->task_id, &index))
			continue;
		struct task *task = &tk->tasks[index];
		if (task->class->blocking && task->runtime == TINFO_NONE)
			task->runtime = th->runtime;
		if (task->state != TASK_RUNNING)
			continue;
		if (task->lwp != 0)
			tokio_warn(tk, "task %" PRIu64 " is claimed by two threads, lwp %" PRIu32 " and lwp %" PRIu32,
			           task->id, task->lwp, th->lwp);
		else
			task->lwp = th->lwp;
	}
	for (size_t i = 0; i < tk->task_count; i++) {
		const struct task *task = &tk->tasks[i];
		if (task->state == TASK_RUNNING && task->lwp == 0 && !task->class->blocking)
			tokio_warn(tk, "task %" PRIu64 " at 0x%" PRIx64 " is marked running, but no thread polls it",
			           task->id, task->address);
		else if (task->state == TASK_DAMAGED)
			tokio_lack(tk, "task %" PRIu64 " at 0x%" PRIx64 ": its state word 0x%" PRIx64
			               " is both running and complete", task->id, task->address, task->word);
	}
}

/* What is in no list, in the same order and with the same ways to find it. */
static void kept_index(struct tokio *tk)
{
	if (tk->kept_count > 1)
		qsort(tk->kept, tk->kept_count, sizeof *tk->kept, task_compare);
	map_release(&tk->kept_by_address);
	for (size_t i = 0; i < tk->kept_count; i++) {
		map_set(&tk->kept_by_address, tk->kept[i].address, i);
		if (tk->kept[i].id != 0)
			map_set(&tk->kept_by_id, tk->kept[i].id, i);
	}
}

void tokio_list_tasks(struct tokio *tk)
{
	for (size_t i = 0; i < tk->runtime_count; i++)
		tokio_runtime_walk(tk, (uint32_t)i);
	tokio_discover(tk);
	if (tk->task_count > 1)
		qsort(tk->tasks, tk->task_count, sizeof *tk->tasks, task_compare);
	map_release(&tk->task_by_address);
	for (size_t i = 0; i < tk->task_count; i++) {
		uint64_t other;
		map_set(&tk->task_by_address, tk->tasks[i].address, i);
		if (tk->tasks[i].id == 0)
			tokio_lack(tk, "the task at 0x%" PRIx64 " has no readable id", tk->tasks[i].address);
		else if (map_get(&tk->task_by_id, tk->tasks[i].id, &other))
			tokio_warn(tk, "two tasks have the id %" PRIu64 ": at 0x%" PRIx64 " and 0x%" PRIx64,
			           tk->tasks[i].id, tk->tasks[other].address, tk->tasks[i].address);
		else
			map_set(&tk->task_by_id, tk->tasks[i].id, i);
	}
	kept_index(tk);
	pollers_find(tk);
	held_finish(tk->held);
}
