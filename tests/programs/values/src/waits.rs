//! tokio's own values: channels with messages in them, locks, handles.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{broadcast, mpsc, oneshot, watch, Notify, OnceCell, Semaphore};

use crate::hold;

pub fn spawn() {
    crate::spawn(channels());
    crate::spawn(handles());
}

fn filled() -> (mpsc::Sender<String>, mpsc::Receiver<String>) {
    let (sender, receiver) = mpsc::channel(4);
    for text in ["one", "two", "three"] {
        sender.try_send(text.to_string()).unwrap();
    }
    (sender, receiver)
}

fn unbounded() -> (mpsc::UnboundedSender<u32>, mpsc::UnboundedReceiver<u32>) {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    for i in 0..70 {
        sender.send(i).unwrap();
    }
    for _ in 0..40 {
        receiver.try_recv().unwrap();
    }
    (sender, receiver)
}

const ANY: &str = "\"unsaid\"";

hold! {
    async fn channels() {
        bounded: (mpsc::Sender<String>, mpsc::Receiver<String>) = filled() => ANY;
        unlimited: (mpsc::UnboundedSender<u32>, mpsc::UnboundedReceiver<u32>) = unbounded() => ANY;
        one: (oneshot::Sender<u8>, oneshot::Receiver<u8>) = oneshot::channel() => ANY;
        watched: (watch::Sender<u8>, watch::Receiver<u8>) = watch::channel(9) => ANY;
        cast: (broadcast::Sender<u8>, broadcast::Receiver<u8>) = broadcast::channel(2) => ANY;
        notify: Notify = Notify::new() => ANY;
        semaphore: Semaphore = Semaphore::new(3) => ANY;
        shared: Arc<Semaphore> = Arc::new(Semaphore::new(2)) => ANY;
        once: OnceCell<u16> = OnceCell::new_with(Some(11)) => "11";
        once_empty: OnceCell<u16> = OnceCell::new() => "null";
        last: u8 = 1;
    }
}

async fn waker() -> std::task::Waker {
    std::future::poll_fn(|context| std::task::Poll::Ready(context.waker().clone())).await
}

hold! {
    async fn handles() {
        sleep: tokio::time::Sleep = tokio::time::sleep(Duration::from_secs(3600)) => ANY;
        waker: std::task::Waker = waker().await => ANY;
        handle: tokio::task::JoinHandle<()> = tokio::spawn(std::future::pending()) => ANY;
        runtime: tokio::runtime::Handle = tokio::runtime::Handle::current() => ANY;
        instant: tokio::time::Instant = tokio::time::Instant::now() => ANY;
        last: u8 = 1;
    }
}
