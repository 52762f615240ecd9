/* http's and url's values as the texts they stand for, as read in the sources of http 1.5 (1.0 alike) and url 2.5. */
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "crates/formats.h"
#include "value/target.h"
#include "value/view.h"

enum { NAME_MAX_LENGTH = 64, URI_MAX = 65536 };

static bool variant_of(struct viewer *viewer, const struct subject *s, unsigned path, struct variant *variant,
                       struct view *out)
{
	uint64_t at;
	uint32_t position;
	const char *why = "unreadable";
	if (path_locate(&s->paths[path], viewer->target, s->address, &at) == OUTCOME_VALUE &&
	    live_variant(viewer, (struct value){ s->paths[path].type, at }, variant, &position, &why))
		return true;
	view_error(out, "%s", why);
	return false;
}

/* src/method.rs: a variant per well-known method, others inline or boxed. paths: inner, text and length of the inline
 * one, of the boxed one. */
static bool view_method(struct viewer *viewer, const struct subject *s, struct view *out)
{
	struct variant variant;
	uint64_t at, length;
	if (!variant_of(viewer, s, 0, &variant, out))
		return true;
	if (strcmp(variant.name, "ExtensionInline") == 0) {
		if (path_locate(&s->paths[1], viewer->target, s->address, &at) != OUTCOME_VALUE ||
		    subject_load(viewer, s, 2, &length) != OUTCOME_VALUE)
			return false;
	} else if (strcmp(variant.name, "ExtensionAllocated") == 0) {
		if (subject_load(viewer, s, 3, &at) != OUTCOME_VALUE || subject_load(viewer, s, 4, &length) != OUTCOME_VALUE)
			return false;
	} else {
		out->kind = VIEW_WORD;
		for (size_t i = 0; variant.name[i] != '\0' && i + 1 < NAME_MAX_LENGTH; i++) {
			char c = variant.name[i];
			out->word[i] = c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
			out->word[i + 1] = '\0';
		}
		return true;
	}
	if (length > URI_MAX || !memory_there(viewer, at, length)) {
		view_unreadable(out, at);
		return true;
	}
	out->kind = VIEW_TEXT;
	out->address = at;
	out->length = length;
	return true;
}

/* src/version.rs */
static bool view_version(struct viewer *viewer, const struct subject *s, struct view *out)
{
	static const char *const NAMES[][2] = { { "Http09", "HTTP/0.9" }, { "Http10", "HTTP/1.0" },
		                                { "Http11", "HTTP/1.1" }, { "H2", "HTTP/2.0" }, { "H3", "HTTP/3.0" } };
	struct variant variant;
	if (!variant_of(viewer, s, 0, &variant, out))
		return true;
	for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
		if (strcmp(variant.name, NAMES[i][0]) == 0) {
			view_word(out, "%s", NAMES[i][1]);
			return true;
		}
	return false;
}

/* src/header/name.rs: the variants of StandardHeader are the names in camel case; `WebSocket` is one word there. */
static void kebab(char *to, size_t size, const char *camel)
{
	size_t at = 0;
	for (size_t i = 0; camel[i] != '\0' && at + 2 < size; i++) {
		bool upper = camel[i] >= 'A' && camel[i] <= 'Z';
		bool socket = i >= 3 && strncmp(camel + i - 3, "WebSocket", 9) == 0;
		if (upper && i != 0 && !socket)
			to[at++] = '-';
		to[at++] = upper ? (char)(camel[i] - 'A' + 'a') : camel[i];
	}
	to[at] = '\0';
}

/* paths: standard header, text and length of another. */
static bool view_header_name(struct viewer *viewer, const struct subject *s, struct view *out)
{
	struct variant variant;
	uint64_t at, length, standard;
	uint32_t position;
	const char *why;
	enum outcome outcome = path_locate(&s->paths[0], viewer->target, s->address, &standard);
	if (outcome == OUTCOME_VALUE &&
	    live_variant(viewer, (struct value){ s->paths[0].type, standard }, &variant, &position, &why)) {
		out->kind = VIEW_WORD;
		kebab(out->word, sizeof out->word, variant.name);
		return true;
	}
	if (subject_load(viewer, s, 1, &at) != OUTCOME_VALUE || subject_load(viewer, s, 2, &length) != OUTCOME_VALUE)
		return false;
	if (length > URI_MAX || !memory_there(viewer, at, length)) {
		view_unreadable(out, at);
		return true;
	}
	out->kind = VIEW_TEXT;
	out->address = at;
	out->length = length;
	return true;
}

