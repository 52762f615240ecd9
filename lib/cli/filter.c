#include "cli/filter.h"

#include <errno.h>
#include <regex.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "cli/options.h"

struct alternative {
	enum column_filter kind;
	char *text;     /* FILTER_EXACT; owned */
	regex_t regex;  /* FILTER_REGEX; owned */
	char sign;      /* FILTER_COUNT */
	uint64_t count;
};

struct filter {
	bool keep;
	const struct column *column;
	struct alternative *alternatives;
	size_t count, capacity;
};

struct error *field_find(struct column_list columns, enum column_use use, const char *name, size_t length,
                         const struct column **found)
{
	*found = column_find(columns, name, length);
	if (*found != NULL && column_usable(*found, use))
		return NULL;
	struct strbuf names = STRBUF_INIT;
	column_names(&names, columns, use);
	struct error *err = error_new(ERROR_USAGE, "no field '%.*s'; fields: %s", (int)length, name, names.text);
	strbuf_release(&names);
	return err;
}

/* Copies an expression with every { that begins no repetition escaped; POSIX leaves their meaning open. Inside
 * brackets nothing is special. */
static void add_expression(struct strbuf *to, const char *text)
{
	for (const char *at = text; *at != '\0'; at++) {
		if (*at == '\\' && at[1] != '\0') {
			strbuf_add(to, at++, 2);
		} else if (*at == '[') {
			const char *close = at + 1 + (at[1] == '^');
			close = *close != '\0' ? strchr(close + 1, ']') : NULL; /* a ] right after [ is a member */
			size_t length = close != NULL ? (size_t)(close - at) : 0;
			strbuf_add(to, at, length + 1);
			at += length;
		} else {
			if (*at == '{' && (at == text || at[1] < '0' || at[1] > '9'))
				strbuf_addc(to, '\\');
			strbuf_addc(to, *at);
		}
	}
}

static struct error *compile_regex(struct alternative *a, const char *text)
{
	struct strbuf expression = STRBUF_INIT;
	add_expression(&expression, text);
	int failed = regcomp(&a->regex, expression.text, REG_EXTENDED | REG_ICASE | REG_NOSUB);
	strbuf_release(&expression);
	if (failed == 0)
		return NULL;
	char reason[128];
	regerror(failed, &a->regex, reason, sizeof reason);
	return error_new(ERROR_USAGE, "'%s' is no regular expression: %s", text, reason);
}

static struct error *compile_count(struct alternative *a, const char *text)
{
	struct error *err = NULL;
	a->sign = text[0];
	if (strchr("<=>", text[0]) != NULL)
		err = number_parse(text + 1, &a->count);
	if (strchr("<=>", text[0]) == NULL || err != NULL) {
		error_free(err);
		return error_new(ERROR_USAGE, "'%s' is not >N, <N or =N, as in '>0'", text);
	}
	return NULL;
}

static struct error *add_alternative(struct filter *f, const char *text)
{
	f->alternatives = array_reserve(f->alternatives, &f->capacity, f->count, 1, sizeof *f->alternatives);
	struct alternative *a = &f->alternatives[f->count];
	*a = (struct alternative){ .kind = column_filter_kind(f->column) };
	struct error *err = NULL;
	if (a->kind == FILTER_REGEX)
		err = compile_regex(a, text);
	else if (a->kind == FILTER_COUNT)
		err = compile_count(a, text);
	else if ((a->text = strdup(text)) == NULL)
		err = error_memory();
	f->count += err == NULL;
	return err;
}

/* Splits the value at its commas. */
static struct error *add_alternatives(struct filter *f, const char *value)
{
	struct strbuf text = STRBUF_INIT;
	struct error *err = NULL;
	bool more = true;
	for (const char *at = value; more && err == NULL; at++) {
		if (*at == '\\' && at[1] == ',') {
			strbuf_addc(&text, *++at);
		} else if (*at == '\\' && at[1] != '\0') {
			strbuf_add(&text, at++, 2);
		} else if (*at != ',' && *at != '\0') {
			strbuf_addc(&text, *at);
		} else {
			more = *at != '\0';
			if (value[0] == '\0')
				err = error_new(ERROR_USAGE, "the value is empty");
			else if (text.length == 0)
				err = error_new(ERROR_USAGE, "an alternative is empty in '%s'", value);
			else
				err = add_alternative(f, text.text);
			strbuf_reset(&text);
		}
	}
	strbuf_release(&text);
	return err;
}

