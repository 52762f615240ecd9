/* Tokio's shape. Read in the sources of tokio 1.38.0, 1.40.0, 1.44.0, 1.45.0, 1.46.0, 1.47.1, 1.48.0, 1.49.0,
 * 1.50.0, 1.51.1, 1.52.0, 1.52.3, 1.53.1 and 1.54.1; the files are named in the groups. A respelled member gets a
 * new row for its releases, never an alternative: an old spelling can bind wrongly in a new release. Alternatives
 * are for what a feature or std decides. */
#include "tokio/paths.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/arena.h"
#include "tinfo/tinfo.h"

#define ALL V_OLDEST, V_ANY
#define REQ PATH_REQUIRED
#define OPT PATH_OPTIONAL
#define FEATURE PATH_FEATURE

static const struct path_row ROWS[] = {
	/* src/runtime/context.rs, context/current.rs, context/scoped.rs, scheduler/mod.rs, multi_thread/worker.rs.
	 * Id is a plain u64 in 1.38, NonZeroU64 since 1.39: `~w` takes both. */
	{ CONTEXT_TASK_ID, ALL, ROOT_CONTEXT, ".current_task_id.value.value<Some>.__0~w", REQ },
	{ CONTEXT_THREAD_ID, ALL, ROOT_CONTEXT, ".thread_id.value.value<Some>.__0~w", OPT },
	{ CONTEXT_MULTI_THREAD, ALL, ROOT_CONTEXT,
	  ".current.handle.value.value<Some>.__0<MultiThread>.__0.ptr.pointer->.data", OPT },
	{ CONTEXT_CURRENT_THREAD, ALL, ROOT_CONTEXT,
	  ".current.handle.value.value<Some>.__0<CurrentThread>.__0.ptr.pointer->.data", REQ },
	{ CONTEXT_SCHEDULER, ALL, ROOT_CONTEXT, ".scheduler.inner.value.value~p", OPT },
	{ CONTEXT_WORKER_INDEX, ALL, ROOT_CONTEXT,
	  ".scheduler.inner.value.value-><MultiThread>.__0.worker.ptr.pointer->.data.index", OPT },
	/* src/runtime/context/runtime.rs, scheduler/current_thread/mod.rs */
	{ CONTEXT_ENTERED, ALL, ROOT_CONTEXT, ".runtime.value.value<Entered>.allow_block_in_place", OPT },
	{ CONTEXT_CORE, ALL, ROOT_CONTEXT, ".scheduler.inner.value.value-><CurrentThread>.__0.core.value.value<Some>.__0",
	  FEATURE },
	{ CONTEXT_CORE_DRIVER, ALL, ROOT_CONTEXT,
	  ".scheduler.inner.value.value-><CurrentThread>.__0.core.value.value<Some>.__0->.driver<Some>.__0", FEATURE },

	/* src/runtime/scheduler/multi_thread/{handle,worker}.rs, current_thread/mod.rs, src/runtime/task/list.rs,
	 * src/util/sharded_list.rs, linked_list.rs */
	{ MULTI_THREAD_LISTS, ALL, ROOT_MULTI_THREAD, ".shared.owned.list.lists", OPT },
	{ MULTI_THREAD_LIST_ID, ALL, ROOT_MULTI_THREAD, ".shared.owned.id~w", OPT },
	{ MULTI_THREAD_LIST_COUNT, ALL, ROOT_MULTI_THREAD, ".shared.owned.list.count~w", OPT },
	{ MULTI_THREAD_REMOTES, ALL, ROOT_MULTI_THREAD, ".shared.remotes", OPT },
	{ CURRENT_THREAD_LISTS, ALL, ROOT_CURRENT_THREAD, ".shared.owned.list.lists", REQ },
	{ CURRENT_THREAD_LIST_ID, ALL, ROOT_CURRENT_THREAD, ".shared.owned.id~w", OPT },
	{ CURRENT_THREAD_LIST_COUNT, ALL, ROOT_CURRENT_THREAD, ".shared.owned.list.count~w", OPT },
	{ MULTI_THREAD_DRIVER, ALL, ROOT_MULTI_THREAD, ".driver", OPT },
	{ MULTI_THREAD_POOL, ALL, ROOT_MULTI_THREAD, ".blocking_spawner.inner.ptr.pointer->.data", OPT },
	{ CURRENT_THREAD_DRIVER, ALL, ROOT_CURRENT_THREAD, ".driver", OPT },
	{ CURRENT_THREAD_POOL, ALL, ROOT_CURRENT_THREAD, ".blocking_spawner.inner.ptr.pointer->.data", OPT },
	/* src/runtime/scheduler/multi_thread/park.rs */
	{ REMOTE_PARK, ALL, ROOT_REMOTE, ".unpark.inner.ptr.pointer->.data.state~w", OPT },
	{ SHARD_HEAD, ALL, ROOT_SHARD, "?T.head<Some>.__0.pointer", REQ },

	/* src/task/local.rs, src/runtime/task/list.rs */
	{ LOCAL_CURRENT, ALL, ROOT_LOCAL_DATA, ".ctx.inner.__0.value<Some>.__0.ptr.pointer->.value.shared.ptr.pointer->.data",
	  OPT },
	{ LOCAL_HEAD, ALL, ROOT_LOCAL_SHARED, ".local_state.owned.inner.__0.value.list.head<Some>.__0.pointer", OPT },
	{ LOCAL_LIST_ID, ALL, ROOT_LOCAL_SHARED, ".local_state.owned.id~w", OPT },
	{ LOCAL_OWNER, ALL, ROOT_LOCAL_SHARED, ".local_state.owner~w", OPT },

	/* src/runtime/driver.rs, time/{mod,entry}.rs, time/wheel/{mod,level}.rs. Several wheels, in shards, up to 1.44; in
	 * 1.38 without a lock around them. */
	{ DRIVER_WHEELS, V_OLDEST, V(1, 45, 0), ROOT_DRIVER,
	  ".time<Some>.__0.inner.wheels?T.__0 | .time<Some>.__0.inner.wheels", FEATURE },
	{ DRIVER_WHEEL, V(1, 45, 0), V(1, 49, 0), ROOT_DRIVER, ".time<Some>.__0.inner.state?T.wheel", FEATURE },
	{ DRIVER_WHEEL, V(1, 49, 0), V_ANY, ROOT_DRIVER, ".time<Some>.__0.inner<Traditional>.state?T.wheel", FEATURE },
	{ WHEEL_LEVELS, ALL, ROOT_WHEEL, ".levels", OPT },
	{ WHEEL_PENDING, ALL, ROOT_WHEEL, ".pending.head<Some>.__0.pointer", OPT },
	{ LEVEL_SLOTS, ALL, ROOT_LEVEL, ".slot", OPT },
	{ TIMER_ENTRY_NEXT, ALL, ROOT_TIMER_ENTRY, ".pointers.inner.value.next<Some>.__0.pointer", FEATURE },
	{ TIMER_ENTRY_WAKER, ALL, ROOT_TIMER_ENTRY, ".state.waker.waker.__0.value<Some>.__0.waker.data", FEATURE },

	/* src/runtime/io/{driver,registration_set,scheduled_io}.rs */
	{ DRIVER_IO, ALL, ROOT_DRIVER, ".io<Enabled>.__0.synced?T.registrations.head<Some>.__0.pointer", FEATURE },
	{ SCHEDULED_IO_NEXT, ALL, ROOT_SCHEDULED_IO,
	  ".linked_list_pointers.value.inner.value.next<Some>.__0.pointer", OPT },
	{ SCHEDULED_IO_READER, ALL, ROOT_SCHEDULED_IO, ".waiters?T.reader<Some>.__0.waker.data", OPT },
	{ SCHEDULED_IO_WRITER, ALL, ROOT_SCHEDULED_IO, ".waiters?T.writer<Some>.__0.waker.data", OPT },
	{ SCHEDULED_IO_WAITERS, ALL, ROOT_SCHEDULED_IO, ".waiters?T.list.head<Some>.__0.pointer", OPT },
	{ IO_WAITER_NEXT, ALL, ROOT_IO_WAITER, ".pointers.inner.value.next<Some>.__0.pointer", OPT },
	{ IO_WAITER_WAKER, ALL, ROOT_IO_WAITER, ".waker<Some>.__0.waker.data", OPT },

	/* src/runtime/blocking/pool.rs, sharded.rs. 1.52.0 alone had shards of another shape. */
	{ POOL_THREADS, ALL, ROOT_POOL, ".metrics.num_threads~w", OPT },
	{ POOL_IDLE, ALL, ROOT_POOL, ".metrics.num_idle_threads~w", OPT },
	{ POOL_DEPTH, ALL, ROOT_POOL, ".metrics.queue_depth~w", OPT },
	{ POOL_SCHEDULERS, V(1, 54, 0), V_ANY, ROOT_POOL, ".scheduler_threads~w", OPT },
	{ POOL_QUEUE, V_OLDEST, V(1, 52, 0), ROOT_POOL, ".shared?T.queue", OPT },
	{ POOL_QUEUE, V(1, 52, 1), V(1, 54, 0), ROOT_POOL, ".shared?T.queue", OPT },
	{ POOL_QUEUE, V(1, 54, 0), V_ANY, ROOT_POOL, ".inner_impl<Locked>.__0.mutex?T.queue", OPT },
	{ POOL_SHARDS, V(1, 52, 0), V(1, 52, 1), ROOT_POOL, ".queue.shards", OPT },
	{ POOL_SHARDS, V(1, 54, 0), V_ANY, ROOT_POOL, ".inner_impl<Sharded>.__0.shards", OPT },
	{ POOL_TASK_HEADER, ALL, ROOT_POOL_TASK, ".task.raw.ptr.pointer", OPT },

	/* src/runtime/task/core.rs, state.rs, raw.rs */
	{ HEADER_STATE, ALL, ROOT_HEADER, ".state~w", REQ },
	{ HEADER_VTABLE, ALL, ROOT_HEADER, ".vtable", REQ },
	{ HEADER_OWNER, ALL, ROOT_HEADER, ".owner_id.__0.value<Some>.__0~w", OPT },
	{ TRAILER_NEXT, ALL, ROOT_TRAILER, ".owned.inner.value.next<Some>.__0.pointer", REQ },
	{ TRAILER_WAKER, ALL, ROOT_TRAILER, ".waker.__0.value<Some>.__0.waker", OPT },
	{ VTABLE_POLL, ALL, ROOT_VTABLE, ".poll", REQ },
	{ VTABLE_DEALLOC, ALL, ROOT_VTABLE, ".dealloc", OPT },
	{ VTABLE_TRY_READ_OUTPUT, ALL, ROOT_VTABLE, ".try_read_output", OPT },
	{ VTABLE_DROP_JOIN_HANDLE, ALL, ROOT_VTABLE, ".drop_join_handle_slow", OPT },
	{ VTABLE_DROP_ABORT_HANDLE, ALL, ROOT_VTABLE, ".drop_abort_handle", OPT },
	{ VTABLE_SHUTDOWN, ALL, ROOT_VTABLE, ".shutdown", OPT },
	{ VTABLE_TRAILER_OFFSET, ALL, ROOT_VTABLE, ".trailer_offset", REQ },
	{ VTABLE_ID_OFFSET, ALL, ROOT_VTABLE, ".id_offset", REQ },
	{ CELL_TRAILER, ALL, ROOT_CELL, ".trailer", REQ },
	{ CELL_ID, ALL, ROOT_CELL, ".core.task_id~w", REQ },
	{ CELL_SCHEDULER, ALL, ROOT_CELL, ".core.scheduler", OPT },
	{ CELL_STAGE, ALL, ROOT_CELL, ".core.stage.stage.__0.value", REQ },
	{ CELL_FUTURE, ALL, ROOT_CELL, ".core.stage.stage.__0.value<Running>.__0", REQ },
	{ CELL_FINISHED, ALL, ROOT_CELL, ".core.stage.stage.__0.value<Finished>.__0", OPT },

	/* src/runtime/task/core.rs: spawned_at only under tokio_unstable */
	{ VTABLE_SPAWN_OFFSET, V(1, 46, 0), V_ANY, ROOT_VTABLE, ".spawn_location_offset", PATH_FEATURE },
	/* core::panic::Location: NonNull<str> since 1.92 or so, &str before */
	{ LOCATION_FILE, ALL, ROOT_LOCATION, ".filename.pointer.data_ptr | .filename.data_ptr | .file.data_ptr", OPT },
	{ LOCATION_FILE_LENGTH, ALL, ROOT_LOCATION, ".filename.pointer.length | .filename.length | .file.length", OPT },
	{ LOCATION_LINE, ALL, ROOT_LOCATION, ".line", OPT },
	{ LOCATION_COLUMN, ALL, ROOT_LOCATION, ".col", OPT },

	/* src/time/sleep.rs, instant.rs, src/runtime/time/entry.rs; below `.std` std's Timespec */
	{ SLEEP_SECONDS, V_OLDEST, V(1, 49, 0), ROOT_SLEEP, ".entry.deadline.std.__0.t.tv_sec", OPT },
	{ SLEEP_SECONDS, V(1, 49, 0), V(1, 53, 0), ROOT_SLEEP, ".entry<*>.__0.deadline.std.__0.t.tv_sec", OPT },
	{ SLEEP_SECONDS, V(1, 53, 0), V_ANY, ROOT_SLEEP, ".deadline.std.__0.t.tv_sec", OPT },
	{ SLEEP_NANOS, V_OLDEST, V(1, 49, 0), ROOT_SLEEP, ".entry.deadline.std.__0.t.tv_nsec~4", OPT },
	{ SLEEP_NANOS, V(1, 49, 0), V(1, 53, 0), ROOT_SLEEP, ".entry<*>.__0.deadline.std.__0.t.tv_nsec~4", OPT },
	{ SLEEP_NANOS, V(1, 53, 0), V_ANY, ROOT_SLEEP, ".deadline.std.__0.t.tv_nsec~4", OPT },
	/* src/time/timeout.rs: None since 1.54 when the deadline overflowed */
	{ TIMEOUT_DELAY, V_OLDEST, V(1, 54, 0), ROOT_TIMEOUT, ".delay", OPT },
	{ TIMEOUT_DELAY, V(1, 54, 0), V_ANY, ROOT_TIMEOUT, ".delay<Some>.__0", OPT },

	/* src/runtime/task/join.rs, raw.rs */
	{ JOIN_HANDLE_HEADER, ALL, ROOT_JOIN_HANDLE, ".raw.ptr.pointer", OPT },

	/* src/sync/batch_semaphore.rs */
	{ ACQUIRE_NEEDED, ALL, ROOT_ACQUIRE, ".node.state~w", OPT },
	{ ACQUIRE_SEMAPHORE, ALL, ROOT_ACQUIRE, ".semaphore", OPT },
	{ ACQUIRE_NODE, ALL, ROOT_ACQUIRE, ".node", OPT },
	{ ACQUIRE_QUEUED, ALL, ROOT_ACQUIRE, ".queued~1", OPT },
	{ SEMAPHORE_PERMITS, ALL, ROOT_SEMAPHORE, ".permits~w", OPT },
	{ SEMAPHORE_QUEUE, ALL, ROOT_SEMAPHORE, ".waiters?T.queue.head<Some>.__0.pointer", OPT },
	{ WAITER_NEXT, ALL, ROOT_WAITER, ".pointers.inner.value.next<Some>.__0.pointer", OPT },
	{ WAITER_WAKER_DATA, ALL, ROOT_WAITER, ".waker.__0.value<Some>.__0.waker.data", OPT },

	/* src/runtime/io/{scheduled_io,registration}.rs, src/io/poll_evented.rs; mio::net sockets and pipes keep
	 * IoSource{inner}, std's socket below it is one i32 */
	{ READINESS_IO, ALL, ROOT_READINESS, ".scheduled_io", OPT },
	{ READINESS_INTEREST, ALL, ROOT_READINESS, ".waiter.value.interest~w", OPT },
	{ POLL_EVENTED_IO, ALL, ROOT_POLL_EVENTED, ".registration.shared.ptr.pointer->.data", OPT },
	{ POLL_EVENTED_FD, ALL, ROOT_POLL_EVENTED, ".io<Some>.__0.inner.inner~4 | .io<Some>.__0~4", OPT },
};

