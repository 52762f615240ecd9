/* cfi_row.c - running the instructions of a CIE and an FDE up to an address (DWARF 5, section 6.4.2). */
#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "unwind/cfi.h"

enum {
	REMEMBERED_MAX = 16,
	INSTRUCTIONS_MAX = 1 << 16, /* an FDE cannot loop; this bounds the work on a huge hostile one */
	CFA_ARM_NEGATE_RA_STATE_WITH_PC = 0x2c,
	CFA_ARM_NEGATE_RA_STATE = 0x2d, /* shares its number with DW_CFA_GNU_window_save */
	CFA_GNU_ARGS_SIZE = 0x2e,
	CFA_GNU_NEGATIVE_OFFSET_EXTENDED = 0x2f,
};

struct run {
	const struct cfi_fde *fde;
	const struct unwind_machine *m;
	struct cfi_row *row;
	struct cfi_row initial; /* after the CIE's instructions */
	bool in_cie;
	uint64_t location, pc;
	struct cfi_row remembered[REMEMBERED_MAX];
	size_t depth;
	const char *problem;
};

/* Registers past those we follow (vector ones) are read over. */
static void rule_set(struct run *r, uint64_t number, struct cfi_rule rule)
{
	if (number < UNWIND_REGISTERS)
		r->row->registers[number] = rule;
}

static void rule_restore(struct run *r, uint64_t number)
{
	if (number < UNWIND_REGISTERS)
		r->row->registers[number] = r->in_cie ? (struct cfi_rule){ .kind = RULE_NONE } : r->initial.registers[number];
}

static struct cfi_rule rule_offset(const struct run *r, enum cfi_rule_kind kind, uint64_t factored)
{
	return (struct cfi_rule){ .kind = kind, .number = (int64_t)(factored * (uint64_t)r->fde->data_factor) };
}

static struct cfi_rule rule_expression(struct cursor *c, enum cfi_rule_kind kind)
{
	uint64_t length = cursor_uleb(c);
	if (length > cursor_left(c)) {
		cursor_fail(c);
		length = 0;
	}
	const unsigned char *at = cursor_bytes(c, (size_t)length);
	return (struct cfi_rule){ .kind = kind, .expression = at, .length = (size_t)length };
}

static void location_add(struct run *r, uint64_t factored)
{
	r->location += factored * r->fde->code_factor;
}

static void cfa_set(struct run *r, uint64_t number, int64_t offset)
{
	if (number >= UNWIND_REGISTERS)
		r->problem = "the call-frame information computes from a register that does not exist";
	r->row->cfa = (struct cfi_rule){ .kind = RULE_REGISTER, .number = (int64_t)number, .offset = offset };
}

static void cfa_change(struct run *r, bool change_register, uint64_t value)
{
	if (r->row->cfa.kind != RULE_REGISTER)
		r->problem = "the call-frame information changes a rule that it has not set";
	else if (change_register)
		cfa_set(r, value, r->row->cfa.offset);
	else
		r->row->cfa.offset = (int64_t)value;
}

static void state_remember(struct run *r)
{
	if (r->depth == REMEMBERED_MAX)
		r->problem = "the call-frame information remembers too many states";
	else
		r->remembered[r->depth++] = *r->row;
}

static void state_restore(struct run *r)
{
	if (r->depth == 0)
		r->problem = "the call-frame information restores a state that it has not remembered";
	else
		*r->row = r->remembered[--r->depth];
}

/* Instructions on the CFA and the location; false: none of them. */
static bool instruction_of_frame(struct run *r, struct cursor *c, unsigned op)
{
	uint64_t number;
	switch (op) {
	case DW_CFA_nop: break;
	case DW_CFA_set_loc: r->problem = "the call-frame information sets an absolute location"; break;
	case DW_CFA_advance_loc1: location_add(r, cursor_u8(c)); break;
	case DW_CFA_advance_loc2: location_add(r, cursor_u16(c)); break;
	case DW_CFA_advance_loc4: location_add(r, cursor_u32(c)); break;
	case DW_CFA_remember_state: state_remember(r); break;
	case DW_CFA_restore_state: state_restore(r); break;
	case DW_CFA_def_cfa:
		number = cursor_uleb(c);
		cfa_set(r, number, (int64_t)cursor_uleb(c));
		break;
	case DW_CFA_def_cfa_sf:
		number = cursor_uleb(c);
		cfa_set(r, number, (int64_t)((uint64_t)cursor_sleb(c) * (uint64_t)r->fde->data_factor));
		break;
	case DW_CFA_def_cfa_register: cfa_change(r, true, cursor_uleb(c)); break;
	case DW_CFA_def_cfa_offset: cfa_change(r, false, cursor_uleb(c)); break;
	case DW_CFA_def_cfa_offset_sf:
		cfa_change(r, false, (uint64_t)cursor_sleb(c) * (uint64_t)r->fde->data_factor);
		break;
	case DW_CFA_def_cfa_expression: r->row->cfa = rule_expression(c, RULE_VAL_EXPRESSION); break;
	case CFA_GNU_ARGS_SIZE: (void)cursor_uleb(c); break;
	case CFA_ARM_NEGATE_RA_STATE:
	case CFA_ARM_NEGATE_RA_STATE_WITH_PC:
		if (r->m->machine != EM_AARCH64)
			return false;
		r->row->return_signed = !r->row->return_signed;
		break;
	default: return false;
	}
	return true;
}

