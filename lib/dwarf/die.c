/* DIEs on demand, section 7.5. */
#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_internal.h"

static bool die_decode(struct dwarf *dw, const struct dwarf_unit *unit, const struct abbrev_table *abbrevs,
                       uint64_t offset, struct die *out)
{
	const unsigned char *info = dw->sections[DWARF_INFO].data;
	const unsigned char *end = info + unit->end;
	uint64_t code = 0;
	const unsigned char *at = offset < unit->end ? abbrev_code(info + offset, end, &code) : NULL;
	if (at == NULL)
		return false;
	const struct abbrev *abbrev = code == 0 ? NULL : abbrev_of(abbrevs, code);
	if (code != 0 && abbrev == NULL)
		return false;
	*out = (struct die){ offset, unit, abbrevs, abbrev, at, end };
	return true;
}

bool die_at(struct dwarf *dw, uint64_t offset, struct die *out)
{
	const struct dwarf_unit *unit = dwarf_unit_of(dw, offset);
	if (unit == NULL || offset < unit->first_die)
		return false;
	const struct abbrev_table *abbrevs = dwarf_abbrevs(dw, unit);
	return abbrevs != NULL && die_decode(dw, unit, abbrevs, offset, out) && out->abbrev != NULL;
}

static bool die_from(struct dwarf *dw, const struct die *die, const unsigned char *at, struct die *out)
{
	return at != NULL &&
	       die_decode(dw, die->unit, die->abbrevs, (uint64_t)(at - dw->sections[DWARF_INFO].data), out) &&
	       out->abbrev != NULL;
}

static const unsigned char *after_values(const struct die *die)
{
	return abbrev_skip(die->abbrevs, die->abbrev, die->values, die->end);
}

bool die_child(struct dwarf *dw, const struct die *die, struct die *out)
{
	return die->abbrev->has_children && die_from(dw, die, after_values(die), out);
}

bool die_next(struct dwarf *dw, const struct die *die, struct die *out)
{
	const unsigned char *at = after_values(die);
	if (at != NULL && die->abbrev->has_children)
		at = abbrev_skip_children(die->abbrevs, at, die->end);
	return die_from(dw, die, at, out);
}

const char *die_name(struct dwarf *dw, const struct die *die)
{
	if (die->abbrev->name_form == 0)
		return NULL;
	const struct abbrev_attr *attrs = die->abbrevs->attrs + die->abbrev->first_attr;
	struct cursor c = { die->values, die->end, false };
	for (unsigned i = 0; i < die->abbrev->attr_count && !c.bad; i++) {
		if (attrs[i].name == DW_AT_name) {
			struct form_value value;
			return form_read(dw, die->unit, die->abbrevs, &attrs[i], &c, &value) ? value.text : NULL;
		}
		const unsigned char *next = form_skip(attrs[i].form, die->abbrevs, c.at, c.end);
		if (next == NULL)
			return NULL;
		c.at = next;
	}
	return NULL;
}

/* A member's offset: a constant, or (DWARF 2, some C compilers) an expression DW_OP_plus_uconst. */
static bool member_offset(const struct form_value *value, uint64_t *offset)
{
	if (value->block == NULL) {
		*offset = value->number.low;
		return value->is_number;
	}
	struct cursor c = cursor_over(value->block, (size_t)value->block_length);
	if (cursor_u8(&c) != DW_OP_plus_uconst)
		return false;
	*offset = cursor_uleb(&c);
	return !c.bad && cursor_left(&c) == 0;
}

static void set(struct die_values *out, enum die_attr attr, uint64_t *field, uint64_t value)
{
	*field = value;
	out->has |= (uint32_t)attr;
}

/* A size or count may also be an expression or a reference to a variable (section 2.19): not a number then. */
static void take_number(struct die_values *out, enum die_attr attr, uint64_t *field, const struct form_value *v)
{
	if (v->is_number && v->block == NULL)
		set(out, attr, field, v->number.low);
}

static void take_constant(struct die_values *out, enum die_attr attr, struct die_number *field,
                          const struct form_value *v)
{
	if (!v->is_number)
		return; /* a string, or a block that is no number */
	*field = v->number;
	out->has |= (uint32_t)attr;
}

static void take_reference(struct die_values *out, enum die_attr attr, uint64_t *field, const struct form_value *v)
{
	if (v->is_reference && v->number.low != DWARF_NO_OFFSET)
		set(out, attr, field, v->number.low);
}