static const char *const ROOT_NAMES[PATH_ROOT_COUNT] = {
	[ROOT_CONTEXT] = "tokio::runtime::context::Context",
	[ROOT_MULTI_THREAD] = "tokio::runtime::scheduler::multi_thread::handle::Handle",
	[ROOT_CURRENT_THREAD] = "tokio::runtime::scheduler::current_thread::Handle",
	[ROOT_HEADER] = "tokio::runtime::task::core::Header",
	[ROOT_TRAILER] = "tokio::runtime::task::core::Trailer",
	[ROOT_VTABLE] = "tokio::runtime::task::raw::Vtable",
	[ROOT_LOCATION] = "core::panic::location::Location",
	[ROOT_SLEEP] = "tokio::time::sleep::Sleep",
	[ROOT_ACQUIRE] = "tokio::sync::batch_semaphore::Acquire",
	[ROOT_SEMAPHORE] = "tokio::sync::batch_semaphore::Semaphore",
	[ROOT_WAITER] = "tokio::sync::batch_semaphore::Waiter",
	[ROOT_READINESS] = "tokio::runtime::io::scheduled_io::Readiness",
	[ROOT_DRIVER] = "tokio::runtime::driver::Handle",
	[ROOT_WHEEL] = "tokio::runtime::time::wheel::Wheel",
	[ROOT_LEVEL] = "tokio::runtime::time::wheel::level::Level",
	[ROOT_TIMER_ENTRY] = "tokio::runtime::time::entry::TimerShared",
	[ROOT_SCHEDULED_IO] = "tokio::runtime::io::scheduled_io::ScheduledIo",
	[ROOT_IO_WAITER] = "tokio::runtime::io::scheduled_io::Waiter",
	[ROOT_POOL] = "tokio::runtime::blocking::pool::Inner",
	[ROOT_POOL_TASK] = "tokio::runtime::blocking::pool::Task",
	[ROOT_REMOTE] = "tokio::runtime::scheduler::multi_thread::worker::Remote",
	[ROOT_LOCAL_SHARED] = "tokio::task::local::Shared",
	[ROOT_LOCAL_DATA] = "tokio::task::local::LocalData",
	[ROOT_CELL] = "tokio::runtime::task::core::Cell",
	[ROOT_SHARD] = "the shards of the owned list",
	[ROOT_JOIN_HANDLE] = "tokio::runtime::task::join::JoinHandle",
	[ROOT_POLL_EVENTED] = "tokio::io::poll_evented::PollEvented",
	[ROOT_TIMEOUT] = "tokio::time::timeout::Timeout",
};

