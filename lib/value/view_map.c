/* Maps and sets: B-trees in the order of keys, hash tables in the order of their buckets. Sources: library/alloc/src/
 * collections/btree/{map,node}.rs (B = 6: 11 entries, 12 edges), hashbrown's src/raw/mod.rs (control bytes below 0x80
 * are taken; bucket i ends i places before the control bytes). */
#include <string.h>

#include "value/target.h"
#include "value/view.h"

enum { TREE_CAPACITY = 11, TREE_HEIGHT = 16 };

/* What is worked out once per node type, from the members' names. */
struct tree_shape {
	struct path length, key, edge, leaf; /* of a leaf: length; element types inside MaybeUninit */
	uint64_t keys, values, edges, data;
	uint64_t key_size, value_size, edge_size;
	uint64_t key_offset, value_offset; /* of the thing in its MaybeUninit */
	uint32_t key_type, value_type;
	bool set;
};

/* MaybeUninit<T> { uninit, value: ManuallyDrop<T> }; T itself since names differ between releases. */
static bool element_inside(struct viewer *viewer, uint32_t array, uint32_t *type, uint64_t *size, uint64_t *offset)
{
	struct path path;
	struct type outer = tinfo_type(viewer->target->tinfo, array);
	if (outer.kind != TYPE_ARRAY || outer.target == TINFO_NONE || outer.extra < TREE_CAPACITY)
		return false;
	path_bind(&path, viewer->target, &viewer->arena, outer.target, ".value.value.__0 | .value.value");
	if (path.state != PATH_BOUND || !path_is_offset(&path, offset))
		return false;
	*type = path.type;
	*size = tinfo_type(viewer->target->tinfo, outer.target).size;
	return true;
}

static const struct tree_shape *tree_shape(struct viewer *viewer, uint32_t leaf_type)
{
	struct tinfo *ti = viewer->target->tinfo;
	struct tree_shape *shape = arena_alloc(&viewer->arena, sizeof *shape);
	struct type leaf = tinfo_type(ti, leaf_type);
	struct member keys, values;
	struct path parent;
	if (tinfo_find_member(ti, &leaf, "keys", &keys) == TINFO_NONE ||
	    tinfo_find_member(ti, &leaf, "vals", &values) == TINFO_NONE ||
	    !element_inside(viewer, keys.type, &shape->key_type, &shape->key_size, &shape->key_offset) ||
	    !element_inside(viewer, values.type, &shape->value_type, &shape->value_size, &shape->value_offset))
		return NULL;
	path_bind(&shape->length, viewer->target, &viewer->arena, leaf_type, ".len");
	path_bind(&parent, viewer->target, &viewer->arena, leaf_type, ".parent<Some>.__0.pointer->");
	path_bind(&shape->leaf, viewer->target, &viewer->arena, parent.type, ".data");
	path_bind(&shape->edge, viewer->target, &viewer->arena, parent.type, ".edges");
	if (shape->length.width != 2 || !path_is_offset(&shape->leaf, &shape->data) ||
	    !path_is_offset(&shape->edge, &shape->edges))
		return NULL;
	struct type edges = tinfo_type(ti, shape->edge.type);
	if (edges.kind != TYPE_ARRAY || edges.extra < TREE_CAPACITY + 1)
		return NULL;
	shape->edge_size = edges.size / edges.extra;
	shape->keys = keys.offset;
	shape->values = values.offset;
	shape->set = shape->value_size == 0;
	return shape;
}

/* The shapes by leaf type; plans have room for them in the map, under a key no type has. */
static const struct tree_shape *tree_shape_of(struct viewer *viewer, uint32_t leaf_type)
{
	uint64_t key = UINT64_C(1) << 32 | leaf_type, known;
	if (map_get(&viewer->plans, key, &known))
		return (const struct tree_shape *)(uintptr_t)known;
	const struct tree_shape *shape = tree_shape(viewer, leaf_type);
	map_set(&viewer->plans, key, (uint64_t)(uintptr_t)shape);
	return shape;
}

