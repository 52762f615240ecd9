/* The roots: everything a core is read with is reached from these by members and pointers. Sources: tokio
 * src/runtime/task/{raw,core,waker}.rs, src/runtime/context.rs, src/task/local.rs (1.38 to 1.54). */
#include "tokio/roots.h"

#include "extract/extract.h"

#define RAW "tokio::runtime::task::raw"
#define CORE "tokio::runtime::task::core"

static const struct root ROOTS[] = {
	/* role                       kind           scope   name  flags */
	{ "task.poll", ROOT_FUNCTION, RAW, "poll", ROOT_GENERIC | ROOT_REQUIRED },
	{ "task.schedule", ROOT_FUNCTION, RAW, "schedule", ROOT_GENERIC },
	{ "task.dealloc", ROOT_FUNCTION, RAW, "dealloc", ROOT_GENERIC },
	{ "task.try_read_output", ROOT_FUNCTION, RAW, "try_read_output", ROOT_GENERIC },
	{ "task.drop_join_handle_slow", ROOT_FUNCTION, RAW, "drop_join_handle_slow", ROOT_GENERIC },
	{ "task.drop_abort_handle", ROOT_FUNCTION, RAW, "drop_abort_handle", ROOT_GENERIC },
	{ "task.shutdown", ROOT_FUNCTION, RAW, "shutdown", ROOT_GENERIC },
	{ "task.vtable", ROOT_TABLE, RAW, "Vtable", 0 },

	{ "task.cell", ROOT_TYPE, CORE, "Cell", ROOT_GENERIC },
	{ "task.header", ROOT_TYPE, CORE, "Header", 0 },
	{ "task.trailer", ROOT_TYPE, CORE, "Trailer", 0 },
	{ "context", ROOT_TYPE, "tokio::runtime::context", "Context", 0 },
	{ "scheduler.handle", ROOT_TYPE, "tokio::runtime::scheduler", "Handle", 0 },
	{ "scheduler.context", ROOT_TYPE, "tokio::runtime::scheduler", "Context", 0 },
	{ "scheduler.multi_thread", ROOT_TYPE, "tokio::runtime::scheduler::multi_thread::handle", "Handle", 0 },
	{ "scheduler.current_thread", ROOT_TYPE, "tokio::runtime::scheduler::current_thread", "Handle", 0 },
	{ "blocking.task", ROOT_TYPE, "tokio::runtime::blocking::pool", "Task", 0 },
	{ "local.shared", ROOT_TYPE, "tokio::task::local", "Shared", 0 },
	{ "local.data", ROOT_TYPE, "tokio::task::local", "LocalData", 0 },
	{ "location", ROOT_TYPE, "core::panic::location", "Location", 0 },
	{ "waker.vtable", ROOT_TYPE, "core::task::wake", "RawWakerVTable", 0 },

	/* std's thread_local!: `__RUST_STD_INTERNAL_VAL` below CONTEXT::{constant#0}::{closure#N} since 1.77 or so,
	 * `VAL` below CONTEXT::__getit before. The same for the LocalSet's key. */
	{ "tls.context", ROOT_STATIC, "tokio::runtime::context::CONTEXT", "__RUST_STD_INTERNAL_VAL", ROOT_BELOW },
	{ "tls.context", ROOT_STATIC, "tokio::runtime::context::CONTEXT", "VAL", ROOT_BELOW },
	{ "tls.local", ROOT_STATIC, "tokio::task::local::CURRENT", "__RUST_STD_INTERNAL_VAL", ROOT_BELOW },
	{ "tls.local", ROOT_STATIC, "tokio::task::local::CURRENT", "VAL", ROOT_BELOW },
	{ "waker.task", ROOT_STATIC, "tokio::runtime::task::waker", "WAKER_VTABLE", 0 },
};

const struct roots *tokio_roots(void)
{
	static const struct roots roots = { ROOTS, sizeof ROOTS / sizeof ROOTS[0], "tokio" };
	return &roots;
}
