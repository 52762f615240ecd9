/* What an address belongs to: the allocation of a task, or a node of a FuturesUnordered that a task polls. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tokio/formats.h"
#include "tokio/frame_plan.h"
#include "tokio/tokio_internal.h"

enum { NODES_MAX = 65536, SETS_MAX = 65536 };

struct label_span {
	uint64_t start, end;
	const char *text, *ref;
};

struct tokio_labels {
	struct tokio *tk;
	struct arena arena;
	bool tasks_read, sets_read;
	struct label_span *spans[2]; /* of tasks, of nodes of sets; by address */
	size_t counts[2], capacities[2];
	size_t sets;
};

struct tokio_labels *tokio_labels_new(struct tokio *tk)
{
	struct tokio_labels *labels = calloc(1, sizeof *labels);
	if (labels == NULL)
		abort();
	labels->tk = tk;
	return labels;
}

void tokio_labels_free(struct tokio_labels *labels)
{
	if (labels == NULL)
		return;
	free(labels->spans[0]);
	free(labels->spans[1]);
	arena_release(&labels->arena);
	free(labels);
}

static void add_span(struct tokio_labels *labels, int which, struct label_span span)
{
	labels->spans[which] = array_reserve(labels->spans[which], &labels->capacities[which], labels->counts[which], 1,
	                                     sizeof span);
	labels->spans[which][labels->counts[which]++] = span;
}

static int span_compare(const void *a, const void *b)
{
	const struct label_span *left = a, *right = b;
	return (left->start > right->start) - (left->start < right->start);
}

static const char *task_text(struct tokio_labels *labels, const struct task *task, char between)
{
	if (task->id != 0)
		return arena_printf(&labels->arena, "task%c%llu", between, (unsigned long long)task->id);
	return arena_printf(&labels->arena, "task%c0x%llx", between, (unsigned long long)task->address);
}

static void read_tasks(struct tokio_labels *labels)
{
	size_t count;
	const struct task *tasks = tokio_tasks(labels->tk, &count);
	labels->tasks_read = true;
	for (size_t i = 0; i < count; i++) {
		const struct task *task = &tasks[i];
		struct type cell = task->class->cell != TINFO_NONE ? tinfo_type(labels->tk->target->tinfo, task->class->cell)
		                                                   : (struct type){ .size = 0 };
		uint64_t size = cell.size != 0 ? cell.size : 8;
		add_span(labels, 0, (struct label_span){ task->address, task->address + size, task_text(labels, task, ' '),
		                                         task_text(labels, task, '/') });
	}
	qsort(labels->spans[0], labels->counts[0], sizeof *labels->spans[0], span_compare);
}

/* The nodes of one set: a list through next_all, from head_all. */
static void read_set(struct tokio_labels *labels, const struct task *task, uint64_t address, uint32_t type)
{
	struct target *t = labels->tk->target;
	struct path head, next;
	uint64_t node;
	path_bind(&head, t, &labels->arena, type, ".head_all~p");
	if (head.state != PATH_BOUND || labels->sets++ == SETS_MAX)
		return;
	struct type pointer = tinfo_type(t->tinfo, head.type);
	struct type task_type = pointer.target != TINFO_NONE ? tinfo_type(t->tinfo, pointer.target)
	                                                     : (struct type){ .size = 0 };
	path_bind(&next, t, &labels->arena, pointer.target, ".next_all~p");
	if (next.state != PATH_BOUND || task_type.size == 0 || path_load(&head, t, address, &node) != OUTCOME_VALUE)
		return;
	const char *text = arena_printf(&labels->arena, "%s via FuturesUnordered", task_text(labels, task, ' '));
	const char *ref = task_text(labels, task, '/');
	for (size_t i = 0; node != 0 && i < NODES_MAX; i++) {
		add_span(labels, 1, (struct label_span){ node, node + task_type.size, text, ref });
		if (path_load(&next, t, node, &node) != OUTCOME_VALUE)
			break;
	}
}

static bool is_set(const char *name)
{
	static const char SET[] = "futures_util::stream::futures_unordered::FuturesUnordered<";
	return strncmp(name, SET, sizeof SET - 1) == 0;
}

/* The sets in a frame: itself, or among its locals. */
static void read_frame(struct tokio_labels *labels, const struct task *task, const struct frame *frame)
{
	struct tinfo *ti = labels->tk->target->tinfo;
	struct type type = tinfo_type(ti, frame->type);
	if (is_set(type.name)) {
		read_set(labels, task, frame->address, frame->type);
		return;
	}
	if (frame->coroutine && frame->variant != TINFO_NONE)
		type = tinfo_type(ti, tinfo_variant(ti, frame->variant).payload);
	if (type.kind != TYPE_STRUCT)
		return;
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(ti, type.first + i);
		if ((m.flags & MEMBER_UNCERTAIN) == 0 && is_set(tinfo_type(ti, m.type).name))
			read_set(labels, task, frame->address + m.offset, m.type);
	}
}

static void read_sets(struct tokio_labels *labels)
{
	size_t count;
	uint32_t first;
	struct tokio *tk = labels->tk;
	const struct task *tasks = tokio_tasks(tk, &count);
	struct chain *chain = malloc(sizeof *chain);
	labels->sets_read = true;
	if (chain == NULL)
		abort();
	if (tinfo_types_prefixed(tk->target->tinfo, "futures_util::stream::futures_unordered::FuturesUnordered<", &first) == 0)
		count = 0; /* the program has none */
	for (size_t i = 0; i < count; i++) {
		uint64_t future;
		if (tasks[i].state == TASK_RUNNING || task_stage(tk, &tasks[i], &future) != STAGE_RUNNING)
			continue;
		chain_follow(tk, future, tasks[i].class->future, chain);
		for (uint32_t f = 0; f < chain->count; f++)
			read_frame(labels, &tasks[i], &chain->frames[f]);
	}
	free(chain);
	if (labels->counts[1] != 0)
		qsort(labels->spans[1], labels->counts[1], sizeof *labels->spans[1], span_compare);
}

static const struct label_span *find_span(const struct tokio_labels *labels, int which, uint64_t address)
{
	size_t low = 0, high = labels->counts[which];
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (labels->spans[which][middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address >= labels->spans[which][low - 1].end)
		return NULL;
	return &labels->spans[which][low - 1];
}

const char *tokio_label(void *context, uint64_t address, const char **ref)
{
	struct tokio_labels *labels = context;
	const struct label_span *span;
	if (!labels->tasks_read)
		read_tasks(labels);
	span = find_span(labels, 0, address);
	if (span == NULL && !labels->sets_read)
		read_sets(labels);
	if (span == NULL)
		span = find_span(labels, 1, address);
	if (span == NULL)
		return NULL;
	*ref = span->ref;
	return span->text;
}

bool tokio_is_future(void *context, uint32_t type)
{
	struct tokio_labels *labels = context;
	return type_is_future(labels->tk, type);
}