/* state[0]: levels on the stack; then per level, root first: node, position. */
static bool tree_descend(struct viewer *viewer, struct walk *walk, uint64_t node, uint64_t height)
{
	const struct tree_shape *shape = walk->context;
	for (;; height--) {
		uint64_t level = walk->state[0];
		if (level == TREE_HEIGHT)
			return walk_fail(walk, "a tree of too many levels", node);
		walk->state[1 + 2 * level] = node;
		walk->state[2 + 2 * level] = 0;
		walk->state[0]++;
		if (height == 0)
			return true;
		if (!target_word(viewer->target, node + shape->edges, &node))
			return walk_fail(walk, "unreadable", node);
	}
}

static bool walk_tree(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	const struct tree_shape *shape = walk->context;
	uint64_t total = walk->state[2 * TREE_HEIGHT + 1], length; /* height of the root */
	if (walk->done >= walk->count)
		return false;
	if (walk->done == 0 && walk->state[0] == 0 && !tree_descend(viewer, walk, walk->base, total))
		return false;
	while (walk->state[0] != 0) {
		uint64_t level = walk->state[0] - 1, node = walk->state[1 + 2 * level];
		uint64_t *position = &walk->state[2 + 2 * level];
		uint64_t leaf = level < total ? node + shape->data : node;
		if (path_load(&shape->length, viewer->target, leaf, &length) != OUTCOME_VALUE)
			return walk_fail(walk, "unreadable", node);
		if (length > TREE_CAPACITY)
			return walk_fail(walk, "a node with more entries than fit", node);
		if (*position >= length) {
			walk->state[0]--;
			continue;
		}
		uint64_t at = (*position)++;
		*key = (struct value){ shape->key_type, leaf + shape->keys + at * shape->key_size + shape->key_offset };
		*value = (struct value){ shape->value_type,
			                 leaf + shape->values + at * shape->value_size + shape->value_offset };
		if (shape->set)
			*value = *key;
		walk->done++;
		uint64_t child;
		if (level < total) { /* what follows an entry of an inner node is the edge to its right */
			if (!target_word(viewer->target, node + shape->edges + (at + 1) * shape->edge_size, &child))
				return walk_fail(walk, "unreadable", node);
			if (walk->done < walk->count && !tree_descend(viewer, walk, child, total - level - 1))
				walk->count = walk->done; /* this entry is good; the error is told at the end */
		}
		return true;
	}
	return walk_fail(walk, "fewer entries than the length says", 0);
}

/* paths: length, root node, height. */
static bool view_tree(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t length, node, height;
	uint32_t leaf = s->paths[3].type;
	const struct tree_shape *shape = tree_shape_of(viewer, leaf);
	if (shape == NULL)
		return false;
	enum outcome outcome = subject_load(viewer, s, 1, &node);
	if (subject_load(viewer, s, 0, &length) != OUTCOME_VALUE || outcome == OUTCOME_FAILURE) {
		view_unreadable(out, s->address);
		return true;
	}
	if (outcome != OUTCOME_VALUE && length != 0) {
		view_error(out, "a length of %llu without a root", (unsigned long long)length);
		return true;
	}
	out->kind = shape->set ? VIEW_LIST : VIEW_MAP;
	out->braces = shape->set;
	out->walk = (struct walk){ .next = walk_tree, .count = length, .key_type = shape->key_type, .base = node,
		                   .value_type = shape->set ? shape->key_type : shape->value_type, .context = shape };
	if (length != 0) {
		if (subject_load(viewer, s, 2, &height) != OUTCOME_VALUE || height >= TREE_HEIGHT) {
			view_error(out, "a tree of too many levels");
			return true;
		}
		out->walk.state[2 * TREE_HEIGHT + 1] = height;
	}
	return true;
}

struct table_shape {
	uint64_t size; /* of a bucket */
	uint64_t key, value;
	uint32_t key_type, value_type;
	bool set;
};

