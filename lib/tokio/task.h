/* task.h - tasks as tokio keeps them: a Cell<T, S> on the heap whose Header is the task's identity (src/runtime/
 * task/core.rs, state.rs, raw.rs). Tasks live as long as the struct tokio they came from. */
#ifndef HANSEI_TOKIO_TASK_H
#define HANSEI_TOKIO_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "value/path.h"

struct tokio;

/* Decoded from the state word; in this order of precedence. */
enum task_state {
	TASK_DAMAGED,  /* RUNNING and COMPLETE together: cannot be */
	TASK_COMPLETE,
	TASK_RUNNING,
	TASK_QUEUED,   /* NOTIFIED */
	TASK_IDLE,
};
enum task_state task_word_state(uint64_t word);
const char *task_state_text(enum task_state state); /* "idle", "queued", "running", "complete", "damaged" */

enum class_state {
	CLASS_KNOWN,
	CLASS_UNKNOWN,   /* its functions are none of ours */
	CLASS_AMBIGUOUS, /* several types fit: candidates */
	CLASS_MISMATCH,  /* the layouts contradict the vtable: wrong debug information */
};

enum { CLASS_CANDIDATES = 4 };

/* What all tasks with one vtable share: the future's type and where things are in the cell. */
struct task_class {
	uint64_t vtable;        /* address in the target */
	enum class_state state;
	uint32_t future;        /* T, as the Cell has it; TINFO_NONE unless known */
	uint32_t scheduler;     /* S */
	uint32_t root;          /* what runs: T, or F where T is Pin<Box<F>>, Box<F> … */
	bool boxed;             /* T is such a box */
	bool blocking;          /* a spawn_blocking cell, by S */
	uint32_t cell;          /* Cell<T, S> */
	uint32_t candidates[CLASS_CANDIDATES];
	uint32_t candidate_count;
	bool has_trailer, has_id, has_spawn;
	uint64_t trailer_offset, id_offset, spawn_offset; /* from the header */
	struct path stage, running, scheduler_path; /* from the cell */
	struct enum_plan stages;
	const char *name;       /* folded, with its kind word; "<unknown: poll function>" … */
	const char *type;       /* DWARF name of root, uncut; NULL unless known */
	const char *defined;    /* where root is written, "src/main.rs:79"; NULL */
	uint64_t size;          /* bytes of root; has_size */
	bool has_size;
	const char *problem;    /* why it is not known; NULL */
};

struct task {
	uint64_t address;       /* of the Header */
	uint64_t id;            /* 0: could not be read */
	uint64_t word;          /* state word */
	uint64_t owner;         /* list id it belongs to; 0 none */
	const struct task_class *class;
	enum task_state state;
	bool cancelled;
	bool stray;             /* its owner id is not the id of the list it was found in */
	uint32_t runtime;       /* index, or TINFO_NONE; of a blocking cell: whose pool it is of */
	uint32_t local_set;     /* index, or TINFO_NONE */
	uint32_t lwp;           /* the thread polling it (running tasks); 0 none */
};

/* Decodes the header at an address: word, id, class, owner. false when it cannot be a task (unmapped, unaligned,
 * no vtable); *why is a text then. */
bool task_decode(struct tokio *tk, uint64_t header, struct task *out, const char **why);

enum stage { STAGE_RUNNING, STAGE_FINISHED, STAGE_CONSUMED, STAGE_UNREADABLE };
/* Where the future is and what became of it. *future is the address of T when STAGE_RUNNING. */
enum stage task_stage(struct tokio *tk, const struct task *task, uint64_t *future);

/* The address of the Location it was spawned at, under tokio_unstable; false elsewhere. */
bool task_spawned_at(struct tokio *tk, const struct task *task, uint64_t *location);

#endif
