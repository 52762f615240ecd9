/* tinfo_describe.h - records of any table as named fields, for programs that print them. Everything is borrowed from
 * the tinfo, except what the functions say they append. */
#ifndef HANSEI_TINFO_DESCRIBE_H
#define HANSEI_TINFO_DESCRIBE_H

#include "tinfo/tinfo.h"

struct strbuf;

enum field_kind {
	FIELD_TEXT,     /* text */
	FIELD_NUMBER,   /* number */
	FIELD_ADDRESS,  /* number, an address or a key: hexadecimal */
	FIELD_TYPE,     /* number, a type id */
	FIELD_FUNCTION, /* number, a function id */
};

struct record_field {
	const char *key;
	enum field_kind kind;
	const char *text;
	uint64_t number;
	bool absent; /* this record has nothing to say here: no text, TINFO_NONE, no address */
};

enum { RECORD_FIELDS = 16 }; /* at most so many */

/* The fields of a record, always the same ones in the same order for a table. 0 for the strings, and for a record that
 * is not there. */
size_t tinfo_describe(struct tinfo *ti, enum tinfo_table table, uint32_t index, struct record_field fields[RECORD_FIELDS]);

const char *type_kind_text(const struct type *type);       /* "struct", "coroutine", "c-enum" … */
const char *function_kind_text(enum function_kind kind);   /* "role", "poll" … */
/* Appends what to call a type: its name; for those without one "*T", "[T; 3]" or "#12". */
void type_label(struct strbuf *to, struct tinfo *ti, uint32_t id);
/* Appends a discriminant's value, in decimal, as a signed number if the base type is one of `size` bytes. */
void variant_value_text(struct strbuf *to, const struct variant *variant, const struct type *base);

#endif
