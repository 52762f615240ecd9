//! Values of all kinds, each a local of an async fn that keeps it across an await, and each printed as the JSON that
//! serde_json makes of it: what `hansei-print -o json` has to say of the same local in the core.
//!
//! One line a value: `value`, the task's id, the local's name, the JSON, and Debug's form (- where it has none).
//! Numbers beyond 2^53 are strings (jq reads numbers as doubles), and so are NaN and the infinities. Where serde has
//! another opinion than hansei-records(5), or none, the JSON is written out beside the value.

mod crates;
mod pointers;
mod sequences;
mod simple;
mod texts;
mod types;
mod waits;

use std::future::Future;
use std::pin::Pin;

use serde::Serialize;
use tokio::runtime::{Builder, Handle};

const TASKS: usize = 22;

fn main() {
    truth::start();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_time().build().expect("a runtime");
    let _entered = runtime.enter();
    simple::spawn();
    texts::spawn();
    sequences::spawn();
    types::spawn();
    pointers::spawn();
    crates::spawn();
    waits::spawn();
    truth::described(TASKS);
    truth::settled(runtime.handle());
    truth::ready_and_park();
}

fn spawn<F>(future: F)
where
    F: Future + Send + 'static,
    F::Output: Send,
{
    Handle::current().spawn(future);
}

/// For a future that is not Send, and need not be: one worker only ever polls it.
fn spawn_here(future: impl Future<Output = ()> + 'static) {
    type Boxed = Pin<Box<dyn Future<Output = ()>>>;
    type Sent = Pin<Box<dyn Future<Output = ()> + Send>>;
    let boxed: Boxed = Box::pin(future);
    // SAFETY: the two differ in a marker; the runtime has one thread, and nobody else has the future.
    spawn(unsafe { std::mem::transmute::<Boxed, Sent>(boxed) });
}

/// serde_json's text, with numbers that a double cannot hold as strings.
fn json<T: Serialize + ?Sized>(value: &T) -> String {
    quote_large(&serde_json::to_string(value).expect("JSON"))
}

fn quote_large(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if c == '"' {
            let mut end = 1;
            while rest.as_bytes()[end] != b'"' {
                end += if rest.as_bytes()[end] == b'\\' { 2 } else { 1 };
            }
            out += &rest[..=end];
            rest = &rest[end + 1..];
        } else if c == '-' || c.is_ascii_digit() {
            let length = rest.find(|c: char| !"+-.eE0123456789".contains(c)).unwrap_or(rest.len());
            let number = &rest[..length];
            match number.parse::<i128>() {
                Ok(n) if n.unsigned_abs() <= 1 << 53 => out += number,
                _ if number.contains(['.', 'e', 'E']) => out += number,
                _ => out += &format!("\"{number}\""),
            }
            rest = &rest[length..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    out
}

fn say(name: &str, json: &str, debug: &str) {
    let id = tokio::task::id();
    println!("value\t{id}\t{name}\t{json}\t{debug}");
}

/// An async fn that makes values, says what they are and keeps them across an await. `name: Type = value;` is said in
/// serde's words, `name: Type = value => "JSON";` in these.
#[macro_export]
macro_rules! hold {
    (@json $name:ident) => { $crate::json(&$name) };
    (@json $name:ident $json:expr) => { $json.to_string() };
    (@debug $name:ident) => { format!("{:?}", $name) };
    (@debug $name:ident $json:expr) => { String::from("-") };
    (async fn $function:ident() { $($name:ident : $type:ty = $value:expr $(=> $json:expr)?;)* }) => {
        async fn $function() {
            $(let $name: $type = $value;)*
            $($crate::say(stringify!($name), &hold!(@json $name $($json)?), &hold!(@debug $name $($json)?));)*
            truth::task(tokio::task::id(), "idle", concat!("async fn ", module_path!(), "::", stringify!($function)),
                truth::NOWHERE, &[]);
            std::future::pending::<()>().await;
            $(std::hint::black_box(&$name);)*
        }
    };
}
