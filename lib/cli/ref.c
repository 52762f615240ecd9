/* The grammar of one reference. */
#include <string.h>

#include "base/error.h"
#include "cli/refs.h"

#define KEY_ID 1
#define KEY_ADDRESS 2
#define KEY_SUFFIX 4 /* .N behind the key: a frame, or the stream of a connection */

struct ref_row {
	const char *word;
	enum ref_kind kind;
	unsigned keys;
	const char *expected;
};

#define RESOURCE(word) { word, REF_RESOURCE, KEY_ADDRESS, word "/ADDRESS, as in " word "/0x55d0c8" }

static const struct ref_row ROWS[] = {
	{ "task", REF_TASK, KEY_ID | KEY_ADDRESS, "task/ID, as in task/5, or task/ADDRESS" },
	{ "future", REF_FUTURE, KEY_ADDRESS, "future/ADDRESS, as in future/0x55d0c8" },
	{ "frame", REF_FRAME, KEY_ID | KEY_ADDRESS | KEY_SUFFIX,
	  "frame/TASK.N, as in frame/5.2, or frame/ADDRESS.N, as in frame/0x55d0c8.2; :B.I behind it for a branch" },
	{ "thread", REF_THREAD, KEY_ID, "thread/LWP, as in thread/2040415" },
	{ "conn", REF_CONN, KEY_ADDRESS, "conn/ADDRESS, as in conn/0x11216010" },
	{ "stream", REF_STREAM, KEY_ADDRESS | KEY_SUFFIX, "stream/ADDRESS.ID, as in stream/0x11216010.3" },
	{ "runtime", REF_RUNTIME, KEY_ID | KEY_ADDRESS, "runtime/INDEX, as in runtime/0, or runtime/ADDRESS" },
	{ "localset", REF_LOCALSET, KEY_ADDRESS, "localset/ADDRESS, as in localset/0x55d0c8" },
	RESOURCE("mutex"),     RESOURCE("rwlock"), RESOURCE("semaphore"), RESOURCE("mpsc"),    RESOURCE("oneshot"),
	RESOURCE("watch"),     RESOURCE("notify"), RESOURCE("broadcast"), RESOURCE("barrier"),
};

static const struct ref_row *find_row(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
		if (strlen(ROWS[i].word) == length && strncmp(ROWS[i].word, word, length) == 0)
			return &ROWS[i];
	return NULL;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/* Reads digits at *at and steps over them; false when there are none or they pass 64 bits. */
static bool read_digits(const char **at, unsigned base, uint64_t *value)
{
	const char *from = *at;
	*value = 0;
	for (; (unsigned)digit_value(**at) < base; ++*at) {
		unsigned digit = (unsigned)digit_value(**at);
		if (*value > (UINT64_MAX - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	return *at != from;
}

static bool read_key(const char **at, unsigned keys, struct ref *ref)
{
	ref->by_address = (*at)[0] == '0' && (*at)[1] == 'x';
	if ((keys & (ref->by_address ? KEY_ADDRESS : KEY_ID)) == 0)
		return false;
	*at += ref->by_address ? 2 : 0;
	return read_digits(at, ref->by_address ? 16 : 10, ref->by_address ? &ref->address : &ref->id);
}

static bool read_branches(const char **at, struct ref *ref)
{
	while (**at == ':') {
		if (ref->branch_count == REF_BRANCHES)
			return false;
		struct ref_branch *b = &ref->branches[ref->branch_count++];
		++*at;
		if (!read_digits(at, 10, &b->branch) || *(*at)++ != '.' || !read_digits(at, 10, &b->frame))
			return false;
	}
	return true;
}

static bool read_suffix(const char **at, struct ref *ref)
{
	uint64_t *suffix = ref->kind == REF_FRAME ? &ref->frame : &ref->id;
	if (*(*at)++ != '.' || !read_digits(at, 10, suffix))
		return false;
	return ref->kind != REF_FRAME || read_branches(at, ref);
}

struct error *ref_parse(const char *text, struct ref *ref)
{
	*ref = (struct ref){ .kind = REF_TASK, .word = "task", .text = text };
	const char *slash = strchr(text, '/'), *at = text;
	if (slash == NULL) {
		if (read_key(&at, KEY_ID | KEY_ADDRESS, ref) && *at == '\0') {
			if (ref->by_address) {
				ref->kind = REF_ADDRESS;
				ref->word = "";
			}
			return NULL;
		}
		return error_new(ERROR_USAGE,
		                 "'%s' is no reference: expected KIND/KEY as in task/5, a task id as in 5, or an address as in 0x55d0c8",
		                 text);
	}
	const struct ref_row *row = find_row(text, (size_t)(slash - text));
	if (row == NULL)
		return error_new(ERROR_USAGE, "'%s' is no reference: nothing is called '%.*s'; expected KIND/KEY as in task/5",
		                 text, (int)(slash - text), text);
	ref->kind = row->kind;
	ref->word = row->word;
	at = slash + 1;
	bool good = read_key(&at, row->keys, ref);
	if (good && (row->keys & KEY_SUFFIX) != 0)
		good = read_suffix(&at, ref);
	if (!good || *at != '\0')
		return error_new(ERROR_USAGE, "'%s' is no reference: expected %s", text, row->expected);
	return NULL;
}

void ref_format(struct strbuf *to, const struct ref *ref)
{
	if (ref->kind != REF_ADDRESS)
		strbuf_addf(to, "%s/", ref->word);
	if (ref->by_address)
		strbuf_addf(to, "0x%llx", (unsigned long long)ref->address);
	else
		strbuf_addf(to, "%llu", (unsigned long long)ref->id);
	if (ref->kind == REF_STREAM)
		strbuf_addf(to, ".%llu", (unsigned long long)ref->id);
	if (ref->kind != REF_FRAME)
		return;
	strbuf_addf(to, ".%llu", (unsigned long long)ref->frame);
	for (size_t i = 0; i < ref->branch_count; i++)
		strbuf_addf(to, ":%llu.%llu", (unsigned long long)ref->branches[i].branch,
		            (unsigned long long)ref->branches[i].frame);
}
