//! The adapters of futures-util, tokio-util, tower and tracing.

use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;

use futures::future::{self, Either, FutureExt, TryFutureExt};
use futures::stream::{self, StreamExt};
use tokio_util::sync::{CancellationToken, ReusableBoxFuture};
use tokio_util::task::TaskTracker;
use tower::{service_fn, ServiceBuilder, ServiceExt};
use tracing::Instrument;
use truth::idle_next_line;

use crate::{branch, leaf, FOREVER};

pub fn spawn(spawn: &mut dyn FnMut(Pin<Box<dyn Future<Output = ()> + Send>>)) {
    spawn(Box::pin(fused()));
    spawn(Box::pin(mapped()));
    spawn(Box::pin(chained()));
    spawn(Box::pin(trying()));
    spawn(Box::pin(either(true)));
    spawn(Box::pin(either(false)));
    spawn(Box::pin(abortable()));
    spawn(Box::pin(optional()));
    spawn(Box::pin(catching()));
    spawn(Box::pin(boxed()));
    let shared = leaf(1).boxed().shared();
    spawn(Box::pin(sharing(shared)));
    spawn(Box::pin(joining()));
    spawn(Box::pin(joining_macro()));
    spawn(Box::pin(joining_all()));
    spawn(Box::pin(selecting()));
    spawn(Box::pin(selecting_macro()));
    spawn(Box::pin(selecting_all()));
    spawn(Box::pin(streaming()));
    spawn(Box::pin(for_each()));
    spawn(Box::pin(instrumented()));
    spawn(Box::pin(cancelled()));
    spawn(Box::pin(cancellable()));
    spawn(Box::pin(reusable()));
    spawn(Box::pin(tracked()));
    spawn(Box::pin(serving()));
    spawn(Box::pin(serving_boxed()));
    spawn(Box::pin(retrying()));
}

async fn fused() {
    let through = "future futures_util::future::future::fuse::Fuse<chains::leaf>";
    idle_next_line!("async fn chains::crates::fused", through = through);
    leaf(1).fuse().await;
}

async fn mapped() {
    let through = "future futures_util::future::future::map::Map<chains::leaf, \
        chains::crates::mapped::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::crates::mapped", through = through);
    leaf(1).map(|number| number + 1).await;
}

async fn chained() {
    let through = "future futures_util::future::future::flatten::Flatten<futures_util::future::future::Map<\
        futures_util::future::ready::Ready<()>, chains::crates::chained::{async_fn#0}::{closure_env#0}>, chains::leaf>";
    idle_next_line!("async fn chains::crates::chained", through = through);
    future::ready(()).then(|()| leaf(1)).await;
}

async fn trying() {
    let through =
        "future futures_util::future::future::map::Map<futures_util::future::try_future::into_future::\
        IntoFuture<Pin<Box<chains::crates::fallible>>>, \
        futures_util::fns::MapErrFn<chains::crates::trying::{async_fn#0}::{closure_env#0}>>";
    idle_next_line!("async fn chains::crates::trying", through = through);
    let _ = Box::pin(fallible()).map_err(|never| match never {}).await as Result<usize, ()>;
}

async fn fallible() -> Result<usize, Infallible> {
    truth::frame_next_line!("async fn chains::crates::fallible");
    Ok(leaf(1).await)
}

async fn either(left: bool) {
    let future =
        if left { Either::Left(leaf(1)) } else { Either::Right(future::lazy(|_| ()).then(|()| leaf(2))) };
    let right = "futures_util::future::future::Then<futures_util::future::lazy::Lazy<\
        chains::crates::either::{async_fn#0}::{closure_env#0}>, chains::leaf, \
        chains::crates::either::{async_fn#0}::{closure_env#1}>";
    let inner =
        " | future futures_util::future::future::flatten::Flatten<futures_util::future::future::Map<\
        futures_util::future::lazy::Lazy<chains::crates::either::{async_fn#0}::{closure_env#0}>, \
        chains::crates::either::{async_fn#0}::{closure_env#1}>, chains::leaf>";
    let through = format!(
        "future futures_util::future::either::Either<chains::leaf, {right}>{}",
        if left { "" } else { inner }
    );
    idle_next_line!("async fn chains::crates::either", through = through);
    future.await;
}

