/* elf_symbols.c - the symbols of both tables as one sorted set.
 *
 * A large Rust program has 900,000 symbols and 100 MB of names, and every program of a pipeline builds this table
 * anew. So the names are not looked at: the table is read and radix-sorted by value alone, and only symbols that
 * share an address are compared by their names (to drop what .dynsym repeats, and to put the best one first). */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "elf/elf_internal.h"

enum { SYMBOL_SIZE = 24, BIND_UNIQUE = 10, TYPE_IFUNC = 10 };

/* How far names are compared. Two symbols of one address and type that agree so far count as one; without a
 * bound, a file whose names overlap in one long text would cost quadratic time. */
enum { NAME_COMPARED = 16384, UNDERSCORES_COUNTED = 8 };

/* Symbol tables of one file: .symtab, .dynsym, and room for oddities. */
enum { TABLES_MAX = 8 };

/* How many symbols elf_symbol_at looks back for an enclosing one: far more than any compiler nests. */
enum { LOOK_BACK = 4096 };

static struct elf_names names_of(const struct elf_file *elf, uint32_t index)
{
	if (index >= elf->section_count || elf->sections[index].data == NULL || elf->extras[index].inflated != NULL)
		return elf_names_over(NULL, 0);
	return elf_names_over(elf->sections[index].data, elf->sections[index].size);
}

/* On aarch64 "$x", "$d", "$x.12" mark code and data, they name nothing (ELF for the Arm 64-bit Architecture,
 * "Mapping symbols"). */
static bool is_mapping_symbol(const struct elf_file *elf, const char *name, uint8_t type)
{
	return type == STT_NOTYPE && elf->header.machine == EM_AARCH64 && name[0] == '$' &&
	       (name[1] == 'x' || name[1] == 'd') && (name[2] == '\0' || name[2] == '.');
}

static bool symbol_read(const struct elf_file *elf, const unsigned char *at, const struct elf_names *names,
                        struct elf_symbol *out)
{
	uint64_t name = load_uint(at, 4);
	uint8_t type = at[4] & 15, bind = at[4] >> 4;
	uint64_t section = load_uint(at + 6, 2);
	out->value = load_uint(at + 8, 8);
	out->size = load_uint(at + 16, 8);
	/* Absolute ones are numbers, not places in the image: the load bias must not be added to them. */
	if (name == 0 || name >= names->size || section == SHN_UNDEF || section == SHN_ABS || section == SHN_COMMON)
		return false;
	if (type == TYPE_IFUNC)
		type = STT_FUNC; /* what stands at the address is a function, the resolver */
	if (type != STT_FUNC && type != STT_OBJECT && type != STT_TLS && type != STT_NOTYPE)
		return false;
	if (out->value == 0 && type != STT_TLS)
		return false;
	out->name = names->text + name;
	out->type = type;
	out->bind = bind;
	return !is_mapping_symbol(elf, out->name, type);
}

/* Least significant digit first, 11 bits at a time; a digit that all symbols share is skipped. */
static void sort_by_value(struct elf_symbol *items, struct elf_symbol *scratch, size_t count)
{
	enum { BITS = 11, BUCKETS = 1 << BITS };
	struct elf_symbol *from = items, *to = scratch;
	for (unsigned shift = 0; shift < 64; shift += BITS) {
		size_t starts[BUCKETS] = { 0 };
		for (size_t i = 0; i < count; i++)
			starts[from[i].value >> shift & (BUCKETS - 1)]++;
		if (count == 0 || starts[from[0].value >> shift & (BUCKETS - 1)] == count)
			continue;
		size_t sum = 0;
		for (size_t b = 0; b < BUCKETS; b++) {
			size_t here = starts[b];
			starts[b] = sum;
			sum += here;
		}
		for (size_t i = 0; i < count; i++)
			to[starts[from[i].value >> shift & (BUCKETS - 1)]++] = from[i];
		struct elf_symbol *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof *items);
}

static unsigned type_rank(uint8_t type)
{
	return type == STT_FUNC ? 0 : type == STT_OBJECT ? 1 : 2;
}

static unsigned bind_rank(uint8_t bind)
{
	return bind == STB_GLOBAL || bind == BIND_UNIQUE ? 0 : bind == STB_WEAK ? 1 : 2;
}

