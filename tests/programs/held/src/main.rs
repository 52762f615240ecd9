//! Futures that no task awaits, in every kind of container: each task holds some and waits for ever.
//!
//! What was polled stands at the await in `leaf`; what was not stands nowhere. A `held` line names the local of the
//! innermost frame that has the future, or whose set it is a child of.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::future::{pending, Future};
use std::pin::Pin;
use std::sync::OnceLock;

use futures_util::stream::{self, FuturesOrdered, FuturesUnordered, Stream, StreamExt};
use futures_util::{future, poll};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tokio_stream::StreamMap;
use truth::{idle_next_line, next_line, Site, NOWHERE};

type Boxed = Pin<Box<dyn Future<Output = u32> + Send>>;

/// Where `leaf` stands.
static LEAF: OnceLock<Site> = OnceLock::new();

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build().expect("a runtime");
    spawn(&runtime, plain(), 1);
    spawn(&runtime, boxed(), 1);
    spawn(&runtime, tuple(), 1);
    spawn(&runtime, options(), 1);
    spawn(&runtime, vectors(), 1);
    spawn(&runtime, maps(), 1);
    spawn(&runtime, finished(), 1);
    spawn(&runtime, inside(), 1);
    spawn(&runtime, selecting(), 1);
    spawn(&runtime, pinned(), 1);
    spawn(&runtime, ghost(), 2);
    spawn(&runtime, unordered(), 1);
    spawn(&runtime, nested(), 1);
    spawn(&runtime, ordered(), 1);
    spawn(&runtime, buffered(), 1);
    spawn(&runtime, streams(), 1);
    spawn(&runtime, join_set(), 4);
    truth::settled(runtime.handle());
    truth::runtime("main", runtime.handle());
    truth::ready_and_park();
}

/// Waits until it has described itself and what it spawns.
fn spawn(runtime: &Runtime, future: impl Future<Output = u32> + Send + 'static, tasks: usize) {
    let before = truth::tasks();
    runtime.spawn(future);
    truth::described(before + tasks);
}

async fn leaf(n: u32) -> u32 {
    let _ = LEAF.set(next_line!());
    pending::<()>().await;
    n
}

/// Polls it once, so that it stands at its await.
async fn start<F: Future<Output = u32> + ?Sized>(mut future: Pin<Box<F>>) -> Pin<Box<F>> {
    assert!(poll!(future.as_mut()).is_pending());
    future
}

fn leaf_site() -> Site {
    *LEAF.get().expect("a leaf was polled")
}

fn held(kind: &str, site: Site, extra: truth::Extra) {
    truth::held(tokio::task::id(), kind, "async fn held::leaf", site, extra);
}

// In locals.

async fn plain() -> u32 {
    let first = leaf(1);
    let second = leaf(2);
    held("local", NOWHERE, &[("local", &"first"), ("armed", &"no")]);
    held("local", NOWHERE, &[("local", &"second"), ("armed", &"no")]);
    idle_next_line!("async fn held::plain");
    pending::<()>().await;
    first.await + second.await
}

async fn boxed() -> u32 {
    let direct = start(Box::pin(leaf(1))).await;
    let object: Boxed = start(Box::pin(leaf(2))).await;
    let twice: Box<Boxed> = Box::new(start(Box::pin(leaf(3))).await);
    held("local", leaf_site(), &[("local", &"direct"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"object"), ("dyn", &1), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"twice"), ("dyn", &1), ("armed", &"no")]);
    idle_next_line!("async fn held::boxed");
    pending::<()>().await;
    direct.await + object.await + twice.await
}

struct Pair {
    number: u8,
    future: Pin<Box<dyn Future<Output = u32> + Send>>,
}