#define NAME(role) [role] = #role
static const char *const ROLE_NAMES[PATH_ROLE_COUNT] = {
	NAME(CONTEXT_TASK_ID), NAME(CONTEXT_THREAD_ID), NAME(CONTEXT_MULTI_THREAD), NAME(CONTEXT_CURRENT_THREAD),
	NAME(CONTEXT_SCHEDULER), NAME(CONTEXT_WORKER_INDEX), NAME(MULTI_THREAD_LISTS), NAME(MULTI_THREAD_LIST_ID),
	NAME(MULTI_THREAD_LIST_COUNT), NAME(MULTI_THREAD_REMOTES), NAME(CURRENT_THREAD_LISTS),
	NAME(CURRENT_THREAD_LIST_ID), NAME(CURRENT_THREAD_LIST_COUNT), NAME(SHARD_HEAD), NAME(HEADER_STATE),
	NAME(HEADER_VTABLE), NAME(HEADER_OWNER), NAME(TRAILER_NEXT), NAME(TRAILER_WAKER), NAME(VTABLE_POLL),
	NAME(VTABLE_DEALLOC), NAME(VTABLE_TRY_READ_OUTPUT), NAME(VTABLE_DROP_JOIN_HANDLE),
	NAME(VTABLE_DROP_ABORT_HANDLE), NAME(VTABLE_SHUTDOWN), NAME(VTABLE_TRAILER_OFFSET), NAME(VTABLE_ID_OFFSET),
	NAME(VTABLE_SPAWN_OFFSET), NAME(CELL_TRAILER), NAME(CELL_ID), NAME(CELL_SCHEDULER), NAME(CELL_STAGE),
	NAME(CELL_FUTURE), NAME(CELL_FINISHED), NAME(LOCATION_FILE), NAME(LOCATION_FILE_LENGTH), NAME(LOCATION_LINE),
	NAME(LOCATION_COLUMN), NAME(SLEEP_SECONDS), NAME(SLEEP_NANOS), NAME(TIMEOUT_DELAY), NAME(JOIN_HANDLE_HEADER), NAME(ACQUIRE_NEEDED),
	NAME(ACQUIRE_SEMAPHORE), NAME(ACQUIRE_NODE), NAME(ACQUIRE_QUEUED), NAME(SEMAPHORE_PERMITS),
	NAME(SEMAPHORE_QUEUE), NAME(WAITER_NEXT), NAME(WAITER_WAKER_DATA), NAME(READINESS_IO),
	NAME(READINESS_INTEREST), NAME(POLL_EVENTED_IO), NAME(POLL_EVENTED_FD), NAME(CONTEXT_ENTERED),
	NAME(CONTEXT_CORE), NAME(CONTEXT_CORE_DRIVER), NAME(MULTI_THREAD_DRIVER), NAME(MULTI_THREAD_POOL),
	NAME(REMOTE_PARK), NAME(CURRENT_THREAD_DRIVER), NAME(CURRENT_THREAD_POOL), NAME(LOCAL_CURRENT), NAME(LOCAL_HEAD), NAME(LOCAL_LIST_ID),
	NAME(LOCAL_OWNER), NAME(DRIVER_WHEEL), NAME(DRIVER_WHEELS), NAME(DRIVER_IO), NAME(WHEEL_LEVELS), NAME(WHEEL_PENDING),
	NAME(LEVEL_SLOTS), NAME(TIMER_ENTRY_NEXT), NAME(TIMER_ENTRY_WAKER), NAME(SCHEDULED_IO_NEXT),
	NAME(SCHEDULED_IO_READER), NAME(SCHEDULED_IO_WRITER), NAME(SCHEDULED_IO_WAITERS), NAME(IO_WAITER_NEXT),
	NAME(IO_WAITER_WAKER), NAME(POOL_THREADS), NAME(POOL_IDLE), NAME(POOL_DEPTH), NAME(POOL_SCHEDULERS),
	NAME(POOL_QUEUE), NAME(POOL_SHARDS), NAME(POOL_TASK_HEADER),
};

