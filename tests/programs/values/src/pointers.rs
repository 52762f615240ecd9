//! Smart pointers, cells, locks, trait objects.

use std::cell::{Cell, LazyCell, OnceCell, RefCell, UnsafeCell};
use std::fmt::Debug;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::rc::{Rc, Weak as RcWeak};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, RwLock, Weak};

use serde::Serialize;

use crate::hold;

pub fn spawn() {
    crate::spawn(owners());
    crate::spawn_here(cells());
    crate::spawn(objects());
}

#[derive(Debug, Serialize)]
struct Node {
    name: &'static str,
    next: Option<Box<Node>>,
}

fn chain(names: &[&'static str]) -> Option<Box<Node>> {
    let (name, rest) = names.split_first()?;
    Some(Box::new(Node { name, next: chain(rest) }))
}

static STATIC: u64 = 99;

hold! {
    async fn owners() {
        boxed: Box<u32> = Box::new(5);
        box_box: Box<Box<String>> = Box::new(Box::new("deep".into()));
        reference: &'static u64 = &STATIC;
        list: Option<Box<Node>> = chain(&["a", "b", "c"]);
        arc: Arc<Vec<u8>> = Arc::new(vec![1, 2]);
        arc_arc: Arc<Arc<i32>> = Arc::new(Arc::new(-3));
        arc_array: Arc<[u64; 2]> = Arc::new([1, 2]);
        weak_dead: Weak<u32> = Weak::new();
        pinned: Pin<Box<u8>> = Box::pin(9) => "9";
        mutex: Mutex<Vec<u32>> = Mutex::new(vec![1]);
        rw_lock: RwLock<String> = RwLock::new("locked".into());
        arc_mutex: Arc<Mutex<Option<u8>>> = Arc::new(Mutex::new(Some(1)));
        parking_mutex: parking_lot::Mutex<(u8, u8)> = parking_lot::Mutex::new((1, 2)) => "[1,2]";
        parking_rw_lock: parking_lot::RwLock<u64> = parking_lot::RwLock::new(3) => "3";
        tokio_mutex: tokio::sync::Mutex<String> = tokio::sync::Mutex::new("t".into()) => "\"t\"";
        tokio_rw_lock: tokio::sync::RwLock<u8> = tokio::sync::RwLock::new(4) => "4";
        once: OnceLock<String> = { let o = OnceLock::new(); o.set("set".to_string()).unwrap(); o } => "\"set\"";
        once_empty: OnceLock<String> = OnceLock::new() => "null";
        lazy: LazyLock<u32> = { let l: LazyLock<u32> = LazyLock::new(|| 7); LazyLock::force(&l); l } => "7";
        lazy_not_yet: LazyLock<u32> = LazyLock::new(|| 8) => "null";
        kept: ManuallyDrop<String> = ManuallyDrop::new("kept".into()) => "\"kept\"";
    }
}

hold! {
    async fn cells() {
        cell: Cell<u16> = Cell::new(1);
        cell_option: Cell<Option<char>> = Cell::new(Some('c'));
        ref_cell: RefCell<Vec<u8>> = RefCell::new(vec![1, 2]);
        unsafe_cell: UnsafeCell<i32> = UnsafeCell::new(-4) => "-4";
        once: OnceCell<u8> = OnceCell::from(6) => "6";
        once_empty: OnceCell<u8> = OnceCell::new() => "null";
        lazy: LazyCell<u32> = { let l: LazyCell<u32> = LazyCell::new(|| 7); LazyCell::force(&l); l } => "7";
        rc: Rc<String> = Rc::new("rc".into());
        rc_cell: Rc<RefCell<u64>> = Rc::new(RefCell::new(10));
        rc_weak: RcWeak<String> = Rc::downgrade(&rc);
        rc_dead: RcWeak<u8> = RcWeak::new();
        rc_slice: Rc<[u16]> = vec![5, 6].into();
        last: u8 = 1;
    }
}

trait Speak: Debug + Send + Sync {
    fn word(&self) -> &'static str;
}

#[derive(Debug)]
struct Dog {
    #[allow(dead_code)]
    age: u8,
}

#[derive(Debug)]
#[repr(align(64))]
struct Whale {
    #[allow(dead_code)]
    tons: u32,
}

impl Speak for Dog {
    fn word(&self) -> &'static str {
        "woof"
    }
}

impl Speak for Whale {
    fn word(&self) -> &'static str {
        "…"
    }
}

hold! {
    async fn objects() {
        dog: Box<dyn Speak> = Box::new(Dog { age: 3 }) => r#"{"$type":"values::pointers::Dog","value":{"age":3}}"#;
        whale: Box<dyn Speak> = Box::new(Whale { tons: 100 }) => r#"{"$type":"values::pointers::Whale","value":{"tons":100}}"#;
        arc_dog: Arc<dyn Speak> = Arc::new(Dog { age: 4 }) => r#"{"$type":"values::pointers::Dog","value":{"age":4}}"#;
        arc_whale: Arc<dyn Speak> = Arc::new(Whale { tons: 200 }) => r#"{"$type":"values::pointers::Whale","value":{"tons":200}}"#;
        ref_dog: &'static dyn Speak = &Dog { age: 5 } => r#"{"$type":"values::pointers::Dog","value":{"age":5}}"#;
        arc_mutex_whale: Arc<Mutex<dyn Speak>> = Arc::new(Mutex::new(Whale { tons: 300 })) => r#"{"$type":"values::pointers::Whale","value":{"tons":300}}"#;
        words: Vec<&'static str> = vec![dog.word(), whale.word()];
        last: u8 = 1;
    }
}