async fn tuple() -> u32 {
    let three = (leaf(1), 7u8, start(Box::pin(leaf(2))).await);
    let pair = Pair { number: 1, future: start(Box::pin(leaf(3))).await };
    let array = [start(Box::pin(leaf(4))).await, start(Box::pin(leaf(5))).await];
    held("local", NOWHERE, &[("local", &"three"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"three"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"pair"), ("dyn", &1), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"array"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"array"), ("armed", &"no")]);
    idle_next_line!("async fn held::tuple");
    pending::<()>().await;
    let [fourth, fifth] = array;
    three.0.await + u32::from(three.1) + three.2.await + u32::from(pair.number) + pair.future.await + fourth.await + fifth.await
}

async fn options() -> u32 {
    let some = Some(start(Box::pin(leaf(1))).await);
    let none: Option<Boxed> = None;
    let either: Result<Pin<Box<dyn Future<Output = u32> + Send>>, String> = Ok(start(Box::pin(leaf(2))).await);
    held("local", leaf_site(), &[("local", &"some"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"either"), ("dyn", &1), ("armed", &"no")]);
    idle_next_line!("async fn held::options");
    pending::<()>().await;
    if let (Some(some), None, Ok(either)) = (some, none, either) {
        return some.await + either.await;
    }
    0
}

async fn vectors() -> u32 {
    let mut vec = Vec::with_capacity(8);
    let mut ring: VecDeque<Boxed> = VecDeque::with_capacity(4);
    for n in 0..3 {
        vec.push(start(Box::pin(leaf(n))).await);
        held("local", leaf_site(), &[("local", &"vec"), ("armed", &"no")]);
    }
    for n in 0..4 {
        ring.push_back(start(Box::pin(leaf(n))).await as Boxed);
    }
    drop(ring.pop_front()); // so that it wraps round
    drop(ring.pop_front());
    ring.push_back(start(Box::pin(leaf(5))).await);
    for _ in 0..ring.len() {
        held("local", leaf_site(), &[("local", &"ring"), ("dyn", &1), ("armed", &"no")]);
    }
    idle_next_line!("async fn held::vectors");
    pending::<()>().await;
    future::join_all(vec).await.len() as u32 + ring.len() as u32
}

async fn maps() -> u32 {
    let mut hash = HashMap::new();
    let mut tree = BTreeMap::new();
    for n in 0..5 {
        hash.insert(n.to_string(), start(Box::pin(leaf(n))).await);
        held("local", leaf_site(), &[("local", &"hash"), ("armed", &"no")]);
    }
    for n in 0..20 {
        tree.insert(n, start(Box::pin(leaf(n))).await as Boxed);
        held("local", leaf_site(), &[("local", &"tree"), ("dyn", &1), ("armed", &"no")]);
    }
    idle_next_line!("async fn held::maps");
    pending::<()>().await;
    (hash.len() + tree.len()) as u32
}

/// Nothing is left of these.
async fn finished() -> u32 {
    let mut ready = Box::pin(async { 7 });
    assert!(poll!(ready.as_mut()).is_ready());
    let numbers: Vec<u32> = vec![1, 2, 3];
    idle_next_line!("async fn held::finished");
    pending::<()>().await;
    drop(ready);
    numbers.len() as u32
}

// Futures inside held futures.

async fn outer(n: u32) -> u32 {
    let inner = start(Box::pin(leaf(n))).await;
    pending::<()>().await;
    inner.await
}

async fn inside() -> u32 {
    let outermost = start(Box::pin(outer(1))).await;
    let site = Site { file: file!(), line: line!() - 6 };
    truth::held(tokio::task::id(), "local", "async fn held::outer", site, &[("local", &"outermost"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"inner"), ("via", &"outermost"), ("armed", &"no")]);
    idle_next_line!("async fn held::inside");
    pending::<()>().await;
    outermost.await
}

// Polled beside the chain, or by it.

