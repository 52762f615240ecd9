/* What was found, in the order of the listing, and questions to it. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "tokio/chain.h"
#include "tokio/held_internal.h"
#include "tokio/wait.h"

struct held_span {
	uint64_t start, end;
	uint32_t set;
};

static void *copy_array(size_t count, size_t size)
{
	void *items = calloc(count + 1, size);
	if (items == NULL)
		abort();
	return items;
}

/* One task's finds and sets to their new places; their references to each other move with them. */
static void move_block(struct held_state *s, struct held_block *b, struct held *items, size_t item, struct held_set *sets,
                       size_t set)
{
	uint32_t item_shift = (uint32_t)(item - b->item), set_shift = (uint32_t)(set - b->set);
	for (size_t i = 0; i < b->items; i++) {
		struct held *h = &items[item + i];
		*h = s->items[b->item + i];
		h->via += h->via != HELD_NONE ? item_shift : 0;
		h->set += h->set != HELD_NONE ? set_shift : 0;
	}
	for (size_t i = 0; i < b->sets; i++) {
		struct held_set *h = &sets[set + i];
		*h = s->sets[b->set + i];
		h->via += h->via != HELD_NONE ? item_shift : 0;
		for (uint32_t k = 0; k < h->count; k++) {
			struct held_member *m = &s->members[h->first + k];
			m->find += m->find != HELD_NONE ? item_shift : 0;
		}
	}
	b->item = item;
	b->set = set;
}

void held_finish(struct held_state *s)
{
	struct held *items = copy_array(s->count, sizeof *items);
	struct held_set *sets = copy_array(s->set_count, sizeof *sets);
	size_t item = 0, set = 0;
	for (size_t i = 0; i < s->block_count; i++)
		map_set(&s->block_of, s->blocks[i].task, i);
	for (size_t i = 0; i < s->tk->task_count; i++) {
		uint64_t block;
		if (!map_get(&s->block_of, s->tk->tasks[i].address, &block))
			continue;
		move_block(s, &s->blocks[block], items, item, sets, set);
		item += s->blocks[block].items;
		set += s->blocks[block].sets;
	}
	free(s->items);
	free(s->sets);
	s->items = items;
	s->count = item;
	s->sets = sets;
	s->set_count = set;
	s->census.items = items;
	s->census.count = item;
	s->census.sets = sets;
	s->census.set_count = set;
	s->census.members = s->members;
	for (size_t i = 0; i < item; i++)
		map_add(&s->find_at, items[i].address, i);
}

static struct held_state *state_of(struct tokio *tk)
{
	size_t count;
	tokio_tasks(tk, &count);
	return tk->held;
}

const struct held_census *tokio_held(struct tokio *tk)
{
	return &state_of(tk)->census;
}

static void count_sets(const struct held_state *s, uint32_t via, struct held_counts *out)
{
	for (uint32_t i = out->set_first; i < out->set_first + out->set_count; i++) {
		const struct held_set *set = &s->sets[i];
		if (set->via != via)
			continue;
		out->sets++;
		if (set->kind == SET_JOIN)
			out->set_tasks += set->live;
		else
			out->set_futures += set->live;
	}
}

void held_of_task(struct tokio *tk, const struct task *task, struct held_counts *out)
{
	const struct held_state *s = state_of(tk);
	uint64_t index;
	*out = (struct held_counts){ 0 };
	if (!map_get(&s->block_of, task->address, &index))
		return;
	const struct held_block *b = &s->blocks[index];
	out->first = (uint32_t)b->item;
	out->count = (uint32_t)b->items;
	out->set_first = (uint32_t)b->set;
	out->set_count = (uint32_t)b->sets;
	for (size_t i = b->item; i < b->item + b->items; i++)
		out->holds += s->items[i].via == HELD_NONE && s->items[i].set == HELD_NONE;
	count_sets(s, HELD_NONE, out);
}

void held_in_find(struct tokio *tk, uint32_t find, struct held_counts *out)
{
	const struct held_state *s = state_of(tk);
	struct task task = { .address = s->items[find].task };
	held_of_task(tk, &task, out);
	out->holds = s->items[find].holds;
	out->sets = 0;
	out->set_tasks = out->set_futures = 0;
	count_sets(s, find, out);
}

