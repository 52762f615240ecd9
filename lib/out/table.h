/* table.h - a table for people: columns two spaces apart, as wide as their widest cell or heading, an em dash for
 * nothing, no header without rows. On a terminal the columns with COL_CUT are shortened so that lines fit. Widths
 * need all rows, so a table keeps them (in its own arena) until table_print. Ownership: texts are copied; the
 * columns and the out are borrowed.
 *
 *	struct table table;
 *	table_init(&table, columns, count);
 *	table_row(&table, texts);                       for each row
 *	table_print(&table, &out);
 *	footer_print(&out, 22499, 50, "task", "tasks"); [22499 tasks, 50 shown]
 *	table_release(&table); */
#ifndef HANSEI_OUT_TABLE_H
#define HANSEI_OUT_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/strbuf.h"

struct column;
struct out;

enum { TABLE_CUT_LEAST = 11 }; /* what a cut column keeps at least, the … included */

struct table {
	const struct column *const *columns;
	size_t count;
	const char **cells; /* rows × count; NULL: nothing there */
	size_t cell_count, capacity;
	size_t *widths; /* natural ones, in terminal columns */
	char **headings;
	struct arena arena;
	struct strbuf scratch;
};

void table_init(struct table *table, const struct column *const *columns, size_t count);
/* One text per column; NULL or "": nothing there. Control characters are escaped (text_add_plain). */
void table_row(struct table *table, const char *const *texts);
void table_print(struct table *table, struct out *out);
void table_release(struct table *table);

/* The widths that columns get in `room` terminal columns: what the fixed ones leave is shared evenly by the
 * cut ones, narrow ones ceding their spare; none falls below min(natural, max(TABLE_CUT_LEAST, heading)). */
void table_fit(size_t *widths, const size_t *headings, const struct column *const *columns, size_t count, size_t room);

/* "[4 tasks]", "[1 task]", and "[22499 tasks, 50 shown]" when fewer are shown than there are. */
void footer_print(struct out *out, uint64_t total, uint64_t shown, const char *noun, const char *plural);

#endif
