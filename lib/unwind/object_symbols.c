/* object_symbols.c - DT_SYMTAB of an object that has no file but is in the core: the vDSO always, others in cores
 * of gcore, which saves read-only data. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "unwind/objects_internal.h"

enum { SYMBOL_SIZE = 24, SYMBOLS_MAX = 1 << 22 };

static int symbol_order(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;
	if (a->value != b->value)
		return a->value < b->value ? -1 : 1;
	if (a->size != b->size) /* the longest last: the one that is found */
		return a->size < b->size ? -1 : 1;
	return a->bind < b->bind ? -1 : a->bind > b->bind;
}

static const unsigned char *table_bytes(struct objects *objects, struct object *object, uint64_t tag, uint64_t *address,
                                        uint64_t *available)
{
	bool from_file;
	uint64_t value;
	if (!object_dynamic(objects, object, tag, &value))
		return NULL;
	*address = object_pointer(object, value);
	return object_bytes(objects, object, *address, available, &from_file);
}

/* The table has no length of its own. DT_HASH has as many chains as there are symbols; without it, the string
 * table follows the symbols in the output of every linker. */
static uint64_t symbol_count(struct objects *objects, struct object *object, uint64_t symbols, uint64_t strings)
{
	uint64_t hash, available;
	const unsigned char *at = table_bytes(objects, object, DT_HASH, &hash, &available);
	if (at != NULL && available >= 8)
		return load_uint(at + 4, 4);
	return strings > symbols ? (strings - symbols) / SYMBOL_SIZE : 0;
}

void object_symbols_build(struct objects *objects, struct object *object)
{
	uint64_t symbols, strings, room, text_size, limit;
	const unsigned char *at = table_bytes(objects, object, DT_SYMTAB, &symbols, &room);
	const unsigned char *text = table_bytes(objects, object, DT_STRTAB, &strings, &text_size);
	if (at == NULL || text == NULL)
		return;
	if (object_dynamic(objects, object, DT_STRSZ, &limit) && limit < text_size)
		text_size = limit;
	while (text_size > 0 && text[text_size - 1] != '\0') /* from here on every text ends */
		text_size--;
	uint64_t count = symbol_count(objects, object, symbols, strings);
	if (count > room / SYMBOL_SIZE)
		count = room / SYMBOL_SIZE;
	if (count > SYMBOLS_MAX)
		count = SYMBOLS_MAX;
	object->symbols = calloc((size_t)count + 1, sizeof *object->symbols);
	if (object->symbols == NULL)
		return;
	for (uint64_t i = 0; i < count; i++, at += SYMBOL_SIZE) {
		uint64_t name = load_uint(at, 4), value = load_uint(at + 8, 8);
		uint8_t type = at[4] & 15;
		if (name == 0 || name >= text_size || value == 0 || load_uint(at + 6, 2) == SHN_UNDEF ||
		    (type != STT_FUNC && type != STT_NOTYPE))
			continue;
		object->symbols[object->symbol_count++] = (struct elf_symbol){
			.name = (const char *)text + name,
			.value = value,
			.size = load_uint(at + 16, 8),
			.type = type,
			.bind = at[4] >> 4,
		};
	}
	if (object->symbol_count != 0)
		qsort(object->symbols, object->symbol_count, sizeof *object->symbols, symbol_order);
}
