#include "dwarf/abbrev.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cursor.h"

/* Codes that rustc, gcc and clang hand out are dense from 1, and a declaration takes 5 bytes at least. A table whose
 * codes run ahead of its bytes by more than this is damaged; it would cost memory that the file does not have. */
enum { CODE_SLACK = 256 };

int form_width(uint16_t form, uint8_t offset_size, uint8_t address_size, uint8_t version)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sig8:
	case DW_FORM_ref_sup8:
		return 8;
	case DW_FORM_data16:
		return 16;
	case DW_FORM_addr:
		return address_size;
	case DW_FORM_ref_addr: /* address-sized in DWARF 2 only, section 7.5.5 of version 3 */
		return version < 3 ? address_size : offset_size;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return offset_size;
	case DW_FORM_string:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_exprloc:
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_indirect:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return -1;
	default:
		return -2;
	}
}

static uint8_t kind_of(uint16_t tag, bool is_declaration)
{
	switch (tag) {
	case DW_TAG_namespace:
		return SWEEP_NAMESPACE;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return is_declaration ? SWEEP_DECLARATION : SWEEP_TYPE;
	case DW_TAG_subprogram:
		return SWEEP_FUNCTION;
	case DW_TAG_variable:
		return SWEEP_VARIABLE;
	default:
		return SWEEP_SKIP;
	}
}

struct builder {
	struct abbrev_table *table;
	size_t code_capacity, attr_count, attr_capacity, step_count, step_capacity;
};

static void add_step(struct builder *b, uint16_t step)
{
	struct abbrev_table *t = b->table;
	t->steps = array_reserve(t->steps, &b->step_capacity, b->step_count, 1, sizeof *t->steps);
	t->steps[b->step_count++] = step;
}

static uint16_t variable_step(uint16_t form)
{
	switch (form) {
	case DW_FORM_string:
		return STEP_STRING;
	case DW_FORM_block1:
		return STEP_BLOCK1;
	case DW_FORM_block2:
		return STEP_BLOCK2;
	case DW_FORM_block4:
		return STEP_BLOCK4;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return STEP_BLOCK;
	case DW_FORM_indirect:
		return STEP_INDIRECT;
	default:
		return STEP_LEB;
	}
}

static void compile_steps(struct builder *b, struct abbrev *abbrev)
{
	const struct abbrev_table *t = b->table;
	unsigned run = 0;
	abbrev->first_step = (uint32_t)b->step_count;
	for (unsigned i = 0; i < abbrev->attr_count; i++) {
		uint16_t form = t->attrs[abbrev->first_attr + i].form;
		int width = form_width(form, t->offset_size, t->address_size, t->version);
		if (width >= 0 && run + (unsigned)width < STEP_LEB) {
			run += (unsigned)width;
			continue;
		}
		if (run != 0)
			add_step(b, (uint16_t)run);
		run = width >= 0 ? (unsigned)width : 0;
		if (width < 0)
			add_step(b, variable_step(form));
	}
	if (run != 0)
		add_step(b, (uint16_t)run);
	add_step(b, STEP_END);
}

/* Reads one declaration's attribute list; false when it is damaged. */
static bool read_attrs(struct builder *b, struct cursor *c, struct abbrev *abbrev)
{
	struct abbrev_table *t = b->table;
	uint64_t size = 0, attrs = 0;
	bool fixed = true, is_declaration = false;
	abbrev->first_attr = (uint32_t)b->attr_count;
	abbrev->name_position = ABBREV_NO_POSITION;
	for (;; attrs++) {
		uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
		if (c->bad || name > UINT16_MAX || form > UINT16_MAX || attrs > UINT16_MAX - 1)
			return false;
		if (name == 0 && form == 0)
			break;
		int64_t implicit = form == DW_FORM_implicit_const ? cursor_sleb(c) : 0;
		int width = form_width((uint16_t)form, t->offset_size, t->address_size, t->version);
		if (width == -2)
			return false;
		if (name == DW_AT_name) {
			abbrev->name_form = (uint16_t)form;
			if (fixed && size < ABBREV_NO_POSITION)
				abbrev->name_position = (uint16_t)size;
		}
		is_declaration |= name == DW_AT_declaration;
		fixed &= width >= 0;
		size += width > 0 ? (uint64_t)width : 0;
		t->attrs = array_reserve(t->attrs, &b->attr_capacity, b->attr_count, 1, sizeof *t->attrs);
		t->attrs[b->attr_count++] = (struct abbrev_attr){ (uint16_t)name, (uint16_t)form, implicit };
	}
	abbrev->attr_count = (uint16_t)attrs;
	abbrev->fixed_size = fixed && size < ABBREV_VARIABLE ? (uint16_t)size : (uint16_t)ABBREV_VARIABLE;
	abbrev->kind = kind_of(abbrev->tag, is_declaration);
	if (abbrev->fixed_size == ABBREV_VARIABLE)
		compile_steps(b, abbrev);
	return true;
}

