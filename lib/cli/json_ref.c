/* Finding the member "ref" of a JSON object without building anything: strings are stepped over with their escapes,
 * nested values by counting brackets. Our own programs wrote the line, or jq did; a line that is no JSON is noticed
 * where the scan meets it, and nothing outside the text is ever read. */
#include <string.h>

#include "base/utf8.h"
#include "cli/refs.h"

static const char *skip_space(const char *at)
{
	return at + strspn(at, " \t\r\n");
}

static bool read_hex4(const char *at, uint32_t *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++) {
		char c = at[i];
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (uint32_t)((c | 0x20) - 'a') + 10;
		else
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

/* at is behind `\u`; returns the end of the escape, of both when two make one character, or NULL. */
static const char *read_unicode(const char *at, struct strbuf *value)
{
	uint32_t c, low;
	if (!read_hex4(at, &c))
		return NULL;
	at += 4;
	if (c >= 0xd800 && c < 0xdc00 && at[0] == '\\' && at[1] == 'u' && read_hex4(at + 2, &low) && low >= 0xdc00 &&
	    low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
		at += 6;
	}
	if (c == 0 || (c >= 0xd800 && c < 0xe000))
		c = 0xfffd; /* half a pair, or what no C text can hold */
	char bytes[4];
	strbuf_add(value, bytes, utf8_encode(c, bytes));
	return at;
}

/* at is behind the opening quote; appends the text; returns behind the closing quote, or NULL. */
static const char *read_string(const char *at, struct strbuf *value)
{
	static const char NAMES[] = "\"\\/bfnrt", VALUES[] = "\"\\/\b\f\n\r\t";
	while (*at != '"') {
		if (*at == '\0')
			return NULL;
		if (*at != '\\') {
			strbuf_addc(value, *at++);
			continue;
		}
		const char *name = at[1] != '\0' ? strchr(NAMES, at[1]) : NULL;
		if (name != NULL) {
			strbuf_addc(value, VALUES[name - NAMES]);
			at += 2;
		} else if (at[1] != 'u' || (at = read_unicode(at + 2, value)) == NULL) {
			return NULL;
		}
	}
	return at + 1;
}

/* Steps over a value up to the `,` or `}` of the object around it; NULL when the text ends before. */
static const char *skip_value(const char *at, struct strbuf *scratch)
{
	for (size_t depth = 0; *at != '\0';) {
		if (*at == '"') {
			strbuf_reset(scratch);
			at = read_string(at + 1, scratch);
			if (at == NULL)
				return NULL;
			continue;
		}
		if (depth == 0 && (*at == ',' || *at == '}'))
			return at;
		if (*at == '{' || *at == '[')
			depth++;
		else if (*at == '}' || *at == ']')
			depth -= depth != 0;
		at++;
	}
	return NULL;
}

/* Steps over `"key" :`; NULL when that is not what stands there. */
static const char *read_key(const char *at, struct strbuf *key)
{
	at = skip_space(at);
	strbuf_reset(key);
	at = *at == '"' ? read_string(at + 1, key) : NULL;
	if (at == NULL)
		return NULL;
	at = skip_space(at);
	return *at == ':' ? skip_space(at + 1) : NULL;
}

bool json_find_ref(const char *text, struct strbuf *value)
{
	struct strbuf scratch = STRBUF_INIT;
	bool found = false;
	const char *at = skip_space(text);
	at = *at == '{' ? at + 1 : NULL;
	while (at != NULL && !found) {
		at = read_key(at, &scratch);
		if (at == NULL)
			break;
		if (strcmp(scratch.text, "ref") == 0 && *at == '"') {
			found = read_string(at + 1, value) != NULL;
			break;
		}
		at = skip_value(at, &scratch);
		at = at != NULL && *at == ',' ? at + 1 : NULL;
	}
	strbuf_release(&scratch);
	return found;
}
