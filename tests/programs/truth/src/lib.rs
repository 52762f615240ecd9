//! What the programs in this folder share: they say what is true of them, and then stand still.
//!
//! Ground truth goes to standard output as lines of fields separated by tabs; README.md has the fields.
//! After the last of them comes a line READY, and from then on nothing moves (but for what is meant to
//! spin), so that a core taken at any later time shows exactly what was printed.
//!
//! tests/matrix builds all this with older releases of tokio as well, and says by --cfg before_1_40 and so on
//! what they do not have.
#![allow(unexpected_cfgs)]

use std::fmt::Display;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::Id;

/// A place in the source: where a task awaits, or no place.
#[derive(Clone, Copy)]
pub struct Site {
    pub file: &'static str,
    pub line: u32,
}

pub const NOWHERE: Site = Site { file: "-", line: 0 };

impl Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "-"),
            line => write!(f, "{}:{line}", self.file),
        }
    }
}

/// The line after the one where this stands, as a [`Site`].
///
/// It stands right above an await. (An await inside a macro would get that macro's line from rustc.)
#[macro_export]
macro_rules! next_line {
    () => {
        $crate::Site { file: file!(), line: line!() + 1 }
    };
}

/// Says that the current task is about to stand idle at the await on the next line. Takes the name of
/// the task's future, and what else is true of it as `key = value`.
#[macro_export]
macro_rules! idle_next_line {
    ($future:expr $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::task(
            tokio::task::id(),
            "idle",
            $future,
            $crate::next_line!(),
            &[$((stringify!($key), &$value)),*],
        )
    };
}

/// Says the same of a future inside the current task: that it is part of what the task awaits, and where
/// it stands. Frames of one task come in the order of polling, outermost first; the task's own line is
/// the outermost.
#[macro_export]
macro_rules! frame_next_line {
    ($future:expr $(, $key:ident = $value:expr)* $(,)?) => {
        $crate::frame(
            tokio::task::id(),
            $future,
            $crate::next_line!(),
            &[$((stringify!($key), &$value)),*],
        )
    };
}

/// The other facts about a task: `key=value`.
pub type Extra<'a> = &'a [(&'a str, &'a dyn Display)];

static TASKS: AtomicUsize = AtomicUsize::new(0);

fn joined(extra: Extra) -> String {
    extra.iter().map(|(k, v)| format!("\t{k}={v}")).collect()
}

/// Prints one task. `future` is the name as the tools fold it, like `async fn many::sleeper`.
pub fn task(id: Id, what: &str, future: &str, awaiting: Site, extra: Extra) {
    let extra = joined(extra);
    println!("task\t{id}\t{what}\t{future}\t{awaiting}{extra}");
    TASKS.fetch_add(1, Ordering::Release);
}

/// Prints one future inside a task.
pub fn frame(task: Id, future: &str, awaiting: Site, extra: Extra) {
    let extra = joined(extra);
    println!("frame\t{task}\t{future}\t{awaiting}{extra}");
}

/// Prints one future that a task holds without awaiting it: `local`, or `set` for the child of a set of futures.
pub fn held(task: Id, kind: &str, future: &str, awaiting: Site, extra: Extra) {
    let extra = joined(extra);
    println!("held\t{task}\t{kind}\t{future}\t{awaiting}{extra}");
}

/// Prints the size in bytes of the future that a task was spawned with.
pub fn size(task: Id, bytes: usize) {
    println!("size\t{task}\t{bytes}");
}

/// Prints one thread of this process by the number the kernel knows it by.
pub fn thread(lwp: i64, role: &str, extra: Extra) {
    let extra = joined(extra);
    println!("thread\t{lwp}\t{role}{extra}");
}

/// Prints one runtime; `label` is how the task and thread lines refer to it.
pub fn runtime(label: &str, handle: &Handle) {
    let flavor = match handle.runtime_flavor() {
        RuntimeFlavor::CurrentThread => "current_thread",
        RuntimeFlavor::MultiThread => "multi_thread",
        _ => "other",
    };
    let workers = handle.metrics().num_workers();
    #[cfg(not(before_1_40))]
    let tasks = handle.metrics().num_alive_tasks();
    #[cfg(before_1_40)]
    let tasks = "-";
    println!("runtime\t{label}\t{flavor}\tworkers={workers}\ttasks={tasks}");
}

/// This thread's number.
#[cfg(target_os = "linux")]
pub fn lwp() -> i64 {
    // SAFETY: no arguments, and it cannot fail.
    unsafe { libc::syscall(libc::SYS_gettid) as i64 }
}

#[cfg(not(target_os = "linux"))]
pub fn lwp() -> i64 {
    0
}

/// To be called first: lets gcore attach, which many distributions allow a parent only.
pub fn start() {
    // SAFETY: this request takes numbers only, and changes nothing but a permission.
    #[cfg(target_os = "linux")]
    unsafe {
        libc::prctl(libc::PR_SET_PTRACER, libc::c_ulong::MAX, 0, 0, 0)
    };
}

/// How many tasks have been printed so far.
pub fn tasks() -> usize {
    TASKS.load(Ordering::Acquire)
}

/// Blocks until as many tasks have been printed.
pub fn described(count: usize) {
    wait_until(|| tasks() >= count);
}

/// Blocks until a multi_thread runtime has nothing left to do.
///
/// That is so when at one moment every worker is parked and the queue in front of them is empty. A
/// worker's counter is odd while it is parked; counters that are odd and the same before and after a
/// look at the queue were odd during it.
#[cfg(not(before_1_45))]
pub fn settled(handle: &Handle) {
    let metrics = handle.metrics();
    let parked = || -> Option<Vec<u64>> {
        (0..metrics.num_workers())
            .map(|worker| metrics.worker_park_unpark_count(worker))
            .map(|count| (count % 2 == 1).then_some(count))
            .collect()
    };
    wait_until(|| {
        let before = parked();
        before.is_some() && metrics.global_queue_depth() == 0 && parked() == before
    });
}

/// The same by what the kernel says, for tokio without that counter: all other threads are asleep, and none of
/// them was awake since the look before.
#[cfg(before_1_45)]
pub fn settled(_: &Handle) {
    let threads = || -> Option<String> {
        let mut all = String::new();
        for entry in std::fs::read_dir("/proc/self/task").ok()? {
            let path = entry.ok()?.path();
            if path.ends_with(lwp().to_string()) {
                continue;
            }
            let status = std::fs::read_to_string(path.join("status")).ok()?;
            status.contains("State:\tS").then_some(())?;
            all.extend(status.lines().filter(|line| line.contains("ctxt_switches")));
        }
        Some(all)
    };
    wait_until(|| {
        let before = threads();
        std::thread::sleep(Duration::from_millis(20));
        before.is_some() && threads() == before
    });
}

/// Blocks until the condition holds. For threads that belong to no runtime.
pub fn wait_until(condition: impl Fn() -> bool) {
    while !condition() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Says that all has been said.
pub fn ready() {
    println!("READY");
}

/// Says so, and stands still for good.
pub fn ready_and_park() -> ! {
    ready();
    loop {
        std::thread::park();
    }
}
