#include "out/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/text.h"

#define EXACT ((uint64_t)1 << 53) /* the largest integer up to which every one is a double */

/* Before a value: the comma, and the note that the next one needs it. */
static void separate(struct json *j)
{
	if (j->comma)
		strbuf_addc(j->to, ',');
	j->comma = true;
}

static void open_with(struct json *j, char bracket)
{
	separate(j);
	strbuf_addc(j->to, bracket);
	j->comma = false;
}

static void close_with(struct json *j, char bracket)
{
	strbuf_addc(j->to, bracket);
	j->comma = true;
}

void json_object(struct json *j)
{
	open_with(j, '{');
}

void json_object_end(struct json *j)
{
	close_with(j, '}');
}

void json_array(struct json *j)
{
	open_with(j, '[');
}

void json_array_end(struct json *j)
{
	close_with(j, ']');
}

void json_key(struct json *j, const char *key)
{
	json_string(j, key);
	strbuf_addc(j->to, ':');
	j->comma = false;
}

void json_bytes(struct json *j, const void *bytes, size_t length)
{
	separate(j);
	strbuf_addc(j->to, '"');
	text_add_json(j->to, bytes, length);
	strbuf_addc(j->to, '"');
}

void json_string(struct json *j, const char *text)
{
	if (text == NULL)
		json_null(j);
	else
		json_bytes(j, text, strlen(text));
}

void json_number(struct json *j, uint64_t value)
{
	separate(j);
	strbuf_addf(j->to, "%" PRIu64, value);
}

void json_u64(struct json *j, uint64_t value)
{
	separate(j);
	strbuf_addf(j->to, value > EXACT ? "\"%" PRIu64 "\"" : "%" PRIu64, value);
}

void json_i64(struct json *j, int64_t value)
{
	separate(j);
	bool exact = value <= (int64_t)EXACT && value >= -(int64_t)EXACT;
	strbuf_addf(j->to, exact ? "%" PRId64 : "\"%" PRId64 "\"", value);
}

void json_address(struct json *j, uint64_t value)
{
	separate(j);
	strbuf_addf(j->to, "\"0x%" PRIx64 "\"", value);
}

void json_bool(struct json *j, bool value)
{
	json_raw(j, value ? "true" : "false");
}

void json_null(struct json *j)
{
	json_raw(j, "null");
}

void json_raw(struct json *j, const char *json)
{
	separate(j);
	strbuf_adds(j->to, json);
}
