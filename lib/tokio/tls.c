/* A thread-local has one symbol of TLS type per copy; its value is the offset in the block. Symbols are the truth about
 * what the linker kept (a DIE may name the copy it dropped); without the executable the layouts' own statics serve. */
#include "tokio/tls.h"

#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "elf/elf_file.h"
#include "tokio/tokio_internal.h"

enum { SEGMENT_TLS = 7 }; /* PT_TLS */

static uint64_t meta_number(struct tinfo *ti, const char *key)
{
	const char *text = tinfo_meta(ti, key);
	return text == NULL ? 0 : strtoull(text, NULL, 0);
}

static void block_find(struct target *t, struct tls_variable *v)
{
	if (t->executable != NULL) {
		size_t count;
		const struct elf_segment *segments = elf_segments(t->executable, &count);
		for (size_t i = 0; i < count; i++)
			if (segments[i].type == SEGMENT_TLS) {
				v->vaddr = segments[i].vaddr;
				v->size = segments[i].memory_size;
				v->alignment = segments[i].alignment;
				v->known = true;
				return;
			}
	}
	v->size = meta_number(t->tinfo, "tls_size");
	v->alignment = meta_number(t->tinfo, "tls_align");
	v->vaddr = meta_number(t->tinfo, "tls_address");
	v->known = v->size != 0;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The key among the TLS symbols; v0 and legacy spellings of std's thread_local! since and before
 * __RUST_STD_INTERNAL_VAL. */
static bool symbol_is(const char *name, const struct tls_key *key)
{
	if (strstr(name, key->symbol) == NULL)
		return false;
	return strstr(name, "__RUST_STD_INTERNAL_VAL") != NULL || ends_with(name, "getit3VAL") ||
	       strstr(name, "7__getit3VAL17h") != NULL;
}

static void copy_add(struct tokio *tk, const struct tls_key *key, struct tls_variable *v, uint64_t offset, uint32_t type)
{
	uint64_t inside;
	uint32_t found;
	if (!type_find_inside(tk->target, type, tk->roots[key->root], NULL, &inside, &found))
		return;
	for (size_t i = 0; i < v->count; i++)
		if (v->offsets[i] == offset + inside)
			return;
	if (v->count < TLS_COPIES)
		v->offsets[v->count++] = offset + inside;
}

/* The type std wraps the value in, for a symbol: that of the static with its name, else that of any. */
static uint32_t wrapper_type(struct tokio *tk, const struct tls_key *key, const char *symbol)
{
	uint32_t count = tinfo_count(tk->target->tinfo, TABLE_STATICS), any = TINFO_NONE;
	for (uint32_t i = 0; i < count; i++) {
		struct static_variable s = tinfo_static(tk->target->tinfo, i);
		uint64_t inside;
		uint32_t found;
		if (strcmp(s.role, key->role) != 0)
			continue;
		size_t length = strlen(s.symbol);
		if (length > 0 && strncmp(s.symbol, symbol, length) == 0)
			return s.type;
		if (any == TINFO_NONE && type_find_inside(tk->target, s.type, tk->roots[key->root], NULL, &inside, &found))
			any = s.type;
	}
	return any;
}

void tls_find(struct tokio *tk, const struct tls_key *key, struct tls_variable *out)
{
	struct target *t = tk->target;
	*out = (struct tls_variable){ .alignment = 1 };
	block_find(t, out);
	if (tk->roots[key->root] == TINFO_NONE)
		return;
	if (t->executable != NULL) {
		size_t count;
		const struct elf_symbol *symbols = elf_tls_symbols(t->executable, &count);
		for (size_t i = 0; i < count; i++)
			if (symbol_is(symbols[i].name, key))
				copy_add(tk, key, out, symbols[i].value, wrapper_type(tk, key, symbols[i].name));
	}
	uint32_t count = tinfo_count(t->tinfo, TABLE_STATICS);
	for (uint32_t i = 0; i < count && out->count == 0; i++) {
		struct static_variable s = tinfo_static(t->tinfo, i);
		if (strcmp(s.role, key->role) == 0 && (s.flags & STATIC_TLS) != 0)
			copy_add(tk, key, out, s.address, s.type);
	}
}

bool tls_address(const struct tokio *tk, const struct tls_variable *v, size_t copy, size_t thread, uint64_t *address)
{
	size_t count = 0;
	const struct core_thread *threads = tk->target->core != NULL ? core_threads(tk->target->core, &count) : NULL;
	return v->known && copy < v->count && thread < count &&
	       core_tls_address(tk->target->core, &threads[thread], v->vaddr, v->size, v->alignment, v->offsets[copy],
	                        address);
}
