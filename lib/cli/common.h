/* common.h - the options of every program that looks at a core: the inputs and the format. Strings are borrowed
 * from the command line or the environment. */
#ifndef HANSEI_CLI_COMMON_H
#define HANSEI_CLI_COMMON_H

#include <stdbool.h>

#include "out/out.h"

struct error;
struct options;

/* -c/--core -t/--tokio-info -d/--debug-info -b/--binary -o/--format -f/--force --no-cache */
extern const struct option_set OPTIONS_COMMON;

struct common {
	const char *core;       /* never NULL after common_read */
	const char *tokio_info; /* at most one of these two */
	const char *debug_info;
	const char *binary;
	bool force;    /* build id and fingerprint refusals become warnings */
	bool no_cache; /* neither read nor write the cache of extracted files */
	enum format format;
};

/* Fails (ERROR_USAGE) without a core, with both sources of types, and on an unknown format. A source of types on the
 * command line is preferred to the other one's environment variable. */
struct error *common_read(const struct options *options, struct common *common);

/* "table", "tsv", "json". */
struct error *format_parse(const char *text, enum format *format);

/* What FORMAT_DEFAULT means: a listing is a table on a terminal and TSV elsewhere; everything else is text. */
enum format format_choose(enum format asked, const struct out *out, bool listing);

#endif
