/* The text of --help: everything in it comes from the tables of the program. */
#include <string.h>

#include "base/strbuf.h"
#include "base/utf8.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "out/column.h"
#include "out/out.h"

enum { HELP_AT = 30 }; /* column at which explanations begin */

/* "  LEFT    right", or right on a line of its own when left is too long. */
static void print_entry(struct out *out, const char *left, const char *right)
{
	size_t width = utf8_width(left) + 2;
	out_printf(out, "  %s", left);
	if (width + 2 > HELP_AT) {
		out_text(out, "\n");
		width = 0;
	}
	out_printf(out, "%*s%s\n", (int)(HELP_AT - width), "", right);
}

static void print_option(struct out *out, const struct option *option)
{
	struct strbuf left = STRBUF_INIT, right = STRBUF_INIT;
	if (option->letter != 0)
		strbuf_addf(&left, "-%c, --%s", option->letter, option->name);
	else
		strbuf_addf(&left, "    --%s", option->name);
	if (option->arguments != NULL)
		strbuf_addf(&left, " %s", option->arguments);
	strbuf_adds(&right, option->help);
	if (option->environment != NULL)
		strbuf_addf(&right, " [%s]", option->environment);
	print_entry(out, left.text, right.text);
	strbuf_release(&left);
	strbuf_release(&right);
}

static void print_set(struct out *out, const struct option_set *set)
{
	out_printf(out, "\n%s:\n", set->heading);
	for (size_t i = 0; i < set->count; i++)
		print_option(out, &set->options[i]);
}

static const char *filter_word(const struct column *column)
{
	switch (column_filter_kind(column)) {
	case FILTER_EXACT: return " (exact)";
	case FILTER_COUNT: return " (>N, <N, =N)";
	default: return "";
	}
}

static void print_columns(struct out *out, struct column_list columns)
{
	out_text(out, "\nColumns and fields (* shown by default):\n");
	for (size_t i = 0; i < columns.count; i++) {
		const struct column *c = &columns.items[i];
		struct strbuf left = STRBUF_INIT, right = STRBUF_INIT;
		strbuf_addf(&left, "%c %s", (c->flags & COL_SHOWN) != 0 ? '*' : ' ', c->name);
		for (const char *at = c->aliases; at != NULL && *at != '\0';) {
			size_t n = strcspn(at, " ");
			strbuf_addf(&left, ", %.*s", (int)n, at);
			at += n + strspn(at + n, " ");
		}
		strbuf_addf(&right, "%s%s", c->help, filter_word(c));
		print_entry(out, left.text, right.text);
		strbuf_release(&left);
		strbuf_release(&right);
	}
}

void options_help(const struct program *program, struct out *out)
{
	out_printf(out, "usage: %s [OPTION]…%s%s\n", program->name, program->operands != NULL ? " " : "",
	           program->operands != NULL ? program->operands : "");
	out_printf(out, "%s\n", program->summary);
	for (size_t i = 0; program->sets[i] != NULL; i++)
		print_set(out, program->sets[i]);
	print_set(out, &OPTIONS_BUILTIN);
	if (program->listing != NULL)
		print_columns(out, program->listing->columns);
}
