//! Tasks in every state, on a runtime whose two workers are both caught in the middle of a poll.
//!
//! First, what is to stand idle or be complete gets there. Then one worker is made to spin and the other to
//! block. What is woken, spawned or aborted from then on stays queued: no worker is left to take it.

use std::future::pending;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::{oneshot, Notify};
use tokio::task::{spawn_blocking, Id, JoinHandle};
use truth::{idle_next_line, next_line, wait_until, Site, NOWHERE};

/// Set by `spin`, `block` and `crunch` when they begin.
static SPINNING: AtomicBool = AtomicBool::new(false);
static BLOCKED: AtomicBool = AtomicBool::new(false);
static CRUNCHING: AtomicBool = AtomicBool::new(false);

/// Where `woken` and `aborted` await before they get queued.
static WOKEN: OnceLock<Site> = OnceLock::new();
static ABORTED: OnceLock<Site> = OnceLock::new();

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    let undriven = Builder::new_current_thread().build().expect("a runtime");
    let _entered = runtime.enter();

    complete();
    elsewhere(&undriven);
    tokio::spawn(cruncher());
    wait_until(|| CRUNCHING.load(Ordering::Acquire)); // so that its blocking task gets the next id
    let notify = Arc::new(Notify::new());
    let woken = tokio::spawn(woken(notify.clone())).id();
    let aborted = tokio::spawn(aborted());
    let (go_spin, spin) = oneshot::channel();
    tokio::spawn(spinner(spin));
    let (go_block, block) = oneshot::channel();
    let blocker = tokio::spawn(blocker(block));
    wait_until(|| WOKEN.get().is_some() && ABORTED.get().is_some());
    truth::settled(runtime.handle());

    // One after the other, so that each takes a worker of its own.
    go_spin.send(()).expect("the spinner waits for it");
    wait_until(|| SPINNING.load(Ordering::Acquire));
    go_block.send(()).expect("the blocker waits for it");
    wait_until(|| BLOCKED.load(Ordering::Acquire));
    blocker.abort();

    // Nobody takes these any more.
    notify.notify_one();
    let fresh = tokio::spawn(fresh()).id();
    aborted.abort();
    queued(woken, "async fn states::woken", WOKEN.get(), &[]);
    queued(fresh, "async fn states::fresh", None, &[("polled", &0)]);
    queued(aborted.id(), "async fn states::aborted", ABORTED.get(), &[("cancelled", &1)]);

    truth::thread(truth::lwp(), "main", &[]);
    truth::runtime("main", runtime.handle());
    truth::runtime("undriven", undriven.handle());
    truth::ready_and_park();
}

fn queued(id: Id, future: &str, awaiting: Option<&Site>, extra: truth::Extra) {
    truth::task(id, "queued", future, *awaiting.unwrap_or(&NOWHERE), extra);
}

// Complete, and no longer owned by the runtime, but kept by their handles.

fn complete() {
    let finished = tokio::spawn(finished());
    let cancelled = tokio::spawn(cancelled());
    cancelled.abort();
    wait_until(|| finished.is_finished() && cancelled.is_finished());
    let ids = [finished.id(), cancelled.id()];
    let keeper = format!("task/{}", tokio::spawn(keeper(finished, cancelled)).id());
    let names = ["async fn states::finished", "async fn states::cancelled"];
    for (cancelled, (id, name)) in ids.into_iter().zip(names).enumerate() {
        truth::task(
            id,
            "complete",
            name,
            NOWHERE,
            &[("owned", &0), ("held_by", &keeper), ("cancelled", &cancelled)],
        );
    }
}

async fn finished() -> u32 {
    42
}

async fn cancelled() -> u32 {
    pending().await
}

async fn keeper(finished: JoinHandle<u32>, cancelled: JoinHandle<u32>) {
    idle_next_line!("async fn states::keeper");
    pending::<()>().await;
    drop((finished, cancelled));
}

// Never polled, in a runtime that no thread drives. It can be found through the handle that `joiner` awaits.

fn elsewhere(undriven: &Runtime) {
    let fresh = undriven.spawn(fresh());
    queued(fresh.id(), "async fn states::fresh", None, &[("runtime", &"undriven"), ("polled", &0)]);
    tokio::spawn(joiner(fresh));
}

async fn joiner(fresh: JoinHandle<()>) {
    let id = format!("task/{}", fresh.id());
    idle_next_line!("async fn states::joiner", wait = "task", joins = id);
    let _ = fresh.await;
}

/// Never polled; from `main` because both workers are stuck.
async fn fresh() {
    pending().await
}

// A blocking task, running, and a task that awaits it. It is in no list of the runtime.

async fn cruncher() {
    let crunch = spawn_blocking(crunch);
    let id = crunch.id();
    truth::task(
        id,
        "blocking",
        "states::crunch",
        NOWHERE,
        &[("owned", &0), ("function", &"states::crunch")],
    );
    let joined = format!("task/{id}");
    idle_next_line!("async fn states::cruncher", wait = "task", joins = joined);
    let _ = crunch.await;
}

#[inline(never)]
fn crunch() {
    truth::thread(truth::lwp(), "blocking", &[("function", &"states::crunch")]);
    CRUNCHING.store(true, Ordering::Release);
    loop {
        thread::park();
    }
}

// Running: one burns its worker's time, the other, aborted as it runs, sleeps. Both were resumed from an
// await, and still show it.

async fn spinner(go: oneshot::Receiver<()>) {
    const AT: Site = next_line!();
    let _ = go.await;
    let lwp = truth::lwp();
    truth::task(
        tokio::task::id(),
        "running",
        "async fn states::spinner",
        AT,
        &[("lwp", &lwp), ("function", &"states::spin")],
    );
    truth::thread(lwp, "worker", &[("function", &"states::spin")]);
    spin();
}

#[inline(never)]
fn spin() {
    SPINNING.store(true, Ordering::Release);
    while SPINNING.load(Ordering::Relaxed) {
        spin_loop();
    }
}

async fn blocker(go: oneshot::Receiver<()>) {
    const AT: Site = next_line!();
    let _ = go.await;
    let lwp = truth::lwp();
    truth::task(
        tokio::task::id(),
        "running",
        "async fn states::blocker",
        AT,
        &[("lwp", &lwp), ("function", &"states::block"), ("cancelled", &1)],
    );
    truth::thread(lwp, "worker", &[("function", &"states::block")]);
    block();
}

#[inline(never)]
fn block() {
    BLOCKED.store(true, Ordering::Release);
    while BLOCKED.load(Ordering::Relaxed) {
        thread::park();
    }
}

// Idle at first, then queued.

async fn woken(notify: Arc<Notify>) {
    let _ = WOKEN.set(next_line!());
    notify.notified().await;
}

async fn aborted() {
    let _ = ABORTED.set(next_line!());
    pending().await
}
