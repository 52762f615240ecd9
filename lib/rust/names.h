/* names.h - Rust names: demangling for display, hash-free keys for joining, DWARF type names folded for people.
 * Pure functions on text; nothing here knows of files or targets. */
#ifndef HANSEI_RUST_NAMES_H
#define HANSEI_RUST_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

/* Appends the demangled form of a v0 or legacy symbol (libiberty's rust_demangle, alternate form: no crate
 * hashes, no legacy hash), a trailing ".llvm.N" cut first. A name that is not Rust's, is not well-formed, or would
 * expand to hundreds of kilobytes is appended as it is, and false returned. */
bool rust_demangle_to(struct strbuf *out, const char *symbol);

/* Length of a symbol without a trailing ".llvm.<digits>" (also ".llvm.<digits>" on legacy names). */
size_t symbol_base_length(const char *symbol);

enum mangling { MANGLING_NONE, MANGLING_LEGACY, MANGLING_V0 };
enum mangling symbol_mangling(const char *symbol); /* accepts _R, R, __R; _ZN...17h<16 hex>E */

/* A 64-bit key of a v0 symbol that does not depend on crate disambiguators (Cs<base62>_), so that two builds of
 * one source with other hashes agree. Back-references count as "the n-th token" rather than a byte position,
 * since positions shift with the length of the hashes. Everything else counts, the name of the instantiating crate
 * included. A suffix from '.' on does not. false: not a well-formed v0 name, or one of more than a megabyte. */
bool v0_key(const char *symbol, uint64_t *key);

/* What a v0 or legacy symbol of the form <Self as Trait>::method says, on the demangled text. Spans point into
 * `demangled`. false when the text has another form. Brackets are matched ignoring the > of ->. */
struct text_span {
	const char *at;
	size_t length;
};
struct impl_parts {
	struct text_span self, trait; /* trait.length 0 for an inherent <Self>::method */
	struct text_span method;      /* first path segment after the bracket, without generic arguments */
};
bool impl_split(const char *demangled, struct impl_parts *out);

/* The kind of future that a DWARF type name says, judged by the last component of the outermost path
 * (`PollFn<f::{async_fn_env#0}>` is KIND_FUTURE). */
enum future_kind { KIND_FUTURE, KIND_ASYNC_FN, KIND_ASYNC_BLOCK, KIND_ASYNC_CLOSURE };
enum future_kind future_kind_of(const char *type_name);
const char *future_kind_text(enum future_kind kind); /* "future", "async fn", "async block", "async closure" */

/* Gives the display path of the type an impl block belongs to (`tokio::sync::mutex::Mutex` for
 * "tokio::sync::mutex::{impl#10}"), or NULL when unknown. impl_path is not NUL-terminated. */
typedef const char *(*impl_resolver)(void *context, const char *impl_path, size_t length);

/* Appends a DWARF type name as listings show it: kind word and folded name ("async fn shop::dispatcher",
 * "future tokio::sync::oneshot::Receiver<()>"). Rules: the notes on type-name folding; resolver may be NULL. */
void name_fold(struct strbuf *out, const char *type_name, impl_resolver resolver, void *context);
/* The same without the kind word, for names inside other texts. */
void name_fold_plain(struct strbuf *out, const char *type_name, impl_resolver resolver, void *context);

/* Appends the normal form for comparing DWARF and demangler spellings of one type: all white space dropped,
 * ", alloc::alloc::Global" dropped before a closing bracket. */
void name_normalize(struct strbuf *out, const char *name, size_t length);

/* Appends a source path cut for display: cargo registry -> crate-ver/…, git checkouts -> name/rev/…, rustc's own
 * -> library/…, vendored -> crate-ver/… or, without a version, vendor/crate/…; a path below comp_dir's crate is relative to the crate root (src/main.rs). Whole otherwise. */
void path_fold(struct strbuf *out, const char *path);
/* Is this (already folded) path one of a registry or vendored crate, git checkout or the standard library? */
bool path_is_foreign(const char *folded);
/* The crate and version of a registry path ("tokio", "1.54.1" from ".../registry/src/x/tokio-1.54.1/src/…"), or of one
 * that is vendored with its version.
 * false when the path is not of that form. */
bool path_crate(const char *path, struct text_span *crate, struct text_span *version);

#endif
