/* Layouts of a separate build: their build id differs, and so do the crate hashes in every symbol. The evidence is
 * the fingerprint: the keys (without those hashes) of all functions the roots asked for that the debug build has
 * code for. They must all be in the executable's symbol table. Those names are mostly the program's own and stay the
 * same over releases of the crate that the layouts are about (tokio 1.52.0 and 1.54.1: all of them, checked), whose
 * structures do not; but panic messages have the paths of its sources, with its release, in every build. */
#include <string.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "rust/names.h"
#include "tinfo/tinfo.h"

enum { EXAMPLES = 5, RELEASE_MAX = 32, SEGMENT_LOAD = 1, SEGMENT_WRITABLE = 2 };

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

struct release_search {
	const char *crate, *version;
	char other[RELEASE_MAX]; /* the first that is not `version` */
	bool found;              /* `version` itself */
};

/* "/crate-VERSION/src/" at a "/", of which `length` bytes are there. */
static void release_look(struct release_search *s, const char *at, size_t length)
{
	size_t name = strlen(s->crate), end;
	if (length < name + 3 || memcmp(at + 1, s->crate, name) != 0 || at[name + 1] != '-')
		return;
	at += name + 2, length -= name + 2;
	for (end = 0; end < length && end < RELEASE_MAX && at[end] != '/'; end++)
		if (at[end] < '!' || at[end] > '~')
			return;
	if (end == RELEASE_MAX || length < end + 5 || memcmp(at + end, "/src/", 5) != 0 || at[0] < '0' || at[0] > '9')
		return;
	if (strlen(s->version) == end && memcmp(at, s->version, end) == 0)
		s->found = true;
	else if (s->other[0] == '\0')
		memcpy(s->other, at, end);
}

/* Does the executable name other releases of the layouts' crate, and only others? */
static bool release_differs(struct attachment *a, struct elf_file *binary, struct release_search *s)
{
	size_t count;
	uint64_t size;
	const struct elf_segment *segments = elf_segments(binary, &count);
	const unsigned char *file = elf_bytes(binary, &size);
	*s = (struct release_search){ tinfo_meta(a->tinfo, "subject"), tinfo_meta(a->tinfo, "subject_version"), "", false };
	for (size_t i = 0; s->crate != NULL && s->version != NULL && i < count; i++) {
		if (segments[i].type != SEGMENT_LOAD || (segments[i].flags & SEGMENT_WRITABLE) != 0 ||
		    segments[i].offset > size || segments[i].file_size > size - segments[i].offset)
			continue;
		const char *at = (const char *)file + segments[i].offset, *end = at + segments[i].file_size;
		while (!s->found && (at = memchr(at, '/', (size_t)(end - at))) != NULL) {
			release_look(s, at, (size_t)(end - at));
			at++;
		}
	}
	return !s->found && s->other[0] != '\0';
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
	struct release_search release;
	if (total == 0)
		err = error_new(ERROR_MISMATCH, "the layouts are of another build and carry no names to check by "
		                "(legacy symbol names join only with debug information of the same build)");
	else if (matched != total)
		err = error_new(ERROR_MISMATCH,
		                "the layouts do not match %s: %u of %u names found; missing: %s%s (--force tries all the same)",
		                elf_path(binary), matched, total, missing.text,
		                total - matched > named ? ", …" : "");
	else if (release_differs(a, binary, &release))
		err = error_new(ERROR_MISMATCH,
		                "the layouts do not match %s: %u of %u names found, but they are of %s %s, and it was built with "
		                "%s %s (--force tries all the same)", elf_path(binary), matched, total, release.crate,
		                release.version, release.crate, release.other);
	map_release(&keys);
	strbuf_release(&missing);
	return err;
}
