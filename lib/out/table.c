#include "out/table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "out/column.h"
#include "out/out.h"
#include "out/text.h"

#define ABSENT "\xe2\x80\x94"   /* — */
#define ELLIPSIS "\xe2\x80\xa6" /* … */

enum { GAP = 2 };

void table_init(struct table *table, const struct column *const *columns, size_t count)
{
	*table = (struct table){ .columns = columns, .count = count, .arena = ARENA_INIT, .scratch = STRBUF_INIT };
	table->widths = arena_array(&table->arena, count, sizeof *table->widths);
	table->headings = arena_array(&table->arena, count, sizeof *table->headings);
	for (size_t i = 0; i < count; i++) {
		strbuf_reset(&table->scratch);
		column_heading(&table->scratch, columns[i]);
		table->headings[i] = arena_strdup(&table->arena, table->scratch.text);
		table->widths[i] = utf8_width(table->headings[i]);
	}
}

void table_row(struct table *table, const char *const *texts)
{
	table->cells =
		array_reserve(table->cells, &table->capacity, table->cell_count, table->count, sizeof *table->cells);
	for (size_t i = 0; i < table->count; i++) {
		const char *text = texts[i], *kept = NULL;
		size_t width = 1; /* of the em dash */
		if (text != NULL && text[0] != '\0') {
			strbuf_reset(&table->scratch);
			text_add_plain(&table->scratch, text);
			kept = arena_strndup(&table->arena, table->scratch.text, table->scratch.length);
			width = utf8_width(kept);
		}
		if (width > table->widths[i])
			table->widths[i] = width;
		table->cells[table->cell_count++] = kept;
	}
}

static size_t least_width(size_t natural, size_t heading)
{
	size_t least = heading > TABLE_CUT_LEAST ? heading : TABLE_CUT_LEAST;
	return natural < least ? natural : least;
}

void table_fit(size_t *widths, const size_t *headings, const struct column *const *columns, size_t count, size_t room)
{
	size_t undecided = 0, taken = count != 0 ? GAP * (count - 1) : 0;
	bool *open = calloc(count + 1, sizeof *open);
	if (open == NULL)
		abort();
	for (size_t i = 0; i < count; i++) {
		open[i] = (columns[i]->flags & COL_CUT) != 0;
		undecided += open[i];
		taken += open[i] ? 0 : widths[i];
	}
	room = room > taken ? room - taken : 0;
	for (bool again = true; again && undecided != 0;) {
		size_t share = room / undecided;
		again = false;
		for (size_t i = 0; i < count; i++) {
			size_t least = least_width(widths[i], headings[i]);
			if (!open[i] || (widths[i] > share && least < share))
				continue;
			widths[i] = widths[i] <= share ? widths[i] : least;
			room -= widths[i] < room ? widths[i] : room;
			open[i] = false;
			undecided--;
			again = true;
		}
	}
	size_t share = undecided != 0 ? room / undecided : 0, spare = undecided != 0 ? room % undecided : 0;
	for (size_t i = 0; i < count; i++) {
		if (!open[i])
			continue;
		widths[i] = share + (spare != 0);
		spare -= spare != 0;
	}
	free(open);
}

static enum style column_style(const struct column *column)
{
	return column->type == COL_NAME ? STYLE_NAME : column->type == COL_SITE ? STYLE_SITE : STYLE_PLAIN;
}

/* Appends the text, padded to width, cut when it is wider. The last column is not padded behind. */
static void add_cell(struct strbuf *line, const struct out *out, const struct column *column, const char *text,
                     size_t width, bool last, enum style style)
{
	struct strbuf cut = STRBUF_INIT;
	size_t has = utf8_width(text);
	if (has > width && width != 0) {
		strbuf_add(&cut, text, utf8_prefix(text, width - 1));
		strbuf_adds(&cut, ELLIPSIS);
		text = cut.text;
		has = utf8_width(text);
	}
	size_t padding = has < width ? width - has : 0;
	bool right = (column->flags & COL_RIGHT) != 0;
	for (size_t i = 0; right && i < padding; i++)
		strbuf_addc(line, ' ');
	style_add(line, out, style, text);
	for (size_t i = 0; !right && !last && i < padding + GAP; i++)
		strbuf_addc(line, ' ');
	if (right && !last)
		strbuf_adds(line, "  ");
	strbuf_release(&cut);
}

static void print_line(struct table *table, struct out *out, const char *const *cells, const size_t *widths, bool heading)
{
	struct strbuf *line = &table->scratch;
	strbuf_reset(line);
	for (size_t i = 0; i < table->count; i++) {
		enum style style = heading || cells[i] == NULL ? STYLE_PLAIN : column_style(table->columns[i]);
		const char *text = cells[i] != NULL ? cells[i] : ABSENT;
		add_cell(line, out, table->columns[i], text, widths[i], i + 1 == table->count, style);
	}
	strbuf_addc(line, '\n');
	out_write(out, line->text, line->length);
}

void table_print(struct table *table, struct out *out)
{
	if (table->cell_count == 0)
		return;
	size_t *widths = arena_copy(&table->arena, table->widths, table->count * sizeof *widths);
	if (out->width != 0) {
		size_t *headings = arena_array(&table->arena, table->count, sizeof *headings);
		for (size_t i = 0; i < table->count; i++)
			headings[i] = utf8_width(table->headings[i]);
		table_fit(widths, headings, table->columns, table->count, out->width);
	}
	print_line(table, out, (const char *const *)table->headings, widths, true);
	for (size_t at = 0; at < table->cell_count && !out_failed(out); at += table->count)
		print_line(table, out, table->cells + at, widths, false);
}

void table_release(struct table *table)
{
	free(table->cells);
	arena_release(&table->arena);
	strbuf_release(&table->scratch);
	*table = (struct table){ .scratch = STRBUF_INIT };
}

void footer_print(struct out *out, uint64_t total, uint64_t shown, const char *noun, const char *plural)
{
	out_printf(out, "[%" PRIu64 " %s", total, total == 1 ? noun : plural);
	if (shown < total)
		out_printf(out, ", %" PRIu64 " shown", shown);
	out_text(out, "]\n");
}