static bool read_table(struct builder *b, struct cursor *c)
{
	struct abbrev_table *t = b->table;
	const unsigned char *start = c->at;
	for (;;) {
		uint64_t code = cursor_uleb(c);
		if (c->bad)
			return false;
		if (code == 0)
			return true;
		uint64_t tag = cursor_uleb(c);
		uint8_t children = cursor_u8(c);
		if (c->bad || code > (uint64_t)(c->at - start) + CODE_SLACK || tag == 0 || tag > UINT16_MAX)
			return false;
		if (code >= t->code_count) {
			size_t more = (size_t)(code + 1 - t->code_count);
			t->by_code = array_reserve(t->by_code, &b->code_capacity, (size_t)t->code_count, more,
			                           sizeof *t->by_code);
			for (uint64_t i = t->code_count; i <= code; i++)
				t->by_code[i] = (struct abbrev){ 0 };
			t->code_count = code + 1;
		}
		struct abbrev *abbrev = &t->by_code[code];
		if (abbrev->tag != 0)
			return false;
		abbrev->tag = (uint16_t)tag;
		abbrev->has_children = children != DW_CHILDREN_no;
		if (!read_attrs(b, c, abbrev))
			return false;
	}
}

struct abbrev_table *abbrev_compile(const unsigned char *section, uint64_t section_size, uint64_t offset,
                                    uint8_t offset_size, uint8_t address_size, uint8_t version, uint64_t *consumed)
{
	*consumed = 0;
	if (offset >= section_size)
		return NULL;
	struct abbrev_table *table = calloc(1, sizeof *table);
	if (table == NULL)
		abort();
	table->offset_size = offset_size;
	table->address_size = address_size;
	table->version = version;
	struct builder b = { .table = table };
	table->attrs = array_reserve(NULL, &b.attr_capacity, 0, 1, sizeof *table->attrs); /* never NULL, to add 0 to */
	struct cursor c = cursor_over(section + offset, (size_t)(section_size - offset));
	bool good = read_table(&b, &c);
	*consumed = (uint64_t)(c.at - (section + offset));
	if (!good) {
		abbrev_free(table);
		return NULL;
	}
	table->skips = malloc((size_t)table->code_count * sizeof *table->skips + 1);
	if (table->skips == NULL)
		abort();
	for (uint64_t i = 0; i < table->code_count; i++) {
		const struct abbrev *abbrev = &table->by_code[i];
		table->skips[i].size = abbrev->tag != 0 ? abbrev->fixed_size : (uint16_t)ABBREV_VARIABLE;
		table->skips[i].has_children = abbrev->has_children;
	}
	return table;
}

void abbrev_free(struct abbrev_table *table)
{
	if (table == NULL)
		return;
	free(table->by_code);
	free(table->skips);
	free(table->attrs);
	free(table->steps);
	free(table);
}

