/* view.h - what a value in memory means. A viewer turns (type, address) into a view: a text, a number, a list, a map,
 * a pointer, or just the structure as the compiler laid it out. One view serves all readers of values: text and JSON
 * (render.h) and the path grammar (expr.h).
 *
 * What is known of types by name is data: tables of formatters, each a name, the named paths (path.h) it needs and a
 * function that reads them. A row whose paths do not bind on the type at hand does not apply; when none does the
 * value is shown as its structure. std's rows are in here (view_*.c); other crates' tables come from the caller.
 *
 * Ownership: a viewer owns what it worked out per type until viewer_release. A view borrows from its viewer and is
 * valid for as long as it. Everything read from the target is hostile: counts are checked against capacities and
 * mappings, walks stop at the first thing that cannot be, and say so. */
#ifndef HANSEI_VALUE_VIEW_H
#define HANSEI_VALUE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/map.h"
#include "tinfo/tinfo.h"
#include "value/path.h"

struct target;
struct viewer;

struct value {
	uint32_t type;
	uint64_t address;
};

enum view_kind {
	VIEW_STRUCTURE, /* nothing better is known: members, variants, numbers as they are */
	VIEW_ERROR,     /* word says why */
	VIEW_WORD,      /* word, as it is; in JSON json when that is not empty, else word as a string */
	VIEW_TEXT,      /* length bytes at address: a string */
	VIEW_SAME,      /* transparent: it is what value is */
	VIEW_POINTER,   /* pointer leads to value (type TINFO_NONE: not known); 0: null */
	VIEW_LIST,      /* walk gives the elements */
	VIEW_MAP,       /* walk gives keys and values */
	VIEW_RECORD,    /* fields, instead of the members it has */
	VIEW_OPAQUE,    /* not to be opened: of no interest and large */
	VIEW_NOTHING,   /* an empty cell, a dead weak pointer: `word` in text, null in JSON */
};

enum { VIEW_WORD_SIZE = 160, VIEW_FIELDS = 12, VIEW_FIELD_WORD = 48, WALK_WORDS = 56 };

/* A walk over the elements of a container. One page of state at most, no allocation: a list of a million elements
 * costs what one does. */
struct walk {
	/* The next element (and key, in maps); false at the end, with error set when it came too soon. */
	bool (*next)(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value);
	uint64_t count;      /* as the container says */
	uint64_t done;
	uint32_t key_type, value_type;
	const char *error;   /* NULL, or why the walk ended before count elements */
	uint64_t fault;      /* the address at fault, with error */
	/* A plain array (next is walk_array): elements can be reached without walking. */
	uint64_t base, stride;
	const void *context; /* the container's plan */
	uint64_t state[WALK_WORDS];
};

struct formatter;
struct plan;

struct view_field {
	const char *name;
	struct value value;              /* type TINFO_NONE: word is all there is */
	const struct formatter *as;      /* not NULL: how to see value, whatever its type */
	char word[VIEW_FIELD_WORD];
};

struct view {
	enum view_kind kind;
	struct value value;
	uint64_t pointer;
	uint64_t address, length; /* VIEW_TEXT */
	const char *text;         /* VIEW_WORD that is longer than word has room for; in the viewer's arena */
	const char *head;         /* VIEW_RECORD, VIEW_MAP: what stands before the brace; NULL: the type's name */
	uint32_t concrete;        /* VIEW_POINTER to a trait object: its concrete type; else TINFO_NONE */
	bool owned;               /* VIEW_POINTER: Box, Rc, a reference: what it leads to has to be there */
	bool raw;                 /* VIEW_POINTER: *const, *mut, NonNull: not followed in JSON */
	bool braces;              /* VIEW_LIST: a set, `Type { a, b }` in text */
	uint32_t field_count;
	struct walk walk;
	char word[VIEW_WORD_SIZE];
	char json[VIEW_FIELD_WORD];
	struct view_field fields[VIEW_FIELDS];
};

enum formatter_flags {
	FORMAT_PREFIX = 1,    /* the name is the beginning of a type name */
	FORMAT_STRING = 2,    /* always a string in JSON: fit to be a key of an object */
	FORMAT_TEXT_ONLY = 4, /* JSON has the structure (or a later row) */
	FORMAT_JSON_ONLY = 8, /* text has the structure; paths look through it */
	FORMAT_PEEL = 16,     /* in headings the type of what is inside is named instead */
	FORMAT_CLOSED = 32,   /* as a member at the limit of the depth it is cut, however short it would be */
};

enum { FORMATTER_PATHS = 8 };

/* A value that a row is applied to. */
struct subject {
	const struct plan *plan;
	const struct formatter *row;
	const struct path *paths; /* of the row, bound to the type */
	uint64_t address;
};
/* Fills *out (zeroed; kind VIEW_STRUCTURE); false: this row does not apply after all. */
typedef bool formatter_function(struct viewer *viewer, const struct subject *subject, struct view *out);