async fn selecting() -> u32 {
    let spare = start(Box::pin(leaf(0))).await;
    held("local", leaf_site(), &[("local", &"spare"), ("armed", &"no")]);
    held("local", leaf_site(), &[("local", &"futures"), ("armed", &"yes")]);
    held("local", leaf_site(), &[("local", &"futures"), ("armed", &"yes")]);
    truth::task(tokio::task::id(), "idle", "async fn held::selecting", Site { file: file!(), line: line!() + 1 }, &[]);
    let n = tokio::select! { n = leaf(1) => n, n = leaf(2) => n };
    n + spare.await
}

/// Awaited through a reference: on the chain, and so not held.
async fn pinned() -> u32 {
    let mut future = Box::pin(leaf(1));
    let stack = leaf(2);
    tokio::pin!(stack); // refers to it by the same name
    held("local", NOWHERE, &[("local", &"stack"), ("armed", &"no")]);
    truth::frame(tokio::task::id(), "async fn held::leaf", leaf_site(), &[]);
    idle_next_line!("async fn held::pinned");
    let n = (&mut future).await;
    n + stack.await
}

/// A handle that was borrowed before it is awaited leaves a ghost of itself behind.
async fn ghost() -> u32 {
    let handle = tokio::spawn(sleeper());
    let id = format!("task/{}", handle.id());
    idle_next_line!("async fn held::ghost", joins = id);
    handle.await.unwrap_or_default()
}

async fn sleeper() -> u32 {
    idle_next_line!("async fn held::sleeper");
    pending().await
}

// Sets.

async fn unordered() -> u32 {
    let mut set: FuturesUnordered<_> = (0..4).map(leaf).collect();
    for _ in 0..4 {
        held("set", leaf_site(), &[("local", &"set")]);
    }
    idle_next_line!("async fn held::unordered");
    set.next().await.unwrap_or_default()
}

async fn branch(n: u32) -> u32 {
    let mut twigs: FuturesUnordered<_> = (0..n).map(leaf).collect();
    twigs.next().await.unwrap_or_default()
}

async fn nested() -> u32 {
    let mut tree: FuturesUnordered<_> = (1..3).map(branch).collect();
    let site = Site { file: file!(), line: line!() - 5 };
    for n in 1..3 {
        truth::held(tokio::task::id(), "set", "async fn held::branch", site, &[("local", &"tree")]);
        for _ in 0..n {
            held("set", leaf_site(), &[("local", &"twigs"), ("via", &"tree")]);
        }
    }
    idle_next_line!("async fn held::nested");
    tree.next().await.unwrap_or_default()
}

async fn ordered() -> u32 {
    let mut queue: FuturesOrdered<_> = (0..3).map(leaf).collect();
    for _ in 0..3 {
        held("set", leaf_site(), &[("local", &"queue")]);
    }
    idle_next_line!("async fn held::ordered");
    queue.next().await.unwrap_or_default()
}

async fn buffered() -> u32 {
    let mut running = stream::iter(0..5).map(leaf).buffer_unordered(2);
    for _ in 0..2 {
        held("set", leaf_site(), &[("local", &"running")]);
    }
    idle_next_line!("async fn held::buffered");
    running.next().await.unwrap_or_default()
}

async fn streams() -> u32 {
    type Leaves = Pin<Box<dyn Stream<Item = u32> + Send>>;
    let mut map: StreamMap<&str, Leaves> = StreamMap::new();
    map.insert("one", Box::pin(stream::once(leaf(1))));
    truth::held(
        tokio::task::id(),
        "local",
        "future futures_util::stream::once::Once<held::leaf>",
        NOWHERE,
        &[("local", &"map"), ("dyn", &1), ("armed", &"no")],
    );
    idle_next_line!("async fn held::streams");
    map.next().await.map(|(_, n)| n).unwrap_or_default()
}

async fn join_set() -> u32 {
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        workers.spawn(sleeper());
    }
    idle_next_line!("async fn held::join_set", tasks = 3);
    workers.join_next().await.and_then(Result::ok).unwrap_or_default()
}
