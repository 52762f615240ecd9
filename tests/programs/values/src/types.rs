//! Structs, enums with every encoding of their variants, closures.

use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::marker::PhantomData;
use std::num::NonZeroU32;

use crate::hold;

pub fn spawn() {
    crate::spawn(structs());
    crate::spawn(options());
    crate::spawn(enums());
    crate::spawn_here(functions());
}

#[derive(Debug, Serialize)]
struct Point {
    x: f64,
    y: f64,
}

#[derive(Debug, Serialize)]
struct Meters(u32);

#[derive(Debug, Serialize)]
struct Name(String);

#[derive(Debug, Serialize)]
struct Pair(u8, String);

#[derive(Debug, Serialize)]
struct Nothing;

#[derive(Debug, Serialize)]
struct Lonely {
    only: i64,
}

#[derive(Debug, Serialize)]
struct Tagged<T> {
    id: u32,
    kind: PhantomData<T>,
}

#[derive(Debug, Serialize)]
struct Nested {
    name: Name,
    place: Option<Point>,
    distances: Vec<Meters>,
    pair: Pair,
    unit: (),
    nothing: Nothing,
    lonely: Lonely,
}

#[derive(Debug, Serialize)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: u32,
}

#[derive(Debug, Serialize)]
#[repr(align(64))]
struct Aligned {
    value: u16,
}

hold! {
    async fn structs() {
        point: Point = Point { x: 1.5, y: -2.0 };
        meters: Meters = Meters(12);
        name: Name = Name("named".into());
        pair: Pair = Pair(1, "one".into());
        lonely: Lonely = Lonely { only: -9 };
        tagged: Tagged<String> = Tagged { id: 3, kind: PhantomData };
        nested: Nested = Nested { name: Name("n".into()), place: Some(Point { x: 0.0, y: 1.0 }), distances: vec![Meters(1), Meters(2)], pair: Pair(2, "p".into()), unit: (), nothing: Nothing, lonely: Lonely { only: 0 } };
        nowhere: Nested = Nested { name: Name(String::new()), place: None, distances: vec![], pair: Pair(0, String::new()), unit: (), nothing: Nothing, lonely: Lonely { only: 1 } };
        packed: Packed = Packed { a: 1, b: 0xdead_beef } => "{\"a\":1,\"b\":3735928559}";
        aligned: Aligned = Aligned { value: 5 };
        reverse: Reverse<u8> = Reverse(4);
        r#type: Point = Point { x: 7.0, y: 8.0 } => "{\"x\":7.0,\"y\":8.0}";
    }
}

hold! {
    async fn options() {
        some_u8: Option<u8> = Some(3);
        none_u8: Option<u8> = None;
        some_u64: Option<u64> = Some(u64::MAX);
        some_bool: Option<bool> = Some(false);
        none_bool: Option<bool> = None;
        some_char: Option<char> = Some('x');
        none_char: Option<char> = None;
        some_box: Option<Box<u16>> = Some(Box::new(500));
        none_box: Option<Box<u16>> = None;
        some_non_zero: Option<NonZeroU32> = NonZeroU32::new(8);
        none_non_zero: Option<NonZeroU32> = None;
        some_vec: Option<Vec<u8>> = Some(vec![]);
        none_vec: Option<Vec<u8>> = None;
        some_ref: Option<&'static str> = Some("ref");
        none_ref: Option<&'static str> = None;
        twice: Option<Option<bool>> = Some(Some(true));
        twice_none: Option<Option<bool>> = Some(None);
        thrice: Option<Option<Option<bool>>> = None;
        some_unit: Option<()> = Some(()) => "null";
        some_point: Option<Point> = Some(Point { x: 1.0, y: 2.0 });
        ok: Result<u8, String> = Ok(1);
        err: Result<u8, String> = Err("bad".into());
        ok_unit: Result<(), String> = Ok(());
        err_unit: Result<u32, ()> = Err(());
        option_result: Option<Result<u8, u8>> = Some(Err(2));
        u128_some: Option<u128> = Some(1 << 100);
    }
}

#[derive(Debug, Serialize)]
enum Shape {
    Dot,
    Circle { r: f64 },
    Square(u32),
    Line(u8, u8),
    Named { name: String, inner: Box<Shape> },
}

#[derive(Debug, Serialize)]
#[repr(i8)]
enum Signed {
    Low = -128,
    Minus = -1,
    High = 127,
}

#[derive(Debug, Serialize)]
#[repr(u64)]
enum Wide {
    Zero = 0,
    Top = u64::MAX,
}

#[derive(Debug, Serialize)]
#[repr(i64)]
enum WideSigned {
    Bottom = i64::MIN,
    Minus(u8) = -1,
}

#[derive(Debug, Serialize)]
enum One {
    Variant(u32),
}

#[derive(Debug, Serialize)]
enum Niche {
    Text(String),
    A,
    B,
    C,
}

#[derive(Debug, Serialize)]
enum TwoNiches {
    Flag(bool, u32),
    Left,
    Right,
}

#[derive(Debug, Serialize)]
enum Many { V0, V1, V2, V3, V4, V5, V6, V7, V8, V9 }

hold! {
    async fn enums() {
        dot: Shape = Shape::Dot;
        circle: Shape = Shape::Circle { r: 2.5 };
        square: Shape = Shape::Square(4);
        line: Shape = Shape::Line(1, 2);
        named: Shape = Shape::Named { name: "n".into(), inner: Box::new(Shape::Named { name: "m".into(), inner: Box::new(Shape::Dot) }) };
        shapes: Vec<Shape> = vec![Shape::Dot, Shape::Square(0), Shape::Circle { r: 0.0 }];
        low: Signed = Signed::Low;
        minus: Signed = Signed::Minus;
        high: Signed = Signed::High;
        zero: Wide = Wide::Zero;
        top: Wide = Wide::Top;
        bottom: WideSigned = WideSigned::Bottom;
        minus_wide: WideSigned = WideSigned::Minus(3);
        one: One = One::Variant(6);
        niche_text: Niche = Niche::Text("t".into());
        niche_a: Niche = Niche::A;
        niche_b: Niche = Niche::B;
        niche_c: Niche = Niche::C;
        two_flag: TwoNiches = TwoNiches::Flag(true, 9);
        two_left: TwoNiches = TwoNiches::Left;
        two_right: TwoNiches = TwoNiches::Right;
        less: Ordering = Ordering::Less => "\"Less\"";
        greater: Ordering = Ordering::Greater => "\"Greater\"";
        maybe_less: Option<Ordering> = Some(Ordering::Less) => "\"Less\"";
        not_less: Option<Ordering> = None => "null";
        optional_niche: Option<Niche> = None;
        optional_signed: Option<Signed> = Some(Signed::High);
        v0: Many = Many::V0;
        v9: Many = Many::V9;
        most: Vec<Many> = vec![Many::V1, Many::V2, Many::V3, Many::V4, Many::V5, Many::V6, Many::V7, Many::V8];
        poll: std::task::Poll<u8> = std::task::Poll::Ready(1) => "{\"Ready\":1}";
        pending: std::task::Poll<u8> = std::task::Poll::Pending => "\"Pending\"";
        flow: std::ops::ControlFlow<u8, u16> = std::ops::ControlFlow::Break(3) => "{\"Break\":3}";
    }
}

fn double(x: u32) -> u32 {
    x * 2
}

hold! {
    async fn functions() {
        function: fn(u32) -> u32 = double => r#"{"$type":"fn(u32) -> u32","$symbol":"values::types::double"}"#;
        captured: u32 = 3;
        last: u8 = 1;
    }
}
