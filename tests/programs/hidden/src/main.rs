//! Runtimes, sets and tasks that no thread leads to. One runtime is driven; what its tasks hold and its queues lead to
//! the rest.

use std::future::pending;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::{spawn_blocking, AbortHandle, JoinHandle, JoinSet, LocalSet};
use truth::{idle_next_line, wait_until, NOWHERE};

static CRUNCHING: AtomicUsize = AtomicUsize::new(0);
static LOCAL: AtomicBool = AtomicBool::new(false);
static STUCK: AtomicBool = AtomicBool::new(false);

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(1)
        .enable_time()
        .build()
        .expect("a runtime");
    let first = undriven();
    let second = undriven();
    let third = undriven();
    let semaphore = Arc::new(Semaphore::new(0));

    // By the handle that a task holds, and by another's that it can only abort.
    let handle = first.spawn(lonely("first"));
    let sibling = first.spawn(lonely("first"));
    drop(sibling); // in the list only
    let other = second.spawn(waiter(semaphore.clone(), "second"));
    drive(&first);
    drive(&second);
    runtime.spawn(keeper(handle, other.abort_handle()));
    drop(other);
    // By the queue of a semaphore.
    let last = third.spawn(waiter(semaphore.clone(), "third"));
    drop(last);
    drive(&third);
    runtime.spawn(waiter(semaphore.clone(), "main"));

    local_set();
    inside();
    overflow(&runtime);
    complete(&runtime);
    truth::settled(runtime.handle());
    truth::runtime("main", runtime.handle());
    for (label, runtime) in [("first", &first), ("second", &second), ("third", &third)] {
        truth::runtime(label, runtime.handle());
    }
    truth::ready_and_park();
}

fn undriven() -> Runtime {
    Builder::new_current_thread().enable_time().build().expect("a runtime")
}

/// Until its tasks stand idle; then nobody is inside any more.
fn drive(runtime: &Runtime) {
    runtime.block_on(async {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
    });
}

async fn lonely(label: &str) {
    idle_next_line!("async fn hidden::lonely", runtime = label);
    pending().await
}

async fn waiter(semaphore: Arc<Semaphore>, label: &str) {
    idle_next_line!("async fn hidden::waiter", runtime = label);
    let _permit = semaphore.acquire().await;
}

async fn keeper(handle: JoinHandle<()>, abort: AbortHandle) {
    idle_next_line!("async fn hidden::keeper", runtime = "main");
    pending::<()>().await;
    drop((handle, abort));
}

// A LocalSet whose thread sleeps for it, and of whose tasks one is in the timer wheel: that is the way to it.

fn local_set() {
    thread::spawn(|| {
        let runtime = undriven();
        let set = LocalSet::new();
        set.spawn_local(sleeper());
        set.spawn_local(idler());
        set.block_on(&runtime, pending::<()>());
    });
    wait_until(|| LOCAL.load(Ordering::Acquire));
}

async fn sleeper() {
    idle_next_line!("async fn hidden::sleeper", runtime = "localset", wait = "timer");
    tokio::time::sleep(Duration::from_secs(360_000)).await
}

async fn idler() {
    LOCAL.store(true, Ordering::Release);
    idle_next_line!("async fn hidden::idler", runtime = "localset");
    pending().await
}

// Another, whose thread is in the middle of a poll.

fn inside() {
    thread::spawn(|| {
        let runtime = undriven();
        let set = LocalSet::new();
        set.spawn_local(stuck());
        set.block_on(&runtime, pending::<()>());
    });
    wait_until(|| STUCK.load(Ordering::Acquire));
}

async fn stuck() {
    let lwp = truth::lwp();
    let extra: truth::Extra = &[("runtime", &"inside"), ("lwp", &lwp)];
    truth::task(tokio::task::id(), "running", "async fn hidden::stuck", NOWHERE, extra);
    STUCK.store(true, Ordering::Release);
    loop {
        thread::park();
    }
}

// More blocking tasks than there are threads for: one runs, known by its handle; the others are queued.

fn overflow(runtime: &Runtime) {
    runtime.spawn(cruncher());
    wait_until(|| CRUNCHING.load(Ordering::Acquire) > 0);
    let _entered = runtime.enter();
    for _ in 0..3 {
        blocking(&spawn_blocking(crunch), "blocking (queued)");
    }
}

async fn cruncher() {
    let crunch = spawn_blocking(crunch);
    blocking(&crunch, "blocking");
    let joined = format!("task/{}", crunch.id());
    idle_next_line!("async fn hidden::cruncher", runtime = "main", joins = joined);
    let _ = crunch.await;
}

fn blocking(handle: &JoinHandle<()>, state: &str) {
    truth::task(handle.id(), state, "-", NOWHERE, &[("owned", &0), ("runtime", &"main")]);
}

#[inline(never)]
fn crunch() {
    CRUNCHING.fetch_add(1, Ordering::Release);
    loop {
        thread::park();
    }
}

// Complete, and kept by a set that nobody asks: known, but not listed.

fn complete(runtime: &Runtime) {
    let (tell, told) = std::sync::mpsc::channel();
    runtime.spawn(async move {
        let mut set = JoinSet::new();
        let done = set.spawn(async {});
        while !done.is_finished() {
            tokio::task::yield_now().await;
        }
        truth::task(done.id(), "complete", "-", NOWHERE, &[("owned", &0)]);
        let _ = tell.send(());
        idle_next_line!("async block hidden::complete", runtime = "main");
        pending::<()>().await;
        drop(set);
    });
    let _ = told.recv();
}
