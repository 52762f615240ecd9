/* options.h - the command line, from a declarative table. One row per option gives its parsing, its line in --help
 * and its environment variable. The parser knows `--name VALUE`, `--name=VALUE`, unique beginnings of names (--col),
 * bundles of letters (-fl5), options with two values (--with FIELD VALUE), operands anywhere, and `--`. --help (-h)
 * and --version (-V) are in every program. Ownership: everything is borrowed from argv, the environment and the
 * static tables, except arrays in the caller's arena. Nothing here prints to standard error: errors are ERROR_USAGE
 * for status_error.
 *
 *	static const struct option OWN[] = {
 *		{ "native", 'n', NULL, NULL, "combine with the thread's native stack" },
 *	};
 *	static const struct option_set OWN_SET = OPTION_SET("Trace", OWN);
 *	static const struct option_set *const SETS[] = { &OWN_SET, &OPTIONS_COMMON, NULL };
 *	static const struct program PROGRAM = { "hansei-trace", "[REFERENCE]…", "Prints await chains.", SETS, NULL };
 */
#ifndef HANSEI_CLI_OPTIONS_H
#define HANSEI_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct error;
struct listing_kind;
struct out;

struct option {
	const char *name;        /* without the dashes */
	char letter;             /* or 0 */
	const char *arguments;   /* "FILE"; "FIELD VALUE" takes two; NULL takes none */
	const char *environment; /* variable whose value, when not empty, is the default; or NULL */
	const char *help;
};

struct option_set {
	const char *heading; /* of its part of --help */
	const struct option *options;
	size_t count;
};

#define OPTION_SET(heading, table) { (heading), (table), sizeof(table) / sizeof(table)[0] }

struct program {
	const char *name;     /* "hansei-tasks" */
	const char *operands; /* for the usage line, as "[REFERENCE]…"; NULL: it takes none, and refuses them */
	const char *summary;  /* a sentence for --help */
	const struct option_set *const *sets;  /* ends with NULL */
	const struct listing_kind *listing;    /* its columns are listed in --help; or NULL */
};

/* An option as it stood on the command line. */
struct option_use {
	const struct option *option;
	const char *values[2]; /* NULL where it takes fewer */
};

struct options {
	const struct program *program;
	struct option_use *uses; /* in command-line order */
	size_t use_count;
	const char **operands;
	size_t operand_count;
};

/* Stops at --help and --version: what stands behind them is not looked at. */
struct error *options_parse(struct options *options, const struct program *program, struct arena *arena, int argc,
                            char *const *argv);

/* Prints --help or --version when one was asked for; then the program is done, with status 0. */
bool options_answered(const struct options *options, struct out *out);
void options_help(const struct program *program, struct out *out); /* the text of --help (help.c) */

bool options_given(const struct options *options, const char *name); /* on the command line */
/* The last value on the command line, else the environment's, else NULL. */
const char *options_value(const struct options *options, const char *name);
/* Wraps err in "--format", or in "HANSEI_FORMAT" when that is where the value came from; NULL stays NULL. */
struct error *options_blame(const struct options *options, const char *name, struct error *err);
/* The use after `previous` (NULL: the first) of an option that may be repeated; NULL: no more. */
const struct option_use *options_next(const struct options *options, const char *name,
                                      const struct option_use *previous);
/* A decimal number without sign; *value is untouched when the option is not there. */
struct error *options_number(const struct options *options, const char *name, uint64_t *value);
struct error *number_parse(const char *text, uint64_t *value); /* ERROR_USAGE "'x' is not a number" */

extern const struct option_set OPTIONS_BUILTIN; /* --help and --version; part of every program by itself */

#endif
