#include "unwind/expression.h"

#include <dwarf.h>

#include "base/cursor.h"

enum {
	STACK_MAX = 64,
	STEPS_MAX = 1000, /* expressions of compilers have a dozen operations; DW_OP_bra could loop */
};

static const char CUT[] = "an expression in the call-frame information is cut";
static const char STACK[] = "an expression in the call-frame information has too few or too many operands";

struct evaluation {
	const struct expression_context *x;
	struct cursor c;
	const unsigned char *start;
	uint64_t stack[STACK_MAX];
	size_t depth;
	const char *problem; /* sticky */
};

static void fail(struct evaluation *e, const char *problem)
{
	if (e->problem == NULL)
		e->problem = problem;
}

static void push(struct evaluation *e, uint64_t value)
{
	if (e->depth == STACK_MAX)
		fail(e, STACK);
	else
		e->stack[e->depth++] = value;
}

static uint64_t pop(struct evaluation *e)
{
	if (e->depth == 0) {
		fail(e, STACK);
		return 0;
	}
	return e->stack[--e->depth];
}

static void push_register(struct evaluation *e, uint64_t number, int64_t offset)
{
	if (number >= e->x->register_count || (e->x->known >> number & 1) == 0)
		fail(e, "an expression in the call-frame information needs a register that is not known here");
	else
		push(e, e->x->registers[number] + (uint64_t)offset);
}

static void load(struct evaluation *e, size_t width)
{
	uint64_t value, address = pop(e);
	if (e->problem != NULL)
		return;
	if (width == 0 || width > 8)
		fail(e, "an expression in the call-frame information reads an odd number of bytes");
	else if (!e->x->read(e->x->target, address, width, &value))
		fail(e, "an expression in the call-frame information reads memory that is not in the core");
	else
		push(e, value);
}

/* The n-th from the top, 0 being the top. */
static void pick(struct evaluation *e, size_t n)
{
	if (n >= e->depth)
		fail(e, STACK);
	else
		push(e, e->stack[e->depth - 1 - n]);
}

/* Brings the n-th from the top to the place below `n` others: swap is 1, rot is 2. */
static void rotate(struct evaluation *e, size_t n)
{
	if (n >= e->depth) {
		fail(e, STACK);
		return;
	}
	uint64_t *top = &e->stack[e->depth - 1], value = *top;
	for (size_t i = 0; i < n; i++)
		top[-(ptrdiff_t)i] = top[-(ptrdiff_t)i - 1];
	top[-(ptrdiff_t)n] = value;
}

static void jump(struct evaluation *e, int64_t distance)
{
	int64_t at = e->c.at - e->start, size = e->c.end - e->start;
	if (e->c.bad || distance < -at || distance > size - at)
		fail(e, "an expression in the call-frame information jumps out of itself");
	else
		e->c.at += distance;
}

static int64_t shift_right_signed(uint64_t value, uint64_t bits)
{
	uint64_t sign = value >> 63 != 0 ? ~UINT64_C(0) : 0;
	if (bits >= 64)
		return (int64_t)sign;
	return (int64_t)(bits == 0 ? value : value >> bits | sign << (64 - bits));
}

static uint64_t divide_signed(struct evaluation *e, uint64_t left, uint64_t right)
{
	if (right == 0) {
		fail(e, "an expression in the call-frame information divides by zero");
		return 0;
	}
	if (right == UINT64_MAX)
		return 0 - left; /* INT64_MIN / -1 wraps */
	return (uint64_t)((int64_t)left / (int64_t)right);
}

/* false: not an operation with two operands */
static bool binary(struct evaluation *e, unsigned op)
{
	bool is_one = op == DW_OP_and || op == DW_OP_div || op == DW_OP_minus || op == DW_OP_mod || op == DW_OP_mul ||
	              op == DW_OP_or || op == DW_OP_plus || (op >= DW_OP_shl && op <= DW_OP_xor) ||
	              (op >= DW_OP_eq && op <= DW_OP_ne);
	if (!is_one)
		return false;
	uint64_t r = pop(e), l = pop(e), v = 0;
	int64_t sr = (int64_t)r, sl = (int64_t)l;
	switch (op) {
	case DW_OP_and: v = l & r; break;
	case DW_OP_or: v = l | r; break;
	case DW_OP_xor: v = l ^ r; break;
	case DW_OP_plus: v = l + r; break;
	case DW_OP_minus: v = l - r; break;
	case DW_OP_mul: v = l * r; break;
	case DW_OP_div: v = divide_signed(e, l, r); break;
	case DW_OP_mod:
		if (r == 0)
			fail(e, "an expression in the call-frame information divides by zero");
		else
			v = l % r;
		break;
	case DW_OP_shl: v = r < 64 ? l << r : 0; break;
	case DW_OP_shr: v = r < 64 ? l >> r : 0; break;
	case DW_OP_shra: v = (uint64_t)shift_right_signed(l, r); break;
	case DW_OP_eq: v = l == r; break;
	case DW_OP_ne: v = l != r; break;
	case DW_OP_lt: v = sl < sr; break;
	case DW_OP_le: v = sl <= sr; break;
	case DW_OP_gt: v = sl > sr; break;
	case DW_OP_ge: v = sl >= sr; break;
	default: break;
	}
	push(e, v);
	return true;
}

