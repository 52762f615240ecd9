/* tokio_internal.h - what the files of lib/tokio share. */
#ifndef HANSEI_TOKIO_INTERNAL_H
#define HANSEI_TOKIO_INTERNAL_H

#include "base/arena.h"
#include "base/map.h"
#include "tinfo/tinfo.h"
#include "tokio/paths.h"
#include "tokio/tokio.h"
#include "value/target.h"

enum {
	WARNINGS_MAX = 200,
	TASKS_MAX = 4 * 1024 * 1024,
	SHARDS_MAX = 65536,
	RUNTIMES_MAX = 4096,
};

struct owned_paths { /* of one scheduler flavour's handle */
	struct path lists, id, count;
	uint64_t shard_size;   /* bytes between two shards */
	uint64_t data, length; /* offsets in the fat pointer */
	struct path head;
};

struct frame_plan;
struct held_state;

/* Where a reference to a task was met that is looked into later (discover.h). */
struct candidate {
	uint64_t address; /* a header; of a LocalSet: its Shared */
	uint32_t found;   /* enum found */
	uint32_t runtime; /* blocking queue: whose; else TINFO_NONE */
};

struct tokio {
	struct target *target;
	struct arena arena;
	const char *version_text;
	uint32_t version;          /* whose rows are used */
	bool checked;
	uint32_t roots[PATH_ROOT_COUNT];        /* type ids; TINFO_NONE: not in this build, or generic */
	struct path paths[PATH_ROLE_COUNT];     /* those of the non-generic roots */
	struct owned_paths owned[2];            /* by enum flavor */

	char const **warnings;
	size_t warning_count, warning_capacity, warnings_dropped;
	bool incomplete;

	struct runtime *runtimes;
	size_t runtime_count, runtime_capacity;
	struct tokio_thread *threads;
	size_t thread_count;

	bool listed;
	struct task *tasks;
	size_t task_count, task_capacity;
	struct map task_by_id, task_by_address; /* index into tasks */

	struct task *kept;     /* known, in no list: complete, or of an owner that was not found; by id */
	size_t kept_count, kept_capacity;
	struct map kept_by_id, kept_by_address;
	struct local_set *local_sets;
	size_t local_set_count, local_set_capacity;
	struct candidate *candidates;
	size_t candidate_count, candidate_capacity;
	struct map candidate_seen;
	uint32_t harvesting;   /* runtime whose blocking queue is read, or TINFO_NONE */
	struct held_state *held;

	struct map classes;    /* vtable address -> struct task_class * */
	struct map cells;      /* hash of (T, S) -> Cell type; filled when the name does not lead there */
	bool cells_read;
	struct map plans;      /* type -> struct frame_plan * */
	struct map dyns;       /* vtable address -> struct dyn_type * */
	struct map names[2];   /* type -> folded name; plain, with kind word */
	struct map polled;     /* types with a poll function of their own */
	bool polled_read;
	struct map generic;    /* (role, type) -> struct path * */
	struct map root_of;    /* type -> enum path_root */
	struct map queues;     /* semaphore address -> struct wake_queue * */
	struct map leaf_texts; /* type -> "future NAME" */
	struct map sites;      /* hash of (file, line) -> struct site_text * */
};

/* A warning of one line; it should have an address in it. */
void tokio_warn(struct tokio *tk, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for something that is missing from the answer because of it. */
void tokio_lack(struct tokio *tk, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The role's path bound to an instance of a generic root, made once. */
const struct path *tokio_generic_path(struct tokio *tk, enum path_role role, uint32_t type);
/* The root that the type is (an instance of); PATH_ROOT_COUNT: none. Worked out once per type. */
enum path_root tokio_root_of(struct tokio *tk, uint32_t type);
/* "file:line", made once per site; NULL without one. */
const char *tokio_site_text(struct tokio *tk, const char *file, uint32_t line);
/* Does a type name start with this path, followed by its end or `<`? */
bool name_is(const char *name, const char *path);

/* paths: binds all non-generic roles; the message of the first required one that fails, or NULL. */
const char *tokio_bind_paths(struct tokio *tk);
/* runtime.c: threads and runtimes. */
struct error *tokio_find_runtimes(struct tokio *tk);
/* Adds a runtime that is not known; its index, or TINFO_NONE. */
uint32_t tokio_runtime_add(struct tokio *tk, enum flavor flavor, uint64_t handle, const char *found_via);
/* list.c: fills tasks. */
void tokio_list_tasks(struct tokio *tk);
bool tokio_task_add(struct tokio *tk, const struct task *task);
void tokio_runtime_walk(struct tokio *tk, uint32_t runtime);
void tokio_local_set_walk(struct tokio *tk, uint32_t local_set);
/* task_class.c */
const struct task_class *task_class_of(struct tokio *tk, uint64_t vtable);

/* The functions of the layouts at a code address of the target, by the target's way of joining: calls visit for
 * each until it returns false. */
void tokio_functions_at(struct tokio *tk, uint64_t address,
                        bool (*visit)(void *context, const struct function *function), void *context);
/* The name of the function there for messages: demangled symbol, or "0x…"; in the arena. */
const char *tokio_symbol_text(struct tokio *tk, uint64_t address);

#endif