static bool add_text(struct viewer *viewer, struct strbuf *to, uint64_t address, uint64_t length)
{
	char buffer[512];
	if (length > URI_MAX)
		return false;
	while (length != 0) {
		size_t take = length < sizeof buffer ? (size_t)length : sizeof buffer;
		if (!target_read(viewer->target, address, buffer, take))
			return false;
		strbuf_add(to, buffer, take);
		address += take;
		length -= take;
	}
	return true;
}

/* src/uri/mod.rs, Display. paths: scheme's standard one; pointer and length of another scheme, of the authority, of
 * path and query. */
static bool view_uri(struct viewer *viewer, const struct subject *s, struct view *out)
{
	struct strbuf text = STRBUF_INIT;
	struct variant variant;
	uint64_t at, address, length;
	uint32_t position;
	const char *why;
	bool good = true;
	if (path_locate(&s->paths[0], viewer->target, s->address, &at) == OUTCOME_VALUE &&
	    live_variant(viewer, (struct value){ s->paths[0].type, at }, &variant, &position, &why))
		strbuf_adds(&text, strcmp(variant.name, "Https") == 0 ? "https://" : "http://");
	else if (subject_load(viewer, s, 1, &address) == OUTCOME_VALUE && subject_load(viewer, s, 2, &length) == OUTCOME_VALUE) {
		good = add_text(viewer, &text, address, length);
		strbuf_adds(&text, "://");
	}
	for (unsigned i = 3; i < 7 && good; i += 2) {
		good = subject_load(viewer, s, i, &address) == OUTCOME_VALUE &&
		       subject_load(viewer, s, i + 1, &length) == OUTCOME_VALUE;
		if (good && i == 5 && length == 0 && text.length != 0)
			strbuf_addc(&text, '/');
		good = good && add_text(viewer, &text, address, length);
	}
	if (good) {
		out->kind = VIEW_WORD;
		out->text = arena_strndup(&viewer->arena, text.text, text.length);
	}
	strbuf_release(&text);
	return good;
}

#define BYTES(path) path "ptr", path "len"

static const struct formatter ROWS[] = {
	{ "http::method::Method", FORMAT_STRING, view_method, 1,
	  { ".__0", ".__0<ExtensionInline>.__0.__0", ".__0<ExtensionInline>.__0.__1",
	    ".__0<ExtensionAllocated>.__0.__0.data_ptr", ".__0<ExtensionAllocated>.__0.__0.length" }, NULL },
	{ "http::status::StatusCode", 0, view_same, 1, { ".__0" }, NULL },
	{ "http::version::Version", FORMAT_STRING, view_version, 1, { ".__0" }, NULL },
	{ "http::header::name::HeaderName", FORMAT_STRING, view_header_name, 3,
	  { ".inner<Standard>.__0", BYTES(".inner<Custom>.__0.__0.bytes.") }, NULL },
	{ "http::header::value::HeaderValue", FORMAT_STRING, view_text_slice, 2, { BYTES(".inner.") }, NULL },
	{ "http::byte_str::ByteStr", FORMAT_STRING, view_text_slice, 2, { BYTES(".bytes.") }, NULL },
	{ "http::uri::authority::Authority", FORMAT_STRING, view_same, 1, { ".data" }, NULL },
	{ "http::uri::path::PathAndQuery", FORMAT_STRING, view_same, 1, { ".data" }, NULL },
	{ "http::uri::Uri", FORMAT_STRING, view_uri, 7,
	  { ".scheme.inner<Standard>.__0", BYTES(".scheme.inner<Other>.__0->.bytes."), BYTES(".authority.data.bytes."),
	    BYTES(".path_and_query.data.bytes.") }, NULL },
	{ "url::Url", FORMAT_STRING, view_same, 1, { ".serialization" }, NULL },
};

const struct formatter_table *crate_web_formats(void)
{
	static const struct formatter_table table = FORMATTER_TABLE(ROWS);
	return &table;
}
