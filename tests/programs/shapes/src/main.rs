//! Futures of many shapes, one task each: generic, from blocks, closures and traits, boxed, recursive,
//! large, combined. All of them end in a wait that never ends.

use std::future::{pending, Future};
use std::hint::black_box;
use std::pin::Pin;

use async_trait::async_trait;
use futures_util::future;
use tokio::runtime::{Builder, Handle};
use tokio::task::Id;
use truth::{frame_next_line, idle_next_line, NOWHERE};

const TASKS: usize = 18;

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .on_thread_start(|| truth::thread(truth::lwp(), "worker", &[("runtime", &"main")]))
        .build()
        .expect("a runtime");
    let _entered = runtime.enter();

    spawn(generic(1_u8));
    spawn(generic(String::from("two")));
    spawn(generic(Some(Box::new(3_u32))));
    spawn(generic(Point { x: 4.0, y: 5.0 }));
    spawn(closure());
    spawn(through_async_trait());
    spawn(Disk.load());
    spawn_boxed();
    spawn(recursive(DEPTH));
    spawn(large());
    spawn(selecting());
    spawn(joining());
    spawn_combined();
    spawn(blocks()); // last, since it spawns others, whose ids are to be the same every time

    truth::described(TASKS);
    truth::settled(runtime.handle());
    truth::thread(truth::lwp(), "main", &[]);
    truth::runtime("main", runtime.handle());
    truth::ready_and_park();
}

fn spawn<F>(future: F) -> Id
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    let size = std::mem::size_of_val(&future);
    let id = Handle::current().spawn(future).id();
    truth::size(id, size);
    id
}

// One async fn, four instances.

trait Named {
    const NAME: &'static str;
}

impl Named for u8 {
    const NAME: &'static str = "async fn shapes::generic<u8>";
}

impl Named for String {
    const NAME: &'static str = "async fn shapes::generic<alloc::string::String>";
}

impl Named for Option<Box<u32>> {
    const NAME: &'static str = "async fn shapes::generic<Option<Box<u32>>>";
}

#[allow(dead_code)] // for a debugger to read
struct Point<T> {
    x: T,
    y: T,
}

impl Named for Point<f64> {
    const NAME: &'static str = "async fn shapes::generic<shapes::Point<f64>>";
}

async fn generic<T: Named>(value: T) {
    idle_next_line!(T::NAME);
    pending::<()>().await;
    black_box(value);
}

// Async blocks in an async fn. Only from the second on does the number show in the folded name.

async fn blocks() {
    spawn(async {
        idle_next_line!("async block shapes::blocks::{async_fn#0}");
        pending::<()>().await;
    });
    spawn(async {
        idle_next_line!("async block shapes::blocks::{async_fn#0}::{async_block_env#1}");
        pending::<()>().await;
    });
    idle_next_line!("async fn shapes::blocks");
    pending::<()>().await;
}

// An async closure, awaited by the async fn around it.

async fn closure() {
    let waits = async |value: u64| {
        frame_next_line!("async closure shapes::closure::{async_fn#0}::{closure#0}");
        pending::<()>().await;
        black_box(value);
    };
    idle_next_line!("async fn shapes::closure");
    waits(6).await;
}

// Methods of a trait: boxed by the async_trait crate, and the language's own.

struct Disk;

#[async_trait]
trait Store {
    async fn get(&self, key: &str) -> usize;
}

#[async_trait]
impl Store for Disk {
    async fn get(&self, key: &str) -> usize {
        frame_next_line!("async block shapes::Disk::get", dyn = 1);
        pending::<()>().await;
        key.len()
    }
}

async fn through_async_trait() {
    let store: Box<dyn Store + Send + Sync> = Box::new(Disk);
    idle_next_line!("async fn shapes::through_async_trait");
    store.get("key").await;
}

trait Load {
    fn load(self) -> impl Future<Output = ()> + Send;
}

impl Load for Disk {
    async fn load(self) {
        idle_next_line!("async fn shapes::Disk::load");
        pending::<()>().await;
    }
}

// A trait object as the task's future.

fn spawn_boxed() {
    let future: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(boxed());
    spawn(future);
}

async fn boxed() {
    idle_next_line!("async fn shapes::boxed", dyn = 1);
    pending::<()>().await;
}

// An async fn that awaits itself, six frames in all.

const DEPTH: u32 = 5;

async fn recursive(depth: u32) {
    if depth == 0 {
        frame_next_line!("async fn shapes::recursive", depth = depth);
        pending::<()>().await;
    } else if depth == DEPTH {
        idle_next_line!("async fn shapes::recursive", depth = depth);
        Box::pin(recursive(depth - 1)).await;
    } else {
        frame_next_line!("async fn shapes::recursive", depth = depth);
        Box::pin(recursive(depth - 1)).await;
    }
}

// So large that tokio boxes it, in any profile.

async fn large() {
    let buffer = black_box([7_u8; 20_000]);
    idle_next_line!("async fn shapes::large", boxed = 1);
    pending::<()>().await;
    black_box(buffer);
}

// Two futures at a time, by macro in an async fn, and by combinator as the task's future. Combinators are
// no coroutines, so that their tasks have no await of their own.

async fn leaf(branch: usize) {
    frame_next_line!("async fn shapes::leaf", branch = branch);
    pending::<()>().await;
    black_box(branch);
}

async fn selecting() {
    idle_next_line!("async fn shapes::selecting", wait = "select");
    tokio::select! {
        biased;
        _ = leaf(0) => {}
        _ = leaf(1) => {}
    }
}

async fn joining() {
    idle_next_line!("async fn shapes::joining", wait = "join");
    tokio::join!(biased; leaf(0), leaf(1));
}

fn spawn_combined() {
    let both = spawn(future::join(leaf(0), leaf(1)));
    let name = "future futures_util::future::join::Join<shapes::leaf, shapes::leaf>";
    truth::task(both, "idle", name, NOWHERE, &[("wait", &"join")]);

    let either = spawn(future::select(Box::pin(leaf(0)), Box::pin(leaf(1))));
    let name =
        "future futures_util::future::select::Select<Pin<Box<shapes::leaf>>, Pin<Box<shapes::leaf>>>";
    truth::task(either, "idle", name, NOWHERE, &[("wait", &"select")]);

    let neither = spawn(pending::<()>());
    let name = "future core::future::pending::Pending<()>";
    truth::task(neither, "idle", name, NOWHERE, &[("wait", &"never")]);
}
