/* tokio's values: what of them is worth seeing. Members by name, constants by their source (constants.h). The last
 * column of a row says from where a layout is; where a release respells a member the old row stays beside the new one. */
#include "tokio/formats.h"

#include "value/view.h"

static const struct formatter ROWS[] = {
	/* src/loom/std/: the shims around std's own. */
	{ "tokio::loom::std::unsafe_cell::UnsafeCell", FORMAT_PEEL, view_same, 1, { ".__0.value" }, NULL },
	{ "tokio::loom::std::atomic_u16::AtomicU16", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::loom::std::atomic_u32::AtomicU32", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::loom::std::atomic_usize::AtomicUsize", 0, view_same, 1, { ".inner.value" }, NULL },
	{ "tokio::util::cacheline::CachePadded", FORMAT_PEEL, view_same, 1, { ".value" }, NULL },

	{ "tokio::sync::mutex::Mutex", FORMAT_JSON_ONLY, view_same, 1, { ".c.value" }, NULL },
	{ "tokio::sync::rwlock::RwLock", FORMAT_JSON_ONLY, view_same, 1, { ".c.value" }, NULL },
	{ "tokio::time::instant::Instant", 0, view_same, 1, { ".std" }, NULL },
};

const struct formatter_table *tokio_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
