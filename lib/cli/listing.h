/* listing.h - a listing program's output: rows are pushed one at a time, and filters, --group, --limit, --columns and
 * the format are applied. TSV and JSON go out row by row; a table waits for its widths.
 *
 *	static const struct listing_kind TASKS = { "task", "tasks", "id", COLUMN_LIST(TASK_COLUMNS) };
 *
 *	struct listing *listing;
 *	if ((err = listing_open(&listing, &TASKS, &options, &out, common.format)) != NULL)
 *		return out_shut(&out, status_error(&out, err));     before the core is opened: wrong usage is cheap
 *	... attach ...
 *	if (runtimes > 1)
 *		listing_show(listing, "runtime");                   a column that is shown only when it says something
 *	while (next object && listing_row(listing, cells))
 *		continue;
 *	listing_close(listing);                                  the footer, or the note that --limit cut
 *
 * Ownership: listing_open allocates, listing_close frees; kind, options and out are borrowed. Rows are copied where
 * they must be kept. listing_close prints a note on standard error; nothing else here prints there. */
#ifndef HANSEI_CLI_LISTING_H
#define HANSEI_CLI_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "out/column.h"
#include "out/out.h"

struct error;

struct listing_kind {
	const char *noun, *plural; /* of the footer; the plural in capitals heads the examples of groups */
	const char *sample;        /* name of the column that stands for a row among the examples: "id" */
	struct column_list columns;
};

/* -w/--with -W/--without -g/--group -l/--limit --columns --no-header */
extern const struct option_set OPTIONS_LISTING;

struct listing;

/* ERROR_USAGE: a bad filter, field, column or limit, named with its option ("--with: no field 'x'; fields: …").
 * FORMAT_DEFAULT is a table on a terminal, else TSV. */
struct error *listing_open(struct listing **listing, const struct listing_kind *kind, const struct options *options,
                           struct out *out, enum format format);

/* Adds a column to the default ones, at its place in the table. Before the first row; without effect under --columns. */
void listing_show(struct listing *listing, const char *name);

/* Whether the column will be looked at: shown, filtered, grouped, or part of JSON. A program may leave the cells of
 * others empty and save the work. */
bool listing_needs(const struct listing *listing, const char *name);
/* Whether rows still have to be filled: false once --limit is reached without filters and groups; then
 * listing_row(listing, NULL) just counts. */
bool listing_wants(const struct listing *listing);

/* cells: one per column of the kind, in order. False: output has failed, the rest may be left out. */
bool listing_row(struct listing *listing, const struct cell *cells);

/* Prints what is outstanding and frees the listing. */
void listing_close(struct listing *listing);
void listing_free(struct listing *listing); /* without printing, after an error; NULL is fine */

#endif
