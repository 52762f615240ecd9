//! Three runtimes in one process: two multi_thread ones, and a current_thread one on a thread of its own.
//! A task of the first joins a task of the second.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use truth::idle_next_line;

const FAR: Duration = Duration::from_secs(1_000_000);

fn main() {
    truth::start();
    let one = workers("one", 2);
    let two = workers("two", 3);
    let three = on_own_thread();

    for _ in 0..3 {
        one.spawn(sleeper("one"));
    }
    for _ in 0..2 {
        two.spawn(sleeper("two"));
    }
    let far = two.spawn(waiter("two"));
    one.spawn(joiner("one", far));
    three.spawn(sleeper("three"));
    three.spawn(waiter("three"));

    truth::described(9);
    truth::settled(one.handle());
    truth::settled(two.handle());
    truth::settled(&three);
    truth::thread(truth::lwp(), "main", &[]);
    truth::runtime("one", one.handle());
    truth::runtime("two", two.handle());
    truth::runtime("three", &three);
    truth::ready_and_park();
}

fn workers(label: &'static str, count: usize) -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(count)
        .on_thread_start(move || truth::thread(truth::lwp(), "worker", &[("runtime", &label)]))
        .enable_time()
        .build()
        .expect("a runtime")
}

/// A current_thread runtime, driven by a new thread's block_on for good.
fn on_own_thread() -> Handle {
    let (give, take) = mpsc::channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_time().build().expect("a runtime");
        truth::thread(truth::lwp(), "block_on", &[("runtime", &"three")]);
        give.send(runtime.handle().clone()).expect("main listens");
        runtime.block_on(std::future::pending::<()>());
    });
    take.recv().expect("the thread sends its handle")
}

async fn sleeper(runtime: &'static str) {
    idle_next_line!("async fn runtimes::sleeper", runtime = runtime, wait = "timer");
    sleep(FAR).await;
}

async fn waiter(runtime: &'static str) {
    let notify = Notify::new();
    idle_next_line!("async fn runtimes::waiter", runtime = runtime, wait = "notify");
    notify.notified().await;
}

async fn joiner(runtime: &'static str, other: JoinHandle<()>) {
    let joined = format!("task/{}", other.id());
    idle_next_line!("async fn runtimes::joiner", runtime = runtime, wait = "task", joins = joined);
    let _ = other.await;
}
