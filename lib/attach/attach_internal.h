/* attach_internal.h - shared between the files of lib/attach. */
#ifndef HANSEI_ATTACH_ATTACH_INTERNAL_H
#define HANSEI_ATTACH_ATTACH_INTERNAL_H

#include "attach/attach.h"
#include "elf/elf_file.h"

void attach_warn(struct attachment *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for what is no doubt about the answer. */
void attach_note(struct attachment *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* find.c: looks for the executable where it is likely to be: the debug-info file itself, the path that the core
 * records, the same name beside the core, /usr/lib/debug/.build-id. Only a file whose build id is the core's is
 * taken. NULL: none; that is no error. */
struct elf_file *find_executable(struct attachment *a, const struct attach_request *request);
/* Has the file's program text, not only debug information (objcopy --only-keep-debug)? */
bool elf_has_text(struct elf_file *elf);

/* cache.c: extractions by build id and tool version in ${XDG_CACHE_HOME:-~/.cache}/hansei. */
/* NULL without an error: not there, or unusable. */
struct tinfo *cache_load(const struct build_id *id);
/* Trouble (a full disk, no home) is a warning. */
void cache_store(struct attachment *a, struct tinfo *tinfo, const struct build_id *id);

/* cache.c: a compressed core, unpacked once for all programs; its path, or NULL with *err. The name is made of the
 * file's identity (device, inode, size, time), so that another core under the same name is unpacked anew. */
struct strbuf;
struct error *cache_core(struct attachment *a, const struct attach_request *request, struct strbuf *unpacked);

/* match.c: do layouts of another build fit this executable? Every name of the fingerprint must be in its symbol
 * table, crate hashes aside, and its panic messages must not name another release of the layouts' crate only.
 * ERROR_MISMATCH says matched/total with examples, or both releases. */
struct error *match_symbols(struct attachment *a, struct elf_file *binary);

#endif