/* Instructions that name a register first; false: none of them. */
static bool instruction_of_register(struct run *r, struct cursor *c, unsigned op)
{
	uint64_t number = cursor_uleb(c);
	switch (op) {
	case DW_CFA_offset_extended: rule_set(r, number, rule_offset(r, RULE_OFFSET, cursor_uleb(c))); break;
	case DW_CFA_offset_extended_sf:
		rule_set(r, number, rule_offset(r, RULE_OFFSET, (uint64_t)cursor_sleb(c)));
		break;
	case CFA_GNU_NEGATIVE_OFFSET_EXTENDED:
		rule_set(r, number, rule_offset(r, RULE_OFFSET, 0 - cursor_uleb(c)));
		break;
	case DW_CFA_val_offset: rule_set(r, number, rule_offset(r, RULE_VAL_OFFSET, cursor_uleb(c))); break;
	case DW_CFA_val_offset_sf:
		rule_set(r, number, rule_offset(r, RULE_VAL_OFFSET, (uint64_t)cursor_sleb(c)));
		break;
	case DW_CFA_restore_extended: rule_restore(r, number); break;
	case DW_CFA_undefined: rule_set(r, number, (struct cfi_rule){ .kind = RULE_UNDEFINED }); break;
	case DW_CFA_same_value: rule_set(r, number, (struct cfi_rule){ .kind = RULE_SAME }); break;
	case DW_CFA_register: {
		uint64_t other = cursor_uleb(c);
		if (other >= UNWIND_REGISTERS)
			rule_set(r, number, (struct cfi_rule){ .kind = RULE_UNDEFINED }); /* in a vector register, say */
		else
			rule_set(r, number, (struct cfi_rule){ .kind = RULE_REGISTER, .number = (int64_t)other });
		break;
	}
	case DW_CFA_expression: rule_set(r, number, rule_expression(c, RULE_EXPRESSION)); break;
	case DW_CFA_val_expression: rule_set(r, number, rule_expression(c, RULE_VAL_EXPRESSION)); break;
	default: return false;
	}
	return true;
}

static void instruction_run(struct run *r, struct cursor *c)
{
	uint8_t byte = cursor_u8(c);
	uint8_t low = byte & 0x3f;
	switch (byte & 0xc0) {
	case DW_CFA_advance_loc: location_add(r, low); return;
	case DW_CFA_offset: rule_set(r, low, rule_offset(r, RULE_OFFSET, cursor_uleb(c))); return;
	case DW_CFA_restore: rule_restore(r, low); return;
	default: break;
	}
	if (!instruction_of_frame(r, c, byte) && !instruction_of_register(r, c, byte))
		r->problem = "the call-frame information has an unknown instruction";
}

static void instructions_run(struct run *r, struct cursor c)
{
	for (size_t i = 0; cursor_left(&c) != 0 && r->problem == NULL; i++) {
		if (i == INSTRUCTIONS_MAX) {
			r->problem = "the call-frame information is too long";
			return;
		}
		instruction_run(r, &c);
		if (c.bad && r->problem == NULL)
			r->problem = "the call-frame information is cut";
		if (r->location > r->pc)
			return;
	}
}

const char *cfi_row_at(const struct cfi_fde *fde, const struct unwind_machine *m, uint64_t pc, struct cfi_row *row)
{
	struct run r;
	memset(row, 0, sizeof *row);
	r.fde = fde;
	r.m = m;
	r.row = row;
	r.in_cie = true;
	r.location = 0; /* a CIE's instructions advance nowhere */
	r.pc = UINT64_MAX;
	r.depth = 0;
	r.problem = NULL;
	instructions_run(&r, fde->initial);
	if (r.problem != NULL)
		return r.problem;
	r.initial = *row;
	r.in_cie = false;
	r.location = fde->start;
	r.pc = pc;
	instructions_run(&r, fde->instructions);
	if (r.problem == NULL && row->cfa.kind == RULE_NONE)
		r.problem = "the call-frame information does not define the frame";
	return r.problem;
}
