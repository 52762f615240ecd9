//! What is text, of any owner.

use std::borrow::Cow;
use std::ffi::{CStr, CString, OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use crate::hold;

pub fn spawn() {
    crate::spawn(strings());
    crate::spawn_here(others());
}

static CUT: &str = "cut here and there";

hold! {
    async fn strings() {
        owned: String = String::from("owned");
        empty: String = String::new();
        roomy: String = { let mut s = String::with_capacity(100); s.push_str("room"); s };
        unicode: String = String::from("süß 中文 🦀");
        escapes: String = String::from("a\"b\\c\nd\te\rf\u{1b}[31mg\u{0}h\u{7f}");
        directions: String = String::from("a\u{202e}b\u{9b}c\u{2028}d");
        long: String = "0123456789".repeat(2000);
        long_wide: String = "中".repeat(3000);
        literal: &'static str = "literal";
        slice: &'static str = &CUT[4..8];
        boxed: Box<str> = "boxed".into();
        option: Option<String> = Some(String::from("some"));
        nothing: Option<String> = None;
        nested: Option<Option<String>> = Some(None);
        list: Vec<String> = vec!["a".into(), String::new(), "c".into()];
        lines: Vec<&'static str> = vec!["x", "y"];
        result: Result<String, i32> = Ok("good".into());
        failure: Result<String, i32> = Err(-1);
        cow_borrowed: Cow<'static, str> = Cow::Borrowed("borrowed");
        cow_owned: Cow<'static, str> = Cow::Owned(String::from("owned"));
        cow_list: Cow<'static, [u16]> = Cow::Owned(vec![1, 2]);
        shared: Arc<str> = "shared".into();
    }
}

hold! {
    async fn others() {
        rc: Rc<str> = "counted".into();
        path: PathBuf = PathBuf::from("/var/tmp/x y");
        path_ref: &'static Path = Path::new("relative/path");
        path_box: Box<Path> = Path::new("boxed/path").into();
        path_arc: Arc<Path> = Path::new("shared/path").into();
        no_path: Option<PathBuf> = None;
        os: OsString = OsString::from("os") => "\"os\"";
        os_ref: &'static OsStr = OsStr::new("os ref") => "\"os ref\"";
        c: CString = CString::new("c string").unwrap() => "\"c string\"";
        c_empty: CString = CString::default() => "\"\"";
        c_ref: &'static CStr = c"c ref" => "\"c ref\"";
    }
}
