/* Code of the target to functions of the layouts. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "elf/elf_file.h"
#include "rust/names.h"
#include "tokio/tokio_internal.h"

typedef bool (*function_visitor)(void *context, const struct function *function);

static void functions_by_address(struct tokio *tk, uint64_t address, function_visitor visit, void *context)
{
	struct tinfo *ti = tk->target->tinfo;
	uint32_t first, count = tinfo_functions_at(ti, address, &first);
	for (uint32_t i = 0; i < count; i++) {
		struct function f = tinfo_function(ti, tinfo_nth_address(ti, first + i));
		if (!visit(context, &f))
			return;
	}
}

static void functions_by_key(struct tokio *tk, uint64_t address, function_visitor visit, void *context)
{
	struct tinfo *ti = tk->target->tinfo;
	size_t symbols;
	if (tk->target->executable == NULL)
		return;
	const struct elf_symbol *symbol = elf_symbols_at(tk->target->executable, address, &symbols);
	for (size_t s = 0; s < symbols; s++) {
		uint64_t key;
		uint32_t first;
		if (!v0_key(symbol[s].name, &key))
			continue;
		uint32_t count = tinfo_functions_keyed(ti, key, &first);
		for (uint32_t i = 0; i < count; i++) {
			struct function f = tinfo_function(ti, first + i);
			if (!visit(context, &f))
				return;
		}
	}
}

void tokio_functions_at(struct tokio *tk, uint64_t address, function_visitor visit, void *context)
{
	uint64_t unbiased = address - tk->target->bias;
	if (tk->target->join == JOIN_ADDRESS)
		functions_by_address(tk, unbiased, visit, context);
	else
		functions_by_key(tk, unbiased, visit, context);
}

const char *tokio_symbol_text(struct tokio *tk, uint64_t address)
{
	uint64_t unbiased = address - tk->target->bias, offset;
	const struct elf_symbol *symbol = NULL;
	if (tk->target->executable != NULL)
		symbol = elf_symbol_at(tk->target->executable, unbiased, &offset);
	if (symbol == NULL)
		return arena_printf(&tk->arena, "0x%" PRIx64, address);
	struct strbuf sb = STRBUF_INIT;
	rust_demangle_to(&sb, symbol->name);
	const char *text = arena_strndup(&tk->arena, sb.text, sb.length);
	strbuf_release(&sb);
	return text;
}
