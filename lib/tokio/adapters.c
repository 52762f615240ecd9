/* Futures known by name: what each polls next, or that it polls nothing. Rows of one type stand together and are
 * tried in order (one per variant). Checked in: tokio 1.38.0 to 1.54.1, futures-util 0.3.34; the others as the
 * notes on adapters give them (tracing 0.1.40 on). Names are without generic arguments. */
#include <string.h>

#include "tokio/frame_plan.h"

#define NEXT ADAPTER_NEXT
#define SILENT ADAPTER_SILENT
#define LEAF ADAPTER_LEAF

static const struct adapter ADAPTERS[] = {
	/* core, alloc */
	{ "core::future::from_generator::GenFuture", ".__0", SILENT }, /* async fns up to rustc 1.63 or so */
	{ "core::future::pending::Pending", NULL, ADAPTER_NEVER },
	{ "core::future::ready::Ready", NULL, LEAF },
	{ "core::future::poll_fn::PollFn", NULL, LEAF },
	{ "core::panic::unwind_safe::AssertUnwindSafe", ".__0", SILENT },

	/* tokio */
	{ "tokio::time::sleep::Sleep", NULL, LEAF },
	{ "tokio::time::timeout::Timeout", ".value", NEXT },
	{ "tokio::runtime::task::join::JoinHandle", NULL, LEAF },
	{ "tokio::runtime::io::scheduled_io::Readiness", NULL, LEAF },
	{ "tokio::runtime::blocking::task::BlockingTask", NULL, LEAF },
	{ "tokio::sync::batch_semaphore::Acquire", NULL, LEAF },
	{ "tokio::sync::notify::Notified", NULL, LEAF },
	{ "tokio::sync::notify::OwnedNotified", NULL, LEAF },
	{ "tokio::sync::oneshot::Receiver", NULL, LEAF },
	{ "tokio::sync::broadcast::Recv", NULL, LEAF },
	{ "tokio::task::coop::Coop", ".fut", NEXT },
	{ "tokio::runtime::coop::Coop", ".fut", NEXT },
	{ "tokio::task::coop::unconstrained::Unconstrained", ".inner", NEXT },
	{ "tokio::task::unconstrained::Unconstrained", ".inner", NEXT },
	{ "tokio::task::task_local::TaskLocalFuture", ".future<Some>.__0", NEXT },
	{ "tokio::task::yield_now::yield_now::{async_fn#0}::YieldNow", NULL, LEAF },
	{ "tokio::task::local::RunUntil", ".future", NEXT },
	{ "tokio::future::poll_fn::PollFn", NULL, LEAF },
	{ "tokio::io::util::read::Read", NULL, LEAF },
	{ "tokio::io::util::read_exact::ReadExact", NULL, LEAF },
	{ "tokio::io::util::read_buf::ReadBuf", NULL, LEAF },
	{ "tokio::io::util::write::Write", NULL, LEAF },
	{ "tokio::io::util::write_all::WriteAll", NULL, LEAF },
	{ "tokio::io::util::write_buf::WriteBuf", NULL, LEAF },
	{ "tokio::io::util::flush::Flush", NULL, LEAF },
	{ "tokio::io::util::shutdown::Shutdown", NULL, LEAF },

	/* futures-util: the public newtypes are silent, what they wrap is named */
	{ "futures_util::future::future::Map", ".inner", SILENT },
	{ "futures_util::future::future::map::Map", "<Incomplete>.future", NEXT },
	{ "futures_util::future::future::Then", ".inner", SILENT },
	{ "futures_util::future::future::Flatten", ".inner", SILENT },
	{ "futures_util::future::future::flatten::Flatten", "<First>.f", NEXT },
	{ "futures_util::future::future::flatten::Flatten", "<Second>.f", NEXT },
	{ "futures_util::future::future::Inspect", ".inner", SILENT },
	{ "futures_util::future::future::fuse::Fuse", ".inner<Some>.__0", NEXT },
	{ "futures_util::future::future::catch_unwind::CatchUnwind", ".future", NEXT },
	{ "futures_util::future::try_future::MapOk", ".inner", SILENT },
	{ "futures_util::future::try_future::MapErr", ".inner", SILENT },
	{ "futures_util::future::try_future::MapOkOrElse", ".inner", SILENT },
	{ "futures_util::future::try_future::AndThen", ".inner", SILENT },
	{ "futures_util::future::try_future::OrElse", ".inner", SILENT },
	{ "futures_util::future::try_future::ErrInto", ".inner", SILENT },
	{ "futures_util::future::try_future::OkInto", ".inner", SILENT },
	{ "futures_util::future::try_future::TryFlatten", ".inner", SILENT },
	{ "futures_util::future::try_future::UnwrapOrElse", ".inner", SILENT },
	{ "futures_util::future::try_future::into_future::IntoFuture", ".future", SILENT },
	{ "futures_util::future::try_future::try_flatten::TryFlatten", "<First>.f", NEXT },
	{ "futures_util::future::try_future::try_flatten::TryFlatten", "<Second>.f", NEXT },
	{ "futures_util::future::try_future::try_flatten_err::TryFlattenErr", "<First>.f", NEXT },
	{ "futures_util::future::try_future::try_flatten_err::TryFlattenErr", "<Second>.f", NEXT },
	{ "futures_util::future::either::Either", "<Left>.__0", NEXT },
	{ "futures_util::future::either::Either", "<Right>.__0", NEXT },
	{ "futures_util::future::abortable::Abortable", ".task", NEXT },
	{ "futures_util::future::lazy::Lazy", NULL, LEAF },
	{ "futures_util::stream::stream::next::Next", ".stream", SILENT },
	{ "futures_util::stream::futures_unordered::FuturesUnordered", NULL, LEAF },
	{ "futures_util::stream::select_all::SelectAll", NULL, LEAF },

	/* tracing: ManuallyDrop's inside differs by std */
	{ "tracing::instrument::Instrumented", ".inner?T", NEXT },
	{ "tracing::instrument::WithDispatch", ".inner?T", NEXT },
};

const struct adapter *adapter_find(const char *type_name, size_t *count)
{
	const size_t all = sizeof ADAPTERS / sizeof ADAPTERS[0];
	*count = 0;
	for (size_t i = 0; i < all; i++) {
		if (!name_is(type_name, ADAPTERS[i].type))
			continue;
		/* `Map<…>::something` starts so as well: the arguments must end the name. */
		const char *arguments = type_name + strlen(ADAPTERS[i].type);
		int depth = 0;
		for (const char *at = arguments; *at != '\0'; at++) {
			depth += *at == '<';
			depth -= *at == '>' && at[-1] != '-';
			if (depth == 0 && at[1] != '\0')
				return NULL;
		}
		while (i + *count < all && strcmp(ADAPTERS[i + *count].type, ADAPTERS[i].type) == 0)
			++*count;
		return &ADAPTERS[i];
	}
	return NULL;
}
