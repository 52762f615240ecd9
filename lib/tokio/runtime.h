/* runtime.h - the runtimes of a process and what each thread does for them, read from every thread's tokio context
 * (tokio::runtime::context::CONTEXT, src/runtime/context.rs). */
#ifndef HANSEI_TOKIO_RUNTIME_H
#define HANSEI_TOKIO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

struct tokio;

enum flavor { FLAVOR_MULTI_THREAD, FLAVOR_CURRENT_THREAD };
const char *flavor_text(enum flavor flavor); /* "multi_thread", "current_thread" */

struct runtime {
	uint32_t index;     /* as in runtime/0; in the order of creation (list ids rise) */
	enum flavor flavor;
	uint64_t handle;    /* address of the scheduler's Handle, inside its Arc */
	uint64_t list_id;   /* of its list of tasks; 0 unread */
	uint32_t threads;   /* threads that are inside it or have entered it */
	uint32_t workers;   /* of a multi_thread one: configured; else 1 */
	uint64_t count;     /* tasks its list claims to hold */
};

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
};

#endif
