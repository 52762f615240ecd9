//! Futures written by hand. What they poll is told by their shape.

use std::future::{pending, poll_fn, Future};
use std::pin::{pin, Pin};
use std::task::{Context, Poll};

use truth::{frame_next_line, idle_next_line};

use crate::{branch, leaf};

pub fn spawn(spawn: &mut dyn FnMut(Pin<Box<dyn Future<Output = ()> + Send>>)) {
    spawn(Box::pin(wrapping()));
    spawn(Box::pin(by_state()));
    spawn(Box::pin(by_closure()));
    spawn(Box::pin(two_at_once()));
    spawn(Box::pin(leafless()));
    spawn(Box::pin(unpolled()));
}

/// Holds one future by value, and what else it needs.
struct Wrapper<F> {
    polls: u32,
    inner: F,
}

impl<F: Future> Future for Wrapper<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // SAFETY: `inner` is never moved.
        let this = unsafe { self.get_unchecked_mut() };
        this.polls += 1;
        unsafe { Pin::new_unchecked(&mut this.inner) }.poll(context)
    }
}

async fn wrapping() {
    let through = "future chains::hand::Wrapper<chains::leaf>";
    idle_next_line!("async fn chains::hand::wrapping", through = through);
    Wrapper { polls: 0, inner: leaf(1) }.await;
}

/// Keeps its future in one variant of a state.
struct Machine<F> {
    state: State<F>,
}

#[allow(dead_code)] // for a debugger to read
enum State<F> {
    Start,
    Work { step: u32, future: F },
    Rest(u32),
}

impl<F: Future + Unpin> Future for Machine<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        match &mut self.state {
            State::Work { future, .. } => Pin::new(future).poll(context),
            _ => Poll::Pending,
        }
    }
}

async fn by_state() {
    let future = Box::pin(leaf(1));
    let through = "future chains::hand::Machine<Pin<Box<chains::leaf>>>";
    idle_next_line!("async fn chains::hand::by_state", through = through);
    Machine { state: State::Work { step: 3, future } }.await;
}

async fn by_closure() {
    let mut future = pin!(leaf(1));
    let through =
        "future core::future::poll_fn::PollFn<chains::hand::by_closure::{async_fn#0}::{closure_env#0}>";
    idle_next_line!("async fn chains::hand::by_closure", through = through);
    poll_fn(|context| future.as_mut().poll(context)).await;
}

struct Both<A, B> {
    left: A,
    right: B,
}

impl<A: Future + Unpin, B: Future + Unpin> Future for Both<A, B> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let left = Pin::new(&mut self.left).poll(context).is_ready();
        let right = Pin::new(&mut self.right).poll(context).is_ready();
        if left || right {
            return Poll::Ready(());
        }
        Poll::Pending
    }
}

async fn two_at_once() {
    let both = Both { left: Box::pin(branch(0)), right: Box::pin(branch(1)) };
    let through = "future chains::hand::Both<Pin<Box<chains::branch>>, Pin<Box<chains::branch>>>";
    idle_next_line!("async fn chains::hand::two_at_once", through = through, branches = "armed,armed");
    both.await;
}

/// Waits for nothing that anybody could name.
struct Opaque(#[allow(dead_code)] u64);

impl Future for Opaque {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }
}

async fn leafless() {
    idle_next_line!("async fn chains::hand::leafless", through = "future chains::hand::Opaque", opaque = 1);
    Opaque(7).await;
}

// A future that is held, and another that is awaited: only this one is on the chain.

async fn unpolled() {
    let held = Box::pin(leaf(2));
    idle_next_line!("async fn chains::hand::unpolled");
    waiting().await;
    held.await;
}

async fn waiting() {
    frame_next_line!("async fn chains::hand::waiting");
    pending::<()>().await;
}
