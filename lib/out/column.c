#include "out/column.h"

#include <string.h>

#include "base/strbuf.h"

static bool name_equal(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char x = a[i] == '-' ? '_' : a[i], y = b[i] == '-' ? '_' : b[i];
		if (x != y)
			return false;
	}
	return true;
}

bool names_include(const char *list, const char *name, size_t length)
{
	while (list != NULL && *list != '\0') {
		size_t n = strcspn(list, " ");
		if (n == length && n != 0 && name_equal(list, name, n))
			return true;
		list += n + strspn(list + n, " ");
	}
	return false;
}

const struct column *column_find(struct column_list columns, const char *name, size_t length)
{
	for (size_t i = 0; i < columns.count; i++) {
		const struct column *c = &columns.items[i];
		if (names_include(c->name, name, length) || names_include(c->aliases, name, length))
			return c;
	}
	return NULL;
}

void column_heading(struct strbuf *to, const struct column *column)
{
	if (column->heading != NULL) {
		strbuf_adds(to, column->heading);
		return;
	}
	for (const char *at = column->name; *at != '\0'; at++) {
		char c = *at == '_' ? ' ' : *at;
		strbuf_addc(to, c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c);
	}
}

static const enum column_filter FILTERS[] = {
	[COL_REF] = FILTER_EXACT,   [COL_ID] = FILTER_EXACT,     [COL_WORD] = FILTER_REGEX,
	[COL_SITE] = FILTER_REGEX,  [COL_COUNT] = FILTER_COUNT,  [COL_ADDRESS] = FILTER_EXACT,
	[COL_NAME] = FILTER_REGEX,  [COL_TEXT] = FILTER_REGEX,
};

enum column_filter column_filter_kind(const struct column *column)
{
	return column->filter != FILTER_BY_TYPE ? column->filter : FILTERS[column->type];
}

bool column_usable(const struct column *column, enum column_use use)
{
	switch (use) {
	case USE_SHOW: return (column->flags & COL_HIDDEN) == 0;
	case USE_FILTER: return column->filter != FILTER_NONE;
	case USE_GROUP: return (column->flags & (COL_LONE | COL_TSV)) == 0;
	}
	return false;
}

void column_names(struct strbuf *to, struct column_list columns, enum column_use use)
{
	const char *separator = "";
	for (size_t i = 0; i < columns.count; i++) {
		if (!column_usable(&columns.items[i], use))
			continue;
		strbuf_adds(to, separator);
		strbuf_adds(to, columns.items[i].name);
		separator = ", ";
	}
}