uint32_t held_at(struct tokio *tk, uint64_t address, size_t *others)
{
	const struct held_state *s = state_of(tk);
	uint64_t index;
	uint32_t best = HELD_NONE;
	size_t cursor = 0, count = 0;
	while (map_next(&s->find_at, address, &cursor, &index)) {
		if (best == HELD_NONE || index > best) /* what lies inside stands later */
			best = (uint32_t)index;
		count++;
	}
	*others = count > 0 ? count - 1 : 0;
	return best;
}

static int compare_spans(const void *a, const void *b)
{
	const struct held_span *x = a, *y = b;
	return (x->start > y->start) - (x->start < y->start);
}

static void index_nodes(struct held_state *s)
{
	size_t capacity = 0;
	s->indexed = true;
	for (uint32_t i = 0; i < s->set_count; i++) {
		const struct held_set *set = &s->sets[i];
		for (uint32_t k = 0; k < set->count && set->kind == SET_UNORDERED; k++) {
			uint64_t node = s->members[set->first + k].node;
			s->spans = array_reserve(s->spans, &capacity, s->span_count, 1, sizeof *s->spans);
			s->spans[s->span_count++] = (struct held_span){ node, node + set->node_size, i };
		}
	}
	if (s->span_count > 1)
		qsort(s->spans, s->span_count, sizeof *s->spans, compare_spans);
}

const struct held_set *held_node_at(struct tokio *tk, uint64_t address)
{
	struct held_state *s = state_of(tk);
	if (!s->indexed)
		index_nodes(s);
	size_t low = 0, high = s->span_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (s->spans[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && address < s->spans[low - 1].end ? &s->sets[s->spans[low - 1].set] : NULL;
}

void held_follow(struct tokio *tk, const struct held *held, struct chain *chain, struct wait *wait)
{
	struct task idle = { .state = TASK_IDLE };
	chain_follow(tk, held->address, held->type, chain);
	wait_decide(tk, &idle, chain, wait);
}

static bool holder_chain(struct tokio *tk, const struct held *held, struct chain *chain)
{
	uint64_t future;
	if (held->via != HELD_NONE) {
		const struct held *via = &tk->held->items[held->via];
		chain_follow(tk, via->address, via->type, chain);
		return true;
	}
	const struct task *task = tokio_task_by_address(tk, held->task);
	if (task == NULL || task_stage(tk, task, &future) != STAGE_RUNNING)
		return false;
	chain_follow(tk, future, task->class->future, chain);
	return true;
}

/* Does the branch lead to the find? */
static bool branch_is(struct tokio *tk, const struct branch *b, const struct held *held, struct chain *chain)
{
	if (!b->has_future)
		return false;
	if (b->address == held->address && b->type == held->type)
		return true;
	chain_follow(tk, b->address, b->type, chain);
	return chain->count > 0 && chain->frames[0].address == held->address && chain->frames[0].type == held->type;
}

enum held_armed held_armed(struct tokio *tk, const struct held *held)
{
	enum held_armed armed = HELD_IDLE;
	if (held->set != HELD_NONE)
		return HELD_ARMED_UNKNOWN;
	struct chain *chains = calloc(2, sizeof *chains);
	if (chains == NULL)
		abort();
	if (!holder_chain(tk, held, &chains[0]))
		armed = HELD_ARMED_UNKNOWN;
	for (uint32_t i = 0; i < chains[0].count && armed == HELD_IDLE; i++) {
		struct branch branches[BRANCHES_MAX];
		size_t all, count;
		if (chains[0].frames[i].fork == FORK_NONE)
			continue;
		count = frame_branches(tk, &chains[0].frames[i], branches, &all);
		for (size_t k = 0; k < count && armed == HELD_IDLE; k++)
			if (branches[k].state == BRANCH_ARMED && branch_is(tk, &branches[k], held, &chains[1]))
				armed = chains[0].frames[i].fork == FORK_UNKNOWN ? HELD_ARMED_UNKNOWN : HELD_ARMED;
	}
	free(chains);
	if (armed == HELD_ARMED && held->via != HELD_NONE && tk->held->items[held->via].set == HELD_NONE)
		return held_armed(tk, &tk->held->items[held->via]); /* no more than its holder */
	return armed;
}
