/* Finishing a model: texts become offsets, references are checked, tables sorted and freed of repetitions. Orders
 * are total, so the same records give the same bytes. */
#include "tinfo/tinfo_build_internal.h"

#include <stdlib.h>

#include "base/error.h"

enum { TYPE_SIZE = 44, MEMBER_SIZE = 20, VARIANT_SIZE = 44 }; /* of TABLE_SHAPES */

/* What a record is sorted by: two or three numbers, then (when size is not 0) its bytes, then its place. */
struct order {
	uint64_t key[3];
	const unsigned char *record;
	uint32_t size, index;
};

static int order_compare(const void *left, const void *right)
{
	const struct order *a = left, *b = right;
	for (size_t i = 0; i < 3; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	int bytes = a->size == 0 ? 0 : memcmp(a->record, b->record, a->size);
	return bytes != 0 ? bytes : a->index < b->index ? -1 : a->index > b->index;
}

/* Which fields of a record are its key: up to three (offset, width). Tables that are not here keep their order. */
struct order_rule {
	struct {
		uint8_t offset, width;
	} key[3];
	bool unique; /* equal records are one */
};

static const struct order_rule ORDER_RULES[TABLE_COUNT] = {
	[TABLE_META] = { { { 0, 4 } }, false },
	[TABLE_FUNCTIONS] = { { { 12, 8 }, { 20, 8 }, { 4, 4 } }, true },
	[TABLE_VTABLES] = { { { 0, 8 }, { 8, 4 }, { 12, 4 } }, true },
	[TABLE_INSTANCES] = { { { 0, 8 }, { 8, 4 } }, false },
	[TABLE_STATICS] = { { { 0, 4 }, { 4, 4 }, { 8, 4 } }, true },
	[TABLE_IMPLS] = { { { 0, 4 }, { 4, 4 } }, true },
	[TABLE_LOCALS] = { { { 0, 4 } }, false },
	[TABLE_CRATES] = { { { 0, 4 }, { 4, 4 } }, true },
	[TABLE_SYMBOLS] = { { { 0, 8 }, { 8, 4 } }, true },
};

static uint64_t get_uint(const unsigned char *at, size_t width)
{
	return width == 8 ? get_u64(at) : width == 4 ? get_u32(at) : 0;
}

static void texts_patch(struct rows *rows, const struct table_shape *shape, const uint32_t *offsets)
{
	for (uint32_t at = 0, field = 0; shape->fields[field] != 0; at += field_width(shape->fields[field++])) {
		if (shape->fields[field] != 't')
			continue;
		unsigned char *place = rows->bytes + at;
		for (size_t i = 0; i < rows->count; i++, place += shape->size)
			put_u32(place, offsets[get_u32(place)]);
	}
}

static struct error *references_check(const struct tinfo_build *b, enum tinfo_table table)
{
	const struct table_shape *shape = &TABLE_SHAPES[table];
	const struct rows *rows = &b->rows[table];
	if (rows->count >= TINFO_NONE || rows->count * (uint64_t)shape->size > CONTENT_MAX)
		return error_new(ERROR_UNSUPPORTED, "%zu %s are more than the format can hold", rows->count, shape->name);
	for (uint32_t at = 0, field = 0; shape->fields[field] != 0; at += field_width(shape->fields[field++])) {
		char what = shape->fields[field];
		if (what != 'T' && what != 'F')
			continue;
		size_t there = b->rows[what == 'T' ? TABLE_TYPES : TABLE_FUNCTIONS].count;
		const unsigned char *place = rows->bytes + at;
		for (size_t i = 0; i < rows->count; i++, place += shape->size) {
			uint32_t id = get_u32(place);
			if (id != TINFO_NONE && id >= there)
				return error_new(ERROR_DATA, "%s: record %zu refers to %s %u of %zu", shape->name, i,
						 what == 'T' ? "type" : "function", id, there);
		}
	}
	return NULL;
}

/* Sorts a table. With `places`, (*places)[old index] is the new one; malloc'd. */
static struct error *rows_sort(struct rows *rows, enum tinfo_table table, uint32_t **places)
{
	const struct order_rule *rule = &ORDER_RULES[table];
	size_t size = TABLE_SHAPES[table].size;
	if (rows->count == 0)
		return NULL;
	struct order *order = malloc(rows->count * sizeof *order);
	unsigned char *sorted = malloc(rows->count * size);
	if (places != NULL)
		*places = malloc(rows->count * sizeof **places);
	if (order == NULL || sorted == NULL || (places != NULL && *places == NULL)) {
		free(order);
		free(sorted);
		return error_memory();
	}
	for (size_t i = 0; i < rows->count; i++) {
		const unsigned char *record = rows->bytes + i * size;
		order[i] = (struct order){ .record = record, .size = rule->unique ? (uint32_t)size : 0, .index = (uint32_t)i };
		for (size_t k = 0; k < 3; k++)
			order[i].key[k] = get_uint(record + rule->key[k].offset, rule->key[k].width);
	}
	qsort(order, rows->count, sizeof *order, order_compare);
	size_t count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		if (!rule->unique || count == 0 || memcmp(sorted + (count - 1) * size, order[i].record, size) != 0)
			memcpy(sorted + count++ * size, order[i].record, size);
		if (places != NULL)
			(*places)[order[i].index] = (uint32_t)count - 1;
	}
	free(order);
	free(rows->bytes);
	*rows = (struct rows){ sorted, count, count };
	return NULL;
}

