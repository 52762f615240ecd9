/* expression.h - DWARF expressions as call-frame information has them (DWARF 5, section 2.5 and 6.4.2): they see
 * registers and memory of one frame. Untrusted bytes: bounded in steps and stack, every read is checked. */
#ifndef HANSEI_UNWIND_EXPRESSION_H
#define HANSEI_UNWIND_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expression_context {
	const uint64_t *registers; /* by DWARF number */
	uint64_t known;            /* bit per register that has a value */
	size_t register_count;     /* at most 64 */
	uint64_t bias;             /* added to DW_OP_addr */
	/* Little-endian load of 1 .. 8 bytes; false when unreadable. */
	bool (*read)(const void *target, uint64_t address, size_t width, uint64_t *value);
	const void *target;
};

/* Evaluates with the stack holding `initial` (the CFA for register rules) or, when that is NULL, nothing. NULL and
 * the top of the stack in *value, or a static text that says why not. */
const char *expression_evaluate(const struct expression_context *x, const unsigned char *bytes, size_t length,
                                const uint64_t *initial, uint64_t *value);

#endif
