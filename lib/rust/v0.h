/* v0.h - private to lib/rust: one linear reading of a v0 symbol (Rust RFC 2603), shared by the key and by the
 * guard in front of the demangler. Borrows its input, owns nothing. */
#ifndef HANSEI_RUST_V0_H
#define HANSEI_RUST_V0_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v0_facts {
	uint64_t key;       /* see v0_key */
	uint64_t expansion; /* work a demangler has with it, in bytes read when back-references are followed */
};

/* Finds the part between the prefix (_R, R, __R) and a vendor suffix (from the first '.' or '$' on). NULL: the
 * symbol does not begin like a v0 name. */
const char *v0_body(const char *symbol, size_t *length);

/* false: not well-formed. Time and memory are linear in length, the stack is constant. */
bool v0_read(const char *body, size_t length, struct v0_facts *facts);

#endif