static void filter_release(struct filter *f)
{
	for (size_t i = 0; i < f->count; i++) {
		free(f->alternatives[i].text);
		if (f->alternatives[i].kind == FILTER_REGEX)
			regfree(&f->alternatives[i].regex);
	}
	free(f->alternatives);
}

struct error *filters_add(struct filters *filters, bool keep, const char *field, const char *value)
{
	struct filter f = { .keep = keep };
	struct error *err = field_find(filters->columns, USE_FILTER, field, strlen(field), &f.column);
	if (err != NULL)
		return err;
	err = add_alternatives(&f, value);
	if (err != NULL) {
		filter_release(&f);
		return error_wrap(err, "%s", field);
	}
	filters->items = array_reserve(filters->items, &filters->capacity, filters->count, 1, sizeof *filters->items);
	filters->items[filters->count++] = f;
	return NULL;
}

void filters_release(struct filters *filters)
{
	for (size_t i = 0; i < filters->count; i++)
		filter_release(&filters->items[i]);
	free(filters->items);
	*filters = filters_over(filters->columns);
}

/* A decimal or 0x number; @0x too, as runtimes are named. */
static bool read_number(const char *text, uint64_t *value)
{
	text += text[0] == '@';
	if (text[0] < '0' || text[0] > '9')
		return false;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;
	errno = 0;
	*value = strtoull(text, &end, hex ? 16 : 10);
	return *end == '\0' && errno == 0;
}

static bool exact_equal(const char *wanted, const char *text)
{
	uint64_t a, b;
	return text != NULL && (strcmp(wanted, text) == 0 || (read_number(wanted, &a) && read_number(text, &b) && a == b));
}

/* json is "\"runtime/0\"" where the text is only "0". */
static bool json_equal(const char *wanted, const char *json)
{
	size_t length = strlen(wanted);
	return json != NULL && json[0] == '"' && strncmp(json + 1, wanted, length) == 0 && strcmp(json + 1 + length, "\"") == 0;
}

static bool alternative_matches(const struct alternative *a, const struct cell *cell, const char *group)
{
	uint64_t count;
	switch (a->kind) {
	case FILTER_EXACT:
		return exact_equal(a->text, cell->text) || exact_equal(a->text, group) || json_equal(a->text, cell->json);
	case FILTER_COUNT:
		if (!read_number(cell->text, &count))
			return false;
		return a->sign == '<' ? count < a->count : a->sign == '>' ? count > a->count : count == a->count;
	default:
		return regexec(&a->regex, cell->text, 0, NULL, 0) == 0 ||
		       (group != NULL && regexec(&a->regex, group, 0, NULL, 0) == 0);
	}
}

static bool cell_matches(const struct filter *f, const struct column *column, const struct cell *cell)
{
	if (cell->text == NULL || cell->text[0] == '\0')
		return false;
	const char *group = (column->flags & COL_KEY) != 0 ? NULL : cell->group;
	for (size_t i = 0; i < f->count; i++)
		if (alternative_matches(&f->alternatives[i], cell, group))
			return true;
	return false;
}

static bool looks_at(const struct filter *f, const struct column *column)
{
	return f->column == column || names_include(f->column->also, column->name, strlen(column->name));
}

static bool filter_matches(const struct filter *f, struct column_list columns, const struct cell *cells)
{
	if (cell_matches(f, f->column, &cells[f->column - columns.items]))
		return true;
	for (size_t i = 0; f->column->also != NULL && i < columns.count; i++)
		if (looks_at(f, &columns.items[i]) && cell_matches(f, &columns.items[i], &cells[i]))
			return true;
	return false;
}

bool filters_match(const struct filters *filters, const struct cell *cells)
{
	for (size_t i = 0; i < filters->count; i++)
		if (filter_matches(&filters->items[i], filters->columns, cells) != filters->items[i].keep)
			return false;
	return true;
}

bool filters_need(const struct filters *filters, const struct column *column)
{
	for (size_t i = 0; i < filters->count; i++)
		if (looks_at(&filters->items[i], column))
			return true;
	return false;
}
