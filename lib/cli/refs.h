/* refs.h - references: how programs name objects to each other (notes/records.md).
 *
 *	5, task/5, task/0xADDR, 0x55d0c8, future/0x55d0c8, thread/2040415, conn/0x11216010, stream/0x11216010.3,
 *	runtime/0, localset/0xADDR, mutex/0xADDR (and the other resources),
 *	frame/5.2, frame/0x55d0c8.2, and frame/5.0:B.I: frame I of branch B under frame 0 of task 5 (repeatable).
 *
 * They come from the operands, or, with none, from standard input when that is no terminal; the operand `-` reads
 * it always. Ownership: refs borrow their text from the operands or from the arena. */
#ifndef HANSEI_CLI_REFS_H
#define HANSEI_CLI_REFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/strbuf.h"

struct arena;
struct error;

enum ref_kind {
	REF_TASK,     /* id or address */
	REF_FUTURE,   /* address */
	REF_FRAME,    /* id or address of its root, frame, branches */
	REF_THREAD,   /* id: the lwp */
	REF_CONN,     /* address */
	REF_STREAM,   /* address of the connection, id of the stream */
	REF_RUNTIME,  /* id, or address of the handle */
	REF_LOCALSET, /* address */
	REF_RESOURCE, /* address; word says which: "mutex" */
	REF_ADDRESS,  /* a bare 0x…: whatever is there */
};

enum { REF_BRANCHES = 8 };

struct ref {
	enum ref_kind kind;
	const char *word;     /* static: "task", "mutex"; "" for REF_ADDRESS */
	const char *text;     /* as it was spelled */
	bool by_address;      /* address names it, not id */
	uint64_t id, address; /* 0 where it has none */
	uint64_t frame;       /* REF_FRAME */
	size_t branch_count;
	struct ref_branch {
		uint64_t branch, frame;
	} branches[REF_BRANCHES]; /* outermost first */
};

/* ERROR_USAGE says which spelling is expected, with an example. text must outlive ref. */
struct error *ref_parse(const char *text, struct ref *ref);
void ref_format(struct strbuf *to, const struct ref *ref); /* the full spelling: "task/5" for "5" */

struct ref_source {
	const char *const *operands;
	size_t operand_count, next;
	FILE *input;        /* being read, or NULL */
	FILE *standard;     /* what `-` stands for */
	uint64_t line;      /* of input, counted from 1 */
	struct arena *arena;
};

/* input: standard input, or NULL when the program never reads it. It is looked at when there are no operands. */
struct ref_source refs_open(struct arena *arena, const char *const *operands, size_t count, FILE *input);
/* Whether there is anything: an operand, or a first byte of input (which it waits for). A listing program shows its
 * whole list when there is not; others call it wrong usage. Input that is a terminal, or another character device
 * such as /dev/null, or closed, gives nothing. */
bool refs_given(struct ref_source *source);
/* The next one; false at the end. *err set: this one is bad ("standard input, line 3: …"), the following may be good.
 * Lines of input are TSV (the text before the first tab or space; empty lines and header lines, whose first field is
 * `ref`, are skipped) or JSON objects (their member "ref"). Each call returns as soon as a line is there. */
bool refs_next(struct ref_source *source, struct ref *ref, struct error **err);

/* The string member "ref" of the JSON object in text, without its escapes, appended to value. False: it has none, or
 * is no JSON. */
bool json_find_ref(const char *text, struct strbuf *value);

#endif