uint32_t version_parse(const char *text)
{
	unsigned long part[3];
	for (int i = 0; i < 3; i++) {
		char *end;
		if (text == NULL || *text < '0' || *text > '9')
			return 0;
		part[i] = strtoul(text, &end, 10);
		if (part[i] > 0xfff || (i < 2 && *end != '.'))
			return 0;
		text = i < 2 ? end + 1 : end;
	}
	return part[0] > 0xff ? 0 : V(part[0], part[1], part[2]);
}

uint32_t version_family(uint32_t version)
{
	if (version == 0 || version > V_NEWEST)
		return V_NEWEST;
	return version < V_OLDEST ? V_OLDEST : version;
}

const struct path_row *path_row(enum path_role role, uint32_t version)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		if (ROWS[i].role == role && ROWS[i].from <= version && version < ROWS[i].before)
			return &ROWS[i];
	return NULL;
}

const char *path_role_name(enum path_role role)
{
	return ROLE_NAMES[role];
}

const char *path_root_name(enum path_root root)
{
	return ROOT_NAMES[root];
}

void path_bind_role(struct path *out, struct target *t, struct arena *arena, enum path_role role, uint32_t version,
                    uint32_t root_type)
{
	const struct path_row *row = path_row(role, version);
	*out = (struct path){ .state = PATH_ABSENT, .type = TINFO_NONE };
	if (row == NULL) {
		out->message = "this release has no such thing";
		return;
	}
	path_bind(out, t, arena, root_type, row->text);
	if (out->message != NULL)
		out->message = arena_printf(arena, "%s: %s", ROLE_NAMES[role], out->message);
}
