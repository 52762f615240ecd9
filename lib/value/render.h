/* render.h - values of the target as text or as JSON, written in pieces: a list of a million numbers passes through a
 * buffer of some kilobytes. What cannot be read is told in its place, everything else is printed, and `incomplete`
 * remembers.
 *
 * Text reads as the description's samples do. `depth` levels of structs, variants, lists and maps are opened; below
 * that a value is cut to `T { .. } @ 0xADDRESS`, while numbers, texts and empty variants are always shown. Pointers
 * take no level. JSON is what serde_json would write (hansei-records(5), "value").
 *
 * Ownership: a render borrows its viewer, which keeps what is known of types between renders. */
#ifndef HANSEI_VALUE_RENDER_H
#define HANSEI_VALUE_RENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "value/view.h"

enum { RENDER_NESTING = 200 };

struct render_options {
	uint64_t depth;      /* levels; UINT64_MAX: all (up to RENDER_NESTING) */
	uint64_t max_array;  /* elements of a list or map; UINT64_MAX: all */
	uint64_t max_string; /* bytes of a text */
	bool ugly;           /* members as they are, no formatters */
	/* Takes what is finished. */
	void (*write)(void *context, const char *bytes, size_t length);
	void *context;
};

struct render {
	struct viewer *viewer;
	struct render_options options;
	struct strbuf out;
	unsigned indent;    /* columns that a closing brace stands at; set by the caller before a value */
	bool held;          /* nothing is written out meanwhile: it may still be taken back */
	bool incomplete;    /* something could not be read, or was too much */
	uint64_t budget;    /* values left before it is too much */
	unsigned nesting;
	struct value followed[RENDER_NESTING]; /* through pointers, on the way here */
	unsigned followed_count;
	const char *label;  /* of the pointer we came through; NULL */
};

void render_init(struct render *r, struct viewer *viewer, const struct render_options *options);
void render_release(struct render *r); /* flushes */
void render_flush(struct render *r);

/* The value alone, without its type. Never ends in a newline. */
void render_text(struct render *r, struct value value, uint64_t depth);
/* Does the text of the value begin with its type's name (then a heading need not say it)? */
bool render_opens_with_type(struct render *r, struct value value, uint64_t depth);
/* The type that a heading names: of what is inside cells and other wrappers without a meaning of their own. */
struct value render_peeled(struct render *r, struct value value);

void render_json(struct render *r, struct value value, uint64_t depth);
/* A pair of a map: `("connect", 3)`, ["connect", 3]. */
void render_pair_text(struct render *r, struct value key, struct value value, uint64_t depth);
void render_pair_json(struct render *r, struct value key, struct value value, uint64_t depth);

/* Between render.c, render_text.c and render_json.c. */
void render_view(struct render *r, struct value value, enum view_mode mode, struct view *view);
bool render_enter(struct render *r, struct value value); /* false: followed already, or too deep */
void render_leave(struct render *r);
bool render_spend(struct render *r); /* false: out of budget */
void render_check(struct render *r); /* writes out when much has gathered */
/* Appends the name of the function at a code address of the target, demangled; false when there is none. */
bool render_symbol(struct render *r, struct strbuf *out, uint64_t address);
void render_string_json(struct render *r, const char *text);
/* The bytes of a VIEW_TEXT in pieces of bounded size. */
void render_bytes(struct render *r, uint64_t address, uint64_t length, bool json);

#endif
