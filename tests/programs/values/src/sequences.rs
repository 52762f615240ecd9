//! Lists, sets and maps.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet, LinkedList, VecDeque};
use std::sync::Arc;

use crate::hold;

pub fn spawn() {
    crate::spawn(lists());
    crate::spawn(maps());
    crate::spawn(large());
}

fn wrapped() -> VecDeque<u32> {
    let mut ring: VecDeque<u32> = (0..8).collect();
    for i in 8..13 {
        ring.pop_front();
        ring.push_back(i);
    }
    ring
}

hold! {
    async fn lists() {
        numbers: Vec<u32> = vec![1, 2, 3];
        none: Vec<u32> = Vec::new();
        bytes: Vec<u8> = vec![0, 127, 255];
        signed: Vec<i64> = vec![-1, i64::MIN];
        pairs: Vec<(u8, String)> = vec![(1, "one".into()), (2, "two".into())];
        nested: Vec<Vec<i16>> = vec![vec![], vec![-1], vec![2, 3]];
        options: Vec<Option<u8>> = vec![Some(0), None, Some(255)];
        boxed: Box<[u16]> = vec![7, 8, 9].into();
        slice: &'static [u8] = &[1, 2];
        array: [i32; 4] = [4, 3, 2, 1];
        array_empty: [u64; 0] = [];
        array_two: [[u8; 2]; 3] = [[1, 2], [3, 4], [5, 6]];
        array_texts: [&'static str; 2] = ["l", "r"];
        arc_slice: Arc<[u32]> = vec![10, 20].into();
        arc_bytes: Arc<[u8]> = vec![10, 20, 30].into();
        units: Vec<()> = vec![(), (), ()];
        deque: VecDeque<u32> = VecDeque::from(vec![1, 2, 3]);
        deque_wrapped: VecDeque<u32> = wrapped();
        deque_empty: VecDeque<String> = VecDeque::new();
        linked: LinkedList<String> = ["a", "b", "c"].map(String::from).into();
        linked_empty: LinkedList<u8> = LinkedList::new();
        heap: BinaryHeap<u32> = BinaryHeap::from(vec![3, 1, 4, 1, 5]);
        references: Vec<&'static u32> = vec![&5, &6];
    }
}

hold! {
    async fn maps() {
        btree: BTreeMap<String, u32> = [("connect", 3), ("read", 1), ("write", 2)].map(|(k, v)| (k.to_string(), v)).into();
        btree_empty: BTreeMap<String, u32> = BTreeMap::new();
        btree_numbers: BTreeMap<u8, &'static str> = [(2, "two"), (1, "one")].into() => r#"[[1,"one"],[2,"two"]]"#;
        btree_deep: BTreeMap<String, u64> = (0..1000).map(|i| (format!("{i:04}"), i)).collect();
        btree_boxes: BTreeMap<char, Box<i32>> = [('x', Box::new(1)), ('y', Box::new(-2))].into();
        btree_set: BTreeSet<i32> = [3, -1, 2].into();
        btree_set_deep: BTreeSet<u16> = (0..500).collect();
        btree_set_texts: BTreeSet<String> = ["b", "a"].map(String::from).into();
        hash: HashMap<String, Vec<u8>> = [("a", vec![1]), ("b", vec![]), ("c", vec![2, 3])].map(|(k, v)| (k.to_string(), v)).into();
        hash_empty: HashMap<String, u8> = HashMap::new();
        hash_cleared: HashMap<&'static str, u8> = { let mut m: HashMap<_, _> = [("x", 1), ("y", 2), ("z", 3)].into(); m.remove("y"); m };
        hash_large: HashMap<String, usize> = (0..300).map(|i| (i.to_string(), i)).collect();
        hash_nested: HashMap<String, HashMap<String, bool>> = [("o".to_string(), [("i".to_string(), true)].into())].into();
        hash_one: HashMap<u64, i8> = [(7, -7)].into() => "[[7,-7]]";
        hash_set: HashSet<String> = ["only"].map(String::from).into();
        hash_set_numbers: HashSet<u32> = (0..40).collect();
        hash_set_empty: HashSet<u8> = HashSet::new();
    }
}

hold! {
    async fn large() {
        thousand: Vec<u64> = (0..1000).collect();
        floats: Vec<f32> = (0..300).map(|i| i as f32 / 8.0).collect();
        bools: Vec<bool> = (0..300).map(|i| i % 3 == 0).collect();
        texts: Vec<String> = (0..300).map(|i| format!("text {i}")).collect();
        million: Vec<u32> = (0..1_000_000).collect() => "\"unsaid\"";
    }
}