const unsigned char *form_skip(uint16_t form, const struct abbrev_table *table, const unsigned char *at,
                               const unsigned char *end)
{
	struct cursor c = { at, end, false };
	int width = form_width(form, table->offset_size, table->address_size, table->version);
	if (width >= 0) {
		cursor_bytes(&c, (size_t)width);
		return c.bad ? NULL : c.at;
	}
	switch (form) {
	case DW_FORM_string:
		cursor_string(&c);
		break;
	case DW_FORM_block1:
		cursor_bytes(&c, cursor_u8(&c));
		break;
	case DW_FORM_block2:
		cursor_bytes(&c, cursor_u16(&c));
		break;
	case DW_FORM_block4:
		cursor_bytes(&c, cursor_u32(&c));
		break;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		cursor_bytes(&c, (size_t)cursor_uleb(&c));
		break;
	case DW_FORM_indirect: {
		uint64_t actual = cursor_uleb(&c);
		if (c.bad || actual == DW_FORM_indirect || actual == DW_FORM_implicit_const || actual > UINT16_MAX)
			return NULL;
		return form_skip((uint16_t)actual, table, c.at, end);
	}
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		while (c.at < c.end && (*c.at & 0x80) != 0)
			c.at++;
		cursor_u8(&c);
		break;
	default:
		return NULL;
	}
	return c.bad ? NULL : c.at;
}

static const unsigned char *skip_leb(const unsigned char *at, const unsigned char *end)
{
	while (at < end)
		if (*at++ < 0x80)
			return at;
	return NULL;
}

/* A block whose length is `width` bytes, or a LEB128 for width 0. */
static const unsigned char *skip_block(const unsigned char *at, const unsigned char *end, size_t width)
{
	struct cursor c = { at, end, false };
	uint64_t length = width == 0 ? cursor_uleb(&c) : cursor_uint(&c, width);
	return c.bad || length > cursor_left(&c) ? NULL : c.at + length;
}

static const unsigned char *skip_variable(const struct abbrev_table *table, uint16_t step, const unsigned char *at,
                                          const unsigned char *end)
{
	switch (step) {
	case STEP_LEB:
		return skip_leb(at, end);
	case STEP_BLOCK: /* nearly always an expression of fewer than 128 bytes */
		if (at < end && *at < 0x80)
			return (size_t)(end - at - 1) < *at ? NULL : at + 1 + *at;
		return skip_block(at, end, 0);
	case STEP_BLOCK1:
		return skip_block(at, end, 1);
	case STEP_BLOCK2:
		return skip_block(at, end, 2);
	case STEP_BLOCK4:
		return skip_block(at, end, 4);
	case STEP_STRING:
		return form_skip(DW_FORM_string, table, at, end);
	default:
		return form_skip(DW_FORM_indirect, table, at, end);
	}
}

const unsigned char *abbrev_skip_slow(const struct abbrev_table *table, const struct abbrev *abbrev,
                                      const unsigned char *at, const unsigned char *end)
{
	if (abbrev->tag == 0)
		return NULL;
	for (const uint16_t *step = table->steps + abbrev->first_step; *step != STEP_END; step++) {
		if (*step < STEP_LEB)
			at = (size_t)(end - at) < *step ? NULL : at + *step;
		else
			at = skip_variable(table, *step, at, end);
		if (at == NULL)
			return NULL;
	}
	return at;
}

const unsigned char *abbrev_skip_children(const struct abbrev_table *table, const unsigned char *at,
                                          const unsigned char *end)
{
	const struct abbrev_skip_entry *skips = table->skips;
	const uint64_t code_count = table->code_count;
	for (uint64_t depth = 1; depth != 0;) {
		uint64_t code;
		if (at < end && *at < 0x80)
			code = *at++;
		else if ((at = abbrev_code(at, end, &code)) == NULL)
			return NULL;
		if (code == 0) {
			depth--;
			continue;
		}
		if (code >= code_count)
			return NULL;
		struct abbrev_skip_entry skip = skips[code];
		if (skip.size != ABBREV_VARIABLE) {
			if ((size_t)(end - at) < skip.size)
				return NULL;
			at += skip.size;
		} else if ((at = abbrev_skip_slow(table, &table->by_code[code], at, end)) == NULL) {
			return NULL;
		}
		depth += skip.has_children;
	}
	return at;
}
