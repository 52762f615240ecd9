/* filter.h - --with FIELD VALUE and --without FIELD VALUE: a row passes when every --with matches and no --without
 * does. VALUE is one or more alternatives separated by commas, any of which may match; `\,` is a literal comma, every
 * other backslash belongs to the regular expression. How an alternative is compared is the column's (out/column.h):
 *
 *	regular expression   POSIX extended, without regard to case, anywhere in the text. A { that does not begin a
 *	                     repetition is an ordinary character, so that {async_fn#0} can be typed as it is shown.
 *	exact                the same text, or the same number (0x55D0 and 0x055d0); a reference by its JSON spelling
 *	count                >N, <N, =N
 *
 * A cell's group key (timer, mutex, worker, …) is matched like its text, unless the column has COL_KEY: so what
 * --group shows can be given to --with. A row with nothing in the column, nor in the columns `also` names, matches
 * nothing. Ownership: filters own what they compile; column tables are borrowed. */
#ifndef HANSEI_CLI_FILTER_H
#define HANSEI_CLI_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "out/column.h"

struct error;
struct filter;

struct filters {
	struct column_list columns;
	struct filter *items;
	size_t count, capacity;
};

static inline struct filters filters_over(struct column_list columns)
{
	return (struct filters){ columns, NULL, 0, 0 };
}

/* Adds one. keep: --with. ERROR_USAGE: no such field (all are listed), an empty alternative, a bad expression, a
 * count without its sign. */
struct error *filters_add(struct filters *filters, bool keep, const char *field, const char *value);
bool filters_match(const struct filters *filters, const struct cell *cells);
/* Whether a filter looks at the column, directly or through `also`. */
bool filters_need(const struct filters *filters, const struct column *column);
void filters_release(struct filters *filters);

/* ERROR_USAGE "no field 'x'; fields: id, state, …" when the name is none of the usable columns. */
struct error *field_find(struct column_list columns, enum column_use use, const char *name, size_t length,
                         const struct column **found);

#endif
