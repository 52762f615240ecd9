//! One current_thread runtime, driven by the main thread.
//!
//! There is no worker to take an id, so the first task is task 1. The main thread's own future is no
//! task; it awaits something too.

use std::future::pending;
use std::time::Duration;

use tokio::sync::{oneshot, Notify};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use truth::idle_next_line;

const FAR: Duration = Duration::from_secs(1_000_000);

#[tokio::main(flavor = "current_thread")]
async fn main() {
    truth::start();
    let (sender, receiver) = oneshot::channel();
    let sleeping = tokio::spawn(sleeper());
    let joined = format!("task/{}", sleeping.id());
    tokio::spawn(joiner(sleeping, joined));
    tokio::spawn(receiving(receiver));
    tokio::spawn(notified());
    tokio::spawn(async {
        idle_next_line!("async block current::main::{async_block#0}", wait = "never");
        pending::<()>().await;
    });

    // Tasks run in the order in which they were spawned; one round is enough for all of them.
    while truth::tasks() < 5 {
        tokio::task::yield_now().await;
    }
    truth::thread(truth::lwp(), "block_on", &[("runtime", &"main")]);
    truth::runtime("main", &tokio::runtime::Handle::current());
    truth::ready();
    pending::<()>().await;
    drop(sender);
}

async fn sleeper() {
    idle_next_line!("async fn current::sleeper", wait = "timer");
    sleep(FAR).await;
}

async fn joiner(sleeper: JoinHandle<()>, task: String) {
    idle_next_line!("async fn current::joiner", wait = "task", joins = task);
    let _ = sleeper.await;
}

async fn receiving(receiver: oneshot::Receiver<u64>) {
    idle_next_line!("async fn current::receiving", wait = "oneshot");
    let _ = receiver.await;
}

async fn notified() {
    let notify = Notify::new();
    idle_next_line!("async fn current::notified", wait = "notify");
    notify.notified().await;
}
