/* Namespaces of the sweep: paths, their hashes, and what stands in one. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strbuf.h"
#include "dwarf/sweep_internal.h"

uint64_t sweep_path_extend(uint64_t hash, const char *component, size_t length)
{
	return hash_bytes(component, length, hash);
}

uint64_t sweep_path_hash(const char *path)
{
	uint64_t hash = 0;
	while (*path != '\0') {
		const char *end = strstr(path, "::");
		size_t length = end != NULL ? (size_t)(end - path) : strlen(path);
		hash = sweep_path_extend(hash, path, length);
		path += length + (end != NULL ? 2 : 0);
	}
	return hash;
}

/* The unit's scopes, and the index of the innermost one around `die`; NULL when the unit was not swept. */
static const struct scope *scope_of(const struct sweep *sweep, uint64_t die, uint32_t *index)
{
	const struct dwarf_unit *unit = dwarf_unit_of(sweep->dw, die);
	if (unit == NULL)
		return NULL;
	const struct slice *slice = &sweep->slices[unit - sweep->units];
	const struct scope *scopes = sweep->workers[slice->worker].scopes + slice->first_scope;
	uint32_t relative = (uint32_t)(die - unit->offset);
	size_t low = 0, high = slice->scope_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (scopes[middle].start < relative)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return NULL;
	uint32_t at = (uint32_t)(low - 1);
	while (at != 0 && scopes[at].end <= relative)
		at = scopes[at].parent;
	*index = at;
	return scopes;
}

static const char *scope_name(const struct sweep *sweep, const struct dwarf_unit *unit, const struct scope *scope)
{
	struct die die;
	const char *name = die_at(sweep->dw, unit->offset + scope->start, &die) ? die_name(sweep->dw, &die) : NULL;
	return name != NULL ? name : "";
}

static uint64_t hash_up(const struct sweep *sweep, const struct dwarf_unit *unit, const struct scope *scopes,
                        uint32_t index)
{
	uint32_t chain[DEPTH_MAX];
	unsigned depth = 0;
	for (; index != 0 && depth < DEPTH_MAX; index = scopes[index].parent)
		chain[depth++] = index;
	uint64_t hash = 0;
	while (depth-- > 0) {
		const char *name = scope_name(sweep, unit, &scopes[chain[depth]]);
		hash = sweep_path_extend(hash, name, scope_name_length(name));
	}
	return hash;
}

uint64_t sweep_scope_hash(const struct sweep *sweep, uint64_t die)
{
	uint32_t index = 0;
	const struct scope *scopes = scope_of(sweep, die, &index);
	return scopes == NULL ? 0 : hash_up(sweep, dwarf_unit_of(sweep->dw, die), scopes, index);
}

bool sweep_scope_split(const struct sweep *sweep, uint64_t die, uint64_t *parent_hash, const char **name)
{
	uint32_t index = 0;
	const struct scope *scopes = scope_of(sweep, die, &index);
	if (scopes == NULL || index == 0)
		return false;
	const struct dwarf_unit *unit = dwarf_unit_of(sweep->dw, die);
	*parent_hash = hash_up(sweep, unit, scopes, scopes[index].parent);
	*name = scope_name(sweep, unit, &scopes[index]);
	return true;
}

void sweep_scope_path(const struct sweep *sweep, uint64_t die, struct strbuf *out)
{
	uint32_t index = 0, chain[DEPTH_MAX];
	unsigned depth = 0;
	const struct scope *scopes = scope_of(sweep, die, &index);
	if (scopes == NULL)
		return;
	const struct dwarf_unit *unit = dwarf_unit_of(sweep->dw, die);
	for (; index != 0 && depth < DEPTH_MAX; index = scopes[index].parent)
		chain[depth++] = index;
	for (unsigned i = depth; i-- > 0;) {
		const char *name = scope_name(sweep, unit, &scopes[chain[i]]);
		strbuf_add(out, name, scope_name_length(name));
		if (i != 0)
			strbuf_adds(out, "::");
	}
}

struct hit {
	struct die die;
	uint64_t hash;
};

struct hits {
	struct hit *items;
	size_t count, capacity;
};

static int hit_order(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;
	return x->die.offset < y->die.offset ? -1 : x->die.offset > y->die.offset;
}

static void lookup_scope(struct sweep *sweep, const struct dwarf_unit *unit, const struct scope *scope, uint64_t hash,
                         struct hits *hits)
{
	struct die die, child;
	if (!die_at(sweep->dw, unit->offset + scope->start, &die))
		return;
	for (bool more = die_child(sweep->dw, &die, &child); more; more = die_next(sweep->dw, &child, &child)) {
		if (child.abbrev->kind == SWEEP_SKIP || child.abbrev->kind == SWEEP_NAMESPACE)
			continue;
		hits->items = array_reserve(hits->items, &hits->capacity, hits->count, 1, sizeof *hits->items);
		hits->items[hits->count++] = (struct hit){ child, hash };
	}
}

static void lookup_unit(struct sweep *sweep, size_t index, const struct map *low, struct hits *hits)
{
	const struct slice *slice = &sweep->slices[index];
	if (slice->scope_count == 0)
		return;
	const struct scope *scopes = sweep->workers[slice->worker].scopes + slice->first_scope;
	for (uint32_t s = 0; s < slice->scope_count; s++) {
		size_t cursor = 0;
		uint64_t hash;
		while (map_next(low, scopes[s].hash, &cursor, &hash))
			if (hash_up(sweep, &sweep->units[index], scopes, s) == hash)
				lookup_scope(sweep, &sweep->units[index], &scopes[s], hash, hits);
	}
}

void sweep_lookup(struct sweep *sweep, const uint64_t *hashes, size_t count,
                  void (*found)(void *context, uint64_t path_hash, const struct die *die), void *context)
{
	struct map low = MAP_INIT; /* low half -> full hash */
	struct hits hits = { NULL, 0, 0 };
	for (size_t i = 0; i < count; i++)
		map_add(&low, (uint32_t)hashes[i], hashes[i]);
	for (size_t u = 0; u < sweep->unit_count; u++) {
		hits.count = 0;
		lookup_unit(sweep, u, &low, &hits);
		/* By scope so far; what stands in a namespace may come before and after the namespaces in it. */
		if (hits.count > 1)
			qsort(hits.items, hits.count, sizeof *hits.items, hit_order);
		for (size_t i = 0; i < hits.count; i++)
			found(context, hits.items[i].hash, &hits.items[i].die);
	}
	free(hits.items);
	map_release(&low);
}
