/* demangle.c - what kind of symbol this is, and its readable form by libiberty.
 *
 * libiberty follows back-references while it prints, so a few hundred bytes can ask for 2^60 bytes of output (each
 * tuple naming the one before twice), and a binder makes it write as many lifetimes as a 64-bit number says. So v0
 * names are read by our own parser first, which knows what following everything would cost; a name that is too
 * dear, or that is not well-formed, is shown as it is. */
#include "rust/names.h"
#include "rust/v0.h"

#include "base/strbuf.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>

/* The longest names of real programs take some tens of kilobytes. */
static const uint64_t MAX_EXPANSION = 1 << 18;

static const char LLVM[] = ".llvm.";
static const size_t LLVM_LENGTH = sizeof LLVM - 1;

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f');
}

/* LLVM renames local symbols that it must share between its parts; the number is a hash of paths. */
size_t symbol_base_length(const char *symbol)
{
	size_t length = strlen(symbol);
	for (;;) {
		size_t digits = length;
		while (digits > 0 && is_digit(symbol[digits - 1]))
			digits--;
		if (digits == length || digits <= LLVM_LENGTH
		    || memcmp(symbol + digits - LLVM_LENGTH, LLVM, LLVM_LENGTH) != 0)
			return length;
		length = digits - LLVM_LENGTH;
	}
}

/* Legacy names are C++ names whose last part is "h" and a 64-bit hash; a suffix from a '.' on may follow. */
static bool is_legacy(const char *symbol)
{
	if (strncmp(symbol, "_ZN", 3) != 0)
		return false;
	for (const char *at = symbol; (at = strstr(at, "17h")) != NULL; at++) {
		size_t hex = 0;
		while (hex < 16 && is_hex(at[3 + hex]))
			hex++;
		if (hex == 16 && at[19] == 'E' && (at[20] == '\0' || at[20] == '.'))
			return true;
	}
	return false;
}

enum mangling symbol_mangling(const char *symbol)
{
	size_t length;
	const char *body = v0_body(symbol, &length);
	if (body == NULL)
		return is_legacy(symbol) ? MANGLING_LEGACY : MANGLING_NONE;
	/* Without the usual _R a C name may look like one at first (RC4_options): there the whole must be right. */
	struct v0_facts facts;
	if (body - symbol != 2 && !v0_read(body, length, &facts))
		return MANGLING_NONE;
	return MANGLING_V0;
}

static void piece_add(const char *text, size_t length, void *out)
{
	strbuf_add(out, text, length);
}

/* libiberty wants a NUL-terminated name that begins with _R or _ZN. */
static bool demangle(struct strbuf *out, const char *prefix, const char *text, size_t length)
{
	char inline_name[1024];
	size_t prefix_length = strlen(prefix), start = out->length;
	char *name = inline_name;
	if (prefix_length + length >= sizeof inline_name && (name = malloc(prefix_length + length + 1)) == NULL)
		return false;
	memcpy(name, prefix, prefix_length);
	memcpy(name + prefix_length, text, length);
	name[prefix_length + length] = '\0';
	bool good = rust_demangle_callback(name, DMGL_RUST, piece_add, out) != 0;
	if (!good)
		strbuf_cut(out, start);
	if (name != inline_name)
		free(name);
	return good;
}

bool rust_demangle_to(struct strbuf *out, const char *symbol)
{
	struct v0_facts facts;
	size_t length;
	const char *body = v0_body(symbol, &length);
	bool good = false;
	if (body != NULL) {
		if (v0_read(body, length, &facts) && facts.expansion <= MAX_EXPANSION)
			good = demangle(out, "_R", body, length);
	} else if (is_legacy(symbol)) {
		good = demangle(out, "", symbol, symbol_base_length(symbol));
	}
	if (!good)
		strbuf_adds(out, symbol);
	return good;
}