async fn abortable() {
    let (future, _handle) = future::abortable(leaf(1));
    let through = "future futures_util::abortable::Abortable<chains::leaf>";
    idle_next_line!("async fn chains::crates::abortable", through = through);
    let _ = future.await;
}

async fn optional() {
    let through = "future futures_util::future::option::OptionFuture<chains::leaf>";
    idle_next_line!("async fn chains::crates::optional", through = through);
    future::OptionFuture::from(Some(leaf(1))).await;
}

async fn catching() {
    let through = "future futures_util::future::future::catch_unwind::CatchUnwind<\
        core::panic::unwind_safe::AssertUnwindSafe<chains::leaf>>";
    idle_next_line!("async fn chains::crates::catching", through = through);
    let _ = std::panic::AssertUnwindSafe(leaf(1)).catch_unwind().await;
}

async fn boxed() {
    let future = leaf(1).boxed();
    idle_next_line!("async fn chains::crates::boxed");
    future.await;
}

type Shared = future::Shared<future::BoxFuture<'static, usize>>;

async fn sharing(shared: Shared) {
    let through = "future futures_util::future::future::shared::Shared<Pin<Box<(dyn \
        core::future::future::Future<Output=usize> + core::marker::Send)>>>";
    idle_next_line!("async fn chains::crates::sharing", through = through);
    shared.await;
}

async fn joining() {
    let through = "join futures_util::future::join::Join3<chains::branch, futures_util::future::ready::Ready<()>, chains::branch>";
    idle_next_line!("async fn chains::crates::joining", through = through, branches = "armed,done,armed");
    future::join3(branch(0), future::ready(()), branch(2)).await;
}

async fn joining_macro() {
    let through =
        "join futures_util::future::poll_fn::PollFn<chains::crates::joining_macro::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::crates::joining_macro", through = through, branches = "armed,done");
    futures::join!(branch(0), future::ready(1));
}

async fn joining_all() {
    let through = "join futures_util::future::join_all::JoinAll<chains::branch>";
    let branches = "armed,armed,armed";
    idle_next_line!("async fn chains::crates::joining_all", through = through, branches = branches);
    future::join_all((0..3).map(branch)).await;
}

async fn selecting() {
    let through =
        "select futures_util::future::select::Select<Pin<Box<chains::branch>>, Pin<Box<chains::branch>>>";
    idle_next_line!("async fn chains::crates::selecting", through = through, branches = "armed,armed");
    future::select(Box::pin(branch(0)), Box::pin(branch(1))).await;
}

async fn selecting_macro() {
    for number in 0..2 {
        let fuse = "future futures_util::future::future::fuse::Fuse<chains::branch>";
        truth::frame(tokio::task::id(), fuse, truth::NOWHERE, &[("branch", &number)]);
    }
    let mut left = Box::pin(branch(0).fuse());
    let mut right = Box::pin(branch(1).fuse());
    let through =
        "future futures_util::future::poll_fn::PollFn<chains::crates::selecting_macro::{async_fn#0}::{closure_env#0}>";
    let branches = "armed,armed";
    idle_next_line!("async fn chains::crates::selecting_macro", through = through, branches = branches);
    futures::select! {
        _ = left => {}
        _ = right => {}
    }
}

async fn selecting_all() {
    let through = "select futures_util::future::select_all::SelectAll<Pin<Box<chains::branch>>>";
    idle_next_line!("async fn chains::crates::selecting_all", through = through, branches = "armed,armed");
    future::select_all((0..2).map(|number| Box::pin(branch(number)))).await;
}