/* Keeps the last of records with an equal first key: one value a meta key, one example a symbol key. */
static void rows_thin(struct rows *rows, enum tinfo_table table)
{
	size_t size = TABLE_SHAPES[table].size, width = ORDER_RULES[table].key[0].width, count = 0;
	for (size_t i = 0; i < rows->count; i++) {
		const unsigned char *record = rows->bytes + i * size;
		if (count == 0 || memcmp(rows->bytes + (count - 1) * size, record, width) != 0)
			count++;
		memmove(rows->bytes + (count - 1) * size, record, size);
	}
	rows->count = count;
}

/* Sorts by the upper halves; what is equal stays in its order. Radix sort, a byte at a time: there may be hundreds of
 * thousands of types. `spare` has room for as many. */
static void halves_sort(uint64_t *keys, uint64_t *spare, size_t count)
{
	for (unsigned shift = 32; shift < 64; shift += 8) {
		size_t starts[257] = { 0 };
		for (size_t i = 0; i < count; i++)
			starts[(keys[i] >> shift & 0xff) + 1]++;
		for (size_t i = 1; i < 256; i++)
			starts[i] += starts[i - 1];
		for (size_t i = 0; i < count; i++)
			spare[starts[keys[i] >> shift & 0xff]++] = keys[i];
		uint64_t *sorted = spare;
		spare = keys;
		keys = sorted;
	}
}

/* Copies a type's run of members or variants to the end of the table's new order; its place there. */
static uint32_t run_move(struct rows *from, struct rows *to, size_t size, uint32_t first, uint32_t count)
{
	uint32_t place = (uint32_t)to->count;
	if (count != 0)
		memcpy(to->bytes + to->count * size, from->bytes + first * size, count * size);
	to->count += count;
	return place;
}

/* Puts types in the order of their names, and members and variants in the order of their types: names need no index
 * then, and what is next to each other is alike, which is a quarter of the file. (*places)[old id] is the new one. */
