/* Layouts of a separate build: their build id differs, and so do the crate hashes in every symbol. The evidence is
 * the fingerprint: the keys (without those hashes) of all functions the roots asked for that the debug build has
 * code for. They must all be in the executable's symbol table. */
#include <string.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "rust/names.h"
#include "tinfo/tinfo.h"

enum { EXAMPLES = 5 };

/* The keys of the executable's symbols. Only v0 names have one. */
static void symbol_keys(struct elf_file *binary, struct map *keys)
{
	size_t count;
	const struct elf_symbol *symbols = elf_symbols(binary, &count);
	for (size_t i = 0; i < count; i++) {
		uint64_t key;
		/* Every name of the fingerprint is an instance of a generic function: _RI… */
		if (strncmp(symbols[i].name, "_RI", 3) == 0 && v0_key(symbols[i].name, &key))
			map_set(keys, key, symbols[i].value);
	}
}

struct error *match_symbols(struct attachment *a, struct elf_file *binary)
{
	struct map keys = MAP_INIT;
	struct strbuf missing = STRBUF_INIT;
	uint32_t total = tinfo_count(a->tinfo, TABLE_SYMBOLS), matched = 0, named = 0;
	symbol_keys(binary, &keys);
	for (uint32_t i = 0; i < total; i++) {
		struct symbol_key wanted = tinfo_symbol(a->tinfo, i);
		uint64_t value;
		if (map_get(&keys, wanted.key, &value)) {
			matched++;
		} else if (named < EXAMPLES) {
			strbuf_addf(&missing, "%s%s", named == 0 ? "" : ", ", wanted.name);
			named++;
		}
	}
	struct error *err = NULL;
	if (total == 0)
		err = error_new(ERROR_MISMATCH, "the layouts are of another build and carry no names to check by "
		                "(legacy symbol names join only with debug information of the same build)");
	else if (matched != total)
		err = error_new(ERROR_MISMATCH,
		                "the layouts do not match %s: %u of %u names found; missing: %s%s (--force tries all the same)",
		                elf_path(binary), matched, total, missing.text,
		                total - matched > named ? ", …" : "");
	map_release(&keys);
	strbuf_release(&missing);
	return err;
}
