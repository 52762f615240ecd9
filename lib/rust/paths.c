/* paths.c - source paths cut to what tells the reader where he is. cargo keeps registry crates in
 * <home>/registry/src/<index>/<crate>-<version>/ and git ones in <home>/git/checkouts/<name>-<16 hex>/<rev>/;
 * rustc calls its own sources /rustc/<hash>/, a toolchain with rust-src .../lib/rustlib/src/rust/, Debian
 * .../src/rustc-<version>/, and the crates that std uses /rust/deps/<crate>-<version>/. `cargo vendor` puts crates into
 * vendor/<crate>/ or, asked for it, vendor/<crate>-<version>/; Debian's are in share/cargo/registry/<crate>-<version>/. */
#include "rust/names.h"

#include "base/strbuf.h"

#include <string.h>

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t hex_length(const char *text)
{
	size_t n = 0;
	while (is_digit(text[n]) || (text[n] >= 'a' && text[n] <= 'f'))
		n++;
	return n;
}

static size_t component_length(const char *path)
{
	return strcspn(path, "/");
}

static const char *component_next(const char *path)
{
	path += component_length(path);
	return path + strspn(path, "/");
}

/* "1.54.1", "0.1.0-rc.2", "0.11.0+wasi" (semver.org, without checking what follows the numbers). */
static bool is_version(const char *text, size_t length)
{
	size_t i = 0;
	for (int part = 0; part < 3; part++) {
		size_t start = i;
		while (i < length && is_digit(text[i]))
			i++;
		if (i == start)
			return false;
		if (part < 2 && (i == length || text[i++] != '.'))
			return false;
	}
	return i == length || text[i] == '-' || text[i] == '+';
}

/* Splits the first component, "tokio-1.54.1". A name may contain "-" and digits: the version begins at the first
 * "-" behind which one fits. */
static bool crate_split(const char *path, struct text_span *crate, struct text_span *version)
{
	size_t length = component_length(path);
	for (size_t i = 1; i < length; i++) {
		if (path[i] != '-' || !is_version(path + i + 1, length - i - 1))
			continue;
		*crate = (struct text_span){ path, i };
		*version = (struct text_span){ path + i + 1, length - i - 1 };
		return true;
	}
	return false;
}

/* The part of a registry path from the crate on, or NULL. A directory of the user's may be called registry/src as
 * well, so the crate's form decides. */
static const char *registry_tail(const char *path, struct text_span *crate, struct text_span *version)
{
	static const char MARK[] = "/registry/src/";
	for (const char *at = path; (at = strstr(at, MARK)) != NULL; at++) {
		const char *tail = component_next(at + sizeof MARK - 1);
		if (crate_split(tail, crate, version) && *component_next(tail) != '\0')
			return tail;
	}
	return NULL;
}

/* What follows the last mark that has two components behind it. */
static const char *tail_behind(const char *path, const char *mark)
{
	const char *tail = NULL;
	for (const char *at = path; (at = strstr(at, mark)) != NULL; at++)
		if (*component_next(component_next(at + strlen(mark) - 1)) != '\0')
			tail = at + strlen(mark);
	return tail;
}

/* The part of a vendored or distribution's crate from the crate on, or NULL. */
static const char *vendor_tail(const char *path)
{
	const char *tail = tail_behind(path, "/vendor/");
	return tail != NULL ? tail : tail_behind(path, "/share/cargo/registry/");
}

/* name-<16 hex>/rev/… : appends name/rev/… */
static bool checkout_fold(struct strbuf *out, const char *path)
{
	static const char MARK[] = "/git/checkouts/";
	enum { HEX = 16 };
	for (const char *at = path; (at = strstr(at, MARK)) != NULL; at++) {
		const char *name = at + sizeof MARK - 1, *rev = component_next(name);
		size_t length = component_length(name);
		if (length < HEX + 2 || name[length - HEX - 1] != '-' || hex_length(name + length - HEX) != HEX
		    || *component_next(rev) == '\0')
			continue;
		strbuf_add(out, name, length - HEX - 1);
		strbuf_addc(out, '/');
		strbuf_adds(out, rev);
		return true;
	}
	return false;
}

