#include "cli/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cli/common.h"
#include "cli/filter.h"
#include "cli/group.h"
#include "cli/status.h"
#include "out/lines.h"
#include "out/table.h"

static const struct option LISTING[] = {
	{ "with", 'w', "FIELD VALUE", NULL, "only rows whose FIELD matches VALUE[,VALUE…]" },
	{ "without", 'W', "FIELD VALUE", NULL, "only rows whose FIELD does not" },
	{ "group", 'g', "FIELD", NULL, "count the rows for each value of FIELD" },
	{ "limit", 'l', "N", NULL, "show at most N rows (or groups)" },
	{ "columns", 0, "NAME[,NAME…]", NULL, "the columns to show" },
	{ "no-header", 0, NULL, NULL, "no line of field names in TSV" },
};
const struct option_set OPTIONS_LISTING = OPTION_SET("Listing", LISTING);

struct listing {
	const struct listing_kind *kind;
	struct out *out;
	enum format format;
	bool header;
	bool chosen_by_user;           /* --columns */
	const struct column **chosen;  /* shown, in order; room for every column */
	size_t chosen_count;
	struct filters filters;
	bool grouped;
	struct group group;
	uint64_t limit;                /* UINT64_MAX: none */
	uint64_t total, shown, flushed_at;
	bool begun;
	struct table table;
	const char **texts;            /* one row of a table */
	struct strbuf line;
};

static bool is_chosen(const struct listing *l, const struct column *column)
{
	for (size_t i = 0; i < l->chosen_count; i++)
		if (l->chosen[i] == column)
			return true;
	return false;
}

static void choose_defaults(struct listing *l)
{
	for (size_t i = 0; i < l->kind->columns.count; i++)
		if ((l->kind->columns.items[i].flags & COL_SHOWN) != 0)
			l->chosen[l->chosen_count++] = &l->kind->columns.items[i];
}

static struct error *choose_listed(struct listing *l, const char *list)
{
	l->chosen_by_user = true;
	for (bool more = true; more;) {
		size_t length = strcspn(list, ",");
		const struct column *column;
		struct error *err = field_find(l->kind->columns, USE_SHOW, list, length, &column);
		if (err != NULL)
			return error_wrap(err, "--columns");
		if (!is_chosen(l, column))
			l->chosen[l->chosen_count++] = column;
		more = list[length] == ',';
		list += length + more;
	}
	return NULL;
}

static struct error *read_filters(struct listing *l, const struct options *options, const char *name)
{
	const struct option_use *use = NULL;
	while ((use = options_next(options, name, use)) != NULL) {
		struct error *err = filters_add(&l->filters, strcmp(name, "with") == 0, use->values[0], use->values[1]);
		if (err != NULL)
			return error_wrap(err, "--%s", name);
	}
	return NULL;
}

static struct error *read_options(struct listing *l, const struct options *options)
{
	struct error *err;
	if ((err = read_filters(l, options, "with")) != NULL || (err = read_filters(l, options, "without")) != NULL ||
	    (err = options_number(options, "limit", &l->limit)) != NULL)
		return err;
	const char *columns = options_value(options, "columns"), *group = options_value(options, "group");
	if (columns != NULL && group != NULL)
		return error_new(ERROR_USAGE, "--columns: groups have columns of their own; leave it out or --group");
	if (group != NULL) {
		const struct column *column;
		if ((err = field_find(l->kind->columns, USE_GROUP, group, strlen(group), &column)) != NULL)
			return error_wrap(err, "--group");
		l->group = group_by(column);
		l->grouped = true;
	}
	if (columns != NULL)
		return choose_listed(l, columns);
	choose_defaults(l);
	return NULL;
}

struct error *listing_open(struct listing **listing, const struct listing_kind *kind, const struct options *options,
                           struct out *out, enum format format)
{
	struct listing *l = calloc(1, sizeof *l);
	const struct column **chosen = calloc(kind->columns.count + 1, sizeof *chosen);
	const char **texts = calloc(kind->columns.count + 1, sizeof *texts);
	*listing = NULL;
	if (l == NULL || chosen == NULL || texts == NULL) {
		free(l);
		free(chosen);
		free(texts);
		return error_memory();
	}
	*l = (struct listing){ .kind = kind,
		               .out = out,
		               .format = format_choose(format, out, true),
		               .header = !options_given(options, "no-header"),
		               .chosen = chosen,
		               .texts = texts,
		               .filters = filters_over(kind->columns),
		               .limit = UINT64_MAX,
		               .line = STRBUF_INIT };
	struct error *err = read_options(l, options);
	if (err != NULL) {
		listing_free(l);
		return err;
	}
	*listing = l;
	return NULL;
}

void listing_free(struct listing *l)
{
	if (l == NULL)
		return;
	filters_release(&l->filters);
	if (l->grouped)
		group_release(&l->group);
	if (l->begun && l->format == FORMAT_TABLE)
		table_release(&l->table);
	strbuf_release(&l->line);
	free(l->chosen);
	free(l->texts);
	free(l);
}