static unsigned underscores(const char *name)
{
	unsigned count = 0;
	while (count < UNDERSCORES_COUNTED && name[count] == '_')
		count++;
	return count;
}

static int name_order(const char *a, const char *b)
{
	return a == b ? 0 : strncmp(a, b, NAME_COMPARED);
}

/* The best name of an address first. */
static int preference(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;
	if (type_rank(a->type) != type_rank(b->type))
		return type_rank(a->type) < type_rank(b->type) ? -1 : 1;
	if (bind_rank(a->bind) != bind_rank(b->bind))
		return bind_rank(a->bind) < bind_rank(b->bind) ? -1 : 1;
	unsigned ua = underscores(a->name), ub = underscores(b->name);
	if (ua != ub)
		return ua < ub ? -1 : 1;
	int order = name_order(a->name, b->name);
	if (order != 0)
		return order;
	return a->size > b->size ? -1 : a->size < b->size;
}

/* Orders symbols of equal value and drops repetitions; returns the new count. */
static size_t equal_values_tidy(struct elf_symbol *items, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count;) {
		size_t end = i + 1;
		while (end < count && items[end].value == items[i].value)
			end++;
		if (end - i > 1)
			qsort(items + i, end - i, sizeof *items, preference);
		for (size_t first = kept; i < end; i++) {
			const struct elf_symbol *last = kept > first ? &items[kept - 1] : NULL;
			if (last == NULL || last->type != items[i].type || name_order(last->name, items[i].name) != 0)
				items[kept++] = items[i];
		}
	}
	return kept;
}

static uint64_t symbol_end(const struct elf_symbol *s)
{
	return s->size > UINT64_MAX - s->value ? UINT64_MAX : s->value + s->size;
}

static bool is_symbol_table(const struct elf_file *elf, size_t index)
{
	const struct elf_section *s = &elf->sections[index];
	return (s->type == SHT_SYMTAB || s->type == SHT_DYNSYM) && s->data != NULL && elf->extras[index].inflated == NULL;
}

/* The number of symbols to make room for; 0 also for a file whose tables overlap in a way that would make the
 * work quadratic: more than a few tables, or more entries than the file has room for. */
static size_t symbols_room(const struct elf_file *elf)
{
	uint64_t room = 0;
	unsigned tables = 0;
	for (size_t i = 0; i < elf->section_count; i++)
		if (is_symbol_table(elf, i)) {
			room += elf->sections[i].size / SYMBOL_SIZE;
			tables++;
		}
	return tables <= TABLES_MAX && room <= elf->map.size / SYMBOL_SIZE ? (size_t)room : 0;
}

/* Reads the symbols of all tables that are TLS ones, or those that are not; items may be NULL, to count. */
static size_t symbols_read(const struct elf_file *elf, bool tls, struct elf_symbol *items)
{
	size_t count = 0;
	for (size_t i = 0; i < elf->section_count; i++) {
		if (!is_symbol_table(elf, i))
			continue;
		struct elf_names names = names_of(elf, elf->extras[i].link);
		uint64_t entries = elf->sections[i].size / SYMBOL_SIZE;
		const unsigned char *at = elf->sections[i].data;
		for (; entries > 0; entries--, at += SYMBOL_SIZE) {
			struct elf_symbol symbol;
			if (((at[4] & 15) == STT_TLS) != tls || !symbol_read(elf, at, &names, &symbol))
				continue;
			if (items != NULL)
				items[count] = symbol;
			count++;
		}
	}
	return count;
}

/* Without memory the table stays empty: the functions over it have no error to return. */
static void symbols_build(struct elf_file *elf)
{
	size_t room = elf->symbols_built ? 0 : symbols_room(elf);
	elf->symbols_built = true;
	if (room == 0)
		return;
	struct elf_symbol *items = malloc(room * sizeof *items);
	struct elf_symbol *scratch = malloc(room * sizeof *items);
	elf->reach = calloc(room, sizeof *elf->reach);
	if (items == NULL || scratch == NULL || elf->reach == NULL) {
		free(items);
		free(scratch);
		return;
	}
	size_t count = symbols_read(elf, false, items);
	sort_by_value(items, scratch, count);
	free(scratch);
	elf->symbols = items;
	elf->symbol_count = equal_values_tidy(items, count);
	uint64_t reach = 0;
	for (size_t i = 0; i < elf->symbol_count; i++) {
		uint64_t end = symbol_end(&items[i]);
		reach = end > reach ? end : reach;
		elf->reach[i] = reach;
	}
}