/* Constants and registers; false: none of them. */
static bool leaf(struct evaluation *e, unsigned op)
{
	struct cursor *c = &e->c;
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		push(e, op - DW_OP_lit0);
		return true;
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		push_register(e, op - DW_OP_breg0, cursor_sleb(c));
		return true;
	}
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) { /* not a value by the standard; readers take it for one */
		push_register(e, op - DW_OP_reg0, 0);
		return true;
	}
	switch (op) {
	case DW_OP_addr: push(e, cursor_u64(c) + e->x->bias); return true;
	case DW_OP_const1u: push(e, cursor_u8(c)); return true;
	case DW_OP_const1s: push(e, (uint64_t)(int8_t)cursor_u8(c)); return true;
	case DW_OP_const2u: push(e, cursor_u16(c)); return true;
	case DW_OP_const2s: push(e, (uint64_t)(int16_t)cursor_u16(c)); return true;
	case DW_OP_const4u: push(e, cursor_u32(c)); return true;
	case DW_OP_const4s: push(e, (uint64_t)(int32_t)cursor_u32(c)); return true;
	case DW_OP_const8u:
	case DW_OP_const8s: push(e, cursor_u64(c)); return true;
	case DW_OP_constu: push(e, cursor_uleb(c)); return true;
	case DW_OP_consts: push(e, (uint64_t)cursor_sleb(c)); return true;
	case DW_OP_bregx: {
		uint64_t number = cursor_uleb(c);
		push_register(e, number, cursor_sleb(c));
		return true;
	}
	default: return false;
	}
}

static void step(struct evaluation *e)
{
	struct cursor *c = &e->c;
	unsigned op = cursor_u8(c);
	if (leaf(e, op) || binary(e, op))
		return;
	switch (op) {
	case DW_OP_deref: load(e, 8); break;
	case DW_OP_deref_size: load(e, cursor_u8(c)); break;
	case DW_OP_dup: pick(e, 0); break;
	case DW_OP_over: pick(e, 1); break;
	case DW_OP_pick: pick(e, cursor_u8(c)); break;
	case DW_OP_drop: pop(e); break;
	case DW_OP_swap: rotate(e, 1); break;
	case DW_OP_rot: rotate(e, 2); break;
	case DW_OP_plus_uconst: push(e, pop(e) + cursor_uleb(c)); break;
	case DW_OP_neg: push(e, 0 - pop(e)); break;
	case DW_OP_not: push(e, ~pop(e)); break;
	case DW_OP_abs: {
		uint64_t v = pop(e);
		push(e, v >> 63 != 0 ? 0 - v : v);
		break;
	}
	case DW_OP_skip: jump(e, (int16_t)cursor_u16(c)); break;
	case DW_OP_bra: {
		int16_t distance = (int16_t)cursor_u16(c);
		if (pop(e) != 0)
			jump(e, distance);
		break;
	}
	case DW_OP_nop: break;
	default: fail(e, "an expression in the call-frame information has an operation that is not allowed there"); break;
	}
}

const char *expression_evaluate(const struct expression_context *x, const unsigned char *bytes, size_t length,
                                const uint64_t *initial, uint64_t *value)
{
	struct evaluation e = { .x = x, .c = cursor_over(bytes, length), .start = bytes };
	if (initial != NULL)
		push(&e, *initial);
	for (size_t steps = 0; cursor_left(&e.c) != 0 && e.problem == NULL; steps++) {
		if (steps == STEPS_MAX)
			return "an expression in the call-frame information does not end";
		step(&e);
		if (e.c.bad)
			fail(&e, CUT);
	}
	if (e.problem == NULL && e.depth == 0)
		fail(&e, STACK);
	if (e.problem != NULL)
		return e.problem;
	*value = e.stack[e.depth - 1];
	return NULL;
}
