/* Look-ups: binary searches. Texts are sorted in their blob, so a name is searched there once and is from then on
 * an offset, which compares like the text; the tables sorted by a name are searched by that number. A search never
 * trusts the order it relies on: in a file that lies it ends all the same, with some answer. */
#include "tinfo/tinfo_internal.h"

#include "base/map.h"

/* Where the text begins that has its last byte, or its NUL, at or after `at`; `low` is a start before it. */
static bool text_start(struct tinfo *ti, uint32_t low, uint32_t at, uint32_t *start)
{
	const struct section *section = &ti->sections[TABLE_STRINGS];
	uint32_t left = TEXT_MAX;
	while (at > low && left-- != 0) {
		const unsigned char *before;
		if (section->state != NULL && section->state[(at - 1) / section->frame_size] == FRAME_DONE)
			before = section->data + at - 1;
		else
			before = section_bytes(ti, TABLE_STRINGS, at - 1, 1);
		if (before == NULL)
			return false;
		if (*before == 0)
			break;
		at--;
	}
	*start = at;
	return true;
}

/* Compares as strcmp does. With `prefix`, texts that begin with the key come before it. */
static int text_compare(const char *text, const char *key, size_t length, bool prefix)
{
	int order = strncmp(text, key, length);
	if (order != 0)
		return order;
	if (prefix)
		return -1;
	return text[length] != 0;
}

/* Offset of the first text not below the key (with `prefix`: above all texts that begin with it). */
static bool text_bound(struct tinfo *ti, const char *key, size_t length, bool prefix, uint32_t *offset)
{
	uint32_t low = 0, high = ti->sections[TABLE_STRINGS].count;
	while (low < high) {
		uint32_t start;
		if (!text_start(ti, low, low + (high - low) / 2, &start))
			return false;
		bool bad = false;
		const char *text = section_text(ti, start, &bad);
		if (bad)
			return false;
		if (text_compare(text, key, length, prefix) < 0)
			low = start + (uint32_t)strlen(text) + 1;
		else
			high = start;
	}
	*offset = low;
	return true;
}

static bool text_equals(struct tinfo *ti, uint32_t offset, const char *text, size_t length)
{
	return text_compare(section_text(ti, offset, NULL), text, length, false) == 0;
}

bool text_find(struct tinfo *ti, const char *text, size_t length, uint32_t *offset)
{
	/* The same few names are looked for again and again: members of a path, roles. */
	uint32_t *cached = &ti->names[hash_bytes(text, length, 0) % NAME_CACHE];
	if (*cached == 0 || !text_equals(ti, *cached, text, length)) {
		uint32_t found;
		if (!text_bound(ti, text, length, false, &found) || found >= ti->sections[TABLE_STRINGS].count ||
		    !text_equals(ti, found, text, length))
			return false;
		*cached = found;
	}
	*offset = *cached;
	return true;
}

/* What a sorted table is sorted by: the value at its position-th record. */
typedef uint64_t (*key_reader)(struct tinfo *ti, uint32_t position);

static uint64_t key_at(struct tinfo *ti, enum tinfo_table table, uint32_t index, size_t offset, size_t width)
{
	const unsigned char *record = section_record(ti, table, index);
	if (record == NULL)
		return 0;
	return width == 8 ? get_u64(record + offset) : get_u32(record + offset);
}

static uint64_t name_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_TYPES, position, 0, 4);
}

static uint64_t function_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_FUNCTIONS, position, 12, 8);
}

static uint64_t address_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_FUNCTIONS, tinfo_nth_address(ti, position), 20, 8);
}

static uint64_t vtable_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_VTABLES, position, 0, 8);
}

static uint64_t instance_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_INSTANCES, position, 0, 8);
}

static uint64_t impl_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_IMPLS, position, 0, 4);
}

static uint64_t local_key(struct tinfo *ti, uint32_t position)
{
	return key_at(ti, TABLE_LOCALS, position, 0, 4);
}

