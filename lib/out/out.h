/* out.h - the output stream of a program: standard output with a sticky error, and what is known about the
 * terminal behind it. Ownership: a struct out owns its FILE from out_init to out_close and nothing else; program
 * and stream names are borrowed. Nothing here prints a message: out_shut (cli/status.h) does.
 *
 *	struct out out;
 *	out_init(&out, "hansei-tasks", stdout);
 *	out_printf(&out, "task %llu\n", id);
 *	return out_shut(&out, status);          (cli/status.h) */
#ifndef HANSEI_OUT_OUT_H
#define HANSEI_OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct error;
struct strbuf;

enum format {
	FORMAT_DEFAULT, /* nothing was asked for: the program decides (format_choose in cli/common.h) */
	FORMAT_TABLE,   /* table or text */
	FORMAT_TSV,
	FORMAT_JSON,
};

/* Colour never carries information alone. */
enum style {
	STYLE_PLAIN,
	STYLE_BOLD,  /* wait targets, headings of the census */
	STYLE_DIM,   /* other suspend points */
	STYLE_NAME,  /* type names and symbols: cyan */
	STYLE_SITE,  /* source locations: green */
};

struct out {
	const char *program; /* "hansei-tasks": begins every message */
	const char *name;    /* of the stream, for its write errors: "standard output" */
	FILE *file;
	FILE *messages;      /* where cli/status.h prints; stderr */
	int error;           /* errno of the first failed write; later output is dropped */
	bool terminal;       /* file is one */
	bool colour;         /* a terminal, NO_COLOR unset or empty, TERM not "dumb" */
	size_t width;        /* columns of the terminal (COLUMNS, else TIOCGWINSZ); 0: unknown or no terminal, cut nothing */
};

/* Takes the stream over, looks at the terminal, and ignores SIGPIPE for the process, so that a closed pipe is
 * an error of a write (EPIPE) and not a signal. */
void out_init(struct out *out, const char *program, FILE *file);

void out_write(struct out *out, const void *bytes, size_t length);
void out_text(struct out *out, const char *text); /* as it is: see text.h for what comes from a target */
void out_printf(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_flush(struct out *out);

/* Text in a style, escaped as by text_add_plain; without colour just that. */
void out_styled(struct out *out, enum style style, const char *text);
/* The same into a buffer. text is taken as it is. */
void style_add(struct strbuf *to, const struct out *out, enum style style, const char *text);

/* No more output will arrive: the reader closed the pipe, or the disk is full. Long loops may end early. */
static inline bool out_failed(const struct out *out)
{
	return out->error != 0;
}

/* Closes the stream; ENOSPC often shows only here. NULL and *status untouched when everything was written;
 * NULL and *status 0 when the reader closed the pipe (it had enough); else an ERROR_IO and *status 1. */
struct error *out_close(struct out *out, int *status);

#endif
