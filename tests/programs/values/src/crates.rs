//! Values of other crates.

use bytes::{Bytes, BytesMut};
use camino::Utf8PathBuf;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, Utc};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, Version};
use indexmap::{IndexMap, IndexSet};
use serde_json::{json, Value};
use smallvec::{smallvec, SmallVec};
use time::{Date, Month, OffsetDateTime};
use url::Url;
use uuid::Uuid;

use crate::hold;

pub fn spawn() {
    crate::spawn(data());
    crate::spawn(web());
    crate::spawn(dates());
}

fn split() -> Bytes {
    let all = Bytes::from(b"headtail".to_vec());
    all.slice(4..)
}

hold! {
    async fn data() {
        bytes_static: Bytes = Bytes::from_static(b"abc");
        bytes_owned: Bytes = Bytes::from(vec![1, 2, 255]);
        bytes_slice: Bytes = split();
        bytes_empty: Bytes = Bytes::new();
        bytes_mut: BytesMut = BytesMut::from(&b"mutable"[..]);
        uuid: Uuid = Uuid::from_u128(0xbb36cd0f_4603_425c_9a58_5f17bc454b85);
        uuid_nil: Uuid = Uuid::nil();
        utf8_path: Utf8PathBuf = Utf8PathBuf::from("/a/b");
        small_inline: SmallVec<[u16; 4]> = smallvec![1, 2, 3];
        small_spilled: SmallVec<[u16; 2]> = smallvec![4, 5, 6];
        small_empty: SmallVec<[String; 2]> = smallvec![];
        index_map: IndexMap<String, u8> = [("z", 1), ("a", 2)].into_iter().map(|(k, v)| (k.to_string(), v)).collect();
        index_set: IndexSet<u32> = [5, 3, 4].into_iter().collect();
        value_null: Value = Value::Null;
        value_bool: Value = json!(true);
        value_number: Value = json!(-5);
        value_float: Value = json!(2.5);
        value_text: Value = json!("text");
        value_array: Value = json!([1, "two", null, [false]]);
        value_object: Value = json!({"a": {"b": [1, 2]}, "c": null});
    }
}

fn headers() -> HeaderMap {
    let mut map = HeaderMap::new();
    map.insert(http::header::HOST, HeaderValue::from_static("example.org"));
    map.insert(HeaderName::from_static("x-own"), HeaderValue::from_static("1"));
    map
}

hold! {
    async fn web() {
        method: Method = Method::GET => "\"GET\"";
        method_own: Method = Method::from_bytes(b"BREW").unwrap() => "\"BREW\"";
        status: StatusCode = StatusCode::NOT_FOUND => "404";
        version: Version = Version::HTTP_11 => "\"HTTP/1.1\"";
        uri: Uri = "http://example.org:80/path?query=1".parse().unwrap() => "\"http://example.org:80/path?query=1\"";
        uri_path: Uri = "/only/path".parse().unwrap() => "\"/only/path\"";
        header_name: HeaderName = http::header::CONTENT_TYPE => "\"content-type\"";
        header_name_own: HeaderName = HeaderName::from_static("x-own") => "\"x-own\"";
        header_value: HeaderValue = HeaderValue::from_static("text/plain") => "\"text/plain\"";
        header_map: HeaderMap = headers() => r#"{"host":"example.org","x-own":"1"}"#;
        url: Url = Url::parse("https://user@example.org/a?b#c").unwrap();
    }
}

hold! {
    async fn dates() {
        day: NaiveDate = NaiveDate::from_ymd_opt(2026, 8, 22).unwrap();
        leap_day: NaiveDate = NaiveDate::from_ymd_opt(2024, 2, 29).unwrap();
        noon: NaiveTime = NaiveTime::from_hms_opt(12, 0, 1).unwrap();
        nano_time: NaiveTime = NaiveTime::from_hms_nano_opt(1, 2, 3, 4_000_000).unwrap();
        moment: NaiveDateTime = NaiveDate::from_ymd_opt(1999, 12, 31).unwrap().and_hms_opt(23, 59, 59).unwrap();
        utc: DateTime<Utc> = DateTime::from_timestamp(1_796_083_891, 0).unwrap();
        time_date: Date = Date::from_calendar_date(2026, Month::December, 1).unwrap() => "\"2026-12-01\"";
        time_moment: OffsetDateTime = OffsetDateTime::from_unix_timestamp(1_796_083_891).unwrap() => "\"2026-12-01T00:11:31Z\"";
    }
}