static void take_value(struct die_values *out, uint16_t name, const struct form_value *v)
{
	uint64_t number = v->number.low;
	switch (name) {
	case DW_AT_name:
		out->name = v->text;
		out->has |= v->text != NULL ? DIE_NAME : 0;
		break;
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		out->linkage_name = v->text;
		out->has |= v->text != NULL ? DIE_LINKAGE : 0;
		break;
	case DW_AT_type: take_reference(out, DIE_TYPE, &out->type, v); break;
	case DW_AT_specification: take_reference(out, DIE_SPECIFICATION, &out->specification, v); break;
	case DW_AT_abstract_origin: take_reference(out, DIE_ORIGIN, &out->origin, v); break;
	case DW_AT_discr: take_reference(out, DIE_DISCR, &out->discr, v); break;
	case DW_AT_containing_type: take_reference(out, DIE_CONTAINING, &out->containing, v); break;
	case DW_AT_byte_size: take_number(out, DIE_SIZE, &out->size, v); break;
	case DW_AT_alignment: take_number(out, DIE_ALIGNMENT, &out->alignment, v); break;
	case DW_AT_decl_file: take_number(out, DIE_FILE, &out->file, v); break;
	case DW_AT_decl_line: take_number(out, DIE_LINE, &out->line, v); break;
	case DW_AT_count: take_number(out, DIE_COUNT, &out->count, v); break;
	case DW_AT_upper_bound: take_number(out, DIE_UPPER, &out->upper, v); break;
	case DW_AT_encoding: take_number(out, DIE_ENCODING, &out->encoding, v); break;
	case DW_AT_declaration: out->has |= number != 0 ? DIE_DECLARATION : 0; break;
	case DW_AT_artificial: out->has |= number != 0 ? DIE_ARTIFICIAL : 0; break;
	case DW_AT_inline: out->has |= DIE_INLINE; break;
	case DW_AT_low_pc: take_number(out, DIE_LOW_PC, &out->low_pc, v); break;
	case DW_AT_high_pc: /* an address, or (version 4 on) a constant relative to low_pc: fixed up at the end */
		take_number(out, DIE_HIGH_PC, &out->high_pc, v);
		break;
	case DW_AT_ranges:
		if (v->form == DW_FORM_sec_offset || v->form == DW_FORM_data4 || v->form == DW_FORM_data8)
			out->ranges = number;
		out->has |= DIE_RANGES;
		break;
	case DW_AT_data_member_location: {
		uint64_t offset = 0;
		if (member_offset(v, &offset))
			set(out, DIE_MEMBER_OFFSET, &out->member_offset, offset);
		break;
	}
	case DW_AT_discr_value:
		take_constant(out, DIE_DISCR_VALUE, &out->discr_value, v);
		break;
	case DW_AT_const_value:
		take_constant(out, DIE_CONST, &out->const_value, v);
		break;
	case DW_AT_location:
		if (v->block == NULL)
			break; /* a location list */
		out->location = v->block;
		out->location_length = v->block_length;
		out->has |= DIE_LOCATION;
		break;
	case DW_AT_frame_base:
		if (v->block == NULL)
			break;
		out->frame_base = v->block;
		out->frame_base_length = v->block_length;
		out->has |= DIE_FRAME_BASE;
		break;
	default:
		break;
	}
}

static bool is_address_form(uint16_t form)
{
	return form == DW_FORM_addr || form == DW_FORM_addrx || form == DW_FORM_GNU_addr_index ||
	       (form >= DW_FORM_addrx1 && form <= DW_FORM_addrx4);
}

bool die_read(struct dwarf *dw, const struct die *die, struct die_values *out)
{
	memset(out, 0, sizeof *out);
	const struct abbrev_attr *attrs = die->abbrevs->attrs + die->abbrev->first_attr;
	struct cursor c = { die->values, die->end, false };
	bool relative_high = false;
	for (unsigned i = 0; i < die->abbrev->attr_count; i++) {
		struct form_value value;
		if (!form_read(dw, die->unit, die->abbrevs, &attrs[i], &c, &value) || c.bad)
			return false;
		take_value(out, attrs[i].name, &value);
		if (attrs[i].name == DW_AT_high_pc)
			relative_high = !is_address_form(value.form);
	}
	if (relative_high)
		out->high_pc += out->low_pc;
	return true;
}