/* A handful among hundreds of thousands, and often all that is asked for: found without sorting the others. */
static void tls_build(struct elf_file *elf)
{
	size_t count = elf->tls_built || symbols_room(elf) == 0 ? 0 : symbols_read(elf, true, NULL);
	elf->tls_built = true;
	if (count == 0)
		return;
	struct elf_symbol *items = malloc(count * sizeof *items), *scratch = malloc(count * sizeof *items);
	if (items != NULL && scratch != NULL) {
		symbols_read(elf, true, items);
		sort_by_value(items, scratch, count);
		elf->tls_symbols = items;
		elf->tls_count = equal_values_tidy(items, count);
	} else {
		free(items);
	}
	free(scratch);
}

const struct elf_symbol *elf_symbols(struct elf_file *elf, size_t *count)
{
	symbols_build(elf);
	*count = elf->symbol_count;
	return elf->symbols;
}

const struct elf_symbol *elf_tls_symbols(struct elf_file *elf, size_t *count)
{
	tls_build(elf);
	*count = elf->tls_count;
	return elf->tls_symbols;
}

bool elf_has_symtab(struct elf_file *elf)
{
	for (size_t i = 0; i < elf->section_count; i++)
		if (elf->sections[i].type == SHT_SYMTAB && elf->sections[i].data != NULL)
			return true;
	return false;
}

/* The number of symbols whose value is below the limit, or equal to it if `equal`. */
static size_t symbols_below(const struct elf_file *elf, uint64_t limit, bool equal)
{
	size_t low = 0, high = elf->symbol_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		uint64_t value = elf->symbols[middle].value;
		if (value < limit || (equal && value == limit))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct elf_symbol *elf_symbols_at(struct elf_file *elf, uint64_t address, size_t *count)
{
	symbols_build(elf);
	size_t first = symbols_below(elf, address, false);
	*count = symbols_below(elf, address, true) - first;
	return *count != 0 ? elf->symbols + first : NULL;
}

static const struct elf_section *code_section_at(const struct elf_file *elf, uint64_t address)
{
	for (size_t i = 0; i < elf->section_count; i++) {
		const struct elf_section *s = &elf->sections[i];
		if ((s->flags & SHF_EXECINSTR) != 0 && address >= s->address && address - s->address < s->size)
			return s;
	}
	return NULL;
}

/* Hand-written assembly often has no .size: such a label covers up to the next symbol of its code section. */
static bool covers_unsized(const struct elf_file *elf, const struct elf_symbol *s, uint64_t address)
{
	if (s->size != 0 || (s->type != STT_FUNC && s->type != STT_NOTYPE))
		return false;
	if (s->value == address)
		return true;
	const struct elf_section *code = code_section_at(elf, address);
	return code != NULL && s->value >= code->address;
}

const struct elf_symbol *elf_symbol_at(struct elf_file *elf, uint64_t address, uint64_t *offset)
{
	symbols_build(elf);
	const struct elf_symbol *best = NULL, *items = elf->symbols;
	size_t end = symbols_below(elf, address, true);
	/* Backwards from the nearest start: the first value with a symbol that covers wins, and in it the first
	 * symbol, since each group of equal values is in order of preference. */
	for (size_t i = end, looked = 0; i > 0 && looked < LOOK_BACK && elf->reach[i - 1] > address; i--, looked++) {
		const struct elf_symbol *s = &items[i - 1];
		if (best != NULL && s->value != best->value)
			break;
		if (symbol_end(s) > address)
			best = s;
	}
	if (best == NULL && end > 0) {
		size_t count;
		const struct elf_symbol *nearest = elf_symbols_at(elf, items[end - 1].value, &count);
		for (size_t i = 0; i < count && best == NULL; i++)
			if (covers_unsized(elf, &nearest[i], address))
				best = &nearest[i];
	}
	if (best != NULL && offset != NULL)
		*offset = address - best->value;
	return best;
}
