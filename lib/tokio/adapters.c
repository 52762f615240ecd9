/* Futures known by name: what each polls next, or that it polls nothing. Rows of one type stand together and are
 * tried in order (one per variant). Checked in: tokio 1.38.0 to 1.54.1, futures-util 0.3.34, tokio-util 0.7.20,
 * tokio-stream 0.1.19, tower 0.5.3, tracing 0.1.44; the others as the notes on adapters give them. Names are without
 * generic arguments. */
#include <string.h>

#include "tokio/frame_plan.h"

#define NEXT ADAPTER_NEXT
#define SILENT ADAPTER_SILENT
#define LEAF ADAPTER_LEAF
#define FUTURE "futures_util::future::future::"
#define TRY_FUTURE "futures_util::future::try_future::"
#define STREAM "futures_util::stream::stream::"
#define TRY_STREAM "futures_util::stream::try_stream::"

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
	{ "tokio::time::interval::Interval", ".delay", NEXT }, /* polled by tick's closure */
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
	{ "tokio::future::maybe_done::MaybeDone", "<Future>.future", SILENT },
	{ "tokio::future::maybe_done::MaybeDone", "<Future>.__0", SILENT },
	{ "tokio::task::local::LocalSet", NULL, LEAF },
	{ "tokio::io::util::fill_buf::FillBuf", NULL, LEAF },
	{ "tokio::io::util::read_line::ReadLine", NULL, LEAF },
	{ "tokio::io::util::read_until::ReadUntil", NULL, LEAF },
	{ "tokio::io::util::read_to_end::ReadToEnd", NULL, LEAF },
	{ "tokio::io::util::read_to_string::ReadToString", NULL, LEAF },
	{ "tokio::io::util::write_all_buf::WriteAllBuf", NULL, LEAF },
	{ "tokio::io::util::write_vectored::WriteVectored", NULL, LEAF },
	{ "tokio::io::util::copy::Copy", NULL, LEAF },
	{ "tokio::io::util::copy_buf::CopyBuf", NULL, LEAF },

	/* tokio-util, tokio-stream */
	{ "tokio_util::sync::reusable_box::ReusableBoxFuture", ".boxed", NEXT },
	{ "tokio_util::sync::cancellation_token::WaitForCancellationFuture", ".future", NEXT },
	{ "tokio_util::sync::cancellation_token::WaitForCancellationFutureOwned", ".future?T", NEXT },
	{ "tokio_util::sync::cancellation_token::WaitForCancellationFutureOwned", ".future", NEXT },
	{ "tokio_util::sync::cancellation_token::RunUntilCancelledFuture", ".future", NEXT },
	{ "tokio_util::sync::cancellation_token::RunUntilCancelledFutureOwned", ".future", NEXT },
	{ "tokio_util::future::with_cancellation_token::WithCancellationTokenFuture", ".run_until_cancelled<Some>.__0",
	  NEXT },
	{ "tokio_util::future::with_cancellation_token::WithCancellationTokenFutureOwned",
	  ".run_until_cancelled<Some>.__0", NEXT },
	{ "tokio_util::either::Either", "<Left>.__0", NEXT },
	{ "tokio_util::either::Either", "<Right>.__0", NEXT },
	{ "tokio_util::context::TokioContext", ".inner", NEXT },
	{ "tokio_util::task::abort_on_drop::AbortOnDropHandle", ".__0", NEXT },
	{ "tokio_util::task::task_tracker::TrackedFuture", ".future", NEXT },
	{ "tokio_util::task::task_tracker::TaskTrackerWaitFuture", ".future", NEXT },
	{ "tokio_stream::stream_ext::next::Next", ".stream", SILENT },
	{ "tokio_stream::stream_ext::try_next::TryNext", ".inner", SILENT },
	{ "tokio_stream::wrappers::watch::WatchStream", ".inner", NEXT },
	{ "tokio_stream::wrappers::broadcast::BroadcastStream", ".inner", NEXT },
	{ "tokio_stream::wrappers::interval::IntervalStream", ".inner", NEXT },
	{ "tokio_stream::wrappers::mpsc_bounded::ReceiverStream", NULL, LEAF },
	{ "tokio_stream::wrappers::mpsc_unbounded::UnboundedReceiverStream", NULL, LEAF },
	{ "tokio_stream::stream_map::StreamMap", NULL, LEAF },
	{ "async_stream::async_stream::AsyncStream", ".generator", NEXT },

	/* futures-util: the public newtypes are silent, what they wrap is named */
	{ FUTURE "Map", ".inner", SILENT },
	{ FUTURE "map::Map", "<Incomplete>.future", NEXT },
	{ FUTURE "Then", ".inner", SILENT },
	{ FUTURE "Flatten", ".inner", SILENT },
	{ FUTURE "flatten::Flatten", "<First>.f", NEXT },
	{ FUTURE "flatten::Flatten", "<Second>.f", NEXT },
	{ FUTURE "FlattenStream", ".inner", SILENT },
	{ FUTURE "IntoStream", ".inner", SILENT },
	{ FUTURE "MapInto", ".inner", SILENT },
	{ FUTURE "NeverError", ".inner", SILENT },
	{ FUTURE "UnitError", ".inner", SILENT },
	{ FUTURE "Inspect", ".inner", SILENT },
	{ FUTURE "fuse::Fuse", ".inner<Some>.__0", NEXT },
	{ FUTURE "catch_unwind::CatchUnwind", ".future", NEXT },
	{ FUTURE "shared::Shared", ".inner<Some>.__0.ptr.pointer->.data.future_or_output.value<Future>.__0", NEXT },
	{ FUTURE "remote_handle::RemoteHandle", ".rx", NEXT },
	{ FUTURE "remote_handle::Remote", ".future", NEXT },
	{ TRY_FUTURE "MapOk", ".inner", SILENT },
	{ TRY_FUTURE "MapErr", ".inner", SILENT },
	{ TRY_FUTURE "MapOkOrElse", ".inner", SILENT },
	{ TRY_FUTURE "AndThen", ".inner", SILENT },
	{ TRY_FUTURE "OrElse", ".inner", SILENT },
	{ TRY_FUTURE "ErrInto", ".inner", SILENT },
	{ TRY_FUTURE "OkInto", ".inner", SILENT },
	{ TRY_FUTURE "InspectOk", ".inner", SILENT },
	{ TRY_FUTURE "InspectErr", ".inner", SILENT },
	{ TRY_FUTURE "TryFlatten", ".inner", SILENT },
	{ TRY_FUTURE "TryFlattenStream", ".inner", SILENT },
	{ TRY_FUTURE "UnwrapOrElse", ".inner", SILENT },
	{ TRY_FUTURE "into_future::IntoFuture", ".future", SILENT },
	{ TRY_FUTURE "try_flatten::TryFlatten", "<First>.f", NEXT },
	{ TRY_FUTURE "try_flatten::TryFlatten", "<Second>.f", NEXT },
	{ TRY_FUTURE "try_flatten_err::TryFlattenErr", "<First>.f", NEXT },
	{ TRY_FUTURE "try_flatten_err::TryFlattenErr", "<Second>.f", NEXT },
	{ "futures_util::future::maybe_done::MaybeDone", "<Future>.__0", SILENT },
	{ "futures_util::future::try_maybe_done::TryMaybeDone", "<Future>.__0", SILENT },
	{ "futures_util::future::option::OptionFuture", ".inner<Some>.__0", NEXT },
	{ "futures_util::future::either::Either", "<Left>.__0", NEXT },
	{ "futures_util::future::either::Either", "<Right>.__0", NEXT },
	{ "futures_util::future::abortable::Abortable", ".task", NEXT }, /* before 0.3.8 or so */
	{ "futures_util::abortable::Abortable", ".task", NEXT },
	{ "futures_util::future::poll_fn::PollFn", NULL, LEAF },
	{ "futures_util::future::pending::Pending", NULL, ADAPTER_NEVER },
	{ "futures_util::future::lazy::Lazy", NULL, LEAF },
	{ "futures_util::future::join_all::JoinAll", ".kind<Big>.fut", NEXT },
	{ "futures_util::future::try_join_all::TryJoinAll", ".kind<Big>.fut", NEXT },
	{ STREAM "next::Next", ".stream", SILENT },
	{ STREAM "select_next_some::SelectNextSome", ".stream", SILENT },
	{ TRY_STREAM "try_next::TryNext", ".stream", SILENT },
	{ STREAM "into_future::StreamFuture", ".stream<Some>.__0", NEXT },
	{ STREAM "collect::Collect", ".stream", NEXT },
	{ TRY_STREAM "try_collect::TryCollect", ".stream", NEXT },
	{ STREAM "for_each::ForEach", ".future<Some>.__0", NEXT },
	{ STREAM "for_each::ForEach", ".stream", NEXT },
	{ TRY_STREAM "try_for_each::TryForEach", ".future<Some>.__0", NEXT },
	{ TRY_STREAM "try_for_each::TryForEach", ".stream", NEXT },
	{ STREAM "for_each_concurrent::ForEachConcurrent", ".futures", NEXT },
	{ TRY_STREAM "try_for_each_concurrent::TryForEachConcurrent", ".futures", NEXT },
	{ STREAM "fold::Fold", ".future<Some>.__0", NEXT },
	{ STREAM "fold::Fold", ".stream", NEXT },
	{ TRY_STREAM "try_fold::TryFold", ".future<Some>.__0", NEXT },
	{ TRY_STREAM "try_fold::TryFold", ".stream", NEXT },
	{ STREAM "then::Then", ".future<Some>.__0", NEXT },
	{ STREAM "then::Then", ".stream", NEXT },
	{ STREAM "filter::Filter", ".pending_fut<Some>.__0", NEXT },
	{ STREAM "filter::Filter", ".stream", NEXT },
	{ STREAM "filter_map::FilterMap", ".pending<Some>.__0", NEXT },
	{ STREAM "filter_map::FilterMap", ".stream", NEXT },
	{ STREAM "map::Map", ".stream", NEXT },
	{ STREAM "fuse::Fuse", ".stream", NEXT },
	{ STREAM "buffer_unordered::BufferUnordered", ".in_progress_queue", NEXT },
	{ STREAM "buffered::Buffered", ".in_progress_queue", NEXT },
	{ "futures_util::stream::futures_ordered::FuturesOrdered", ".in_progress_queue", NEXT },
	{ "futures_util::stream::futures_unordered::FuturesUnordered", NULL, LEAF },
	{ "futures_util::stream::select_all::SelectAll", ".inner", NEXT },
	{ "futures_util::sink::send::Send", NULL, LEAF },
	{ "futures_util::sink::feed::Feed", NULL, LEAF },
	{ "futures_util::sink::flush::Flush", NULL, LEAF },
	{ "futures_util::sink::close::Close", NULL, LEAF },
	{ "futures_channel::oneshot::Receiver", NULL, LEAF },
	{ "futures_channel::mpsc::Receiver", NULL, LEAF },
	{ "futures_channel::mpsc::UnboundedReceiver", NULL, LEAF },

	/* tower 0.4.13, 0.5.3 */
	{ "tower::retry::future::ResponseFuture", ".state<Called>.future", NEXT },
	{ "tower::retry::future::ResponseFuture", ".state<Waiting>.waiting", NEXT },
	{ "tower::retry::future::ResponseFuture", ".state<Checking>.checking", NEXT },
	{ "tower::buffer::future::ResponseFuture", ".state<Rx>.rx", NEXT },
	{ "tower::buffer::future::ResponseFuture", ".state<Poll>.fut", NEXT },
	{ "tower::filter::future::AsyncResponseFuture", ".state<Check>.check", NEXT },
	{ "tower::filter::future::AsyncResponseFuture", ".state<WaitResponse>.response", NEXT },
	{ "tower::limit::concurrency::future::ResponseFuture", ".inner", NEXT },
	{ "tower::load::completion::TrackCompletionFuture", ".future", NEXT },
	{ "tower::load_shed::future::ResponseFuture", ".state<Called>.fut", NEXT },
	{ "tower::reconnect::future::ResponseFuture", ".inner<Future>.fut", NEXT },
	{ "tower::spawn_ready::future::ResponseFuture", ".inner", NEXT },
	{ "tower::timeout::future::ResponseFuture", ".response", NEXT },
	{ "tower::util::and_then::AndThenFuture", ".inner", NEXT },
	{ "tower::util::either::EitherResponseFuture", ".kind<Left>.inner", NEXT },
	{ "tower::util::either::EitherResponseFuture", ".kind<Right>.inner", NEXT },
	{ "tower::util::map_err::MapErrFuture", ".inner", NEXT },
	{ "tower::util::map_response::MapResponseFuture", ".inner", NEXT },
	{ "tower::util::map_result::MapResultFuture", ".inner", NEXT },
	{ "tower::util::oneshot::Oneshot", ".state<Called>.fut", NEXT },
	{ "tower::util::optional::future::ResponseFuture", ".inner<Some>.__0", NEXT },
	{ "tower::util::then::ThenFuture", ".inner", NEXT },
	{ "tower_http::timeout::service::ResponseFuture", ".inner", NEXT },

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
