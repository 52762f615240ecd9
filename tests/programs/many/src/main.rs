//! A thousand tasks of one type and one of another, over all shards of a runtime's list of tasks.

use std::future::pending;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::time::sleep;
use truth::idle_next_line;

const SLEEPERS: u64 = 1_000;
const WORKERS: usize = 4;

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .on_thread_start(|| truth::thread(truth::lwp(), "worker", &[("runtime", &"main")]))
        .enable_time()
        .build()
        .expect("a runtime");
    for number in 1..=SLEEPERS {
        runtime.spawn(sleeper(number));
    }
    runtime.spawn(odd_one_out());

    truth::described(SLEEPERS as usize + 1);
    truth::settled(runtime.handle());
    truth::thread(truth::lwp(), "main", &[]);
    truth::runtime("main", runtime.handle());
    truth::ready_and_park();
}

/// Sleeps for so long that it is the same whether the test runs now or tomorrow.
async fn sleeper(number: u64) {
    let duration = Duration::from_secs(1_000_000 + number);
    idle_next_line!("async fn many::sleeper", wait = "timer", number = number);
    sleep(duration).await;
    println!("sleeper {number} woke, and {} workers", Handle::current().metrics().num_workers());
}

async fn odd_one_out() {
    idle_next_line!("async fn many::odd_one_out", wait = "never");
    pending::<()>().await;
}
