/* Binding the table of paths to the types of this build, once per attach; paths from generic types when an
 * instance is first met. */
#include <stdio.h>
#include <string.h>

#include "tokio/tokio_internal.h"

bool name_is(const char *name, const char *path)
{
	size_t length = strlen(path);
	return strncmp(name, path, length) == 0 && (name[length] == '\0' || name[length] == '<');
}

static uint32_t root_find(struct tokio *tk, enum path_root root)
{
	struct tinfo *ti = tk->target->tinfo;
	uint32_t first, count = tinfo_types_named(ti, path_root_name(root), &first);
	uint32_t best = TINFO_NONE;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t id = tinfo_nth_named(ti, first + i);
		struct type type = tinfo_type(ti, id);
		if (type.kind == TYPE_OPAQUE)
			continue;
		if (best == TINFO_NONE)
			best = id;
		else if (tinfo_type(ti, best).size != type.size)
			tokio_warn(tk, "there are several types %s with different layouts (%u and %u bytes); using the "
			               "first: is tokio linked twice?",
			           type.name, (unsigned)tinfo_type(ti, best).size, (unsigned)type.size);
	}
	return best;
}

/* The shards are a boxed slice: {data_ptr, length}. */
static const char *owned_bind(struct tokio *tk, enum flavor flavor)
{
	static const enum path_role ROLES[2][3] = {
		{ MULTI_THREAD_LISTS, MULTI_THREAD_LIST_ID, MULTI_THREAD_LIST_COUNT },
		{ CURRENT_THREAD_LISTS, CURRENT_THREAD_LIST_ID, CURRENT_THREAD_LIST_COUNT },
	};
	struct owned_paths *o = &tk->owned[flavor];
	struct tinfo *ti = tk->target->tinfo;
	struct member m;
	o->lists = tk->paths[ROLES[flavor][0]];
	o->id = tk->paths[ROLES[flavor][1]];
	o->count = tk->paths[ROLES[flavor][2]];
	if (o->lists.state != PATH_BOUND)
		return o->lists.message;
	struct type slice = tinfo_type(ti, o->lists.type);
	o->lists.state = PATH_BROKEN; /* until all is found */
	if (tinfo_find_member(ti, &slice, "length", &m) == TINFO_NONE)
		return "the owned list's shards are no slice";
	o->length = m.offset;
	if (tinfo_find_member(ti, &slice, "data_ptr", &m) == TINFO_NONE)
		return "the owned list's shards are no slice";
	o->data = m.offset;
	uint32_t shard = tinfo_type(ti, m.type).target;
	o->shard_size = shard == TINFO_NONE ? 0 : tinfo_type(ti, shard).size;
	path_bind_role(&o->head, tk->target, &tk->arena, SHARD_HEAD, tk->version, shard);
	if (o->head.state != PATH_BOUND)
		return o->head.message;
	if (o->shard_size == 0)
		return "the owned list's shards have no size";
	o->lists.state = PATH_BOUND;
	return NULL;
}

const char *tokio_bind_paths(struct tokio *tk)
{
	const char *fatal = NULL;
	for (int root = 0; root < PATH_ROOT_COUNT; root++)
		tk->roots[root] = root < ROOT_GENERIC_FIRST ? root_find(tk, (enum path_root)root) : TINFO_NONE;
	for (int i = 0; i < PATH_ROLE_COUNT; i++) {
		enum path_role role = (enum path_role)i;
		const struct path_row *row = path_row(role, tk->version);
		if (row != NULL && row->root >= ROOT_GENERIC_FIRST)
			continue;
		path_bind_role(&tk->paths[i], tk->target, &tk->arena, role, tk->version,
		               row == NULL ? TINFO_NONE : tk->roots[row->root]);
		if (tk->paths[i].state == PATH_BOUND || row == NULL)
			continue;
		if (row->need == PATH_REQUIRED && fatal == NULL)
			fatal = tk->roots[row->root] != TINFO_NONE
			                ? tk->paths[i].message
			                : arena_printf(&tk->arena, "no layout of %s", path_root_name(row->root));
		else if (tk->paths[i].state == PATH_BROKEN && row->need == PATH_OPTIONAL)
			tokio_warn(tk, "part of tokio cannot be read: %s", tk->paths[i].message);
	}
	if (fatal != NULL)
		return fatal;
	const char *single = owned_bind(tk, FLAVOR_CURRENT_THREAD), *multi = owned_bind(tk, FLAVOR_MULTI_THREAD);
	if (single != NULL)
		return single;
	return tk->paths[CONTEXT_MULTI_THREAD].state == PATH_BOUND ? multi : NULL; /* a feature: may be absent */
}

const struct path *tokio_generic_path(struct tokio *tk, enum path_role role, uint32_t type)
{
	uint64_t key = (uint64_t)role << 32 | type, known;
	if (map_get(&tk->generic, key, &known))
		return (const struct path *)(uintptr_t)known;
	struct path *path = arena_alloc(&tk->arena, sizeof *path);
	path_bind_role(path, tk->target, &tk->arena, role, tk->version, type);
	if (path->state == PATH_BROKEN)
		tokio_warn(tk, "part of tokio cannot be read: %s", path->message);
	map_set(&tk->generic, key, (uintptr_t)path);
	return path;
}

enum path_root tokio_root_of(struct tokio *tk, uint32_t type)
{
	uint64_t known;
	if (map_get(&tk->root_of, type, &known))
		return (enum path_root)known;
	const char *name = tinfo_type(tk->target->tinfo, type).name;
	int root = 0;
	while (root < PATH_ROOT_COUNT && !name_is(name, path_root_name((enum path_root)root)))
		root++;
	map_set(&tk->root_of, type, (uint64_t)root);
	return (enum path_root)root;
}
