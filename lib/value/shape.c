/* What can be said of a type by its shape: wrappers, sole members, members of a type found at any depth. Members
 * of size 0 (PhantomData, Global) never count. */
#include <string.h>

#include "tinfo/tinfo.h"
#include "value/path.h"
#include "value/target.h"

enum { PEEL_DEPTH = 8, FIND_QUEUE = 128 };

bool type_sole_member(struct target *t, uint32_t id, struct member *out)
{
	struct type type = tinfo_type(t->tinfo, id);
	bool found = false;
	if (type.kind != TYPE_STRUCT)
		return false;
	for (uint32_t i = 0; i < type.count; i++) {
		struct member m = tinfo_member(t->tinfo, type.first + i);
		struct type inner = tinfo_type(t->tinfo, m.type);
		if ((inner.flags & TYPE_SIZED) != 0 && inner.size == 0)
			continue;
		if (found)
			return false;
		*out = m;
		found = true;
	}
	return found;
}

uint32_t type_peel(struct target *t, uint32_t type)
{
	struct member m;
	for (int depth = 0; depth < PEEL_DEPTH; depth++) {
		if (!type_sole_member(t, type, &m) || m.offset != 0)
			break;
		type = m.type;
	}
	return type;
}

const char *type_sole_argument(const char *name, uint32_t *length)
{
	const char *open = strchr(name, '<');
	size_t end = strlen(name);
	int depth = 0;
	*length = 0;
	if (open == NULL || end < 3 || name[end - 1] != '>')
		return name;
	for (const char *at = open + 1; at < name + end - 1; at++) {
		if (strchr("<([{", *at) != NULL)
			depth++;
		else if (strchr(")]}", *at) != NULL || (*at == '>' && at[-1] != '-'))
			depth--;
		if (depth < 0 || (depth == 0 && *at == ','))
			return name; /* `a<b>::c<d>` or a second argument */
	}
	*length = (uint32_t)(name + end - 1 - (open + 1));
	return open + 1;
}

struct find_entry {
	uint32_t type, depth;
	uint64_t offset;
};

static bool type_matches(struct target *t, uint32_t type, uint32_t wanted, const char *name)
{
	if (wanted != TINFO_NONE)
		return type == wanted;
	return strcmp(tinfo_type(t->tinfo, type).name, name) == 0;
}

bool type_find_inside(struct target *t, uint32_t type, uint32_t wanted, const char *name, uint64_t *offset,
                      uint32_t *found)
{
	struct find_entry queue[FIND_QUEUE] = { { type, 0, 0 } };
	size_t head = 0, tail = 1;
	while (head < tail) {
		struct find_entry entry = queue[head++];
		if (type_matches(t, entry.type, wanted, name)) {
			*offset = entry.offset;
			*found = entry.type;
			return true;
		}
		struct type here = tinfo_type(t->tinfo, entry.type);
		if ((here.kind != TYPE_STRUCT && here.kind != TYPE_UNION) || entry.depth == PEEL_DEPTH)
			continue;
		for (uint32_t i = 0; i < here.count && tail < FIND_QUEUE; i++) {
			struct member m = tinfo_member(t->tinfo, here.first + i);
			queue[tail++] = (struct find_entry){ m.type, entry.depth + 1, entry.offset + m.offset };
		}
	}
	return false;
}
