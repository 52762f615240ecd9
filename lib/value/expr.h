/* expr.h - the path grammar of people: from a frame or value to what is inside it.
 *
 *	name  .name    a local or member; references, Box, Rc, Arc, Pin, cells, locks and other wrappers are gone through
 *	               as far as needed; `.0` is a field of a tuple; in an enum the live variant's name is a step of its own
 *	[3]            an element, or the n-th entry of a map in the order it is shown; .0 and .1 are its key and value
 *	[1..3] [1..=3] [..2] [1..]   several: later steps apply to each of them
 *	*              explicit dereference
 *
 * Nothing is allocated that outlives the call, apart from what the viewer learns about types. */
#ifndef HANSEI_VALUE_EXPR_H
#define HANSEI_VALUE_EXPR_H

#include <stdbool.h>

#include "value/view.h"

struct error;

enum { EXPR_LABEL = 96 };

struct expr_result {
	struct value value;
	struct value key;   /* is_entry: of a map's entry not taken apart */
	bool is_entry;
	bool uncertain;     /* starts at a local that may have been moved out */
	bool shadowed;      /* or at one of several of that name */
	const char *error;  /* not NULL: in place of a value, for one element of several */
	char label[EXPR_LABEL]; /* "[3] " behind each range, else "" */
};

/* Called for each value; false ends the evaluation. */
typedef bool expr_visit(void *context, const struct expr_result *result);

/* Evaluates text from root (empty text: root itself). Errors: ERROR_USAGE for what is no path, ERROR_NOT_FOUND for
 * what is not there (a member: those that are are named), ERROR_UNMAPPED for what cannot be read. After a range these
 * are results of their own. *count is how many values were visited. */
struct error *expr_evaluate(struct viewer *viewer, struct value root, const char *text, expr_visit *visit, void *context,
                            uint64_t *count);

#endif