static struct error *types_sort(struct tinfo_build *b, uint32_t **places)
{
	struct rows *types = &b->rows[TABLE_TYPES], sorted = { malloc(types->count * TYPE_SIZE + 1), types->count, types->count };
	struct rows *members = &b->rows[TABLE_MEMBERS], new_members = { malloc(members->count * MEMBER_SIZE + 1), 0, members->count };
	struct rows *variants = &b->rows[TABLE_VARIANTS], new_variants = { malloc(variants->count * VARIANT_SIZE + 1), 0, variants->count };
	uint64_t *keys = malloc(2 * types->count * sizeof *keys + 1);
	*places = malloc(types->count * sizeof **places + 1);
	if (sorted.bytes == NULL || new_members.bytes == NULL || new_variants.bytes == NULL || keys == NULL || *places == NULL) {
		free(sorted.bytes);
		free(new_members.bytes);
		free(new_variants.bytes);
		free(keys);
		return error_memory();
	}
	for (size_t i = 0; i < types->count; i++)
		keys[i] = (uint64_t)get_u32(types->bytes + i * TYPE_SIZE) << 32 | i;
	halves_sort(keys, keys + types->count, types->count);
	for (size_t i = 0; i < types->count; i++) {
		uint32_t old = keys[i] & 0xffffffffu;
		unsigned char *type = memcpy(sorted.bytes + i * TYPE_SIZE, types->bytes + old * (size_t)TYPE_SIZE, TYPE_SIZE);
		bool of_variants = type[4] == TYPE_ENUM || type[4] == TYPE_CENUM;
		uint32_t first = get_u32(type + 16), count = get_u32(type + 20);
		store_uint(type + 16, of_variants ? run_move(variants, &new_variants, VARIANT_SIZE, first, count)
						  : run_move(members, &new_members, MEMBER_SIZE, first, count), 4);
		(*places)[old] = (uint32_t)i;
	}
	free(keys);
	free(types->bytes);
	free(members->bytes);
	free(variants->bytes);
	*types = sorted;
	*members = new_members;
	*variants = new_variants;
	return NULL;
}

/* Renames the types that a table refers to. */
static void types_rename(struct rows *rows, const struct table_shape *shape, const uint32_t *places)
{
	for (uint32_t at = 0, field = 0; shape->fields[field] != 0; at += field_width(shape->fields[field++])) {
		if (shape->fields[field] != 'T')
			continue;
		unsigned char *place = rows->bytes + at;
		for (size_t i = 0; i < rows->count; i++, place += shape->size)
			if (get_u32(place) != TINFO_NONE)
				put_u32(place, places[get_u32(place)]);
	}
}

/* Instances name functions by provisional ids, and their constants stand in the order they were added: renames the
 * first and lays the second out in the order of the instances. */
static struct error *instances_finish(struct tinfo_build *b, const uint32_t *places)
{
	struct rows *rows = &b->rows[TABLE_INSTANCES], *constants = &b->rows[TABLE_CONSTANTS];
	size_t size = TABLE_SHAPES[TABLE_INSTANCES].size, width = TABLE_SHAPES[TABLE_CONSTANTS].size;
	for (size_t i = 0; i < rows->count; i++) {
		unsigned char *function = rows->bytes + i * size + 8;
		if (get_u32(function) != TINFO_NONE)
			put_u32(function, places[get_u32(function)]);
	}
	struct error *err = rows_sort(rows, TABLE_INSTANCES, NULL);
	unsigned char *moved = err == NULL ? malloc(constants->count * width + 1) : NULL;
	if (moved == NULL)
		return err != NULL ? err : error_memory();
	size_t kept = 0, end = 0;
	for (size_t i = 0; i < rows->count; i++) {
		unsigned char *record = rows->bytes + i * size, *last = rows->bytes + (kept - 1) * size;
		const unsigned char *from = constants->bytes + get_u32(record + 12) * width;
		size_t count = get_u32(record + 16);
		if (kept != 0 && memcmp(last, record, 12) == 0 && count == get_u32(last + 16) &&
		    (count == 0 || memcmp(moved + get_u32(last + 12) * width, from, count * width) == 0))
			continue;
		if (count != 0)
			memcpy(moved + end * width, from, count * width);
		put_u32(record + 12, count == 0 ? 0 : (uint32_t)end);
		memmove(rows->bytes + kept++ * size, record, size);
		end += count;
	}
	rows->count = kept;
	free(constants->bytes);
	*constants = (struct rows){ moved, end, end };
	return NULL;
}

