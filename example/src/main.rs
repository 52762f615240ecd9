//! A small tokio program to explore with hansei.
//!
//! It looks like the inside of some proxy: jobs come in through a bounded channel, a dispatcher hands
//! them out, workers count them, probes watch the upstreams. It also has a bug. Within milliseconds it
//! has deadlocked itself, and it never exits:
//!
//! - `reloader` keeps the lock on the configuration until `dispatcher` says that it has drained its jobs;
//! - `dispatcher` cannot finish its first job, because for that it needs to read the configuration.
//!
//! From there the standstill spreads: `producer` finds the channel full, the workers see no progress, and
//! `supervisor` waits for the workers. `listener`, `fanout` and `heartbeat` are merely idle.
//!
//! Tasks get their ids in the order in which they are spawned. On a runtime of two workers, which take
//! the first two ids for themselves, `listener` is always task 3 and the last worker always task 12.

use std::collections::BTreeMap;
use std::future::pending;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot, watch, Mutex};
use tokio::task::JoinSet;
use tokio::time::sleep;

const WORKERS: usize = 3;
const QUEUE: usize = 4;
const HOUR: Duration = Duration::from_secs(60 * 60);

/// What `reloader` renews and `dispatcher` wants to read.
struct Config {
    upstream: SocketAddr,
    max_in_flight: usize,
    retries: BTreeMap<String, u32>,
}

impl Config {
    fn load() -> Config {
        Config {
            upstream: SocketAddr::from(([10, 0, 0, 7], 8080)),
            max_in_flight: 8,
            retries: [("connect", 3), ("read", 1), ("write", 2)]
                .map(|(operation, times)| (operation.to_string(), times))
                .into(),
        }
    }
}

/// One request on its way through the proxy.
struct Job {
    id: usize,
    path: String,
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    allow_gcore();

    let config = Arc::new(Mutex::new(Config::load()));
    let (submit, jobs) = mpsc::channel(QUEUE);
    let (locked, reload_begun) = oneshot::channel();
    let (drained, all_drained) = oneshot::channel();
    let (progress, seen) = watch::channel(0);

    tokio::spawn(listener());
    tokio::spawn(producer(submit, reload_begun));
    tokio::spawn(dispatcher(config.clone(), jobs, drained, progress));
    tokio::spawn(reloader(config, locked, all_drained));
    tokio::spawn(fanout());
    tokio::spawn(heartbeat());
    tokio::spawn(supervisor(seen));

    let pid = std::process::id();
    println!("hansei-example running as pid {pid}");
    println!("core it with: gcore {pid}");
    pending().await
}

/// Accepts connections, of which there are none.
async fn listener() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a free port on the loopback interface");
    let mut accepted = 0;
    loop {
        if let Ok((stream, peer)) = listener.accept().await {
            accepted += 1;
            println!("connection {accepted} from {peer}");
            drop(stream);
        }
    }
}

/// Feeds the bounded channel to the dispatcher, and soon stands before a full one.
///
/// It sends nothing before the reload has begun. So the first job is bound to find the lock taken, and
/// the deadlock does not depend on how the two workers happen to be scheduled.
async fn producer(submit: mpsc::Sender<Job>, reload_begun: oneshot::Receiver<()>) {
    reload_begun.await.expect("the reloader sends this first");
    for id in 1.. {
        let path = format!("/jobs/{id}");
        let job = Job { id, path };
        if submit.send(job).await.is_err() {
            break;
        }
    }
}

/// Takes jobs from the channel, as many at a time as the configuration allows.
async fn dispatcher(
    config: Arc<Mutex<Config>>,
    mut jobs: mpsc::Receiver<Job>,
    drained: oneshot::Sender<()>,
    progress: watch::Sender<usize>,
) {
    let started = Instant::now();
    let mut in_flight = 0;
    while let Some(job) = jobs.recv().await {
        let current = config.lock().await;
        println!("job {} to {}{}", job.id, current.upstream, job.path);
        in_flight += 1;
        if in_flight == current.max_in_flight {
            println!("a batch is done after {:?}", started.elapsed());
            progress.send_replace(job.id);
            in_flight = 0;
        }
    }
    // Too late for the reloader, which waits for this with the lock in its hands.
    let _ = drained.send(());
}

/// Renews the configuration, once the jobs that go by the old one are done.
async fn reloader(
    config: Arc<Mutex<Config>>,
    locked: oneshot::Sender<()>,
    all_drained: oneshot::Receiver<()>,
) {
    let mut config = config.lock().await;
    let _ = locked.send(());
    // The bug: a lock held over an await, for someone who needs that lock to get there.
    let _ = all_drained.await;
    *config = Config::load();
    println!("{} kinds of retries", config.retries.len());
}

/// Supervises the workers.
async fn supervisor(progress: watch::Receiver<usize>) {
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        workers.spawn(worker(progress.clone()));
    }
    while let Some(updates) = workers.join_next().await {
        println!("a worker is gone after {updates:?} updates");
    }
}

/// Follows the dispatcher's progress; returns how often it heard of any.
async fn worker(mut progress: watch::Receiver<usize>) -> usize {
    let mut updates = 0;
    while progress.changed().await.is_ok() {
        updates += 1;
    }
    updates
}

/// Probes three upstreams concurrently, within this one task.
async fn fanout() {
    let mut probes: FuturesUnordered<_> = (1..=3).map(probe).collect();
    while let Some(upstream) = probes.next().await {
        println!("upstream {upstream} is well");
        probes.push(probe(upstream));
    }
}

/// Finds one upstream well, though not very soon.
async fn probe(upstream: u32) -> u32 {
    sleep(upstream * 100 * HOUR).await;
    upstream
}

/// Says now and then that the process is alive.
async fn heartbeat() {
    for beat in 1.. {
        sleep(50 * HOUR).await;
        println!("heartbeat {beat}");
    }
}

/// Lets any process of this user attach, as gcore has to; many distributions allow parents only.
#[cfg(target_os = "linux")]
fn allow_gcore() {
    // SAFETY: this request takes numbers only, and changes nothing but a permission.
    unsafe { libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::MAX, 0, 0, 0) };
}

#[cfg(not(target_os = "linux"))]
fn allow_gcore() {}
