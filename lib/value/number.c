/* Numbers as text. Floats are written with the fewest digits that read back as the same value, as Rust does
 * (library/core/src/fmt/float.rs: exponents below 1e-5 and from 1e16 on). */
#include "value/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/strbuf.h"
#include "base/utf8.h"
#include "tinfo/tinfo.h"

void decimal_add(struct strbuf *out, uint64_t low, uint64_t high, bool is_signed)
{
	char digits[48];
	size_t at = sizeof digits;
	if (is_signed && (high >> 63) != 0) {
		strbuf_addc(out, '-');
		low = ~low + 1;
		high = ~high + (low == 0);
	}
	do { /* long division by 10, 32 bits at a time */
		uint64_t rest = high % 10;
		high /= 10;
		uint64_t part = rest << 32 | low >> 32;
		uint64_t upper = part / 10;
		part = part % 10 << 32 | (low & 0xffffffffu);
		low = upper << 32 | part / 10;
		digits[--at] = (char)('0' + part % 10);
	} while (low != 0 || high != 0);
	strbuf_add(out, digits + at, sizeof digits - at);
}

/* The shortest text of printf's %.Ne that reads back; single: as a float. */
static void shortest(char text[40], double value, bool single)
{
	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, 40, "%.*e", precision, value);
		if (single ? strtof(text, NULL) == (float)value : strtod(text, NULL) == value)
			return;
	}
}

/* d.ddde±xx -> Rust's spelling. */
static void float_add(struct strbuf *out, double value, bool single)
{
	char text[40], digits[24];
	size_t count = 0;
	if (value == 0) {
		strbuf_adds(out, signbit(value) ? "-0.0" : "0.0");
		return;
	}
	shortest(text, fabs(value), single);
	int exponent = atoi(strchr(text, 'e') + 1);
	for (const char *at = text; *at != 'e'; at++)
		if (*at != '.' && *at != ',')
			digits[count++] = *at;
	while (count > 1 && digits[count - 1] == '0')
		count--;
	if (value < 0)
		strbuf_addc(out, '-');
	if (exponent < -5 || exponent >= 16) {
		strbuf_addc(out, digits[0]);
		if (count > 1) {
			strbuf_addc(out, '.');
			strbuf_add(out, digits + 1, count - 1);
		}
		strbuf_addf(out, "e%d", exponent);
		return;
	}
	if (exponent < 0)
		strbuf_adds(out, "0.");
	for (int i = -1; i > exponent; i--)
		strbuf_addc(out, '0');
	for (int i = 0; i < (int)count || i <= exponent; i++) {
		if (exponent >= 0 && i == exponent + 1)
			strbuf_addc(out, '.');
		strbuf_addc(out, i < (int)count ? digits[i] : '0');
	}
	if (exponent >= 0 && (int)count <= exponent + 1)
		strbuf_adds(out, ".0");
}

/* IEEE 754 binary16. */
static double half(uint64_t bits)
{
	double value = (double)(bits & 0x3ff);
	int exponent = (int)(bits >> 10 & 0x1f);
	value = exponent == 0 ? ldexp(value, -24) : exponent == 31 ? (value != 0 ? NAN : INFINITY)
	                                                       : ldexp(value + 1024, exponent - 25);
	return (bits >> 15 & 1) != 0 ? -value : value;
}

static double float_value(const unsigned char *bytes, uint64_t size)
{
	if (size == 2)
		return half(load_uint(bytes, 2));
	if (size == 4) {
		uint32_t bits = (uint32_t)load_uint(bytes, 4);
		float value;
		memcpy(&value, &bits, sizeof value);
		return (double)value;
	}
	uint64_t bits = load_uint(bytes, 8);
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static void add_float(struct strbuf *out, const struct type *type, const unsigned char *bytes, bool json)
{
	if (type->size == 16) { /* f128: no decimal without a library for it */
		strbuf_addf(out, json ? "\"0x%016llx%016llx\"" : "0x%016llx%016llx",
		            (unsigned long long)load_uint(bytes + 8, 8), (unsigned long long)load_uint(bytes, 8));
		return;
	}
	double value = float_value(bytes, type->size);
	const char *quote = json ? "\"" : "";
	if (isnan(value))
		strbuf_addf(out, "%sNaN%s", quote, quote);
	else if (isinf(value))
		strbuf_addf(out, "%s%sinf%s", quote, value < 0 ? "-" : "", quote);
	else
		float_add(out, value, type->size <= 4);
}

static bool add_bad(struct strbuf *out, const char *what, uint64_t value, bool json)
{
	strbuf_addf(out, json ? "{\"$error\":\"0x%llx is no %s\"}" : "<0x%llx is no %s>", (unsigned long long)value, what);
	return false;
}

static bool add_char(struct strbuf *out, uint64_t value, bool json)
{
	char text[4];
	if (value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
		return add_bad(out, "char", value, json);
	size_t length = utf8_encode((uint32_t)value, text);
	if (json) {
		strbuf_addc(out, '"');
		utf8_escape_json(out, text, length);
		strbuf_addc(out, '"');
	} else {
		strbuf_addc(out, '\'');
		if (value == '\'')
			strbuf_adds(out, "\\'");
		else if (value == '"')
			strbuf_addc(out, '"');
		else
			utf8_escape(out, text, length);
		strbuf_addc(out, '\'');
	}
	return true;
}

static void add_integer(struct strbuf *out, const struct type *type, const unsigned char *bytes, bool json)
{
	bool is_signed = type->encoding == BASE_SIGNED;
	uint64_t low = load_uint(bytes, type->size < 8 ? (size_t)type->size : 8);
	uint64_t high = type->size > 8 ? load_uint(bytes + 8, (size_t)type->size - 8) : 0;
	unsigned bits = (unsigned)type->size * 8;
	if (is_signed && bits < 64 && (low >> (bits - 1) & 1) != 0)
		low |= ~UINT64_C(0) << bits;
	if (is_signed && bits <= 64)
		high = (low >> 63) != 0 ? UINT64_MAX : 0;
	uint64_t limit = UINT64_C(1) << 53; /* what a double, and so jq, still holds exactly */
	bool small = high == 0 ? low <= limit : is_signed && high == UINT64_MAX && low >= (uint64_t)0 - limit;
	if (json && !small)
		strbuf_addc(out, '"');
	decimal_add(out, low, high, is_signed);
	if (json && !small)
		strbuf_addc(out, '"');
}

static bool add_scalar(struct strbuf *out, const struct type *type, const unsigned char *bytes, bool json)
{
	switch (type->encoding) {
	case BASE_BOOL:
		if (bytes[0] > 1)
			return add_bad(out, "bool", bytes[0], json);
		strbuf_adds(out, bytes[0] != 0 ? "true" : "false");
		return true;
	case BASE_CHAR:
		if (type->size == 4)
			return add_char(out, load_uint(bytes, 4), json);
		add_integer(out, type, bytes, json);
		return true;
	case BASE_FLOAT:
		add_float(out, type, bytes, json);
		return true;
	default:
		add_integer(out, type, bytes, json);
		return true;
	}
}

bool scalar_add_text(struct strbuf *out, const struct type *type, const unsigned char *bytes)
{
	return add_scalar(out, type, bytes, false);
}

bool scalar_add_json(struct strbuf *out, const struct type *type, const unsigned char *bytes)
{
	return add_scalar(out, type, bytes, true);
}