/* state: bucket to look at next, number of buckets. */
static bool walk_table(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value)
{
	const struct table_shape *shape = walk->context;
	unsigned char control;
	while (walk->state[0] < walk->state[1]) {
		uint64_t bucket = walk->state[0]++;
		if (!target_read(viewer->target, walk->base + bucket, &control, 1))
			return walk_fail(walk, "unreadable", walk->base + bucket);
		if (control >= 0x80)
			continue;
		if (walk->done == walk->count)
			return walk_fail(walk, "more taken buckets than entries", walk->base + bucket);
		uint64_t at = walk->base - (bucket + 1) * shape->size;
		*key = (struct value){ shape->key_type, at + shape->key };
		*value = shape->set ? *key : (struct value){ shape->value_type, at + shape->value };
		walk->done++;
		return true;
	}
	if (walk->done < walk->count)
		return walk_fail(walk, "fewer taken buckets than entries", walk->base);
	return false;
}

static const struct table_shape *table_shape_of(struct viewer *viewer, uint32_t entry, bool set)
{
	uint64_t key = (uint64_t)(set ? 3 : 2) << 32 | entry, known;
	struct member m;
	if (entry == TINFO_NONE)
		return NULL;
	if (map_get(&viewer->plans, key, &known))
		return (const struct table_shape *)(uintptr_t)known;
	struct table_shape *shape = arena_alloc(&viewer->arena, sizeof *shape);
	struct type type = tinfo_type(viewer->target->tinfo, entry);
	shape->size = type.size;
	bool good = tinfo_find_member(viewer->target->tinfo, &type, "__0", &m) != TINFO_NONE;
	shape->key = m.offset;
	shape->key_type = m.type;
	good = good && tinfo_find_member(viewer->target->tinfo, &type, "__1", &m) != TINFO_NONE;
	shape->value = m.offset;
	shape->value_type = m.type;
	shape->set = set;
	if (!good)
		shape = NULL;
	map_set(&viewer->plans, key, (uint64_t)(uintptr_t)shape);
	return shape;
}

/* paths: control bytes, mask of bucket numbers, entries, marker of the entries' type. words "set": no values. */
static bool view_table(struct viewer *viewer, const struct subject *s, struct view *out)
{
	uint64_t at[3];
	uint32_t entry = phantom_type(viewer, s->paths[3].type);
	const struct table_shape *shape = table_shape_of(viewer, entry, s->row->words != NULL);
	if (shape == NULL)
		return false;
	if (!subject_numbers(viewer, s, 3, at, out))
		return true;
	uint64_t buckets = at[1] + 1;
	if (buckets == 0 || (buckets & at[1]) != 0 || at[2] > buckets || buckets > INT64_MAX / (shape->size + 1)) {
		view_error(out, "a table of %llu buckets with %llu entries cannot be", (unsigned long long)buckets,
		           (unsigned long long)at[2]);
		return true;
	}
	if (!memory_there(viewer, at[0], buckets) || (at[2] != 0 && !memory_there(viewer, at[0] - buckets * shape->size,
	                                                                        buckets * shape->size))) {
		view_unreadable(out, at[0]);
		return true;
	}
	out->kind = shape->set ? VIEW_LIST : VIEW_MAP;
	out->braces = shape->set;
	out->walk = (struct walk){ .next = walk_table, .count = at[2], .key_type = shape->key_type, .base = at[0],
		                   .value_type = shape->set ? shape->key_type : shape->value_type, .context = shape };
	out->walk.state[1] = buckets;
	return true;
}

#define TREE(path) path "length", path "root<Some>.__0.node.pointer", path "root<Some>.__0.height", \
	           path "root<Some>.__0.node.pointer->"
#define TABLE(path) path "table.ctrl.pointer", path "table.bucket_mask", path "table.items", path "marker"

static const struct formatter ROWS[] = {
	{ "alloc::collections::btree::map::BTreeMap", 0, view_tree, 4, { TREE(".") }, NULL },
	{ "alloc::collections::btree::set::BTreeSet", 0, view_tree, 4, { TREE(".map.") }, NULL },
	{ "std::collections::hash::map::HashMap", 0, view_table, 4, { TABLE(".base.table.") }, NULL },
	{ "std::collections::hash::set::HashSet", 0, view_table, 4, { TABLE(".base.map.table.") }, "set" },
	{ "hashbrown::map::HashMap", 0, view_table, 4, { TABLE(".table.") }, NULL },
	{ "hashbrown::set::HashSet", 0, view_table, 4, { TABLE(".map.table.") }, "set" },
};

const struct formatter_table STD_MAP = FORMATTER_TABLE(ROWS);