async fn streaming() {
    let mut numbers = Box::pin(stream::iter(1..3).then(leaf));
    let through = "future futures_util::stream::stream::then::Then<\
        futures_util::stream::iter::Iter<core::ops::range::Range<usize>>, chains::leaf, fn(usize) -> chains::leaf>";
    idle_next_line!("async fn chains::crates::streaming", through = through, loose = 1);
    numbers.next().await;
}

async fn for_each() {
    let through = "future futures_util::stream::stream::for_each::ForEach \
        | future futures_util::future::future::map::Map";
    idle_next_line!("async fn chains::crates::for_each", through = through, loose = 1);
    stream::iter(1..3).for_each(|number| leaf(number).map(|_| ())).await;
}

async fn instrumented() {
    let through = "future tracing::instrument::Instrumented<chains::leaf>";
    idle_next_line!("async fn chains::crates::instrumented", through = through);
    leaf(1).instrument(tracing::info_span!("leaf")).await;
}

async fn cancelled() {
    let token = CancellationToken::new();
    let through = "future tokio_util::sync::cancellation_token::WaitForCancellationFuture \
        | future tokio::sync::notify::Notified";
    idle_next_line!("async fn chains::crates::cancelled", through = through);
    token.cancelled().await;
}

async fn cancellable() {
    let token = CancellationToken::new();
    let through = "future tokio_util::sync::cancellation_token::RunUntilCancelledFuture<chains::leaf>";
    idle_next_line!("async fn chains::crates::cancellable", through = through, branches = "armed");
    token.run_until_cancelled(leaf(1)).await;
}

async fn reusable() {
    let mut future = ReusableBoxFuture::new(leaf(1));
    let through = "future tokio_util::sync::reusable_box::ReusableBoxFuture<usize>";
    idle_next_line!("async fn chains::crates::reusable", through = through);
    (&mut future).await;
}

async fn tracked() {
    let tracker = TaskTracker::new();
    let through = "future tokio_util::task::task_tracker::TrackedFuture<chains::leaf>";
    idle_next_line!("async fn chains::crates::tracked", through = through);
    tracker.track_future(leaf(1)).await;
}

async fn answer(number: usize) -> Result<usize, tower::BoxError> {
    truth::frame_next_line!("async fn chains::crates::answer");
    Ok(leaf(number).await)
}

async fn serving() {
    let service = ServiceBuilder::new().timeout(FOREVER).concurrency_limit(3).service(service_fn(answer));
    let through = "future tower::util::oneshot::Oneshot | future tower::timeout::future::ResponseFuture \
        | future tower::limit::concurrency::future::ResponseFuture";
    idle_next_line!("async fn chains::crates::serving", through = through, loose = 1, branches = "armed");
    let _ = service.oneshot(1).await;
}

async fn serving_boxed() {
    let service = service_fn(answer).map_response(|number| number + 1).boxed();
    let through =
        "future tower::util::oneshot::Oneshot | future tower::util::map_response::MapResponseFuture \
        | future futures_util::future::future::map::Map";
    idle_next_line!("async fn chains::crates::serving_boxed", through = through, loose = 1);
    let _ = service.oneshot(1).await;
}

#[derive(Clone)]
struct Once;

impl tower::retry::Policy<usize, usize, tower::BoxError> for Once {
    type Future = future::Ready<()>;

    fn retry(&mut self, _: &mut usize, _: &mut Result<usize, tower::BoxError>) -> Option<Self::Future> {
        None
    }

    fn clone_request(&mut self, request: &usize) -> Option<usize> {
        Some(*request)
    }
}

async fn retrying() {
    let service = ServiceBuilder::new().retry(Once).service_fn(answer);
    let through = "future tower::util::oneshot::Oneshot | future tower::retry::future::ResponseFuture";
    idle_next_line!("async fn chains::crates::retrying", through = through, loose = 1);
    let _ = service.oneshot(1).await;
}
