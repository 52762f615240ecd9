//! Chains of awaits through everything that polls another future: language, tokio, and crates that many
//! programs use. One task each. All of them end in a wait that never ends.
//!
//! `through` are the futures that are no coroutines between this one and the next, outermost first.

#[path = "crates.rs"]
mod crates;
#[path = "hand.rs"]
mod hand;

use std::future::{pending, Future};
use std::hint::black_box;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use tokio::runtime::Builder;
use truth::{frame_next_line, idle_next_line};

const FOREVER: Duration = Duration::from_secs(1_000_000);

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_time()
        .on_thread_start(|| truth::thread(truth::lwp(), "worker", &[("runtime", &"main")]))
        .build()
        .expect("a runtime");
    let _entered = runtime.enter();

    let mut count = 0;
    let mut spawn = |future: Pin<Box<dyn Future<Output = ()> + Send>>| {
        tokio::spawn(future);
        count += 1;
    };
    spawn(Box::pin(deep(DEPTH)));
    spawn(Box::pin(too_deep(TOO_DEEP)));
    spawn(Box::pin(mixed()));
    spawn(Box::pin(selecting(false)));
    spawn(Box::pin(selecting_by_reference()));
    spawn(Box::pin(joining()));
    spawn(Box::pin(trying()));
    spawn(Box::pin(nested_forks()));
    spawn(Box::pin(timed()));
    spawn(Box::pin(unconstrained()));
    spawn(Box::pin(scoped()));
    spawn(Box::pin(ticking()));
    hand::spawn(&mut spawn);
    crates::spawn(&mut spawn);

    truth::described(count);
    truth::settled(runtime.handle());
    truth::thread(truth::lwp(), "main", &[]);
    truth::runtime("main", runtime.handle());
    truth::ready_and_park();
}

/// Where every chain here ends.
pub async fn leaf(number: usize) -> usize {
    frame_next_line!("async fn chains::leaf", number = number);
    pending::<()>().await;
    black_box(number)
}

/// The same as one of several futures side by side.
pub async fn branch(number: usize) -> usize {
    frame_next_line!("async fn chains::branch", branch = number);
    pending::<()>().await;
    black_box(number)
}

// More frames than most programs have, by recursion.

const DEPTH: u32 = 99;

async fn deep(depth: u32) {
    if depth == 0 {
        frame_next_line!("async fn chains::deep", depth = depth);
        pending::<()>().await;
    } else if depth == DEPTH {
        idle_next_line!("async fn chains::deep", depth = depth);
        Box::pin(deep(depth - 1)).await;
    } else {
        frame_next_line!("async fn chains::deep", depth = depth);
        Box::pin(deep(depth - 1)).await;
    }
}

// More than any tool follows.

const TOO_DEEP: u32 = 999;

async fn too_deep(depth: u32) {
    if depth == TOO_DEEP {
        idle_next_line!("async fn chains::too_deep", endless = 1);
        Box::pin(too_deep(depth - 1)).await;
    } else if depth > 0 {
        Box::pin(too_deep(depth - 1)).await;
    } else {
        pending::<()>().await;
    }
}

// Boxes, trait objects, async_trait and references, in turn.

struct Shop;

#[async_trait]
trait Store: Sync {
    async fn get(&self, key: usize) -> usize;

    async fn get_twice(&self, key: usize) -> usize {
        frame_next_line!("async block chains::Store::get_twice<chains::Shop>", dyn = 1);
        self.get(key).await * 2
    }
}

#[async_trait]
impl Store for Shop {
    async fn get(&self, key: usize) -> usize {
        let work: Pin<Box<dyn Future<Output = usize> + Send>> = Box::pin(leaf(key));
        frame_next_line!("async block chains::Shop::get", dyn = 1);
        work.await
    }
}

async fn mixed() {
    let store: Box<dyn Store + Send> = Box::new(Shop);
    let mut pinned = Box::pin(borrowing(&*store));
    idle_next_line!("async fn chains::mixed");
    pinned.as_mut().await;
}

async fn borrowing(store: &(dyn Store + Send)) {
    let mut future = store.get_twice(1);
    frame_next_line!("async fn chains::borrowing");
    (&mut future).await;
}

// tokio's own.

async fn nothing() -> Option<usize> {
    None
}

async fn selecting(allowed: bool) {
    let through = "select core::future::poll_fn::PollFn<chains::selecting::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::selecting", through = through, branches = "armed,done,done,armed");
    tokio::select! {
        biased;
        _ = branch(0) => {}
        Some(_) = nothing() => {}
        _ = branch(2), if allowed => {}
        _ = branch(3) => {}
    }
}

async fn selecting_by_reference() {
    let mut held = Box::pin(branch(0));
    let through =
        "select core::future::poll_fn::PollFn<chains::selecting_by_reference::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::selecting_by_reference", through = through, branches = "armed,armed");
    tokio::select! {
        _ = &mut held => {}
        _ = tokio::time::sleep(FOREVER) => {}
    }
}

async fn joining() {
    let through = "join core::future::poll_fn::PollFn<chains::joining::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::joining", through = through, branches = "armed,done,armed");
    tokio::join!(biased; branch(0), nothing(), branch(2));
}

async fn fallible(number: usize) -> Result<usize, ()> {
    frame_next_line!("async fn chains::fallible", branch = number);
    pending::<()>().await;
    Ok(number)
}

async fn success() -> Result<usize, ()> {
    Ok(1)
}

async fn trying() {
    let through = "join core::future::poll_fn::PollFn<chains::trying::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::trying", through = through, branches = "done,armed");
    let _ = tokio::try_join!(success(), fallible(1));
}

async fn nested_forks() {
    let through = "join core::future::poll_fn::PollFn<chains::nested_forks::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::nested_forks", through = through, branches = "armed,armed");
    tokio::join!(inner_fork(), branch(1));
}

async fn inner_fork() {
    tokio::select! {
        _ = pending::<()>() => {}
        _ = tokio::time::sleep(FOREVER) => {}
    }
}

async fn timed() {
    let through = "future tokio::time::timeout::Timeout<chains::leaf>";
    idle_next_line!("async fn chains::timed", through = through, branches = "armed");
    let _ = tokio::time::timeout(FOREVER, leaf(1)).await;
}

async fn unconstrained() {
    let through = "future tokio::task::coop::unconstrained::Unconstrained<chains::leaf>";
    idle_next_line!("async fn chains::unconstrained", through = through);
    tokio::task::unconstrained(leaf(1)).await;
}

tokio::task_local! {
    static NUMBER: usize;
}

async fn scoped() {
    let through = "future tokio::task::task_local::TaskLocalFuture<usize, chains::leaf>";
    idle_next_line!("async fn chains::scoped", through = through);
    NUMBER.scope(1, leaf(1)).await;
}

async fn ticking() {
    let start = tokio::time::Instant::now() + FOREVER;
    let mut interval = tokio::time::interval_at(start, FOREVER);
    let through = "future core::future::poll_fn::PollFn<tokio::time::interval::Interval::tick::{async_fn#0}::{closure_env#0}> \
        | future tokio::time::interval::Interval | future tokio::time::sleep::Sleep";
    idle_next_line!("async fn chains::ticking", through = through);
    interval.tick().await;
}
