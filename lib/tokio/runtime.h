/* runtime.h - the runtimes of a process and what each thread does for them, read from every thread's tokio context
 * (tokio::runtime::context::CONTEXT, src/runtime/context.rs). Runtimes that no thread is inside, and LocalSets, come to
 * light when the tasks are listed (discover.h). */
#ifndef HANSEI_TOKIO_RUNTIME_H
#define HANSEI_TOKIO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

struct tokio;

enum flavor { FLAVOR_MULTI_THREAD, FLAVOR_CURRENT_THREAD };
const char *flavor_text(enum flavor flavor); /* "multi_thread", "current_thread" */

struct runtime {
	uint32_t index;     /* as in runtime/0; in the order of creation (list ids rise), then those no thread is inside */
	enum flavor flavor;
	uint64_t handle;    /* address of the scheduler's Handle, inside its Arc */
	uint64_t list_id;   /* of its list of tasks; 0 unread */
	uint32_t threads;   /* threads that are inside it or have entered it */
	uint32_t workers;   /* of a multi_thread one: configured; else 1 */
	uint64_t count;     /* tasks its list claims to hold */
	const char *found_via; /* "a thread's runtime context", "a JoinHandle found in a task's storage" … */
};

/* A tokio::task::LocalSet: owns tasks like a runtime, polled by whoever drives it. */
struct local_set {
	uint32_t index;
	uint64_t address;   /* of its Shared, inside the Arc */
	uint64_t list_id;
	uint64_t thread_id; /* tokio's number of the thread it lives on; 0 unread */
	uint32_t lwp;       /* that thread; 0 unknown */
	const char *found_via;
};

/* The threads for spawn_blocking, as the pool counts them. */
struct blocking_pool {
	uint64_t threads; /* without the workers of a multi_thread runtime, which are started through the pool as well */
	uint64_t idle, queued;
	bool reconciled;  /* false: fewer than there are workers; threads counts all then */
};

/* What a worker's parker says (src/runtime/scheduler/multi_thread/park.rs). */
enum park_state { PARK_AWAKE, PARK_PARKED, PARK_DRIVER, PARK_NOTIFIED, PARK_UNREAD };

enum { WORKER_NONE = 0xffff };

struct tokio_thread {
	uint32_t lwp;
	uint64_t context;      /* address of its Context; 0: none */
	uint64_t task_id;      /* task polled or dropped (a worker's own blocking cell between polls); 0 none */
	uint64_t thread_id;    /* tokio's number of it; 0 none */
	uint64_t handle;       /* of the runtime it is in; 0 none */
	uint32_t runtime;      /* index, or TINFO_NONE */
	uint32_t worker;       /* index of the multi_thread worker, or WORKER_NONE */
	bool scheduling;       /* inside a scheduler's run loop (else: entered, or a blocking-pool thread) */
	bool entered;          /* inside block_on or a scheduler's run loop (else: has a runtime's context only) */
	bool has_core;         /* current_thread: the scheduler's core is put down */
	bool in_driver;        /* has_core: and it has no driver, which is what the thread is parked in */
};

/* The pool of a runtime; false when it cannot be read. */
bool runtime_pool(struct tokio *tk, const struct runtime *runtime, struct blocking_pool *out);
enum park_state runtime_worker_park(struct tokio *tk, const struct runtime *runtime, uint32_t worker);

#endif
