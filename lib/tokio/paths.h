/* paths.h - the table of named paths into tokio's structures: the only place where tokio's shape is written down.
 * Each row holds for a range of releases; adding a release is adding rows. Notation: value/path.h. */
#ifndef HANSEI_TOKIO_PATHS_H
#define HANSEI_TOKIO_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "value/path.h"

struct target;
struct arena;

/* A release of tokio as one number, so that releases compare. 0: unknown. */
#define V(major, minor, patch) ((uint32_t)(major) << 24 | (uint32_t)(minor) << 12 | (uint32_t)(patch))
#define V_ANY UINT32_C(0xffffffff)
#define V_OLDEST V(1, 38, 0) /* checked against the sources from here … */
#define V_NEWEST V(1, 54, 1) /* … to here */

/* "1.54.1" (what follows the third number is ignored); 0 when it is no version. */
uint32_t version_parse(const char *text);
/* The release whose rows are used: the same within the checked range, else its nearer end (0: newest). */
uint32_t version_family(uint32_t version);

/* Types that paths start at. Those with a generic name (`Cell<`) have an instance per program type: their paths
 * are bound to a given instance (path_bind_role). */
enum path_root {
	ROOT_CONTEXT,
	ROOT_MULTI_THREAD,   /* scheduler handle, inside the Arc */
	ROOT_CURRENT_THREAD,
	ROOT_HEADER,
	ROOT_TRAILER,
	ROOT_VTABLE,
	ROOT_LOCATION,
	ROOT_SLEEP,
	ROOT_ACQUIRE,
	ROOT_SEMAPHORE,
	ROOT_WAITER,         /* of a semaphore's queue */
	ROOT_READINESS,
	ROOT_DRIVER,         /* handle of the drivers */
	ROOT_WHEEL,
	ROOT_LEVEL,
	ROOT_TIMER_ENTRY,    /* node of a wheel's slot */
	ROOT_SCHEDULED_IO,
	ROOT_IO_WAITER,
	ROOT_POOL,           /* of blocking threads */
	ROOT_POOL_TASK,      /* element of its queue */
	ROOT_REMOTE,         /* what a multi_thread worker shows the others */
	ROOT_LOCAL_SHARED,   /* inside a LocalSet's Arc */
	ROOT_LOCAL_DATA,     /* what a thread knows of the LocalSet it is inside */
	ROOT_GENERIC_FIRST,
	ROOT_CELL = ROOT_GENERIC_FIRST,
	ROOT_SHARD,          /* element of the owned list's array */
	ROOT_JOIN_HANDLE,
	ROOT_POLL_EVENTED,
	ROOT_TIMEOUT,
	PATH_ROOT_COUNT
};

enum path_role {
	CONTEXT_TASK_ID,
	CONTEXT_THREAD_ID,
	CONTEXT_MULTI_THREAD,
	CONTEXT_CURRENT_THREAD,
	CONTEXT_SCHEDULER,         /* pointer to the scheduler's context, 0 outside of it */
	CONTEXT_WORKER_INDEX,
	CONTEXT_ENTERED,           /* inside block_on or a worker's loop; a variant not live elsewhere */
	CONTEXT_CORE,              /* of a current_thread scheduler, while its thread has put it down */
	CONTEXT_CORE_DRIVER,       /* not live: moved out, since the thread is parked in it */
	MULTI_THREAD_LISTS,        /* fat pointer to the shards */
	MULTI_THREAD_LIST_ID,
	MULTI_THREAD_LIST_COUNT,
	MULTI_THREAD_REMOTES,      /* one per worker */
	MULTI_THREAD_DRIVER,
	MULTI_THREAD_POOL,
	REMOTE_PARK,               /* state word of its parker */
	CURRENT_THREAD_LISTS,
	CURRENT_THREAD_LIST_ID,
	CURRENT_THREAD_LIST_COUNT,
	CURRENT_THREAD_DRIVER,
	CURRENT_THREAD_POOL,
	LOCAL_CURRENT,             /* the Shared of that LocalSet */
	LOCAL_HEAD,
	LOCAL_LIST_ID,
	LOCAL_OWNER,               /* tokio's number of the thread it lives on */
	DRIVER_WHEEL,
	DRIVER_WHEELS,             /* up to 1.44: a slice of locked wheels */
	DRIVER_IO,                 /* first registration */
	WHEEL_LEVELS,
	WHEEL_PENDING,
	LEVEL_SLOTS,
	TIMER_ENTRY_NEXT,
	TIMER_ENTRY_WAKER,
	SCHEDULED_IO_NEXT,
	SCHEDULED_IO_READER,
	SCHEDULED_IO_WRITER,
	SCHEDULED_IO_WAITERS,
	IO_WAITER_NEXT,
	IO_WAITER_WAKER,
	POOL_THREADS,
	POOL_IDLE,
	POOL_DEPTH,
	POOL_SCHEDULERS,           /* how many of the threads are workers; since 1.54 */
	POOL_QUEUE,
	POOL_SHARDS,
	POOL_TASK_HEADER,
	SHARD_HEAD,
	HEADER_STATE,
	HEADER_VTABLE,
	HEADER_OWNER,
	TRAILER_NEXT,
	TRAILER_WAKER,             /* RawWaker of the joiner */
	VTABLE_POLL,
	VTABLE_DEALLOC,
	VTABLE_TRY_READ_OUTPUT,
	VTABLE_DROP_JOIN_HANDLE,
	VTABLE_DROP_ABORT_HANDLE,
	VTABLE_SHUTDOWN,
	VTABLE_TRAILER_OFFSET,
	VTABLE_ID_OFFSET,
	VTABLE_SPAWN_OFFSET,
	CELL_TRAILER,
	CELL_ID,
	CELL_SCHEDULER,
	CELL_STAGE,
	CELL_FUTURE,
	CELL_FINISHED,
	LOCATION_FILE,
	LOCATION_FILE_LENGTH,
	LOCATION_LINE,
	LOCATION_COLUMN,
	SLEEP_SECONDS,
	SLEEP_NANOS,
	TIMEOUT_DELAY,             /* its Sleep */
	JOIN_HANDLE_HEADER,
	ACQUIRE_NEEDED,
	ACQUIRE_SEMAPHORE,
	ACQUIRE_NODE,
	ACQUIRE_QUEUED,
	SEMAPHORE_PERMITS,
	SEMAPHORE_QUEUE,           /* newest waiter */
	WAITER_NEXT,
	WAITER_WAKER_DATA,
	READINESS_IO,
	READINESS_INTEREST,
	POLL_EVENTED_IO,           /* ScheduledIo */
	POLL_EVENTED_FD,
	PATH_ROLE_COUNT
};

enum path_need {
	PATH_REQUIRED, /* no listing without it */
	PATH_OPTIONAL, /* something degrades */
	PATH_FEATURE,  /* its member exists in some configurations only: quiet when it does not */
};

struct path_row {
	enum path_role role;
	uint32_t from, before; /* releases: from <= v < before */
	enum path_root root;
	const char *text;
	enum path_need need;
};

/* The row of a role for a release (in the checked range); NULL when tokio has no such thing then. */
const struct path_row *path_row(enum path_role role, uint32_t version);
const char *path_role_name(enum path_role role);         /* "CONTEXT_TASK_ID", for messages */
const char *path_root_name(enum path_root root);         /* DWARF name, or its part before `<` for generic ones */

/* Binds the role's path for this release to an instance of its root type. */
void path_bind_role(struct path *out, struct target *t, struct arena *arena, enum path_role role, uint32_t version,
                    uint32_t root_type);

#endif
