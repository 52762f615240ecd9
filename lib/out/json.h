/* json.h - a streaming JSON writer into a strbuf: compact, on one line, commas by itself. Ownership: the buffer is
 * the caller's; a struct json holds no memory. The caller keeps the nesting right; nothing here checks it.
 *
 *	struct json j = json_into(&buffer);
 *	json_object(&j);
 *	json_key(&j, "ref");     json_string(&j, "task/5");
 *	json_key(&j, "queue");   json_array(&j); json_string(&j, "task/4"); json_array_end(&j);
 *	json_object_end(&j);                    {"ref":"task/5","queue":["task/4"]} */
#ifndef HANSEI_OUT_JSON_H
#define HANSEI_OUT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf;

struct json {
	struct strbuf *to;
	bool comma; /* a value stands before the next one */
};

static inline struct json json_into(struct strbuf *to)
{
	return (struct json){ to, false };
}

void json_object(struct json *j);
void json_object_end(struct json *j);
void json_array(struct json *j);
void json_array_end(struct json *j);
void json_key(struct json *j, const char *key); /* the value follows */

void json_string(struct json *j, const char *text); /* NULL: null; any bytes become valid UTF-8 (text.h) */
void json_bytes(struct json *j, const void *bytes, size_t length); /* as a string */
void json_number(struct json *j, uint64_t value);   /* all digits, however large: ids and counts */
void json_u64(struct json *j, uint64_t value);      /* a decimal string beyond 2^53, which jq would round */
void json_i64(struct json *j, int64_t value);       /* likewise, in both directions */
void json_address(struct json *j, uint64_t value);  /* "0x55d0c8" */
void json_bool(struct json *j, bool value);
void json_null(struct json *j);
void json_raw(struct json *j, const char *json);    /* a whole value made before */

#endif
