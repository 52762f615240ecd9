/* number.h - numbers of the target as text: integers to 128 bits, floats, bool, char. */
#ifndef HANSEI_VALUE_NUMBER_H
#define HANSEI_VALUE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct strbuf;
struct type;

enum { SCALAR_MAX = 16 };

/* Appends the value of a base type from its bytes (little-endian, type->size of them) the way Rust's Debug writes it.
 * What is no value of the type (a bool of 2, a char that is none) comes out as `<2 is no bool>`, and false is
 * returned. */
bool scalar_add_text(struct strbuf *out, const struct type *type, const unsigned char *bytes);
/* The same as JSON: numbers up to 2^53 as such and beyond as strings, NaN and infinities as strings, a char as a
 * string; what is no value becomes {"$error": …}. */
bool scalar_add_json(struct strbuf *out, const struct type *type, const unsigned char *bytes);

/* 128 bits in decimal. */
void decimal_add(struct strbuf *out, uint64_t low, uint64_t high, bool is_signed);

#endif