/* First position in [low, high) whose key is not below `key`, or `high`. */
static uint32_t lower_bound(struct tinfo *ti, key_reader read, uint32_t low, uint32_t high, uint64_t key)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (read(ti, middle) < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Positions with keys from `from` up to and without `to` (to 0: without end). */
static uint32_t key_range(struct tinfo *ti, enum tinfo_table table, key_reader read, uint64_t from, uint64_t to,
			  uint32_t *first)
{
	uint32_t count = ti->sections[table].count;
	*first = lower_bound(ti, read, 0, count, from);
	/* Runs are mostly short: look at the next few before searching for the end. */
	uint32_t end = *first;
	for (uint32_t step = 0; step < 4 && end < count; step++, end++)
		if (to != 0 && read(ti, end) >= to)
			return end - *first;
	return (to == 0 ? count : lower_bound(ti, read, end, count, to)) - *first;
}

uint32_t tinfo_nth_named(struct tinfo *ti, uint32_t position)
{
	uint32_t count = ti->sections[TABLE_TYPES].count;
	if (position < count)
		return position; /* types are sorted by name */
	tinfo_fault_set(ti, TABLE_TYPES, "there is no record %u, only %u", position, count);
	return TINFO_NONE;
}

uint32_t tinfo_nth_address(struct tinfo *ti, uint32_t position)
{
	const unsigned char *record = section_record(ti, TABLE_ADDRESSES, position);
	uint32_t id = record == NULL ? TINFO_NONE : get_u32(record), count = ti->sections[TABLE_FUNCTIONS].count;
	if (record == NULL || id < count)
		return id;
	tinfo_fault_set(ti, TABLE_ADDRESSES, "record %u: refers to %u of %u functions", position, id, count);
	return TINFO_NONE;
}

uint32_t tinfo_types_named(struct tinfo *ti, const char *name, uint32_t *first)
{
	uint32_t offset;
	*first = 0;
	if (!text_find(ti, name, strlen(name), &offset))
		return 0;
	return key_range(ti, TABLE_TYPES, name_key, offset, (uint64_t)offset + 1, first);
}

uint32_t tinfo_types_prefixed(struct tinfo *ti, const char *prefix, uint32_t *first)
{
	uint32_t from, to;
	size_t length = strlen(prefix);
	*first = 0;
	if (!text_bound(ti, prefix, length, false, &from) || !text_bound(ti, prefix, length, true, &to) || from >= to)
		return 0;
	return key_range(ti, TABLE_TYPES, name_key, from, to, first);
}

uint32_t tinfo_functions_keyed(struct tinfo *ti, uint64_t key, uint32_t *first)
{
	return key_range(ti, TABLE_FUNCTIONS, function_key, key, key + 1, first);
}

uint32_t tinfo_functions_at(struct tinfo *ti, uint64_t address, uint32_t *first)
{
	return key_range(ti, TABLE_ADDRESSES, address_key, address, address + 1, first);
}

uint32_t tinfo_function_covering(struct tinfo *ti, uint64_t address)
{
	uint32_t count = ti->sections[TABLE_ADDRESSES].count;
	uint32_t position = address == UINT64_MAX ? count : lower_bound(ti, address_key, 0, count, address + 1);
	/* Functions do not overlap, but several may stand at one address and some have no known size. */
	for (uint32_t step = 0; position != 0 && step < 64; step++) {
		uint32_t id = tinfo_nth_address(ti, --position);
		uint64_t start = key_at(ti, TABLE_FUNCTIONS, id, 20, 8);
		uint64_t size = key_at(ti, TABLE_FUNCTIONS, id, 28, 8);
		if (start <= address && address - start < size)
			return id;
	}
	return TINFO_NONE;
}

uint32_t tinfo_vtable_at(struct tinfo *ti, uint64_t address, uint32_t *first)
{
	return key_range(ti, TABLE_VTABLES, vtable_key, address, address + 1, first);
}

uint32_t tinfo_instance_at(struct tinfo *ti, uint64_t address)
{
	uint32_t first;
	return key_range(ti, TABLE_INSTANCES, instance_key, address, address + 1, &first) == 0 ? TINFO_NONE : first;
}

const char *tinfo_impl_self(struct tinfo *ti, const char *path, size_t length)
{
	uint32_t offset, first;
	if (!text_find(ti, path, length, &offset) ||
	    key_range(ti, TABLE_IMPLS, impl_key, offset, (uint64_t)offset + 1, &first) == 0)
		return NULL;
	const char *self = tinfo_impl(ti, first).self;
	return *self == 0 ? NULL : self;
}

uint32_t tinfo_locals_of(struct tinfo *ti, uint32_t coroutine, uint32_t *first)
{
	return key_range(ti, TABLE_LOCALS, local_key, coroutine, (uint64_t)coroutine + 1, first);
}

/* Index of the record of type's run whose name (its first field) is the text at `offset`, or TINFO_NONE. */
static uint32_t run_find(struct tinfo *ti, enum tinfo_table table, const struct type *type, uint32_t offset)
{
	for (uint32_t i = 0; i < type->count; i++) {
		const unsigned char *record = section_record(ti, table, type->first + i);
		if (record == NULL)
			break;
		if (get_u32(record) == offset)
			return type->first + i;
	}
	return TINFO_NONE;
}

uint32_t tinfo_find_member(struct tinfo *ti, const struct type *type, const char *name, struct member *out)
{
	uint32_t offset, index = TINFO_NONE;
	if ((type->kind == TYPE_STRUCT || type->kind == TYPE_UNION) && text_find(ti, name, strlen(name), &offset))
		index = run_find(ti, TABLE_MEMBERS, type, offset);
	if (index != TINFO_NONE && out != NULL)
		*out = tinfo_member(ti, index);
	return index;
}

uint32_t tinfo_find_variant(struct tinfo *ti, const struct type *type, const char *name, struct variant *out)
{
	uint32_t offset, index = TINFO_NONE;
	if ((type->kind == TYPE_ENUM || type->kind == TYPE_CENUM) && text_find(ti, name, strlen(name), &offset))
		index = run_find(ti, TABLE_VARIANTS, type, offset);
	if (index != TINFO_NONE && out != NULL)
		*out = tinfo_variant(ti, index);
	return index;
}

uint32_t tinfo_match_variant(struct tinfo *ti, const struct type *type, const uint64_t value[2], struct variant *out)
{
	uint32_t found = TINFO_NONE;
	if (type->kind != TYPE_ENUM && type->kind != TYPE_CENUM)
		return TINFO_NONE;
	for (uint32_t i = 0; i < type->count; i++) {
		const unsigned char *record = section_record(ti, TABLE_VARIANTS, type->first + i);
		if (record == NULL)
			return TINFO_NONE;
		if ((get_u32(record + 32) & VARIANT_VALUE) == 0) {
			found = type->first + i;
		} else if (get_u64(record + 16) == value[0] && get_u64(record + 24) == value[1]) {
			found = type->first + i;
			break;
		}
	}
	if (found != TINFO_NONE && out != NULL)
		*out = tinfo_variant(ti, found);
	return found;
}

uint32_t tinfo_peel(struct tinfo *ti, uint32_t id)
{
	for (int depth = 0; depth < 8; depth++) {
		struct type type = tinfo_type(ti, id);
		if (type.kind != TYPE_STRUCT || type.count != 1)
			return id;
		struct member only = tinfo_member(ti, type.first);
		if (only.offset != 0 || only.type == TINFO_NONE)
			return id;
		id = only.type;
	}
	return id;
}