void listing_show(struct listing *l, const char *name)
{
	const struct column *column = column_find(l->kind->columns, name, strlen(name));
	if (column == NULL || l->chosen_by_user || l->begun || is_chosen(l, column))
		return;
	size_t at = l->chosen_count++;
	for (; at > 0 && l->chosen[at - 1] > column; at--)
		l->chosen[at] = l->chosen[at - 1];
	l->chosen[at] = column;
}

bool listing_needs(const struct listing *l, const char *name)
{
	const struct column *column = column_find(l->kind->columns, name, strlen(name));
	if (column == NULL)
		return false;
	if (filters_need(&l->filters, column) || (column->flags & COL_TSV) != 0)
		return true;
	if (l->grouped)
		return column == l->group.column || names_include(l->kind->sample, column->name, strlen(column->name));
	return is_chosen(l, column) || (l->format == FORMAT_JSON && (column->flags & COL_HIDDEN) == 0);
}

bool listing_wants(const struct listing *l)
{
	return l->grouped || l->filters.count != 0 || l->shown < l->limit;
}

/* TSV begins with the reference whatever was chosen. */
static void put_reference_first(struct listing *l)
{
	const struct column *ref = NULL;
	for (size_t i = 0; i < l->kind->columns.count && ref == NULL; i++)
		if ((l->kind->columns.items[i].flags & COL_TSV) != 0)
			ref = &l->kind->columns.items[i];
	if (ref == NULL)
		return;
	size_t at = 0;
	while (at < l->chosen_count && l->chosen[at] != ref)
		at++;
	l->chosen_count += at == l->chosen_count;
	for (; at > 0; at--)
		l->chosen[at] = l->chosen[at - 1];
	l->chosen[0] = ref;
}

/* Once, when the columns are final. */
static void begin(struct listing *l)
{
	if (l->begun || l->grouped)
		return;
	l->begun = true;
	if (l->format == FORMAT_TABLE)
		table_init(&l->table, l->chosen, l->chosen_count);
	if (l->format != FORMAT_TSV)
		return;
	put_reference_first(l);
	if (l->header)
		tsv_header(&l->line, l->chosen, l->chosen_count);
}

static void write_line(struct listing *l)
{
	out_write(l->out, l->line.text, l->line.length);
	strbuf_reset(&l->line);
}

static void show_row(struct listing *l, const struct cell *cells)
{
	struct column_list columns = l->kind->columns;
	if (l->format == FORMAT_TABLE) {
		for (size_t i = 0; i < l->chosen_count; i++)
			l->texts[i] = cells[l->chosen[i] - columns.items].text;
		table_row(&l->table, l->texts);
		return;
	}
	if (l->format == FORMAT_TSV)
		tsv_row(&l->line, columns, l->chosen, l->chosen_count, cells);
	else
		json_row(&l->line, columns, cells);
	write_line(l);
	/* The first rows at once, later ones in ever larger pieces: a reader sees progress, a pipe is used well. */
	if (l->shown >= 2 * l->flushed_at) {
		out_flush(l->out);
		l->flushed_at = l->shown;
	}
}

static void group_row(struct listing *l, const struct cell *cells)
{
	struct column_list columns = l->kind->columns;
	const struct column *sample = column_find(columns, l->kind->sample, strlen(l->kind->sample));
	const char *label = sample != NULL ? cells[sample - columns.items].text : NULL, *ref = NULL;
	for (size_t i = 0; i < columns.count && ref == NULL; i++)
		if ((columns.items[i].flags & COL_TSV) != 0)
			ref = cells[i].text;
	group_add(&l->group, &cells[l->group.column - columns.items], label != NULL ? label : ref, ref);
}

bool listing_row(struct listing *l, const struct cell *cells)
{
	begin(l);
	if (cells == NULL) {
		l->total++;
	} else if (filters_match(&l->filters, cells)) {
		l->total++;
		if (l->grouped) {
			group_row(l, cells);
		} else if (l->shown < l->limit) {
			l->shown++;
			show_row(l, cells);
		}
	}
	return !out_failed(l->out);
}

static void finish_group(struct listing *l, const char **plural)
{
	struct strbuf heading = STRBUF_INIT;
	struct column capitals = { .name = l->kind->plural };
	column_heading(&heading, &capitals);
	l->shown = group_print(&l->group, l->out, l->format, l->limit, heading.text, l->header);
	l->total = l->group.count;
	*plural = "groups";
	strbuf_release(&heading);
}

void listing_close(struct listing *l)
{
	const char *plural = l->kind->plural;
	begin(l);
	if (l->grouped) {
		finish_group(l, &plural);
	} else if (l->format == FORMAT_TABLE) {
		table_print(&l->table, l->out);
		footer_print(l->out, l->total, l->shown, l->kind->noun, plural);
	} else {
		write_line(l); /* the header, when there was no row */
	}
	if (l->format != FORMAT_TABLE && l->shown < l->total && !out_failed(l->out))
		status_note(l->out, "%" PRIu64 " of %" PRIu64 " %s shown (--limit)", l->shown, l->total, plural);
	listing_free(l);
}
