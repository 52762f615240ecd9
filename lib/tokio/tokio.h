/* tokio.h - tokio inside a target: its runtimes, threads and tasks. Everything handed out lives as long as the
 * struct tokio and is borrowed from it. What went wrong on the way is collected as warnings, one line each with
 * an address; `incomplete` says that something that should be there could not be read (exit status 3). */
#ifndef HANSEI_TOKIO_TOKIO_H
#define HANSEI_TOKIO_TOKIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tokio/chain.h"
#include "tokio/runtime.h"
#include "tokio/task.h"
#include "tokio/wait.h"

struct error;
struct target;
struct tokio;

/* Binds the paths and finds threads and runtimes. Borrows target. Errors: a required path that does not bind
 * (ERROR_MISMATCH: the debug information is not of this program, or of a tokio we do not know), no way to the
 * context (ERROR_NOT_FOUND: no tokio in the layouts, no thread with a runtime). */
struct error *tokio_attach(struct tokio **out, struct target *target);
void tokio_free(struct tokio *tk); /* NULL is fine */

/* "1.54.1" as the layouts have it, or NULL; and whether the rows for it were checked against its sources. */
const char *tokio_version(const struct tokio *tk, bool *checked);
const char *const *tokio_warnings(const struct tokio *tk, size_t *count);
bool tokio_incomplete(const struct tokio *tk);

/* Lists the tasks first, since they lead to runtimes that no thread is inside. */
const struct runtime *tokio_runtimes(struct tokio *tk, size_t *count);
const struct local_set *tokio_local_sets(struct tokio *tk, size_t *count);
const struct tokio_thread *tokio_threads(const struct tokio *tk, size_t *count);

/* All tasks of all runtimes and LocalSets and the cells of spawn_blocking that were found, by id, those without an id
 * last by address. Read at the first call. */
const struct task *tokio_tasks(struct tokio *tk, size_t *count);
/* Tasks that are in no list: complete ones that a handle keeps alive, and those whose owner was not found. */
const struct task *tokio_kept_tasks(struct tokio *tk, size_t *count);
/* Both kinds. */
const struct task *tokio_task_by_id(struct tokio *tk, uint64_t id);           /* NULL: none */
const struct task *tokio_task_by_address(struct tokio *tk, uint64_t address); /* of the Header */

/* Everything the record of a task needs (records: "task"). Texts live in the tokio's arena. */
struct task_record {
	const struct task *task;
	const char *state;    /* "idle (cancelled)" */
	const char *future;   /* kind word and folded name */
	const char *type;     /* full DWARF name, NULL unknown */
	const char *awaiting; /* "src/main.rs:158" or NULL */
	const char *spawned;  /* "src/main.rs:80:18" or NULL */
	const char *defined;  /* "src/main.rs:79" or NULL */
	uint64_t size;        /* bytes of the future; has_size */
	bool has_size;
	uint32_t holds, sets; /* futures held in its frames; sets of futures and tasks */
	uint64_t set_tasks, set_futures; /* in those sets: tasks of JoinSets, children in flight of the others */
	uint64_t local_set;   /* address of the LocalSet that owns it; 0: none does */
	struct wait wait;
};

/* Fills the record; chain (may be NULL) receives the await chain. */
void task_record_fill(struct tokio *tk, const struct task *task, struct task_record *out, struct chain *chain);

/* The folded name of a type with or without its kind word, made once per type. */
const char *tokio_type_name(struct tokio *tk, uint32_t type, bool with_kind);

#endif