struct formatter {
	const char *type;      /* path without generic arguments, or (FORMAT_PREFIX) a beginning */
	unsigned flags;
	formatter_function *view;
	unsigned required;     /* so many of the paths must bind */
	const char *paths[FORMATTER_PATHS];
	const char *words;     /* whatever the function needs besides */
};

struct formatter_table {
	const struct formatter *rows;
	size_t count;
};
#define FORMATTER_TABLE(rows) { (rows), sizeof(rows) / sizeof(rows)[0] }

/* What is worked out once per type. */
struct plan {
	struct type type;
	const struct formatter *formatter; /* NULL: the structure */
	const struct formatter *json;      /* the row for JSON and paths */
	struct path paths[2][FORMATTER_PATHS]; /* of formatter, of json */
	struct enum_plan live;             /* TYPE_ENUM, TYPE_CENUM */
	bool has_live;
	bool tuple;                        /* members are __0, __1 … */
	const struct member *members;      /* those that have a size */
	const struct member *all;          /* with those that have none */
	uint32_t member_count, all_count;
};

struct viewer {
	struct target *target;
	const struct formatter_table *const *tables; /* ends with NULL; tried before std's */
	void *context;             /* of label; formatters of other layers may use it too */
	struct arena arena;
	struct map plans;          /* type -> struct plan * */
	uint32_t rustc;            /* minor release of the compiler (1.N), 0 unknown */
	/* What is known of an address ("task 3"): appends to nothing, returns a text or NULL; *ref is a reference for
	 * JSON ("task/3") or NULL. May itself be NULL. */
	const char *(*label)(void *context, uint64_t address, const char **ref);
	/* Is a value of this type a future, or otherwise without meaning to serde? May be NULL. */
	bool (*is_future)(void *context, uint32_t type);
};

void viewer_init(struct viewer *viewer, struct target *target, const struct formatter_table *const *tables);
void viewer_release(struct viewer *viewer);

const struct plan *plan_of(struct viewer *viewer, uint32_t type);

enum view_mode { VIEW_FOR_TEXT, VIEW_FOR_JSON, VIEW_FOR_PATH };
/* How the value is to be seen. */
void view_of(struct viewer *viewer, struct value value, enum view_mode mode, struct view *out);
/* The same by a given row, whatever the type is called. */
void view_as(struct viewer *viewer, const struct formatter *row, struct value value, struct view *out);

/* The live variant of an enum. *variant is its record; false: *why. */
bool live_variant(struct viewer *viewer, struct value value, struct variant *variant, uint32_t *position,
                  const char **why);
/* Is every value of the type a JSON string? */
bool type_is_string(struct viewer *viewer, uint32_t type);
bool type_is_raw_pointer(const struct type *type);
/* A number no pointer, of up to 16 bytes: an integer, float, bool or char. */
static inline bool type_is_scalar(const struct type *type)
{
	return type->kind == TYPE_BASE && type->size > 0 && type->size <= 16;
}

/* For formatters: the number that the row's path `index` leads to; OUTCOME_ABSENT when it is not bound. */
enum outcome subject_load(struct viewer *viewer, const struct subject *subject, unsigned index, uint64_t *value);
/* The same for several at once; false and *out an error when one cannot be had. */
bool subject_numbers(struct viewer *viewer, const struct subject *subject, unsigned count, uint64_t *values,
                     struct view *out);
void view_error(struct view *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_unreadable(struct view *out, uint64_t address);
void view_word(struct view *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* count elements of a type, stride bytes apart. capacity: UINT64_MAX when unknown. */
void view_array(struct viewer *viewer, struct view *out, uint64_t base, uint32_t type, uint64_t count,
                uint64_t capacity);
bool walk_array(struct viewer *viewer, struct walk *walk, struct value *key, struct value *value);
/* Skips to element `index` where that needs no walking. */
bool walk_seek(struct walk *walk, uint64_t index);
bool walk_fail(struct walk *walk, const char *error, uint64_t fault); /* false */
/* The type that a PhantomData stands for, found at a path; by its name where the layouts are of before. */
uint32_t phantom_type(struct viewer *viewer, uint32_t phantom);
/* Fails when the bytes are not all there. */
bool memory_there(struct viewer *viewer, uint64_t address, uint64_t length);

/* The rows shared between tables. */
formatter_function view_same;    /* paths[0] leads to what it is */
formatter_function view_pointer; /* paths[0] is a pointer (thin or wide) */
formatter_function view_opaque;
formatter_function view_payload; /* the sole field of the live variant */
formatter_function view_slice;   /* paths: pointer to elements, length [, capacity] */
formatter_function view_text_slice; /* paths: bytes, length [, capacity]; words "nul": one NUL at the end is dropped */
formatter_function view_pair;    /* any struct of a data pointer and a length or vtable */

extern const struct formatter_table STD_TEXT, STD_LIST, STD_MAP, STD_WRAP, STD_TIME;

#endif