/* The part of a path of rustc's own sources behind their root, or NULL. */
static const char *rustc_tail(const char *path)
{
	static const char HASHED[] = "/rustc/", DEPS[] = "/rust/deps/";
	static const char COMPONENT[] = "/lib/rustlib/src/rust/", RELEASE[] = "/src/rustc-";
	const char *at;
	if (strncmp(path, HASHED, sizeof HASHED - 1) == 0) {
		const char *hash = path + sizeof HASHED - 1;
		size_t length = component_length(hash);
		/* a hash, or a version as /rustc/1.63.0/ where the commit was unknown */
		if (length != 0 && (hex_length(hash) == length || is_version(hash, length)))
			return component_next(hash);
		return NULL;
	}
	if (strncmp(path, DEPS, sizeof DEPS - 1) == 0)
		return path + sizeof DEPS - 1;
	if ((at = strstr(path, COMPONENT)) != NULL)
		return at + sizeof COMPONENT - 1;
	for (at = path; (at = strstr(at, RELEASE)) != NULL; at++)
		if (is_digit(at[sizeof RELEASE - 1]))
			return component_next(at + 1 + strlen("src/"));
	return NULL;
}

bool path_crate(const char *path, struct text_span *crate, struct text_span *version)
{
	const char *tail;
	if (registry_tail(path, crate, version) != NULL)
		return true;
	return rustc_tail(path) == NULL && (tail = vendor_tail(path)) != NULL && crate_split(tail, crate, version);
}

void path_fold(struct strbuf *out, const char *path)
{
	static const char VENDOR[] = "vendor/";
	struct text_span crate, version;
	const char *tail = NULL;
	if (path[0] == '/' && (tail = registry_tail(path, &crate, &version)) == NULL) {
		if (checkout_fold(out, path))
			return;
		tail = rustc_tail(path);
		if (tail != NULL && strncmp(tail, VENDOR, sizeof VENDOR - 1) == 0)
			tail += sizeof VENDOR - 1;
		if (tail == NULL && (tail = vendor_tail(path)) != NULL && !crate_split(tail, &crate, &version))
			strbuf_adds(out, VENDOR);
	}
	strbuf_adds(out, tail != NULL && *tail != '\0' ? tail : path);
}

/* The folders of rust-lang/rust's library/; a user's own library/ hardly has one of these names in it. */
static bool is_library_folder(const char *name, size_t length)
{
	static const char *const FOLDERS[] = {
		"alloc", "backtrace", "compiler-builtins", "core", "panic_abort", "panic_unwind", "portable-simd",
		"proc_macro", "std", "std_detect", "stdarch", "sysroot", "test", "unwind",
	};
	for (size_t i = 0; i < sizeof FOLDERS / sizeof FOLDERS[0]; i++)
		if (length == strlen(FOLDERS[i]) && memcmp(name, FOLDERS[i], length) == 0)
			return true;
	return false;
}

bool path_is_foreign(const char *folded)
{
	static const char LIBRARY[] = "library/";
	struct text_span crate, version;
	const char *second = component_next(folded);
	size_t length = component_length(second);
	if (folded[0] == '/' || length == 0)
		return false;
	if (crate_split(folded, &crate, &version))
		return true;
	if (second[length] == '\0')
		return false;
	if (strncmp(folded, "vendor/", sizeof "vendor/" - 1) == 0)
		return true;
	if (strncmp(folded, LIBRARY, sizeof LIBRARY - 1) == 0)
		return is_library_folder(second, length);
	/* name/rev/…: cargo abbreviates a commit to at least seven digits, as git does */
	return length >= 7 && length <= 40 && hex_length(second) == length;
}