/* Function ids in the order of their addresses; functions without one are left out. */
static struct error *addresses_make(struct tinfo_build *b)
{
	const struct rows *functions = &b->rows[TABLE_FUNCTIONS];
	struct rows *addresses = &b->rows[TABLE_ADDRESSES];
	struct order *order = malloc(functions->count * sizeof *order + 1);
	addresses->bytes = malloc(functions->count * 4 + 1);
	if (order == NULL || addresses->bytes == NULL) {
		free(order);
		return error_memory();
	}
	size_t count = 0;
	for (size_t i = 0; i < functions->count; i++) {
		uint64_t address = get_u64(functions->bytes + i * TABLE_SHAPES[TABLE_FUNCTIONS].size + 20);
		if (address != 0)
			order[count++] = (struct order){ .key = { address }, .index = (uint32_t)i };
	}
	qsort(order, count, sizeof *order, order_compare);
	for (size_t i = 0; i < count; i++)
		put_u32(addresses->bytes + i * 4, order[i].index);
	addresses->count = addresses->capacity = count;
	free(order);
	return NULL;
}

static struct error *tables_finish(struct tinfo_build *b, const uint32_t *offsets)
{
	struct error *err = NULL;
	uint32_t *places = NULL;
	for (int table = 0; table < TABLE_COUNT && err == NULL; table++) {
		err = references_check(b, (enum tinfo_table)table);
		if (err == NULL)
			texts_patch(&b->rows[table], &TABLE_SHAPES[table], offsets);
	}
	if (err == NULL)
		err = types_sort(b, &places);
	for (int table = 0; table < TABLE_COUNT && err == NULL; table++)
		types_rename(&b->rows[table], &TABLE_SHAPES[table], places);
	free(places);
	places = NULL;
	if (err == NULL)
		err = rows_sort(&b->rows[TABLE_FUNCTIONS], TABLE_FUNCTIONS, &places);
	if (err == NULL)
		err = instances_finish(b, places);
	free(places);
	for (int table = 0; table < TABLE_COUNT && err == NULL; table++)
		if (ORDER_RULES[table].key[0].width != 0 && table != TABLE_FUNCTIONS && table != TABLE_INSTANCES)
			err = rows_sort(&b->rows[table], (enum tinfo_table)table, NULL);
	if (err == NULL)
		err = addresses_make(b);
	if (err != NULL)
		return err;
	rows_thin(&b->rows[TABLE_META], TABLE_META);
	rows_thin(&b->rows[TABLE_SYMBOLS], TABLE_SYMBOLS);
	return NULL;
}

/* Moves the content of the builder's tables into a model. */
static struct tinfo *model_make(struct tinfo_build *b)
{
	struct tinfo *ti = calloc(1, sizeof *ti);
	if (ti == NULL)
		return NULL;
	for (size_t i = 0; i < TABLE_COUNT; i++) {
		struct rows *rows = &b->rows[i];
		ti->sections[i] = (struct section){
			.present = true,
			.coding = { .stride = TABLE_SHAPES[i].size },
			.count = (uint32_t)rows->count,
			.size = rows->count * (uint64_t)TABLE_SHAPES[i].size,
			.data = rows->bytes,
		};
		*rows = (struct rows){ 0 };
	}
	return ti;
}

struct error *tinfo_build_finish(struct tinfo_build *b, struct tinfo **out)
{
	unsigned char *blob = NULL;
	uint32_t *offsets = NULL;
	uint64_t size = 0;
	*out = NULL;
	struct error *err = texts_finish(&b->texts, &blob, &size, &offsets);
	if (err == NULL) {
		texts_release(&b->texts);
		err = tables_finish(b, offsets);
	}
	b->rows[TABLE_STRINGS] = (struct rows){ blob, (size_t)size, (size_t)size };
	free(offsets);
	if (err == NULL) {
		*out = model_make(b);
		err = *out == NULL ? error_memory() : NULL;
	}
	tinfo_build_free(b);
	return err;
}
