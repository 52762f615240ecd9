//! Numbers, characters, times, addresses, ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};
use std::num::{NonZeroI128, NonZeroI16, NonZeroU32, NonZeroU64, NonZeroU8, Saturating, Wrapping};
use std::ops::Bound;
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicI64, AtomicPtr, AtomicU32, AtomicU8, AtomicUsize};
use std::time::{Duration, SystemTime};

use crate::hold;

pub fn spawn() {
    crate::spawn(integers());
    crate::spawn(floats());
    crate::spawn_here(small());
    crate::spawn(times());
    crate::spawn(addresses());
}

hold! {
    async fn integers() {
        u8_max: u8 = u8::MAX;
        u8_min: u8 = 0;
        u16_max: u16 = u16::MAX;
        u32_max: u32 = u32::MAX;
        u64_max: u64 = u64::MAX;
        u64_exact: u64 = 1 << 53;
        u64_inexact: u64 = (1 << 53) + 1;
        u128_max: u128 = u128::MAX;
        u128_mid: u128 = 170_141_183_460_469_231_731_687_303_715_884_105_728;
        u128_small: u128 = 7;
        usize_value: usize = 123_456_789;
        i8_min: i8 = i8::MIN;
        i8_minus: i8 = -1;
        i16_min: i16 = i16::MIN;
        i32_min: i32 = i32::MIN;
        i32_minus: i32 = -42;
        i64_min: i64 = i64::MIN;
        i64_max: i64 = i64::MAX;
        i64_exact: i64 = -(1 << 53);
        i64_inexact: i64 = -(1 << 53) - 1;
        i128_min: i128 = i128::MIN;
        i128_max: i128 = i128::MAX;
        i128_minus: i128 = -5;
        isize_minus: isize = -7;
    }
}

hold! {
    async fn floats() {
        f32_zero: f32 = 0.0;
        f32_tenth: f32 = 0.1;
        f32_large: f32 = 3.4e38;
        f32_small: f32 = 1.0e-45;
        f64_one: f64 = 1.0;
        f64_third: f64 = 1.0 / 3.0;
        f64_negative: f64 = -2.5;
        f64_large: f64 = 1.7976931348623157e308;
        f64_small: f64 = 5e-324;
        f64_whole: f64 = 123_456_789_012.0;
        f64_exponent: f64 = 1e21;
        f64_nan: f64 = f64::NAN => "\"NaN\"";
        f64_infinite: f64 = f64::INFINITY => "\"inf\"";
        f32_negative_infinite: f32 = f32::NEG_INFINITY => "\"-inf\"";
    }
}

struct Unit;

hold! {
    async fn small() {
        yes: bool = true;
        no: bool = false;
        letter: char = 'a';
        umlaut: char = 'ü';
        han: char = '中';
        emoji: char = '\u{1f980}';
        quote: char = '"';
        newline: char = '\n';
        escape: char = '\u{1b}';
        pair: (i32, bool) = (-1, true);
        triple: (u8, &'static str, (char, f64)) = (1, "two", ('3', 4.0));
        single: (u64,) = (9,);
        non_zero_u8: NonZeroU8 = NonZeroU8::new(200).unwrap();
        non_zero_u32: NonZeroU32 = NonZeroU32::MAX;
        non_zero_i16: NonZeroI16 = NonZeroI16::new(-3).unwrap();
        non_zero_u64: NonZeroU64 = NonZeroU64::MAX;
        non_zero_i128: NonZeroI128 = NonZeroI128::new(-1).unwrap();
        wrapping: Wrapping<u16> = Wrapping(65_535);
        saturating: Saturating<i8> = Saturating(-128) => "-128";
        atomic_bool: AtomicBool = AtomicBool::new(true);
        atomic_u8: AtomicU8 = AtomicU8::new(250);
        atomic_i16: AtomicI16 = AtomicI16::new(-300);
        atomic_u32: AtomicU32 = AtomicU32::new(70_000);
        atomic_i64: AtomicI64 = AtomicI64::new(-1);
        atomic_usize: AtomicUsize = AtomicUsize::new(77);
        atomic_null: AtomicPtr<u8> = AtomicPtr::new(std::ptr::null_mut()) => "null";
        null: *const u64 = std::ptr::null() => "null";
        units: [Unit; 2] = [Unit, Unit] => "[null,null]";
    }
}

hold! {
    async fn times() {
        zero: Duration = Duration::ZERO;
        nanos: Duration = Duration::from_nanos(123);
        millis: Duration = Duration::from_micros(1500);
        long: Duration = Duration::new(86_400, 1);
        longest: Duration = Duration::MAX;
        epoch: SystemTime = SystemTime::UNIX_EPOCH;
        then: SystemTime = SystemTime::UNIX_EPOCH + Duration::new(1_796_083_891, 5);
        maybe: Option<Duration> = Some(Duration::from_secs(3));
        never: Option<Duration> = None;
        range: std::ops::Range<u32> = 1..5;
        inclusive: std::ops::RangeInclusive<i8> = -1..=1;
        from: std::ops::RangeFrom<u8> = 3..;
        to: std::ops::RangeTo<u8> = ..9;
        to_inclusive: std::ops::RangeToInclusive<u8> = ..=9 => "{\"end\":9}";
        included: Bound<u32> = Bound::Included(4);
        unbounded: Bound<u32> = Bound::Unbounded;
    }
}

hold! {
    async fn addresses() {
        localhost: Ipv4Addr = Ipv4Addr::LOCALHOST;
        v4: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        v6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));
        unspecified: Ipv6Addr = Ipv6Addr::UNSPECIFIED;
        loopback: Ipv6Addr = Ipv6Addr::LOCALHOST;
        mapped: Ipv6Addr = Ipv4Addr::new(10, 0, 0, 7).to_ipv6_mapped();
        full: Ipv6Addr = Ipv6Addr::new(1, 2, 3, 4, 5, 6, 7, 8);
        two_gaps: Ipv6Addr = Ipv6Addr::new(1, 0, 0, 2, 0, 0, 0, 3);
        one_zero: Ipv6Addr = Ipv6Addr::new(1, 0, 2, 3, 4, 5, 6, 7);
        tail: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0);
        socket: SocketAddr = SocketAddr::from(([10, 0, 0, 7], 8080));
        socket_v6: SocketAddr = "[fd00:1122:3344:10b::2]:12225".parse().unwrap();
        only_v4: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::BROADCAST, 1);
        scoped: SocketAddrV6 = SocketAddrV6::new(Ipv6Addr::LOCALHOST, 80, 0, 3);
        no_socket: Option<SocketAddr> = None;
        some_socket: Option<SocketAddr> = Some(SocketAddr::from(([1, 2, 3, 4], 5)));
    }
}
