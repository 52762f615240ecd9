/* column.h - what a record consists of. Each program has one static table of columns, the single source of the
 * table's headings, the TSV header, the JSON keys, the fields of --with, --without, --group and --columns, and the
 * list in --help. A row is an array of cells in the order of that table. Everything here is borrowed.
 *
 *	static const struct column TASK_COLUMNS[] = {
 *		   name       type       flags                  filter  heading        aliases  also      help
 *		{ "ref",      COL_REF,   COL_TSV,               0,      NULL,          NULL,    NULL,     "reference, as in task/5" },
 *		{ "id",       COL_ID,    COL_SHOWN,             0,      NULL,          NULL,    NULL,     "task id" },
 *		{ "awaiting", COL_SITE,  COL_SHOWN,             0,      "AWAITING AT", NULL,    NULL,     "file:line of the await" },
 *		{ "future",   COL_NAME,  COL_SHOWN | COL_CUT,   0,      NULL,          NULL,    NULL,     "kind and folded name" },
 *		{ "type",     COL_NAME,  COL_CUT | COL_KEY,     0,      NULL,          NULL,    "future", "full type name" },
 *		{ "holds",    COL_COUNT, COL_RIGHT,             0,      NULL,          NULL,    NULL,     "futures held" },
 *	}; */
#ifndef HANSEI_OUT_COLUMN_H
#define HANSEI_OUT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

struct strbuf;

/*                    JSON                      filter by default   colour */
enum column_type {
	COL_REF,     /* string, "task/5"          exact               */
	COL_ID,      /* number                    exact               */
	COL_WORD,    /* string                    regular expression  */
	COL_SITE,    /* string, file:line         regular expression  green */
	COL_COUNT,   /* number                    >N, <N, =N          */
	COL_ADDRESS, /* string, "0x55d0c8"        exact               */
	COL_NAME,    /* string: type or symbol    regular expression  cyan */
	COL_TEXT,    /* string: a sentence        regular expression  */
};

enum column_flag {
	COL_SHOWN = 1,   /* a default column */
	COL_TSV = 2,     /* the reference: first in TSV whatever was chosen, in tables only when asked for */
	COL_RIGHT = 4,   /* right-aligned */
	COL_CUT = 8,     /* may be cut with a final … on a terminal, so that lines fit */
	COL_HIDDEN = 16, /* a field of filters and groups only: no column, no JSON key */
	COL_KEY = 32,    /* the group member of cells tells groups apart but is not for reading: a group shows text */
	COL_LONE = 64,   /* no field of --group */
};

enum column_filter {
	FILTER_BY_TYPE, /* see enum column_type */
	FILTER_REGEX,   /* case-insensitive POSIX extended regular expression, anywhere in the text */
	FILTER_EXACT,   /* the same text, or the same number */
	FILTER_COUNT,   /* >N, <N, =N */
	FILTER_NONE,    /* not a field of --with */
};

struct column {
	const char *name;          /* lower case with _ */
	enum column_type type;
	unsigned flags;            /* of enum column_flag */
	enum column_filter filter;
	const char *heading;       /* NULL: the name in capitals, _ as space */
	const char *aliases;       /* further names, separated by spaces, or NULL */
	const char *also;          /* names of columns whose cells a filter on this one tries too, or NULL */
	const char *help;          /* one line for --help and hansei-records(5) */
};

struct column_list {
	const struct column *items;
	size_t count;
};

#define COLUMN_LIST(table) { (table), sizeof(table) / sizeof(table)[0] }

/* One field of a row. text is what tables and TSV show and filters look at; NULL: nothing there (— in a table,
 * empty in TSV, null in JSON, matched by no filter, <empty> as a group). json is the value for JSON where it is
 * more than the text (a finished JSON value, see json.h); NULL: made from the text by the column's type. group is
 * the key that --group goes by where it is coarser than the text (all timers together); NULL: the text. */
struct cell {
	const char *text, *json, *group;
};

#define CELL_TEXT(t) ((struct cell){ (t), NULL, NULL })

/* Finds a column by name or alias; - and _ are the same. NULL: there is none. */
const struct column *column_find(struct column_list columns, const char *name, size_t length);

/* Whether a space-separated list such as aliases or also has the name; - and _ are the same. list may be NULL. */
bool names_include(const char *list, const char *name, size_t length);

void column_heading(struct strbuf *to, const struct column *column);

enum column_filter column_filter_kind(const struct column *column); /* never FILTER_BY_TYPE */

enum column_use { USE_SHOW, USE_FILTER, USE_GROUP }; /* --columns, --with and --without, --group */
bool column_usable(const struct column *column, enum column_use use);
/* Appends the names of the usable columns: "id, state, awaiting". */
void column_names(struct strbuf *to, struct column_list columns, enum column_use use);

#endif
