/* extract_verb.h - the verbs of hansei-tinfo that make and judge files. They print; for the tool only. */
#ifndef HANSEI_RECORDS_EXTRACT_VERB_H
#define HANSEI_RECORDS_EXTRACT_VERB_H

#include <stdint.h>

struct error;
struct tool;

struct extract_request {
	const char *binary, *debug_info; /* debug_info may be NULL */
	const char *output;
	uint64_t threads; /* 0: all processors */
};

/* Extracts and writes, with progress on a terminal and a line on standard output about what was written. Nothing is
 * left behind on failure, nor on SIGINT, SIGTERM and SIGHUP. */
struct error *extract_verb(struct tool *tool, const struct extract_request *request);

/* Prints the verdict and its evidence; *status is 0 fits, 1 does not, 3 undecided. */
struct error *check_verb(struct tool *tool, const char *tokio_info, const char *core, const char *binary, int *status);

#endif
