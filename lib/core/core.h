/* core.h - a core dump as threads and one address space. Format work (Linux, later illumos) is behind this
 * header. The file is mapped, never slurped: attaching to a 20 GB core touches headers, notes and what is read.
 * Everything handed out is borrowed from the core and lives as long as it does. After core_open and
 * core_back_with_executable a core is immutable: reads may come from several threads. Facts: notes on Linux cores,
 * core(5), elf(5), the kernel's fs/binfmt_elf.c. */
#ifndef HANSEI_CORE_CORE_H
#define HANSEI_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elf_file.h"

struct core;
struct error;

enum core_system { CORE_LINUX, CORE_ILLUMOS };

struct core_thread {
	uint32_t lwp;
	int signal;               /* pr_cursig, 0 for none */
	uint64_t tls_base;        /* fs_base or TPIDR_EL0; 0: no TLS block */
	uint64_t pc, sp;
	const uint64_t *registers; /* general registers in the order of core_register_names */
	size_t register_count;
};

struct core_mapping { /* one NT_FILE entry */
	uint64_t start, end, file_offset; /* bytes */
	const char *path;
};

struct core_segment { /* one PT_LOAD, in address order */
	uint64_t start, end;   /* memory */
	uint64_t file_offset;
	uint64_t file_size;    /* bytes really present in the file, clamped to it; the rest is not in the core */
	uint32_t flags;        /* PF_R, PF_W, PF_X */
};

struct core_process {
	uint32_t pid, ppid, uid, gid;
	const char *command;   /* pr_fname, "" when unknown */
	const char *arguments; /* pr_psargs, the first 80 bytes */
	int signal, signal_code;
	uint64_t fault_address;
	bool has_signal, has_fault_address;
};

/* Opens path. Errors (each names the path): missing or unreadable (ERROR_IO), directory, empty, not ELF, not a
 * core (executable, minidump, Mach-O, script), another class or machine (ERROR_UNSUPPORTED), a header that is
 * cut (ERROR_TRUNCATED). A core that is cut further down opens: see core_missing_bytes. */
struct error *core_open(struct core **out, const char *path);
void core_close(struct core *core); /* NULL is fine */

const char *core_path(const struct core *core);
enum core_system core_system(const struct core *core);
uint16_t core_machine(const struct core *core); /* EM_X86_64, EM_AARCH64 */
uint64_t core_size(const struct core *core);          /* of the file */
uint64_t core_missing_bytes(const struct core *core); /* promised by program headers, past the end of the file */
const struct core_process *core_process(const struct core *core);

/* Things in the file that were odd but did not stop us (a bad note, a cut file): one line each. */
const char *const *core_warnings(const struct core *core, size_t *count);

const struct core_thread *core_threads(const struct core *core, size_t *count); /* in file order */
const struct core_thread *core_thread_by_lwp(const struct core *core, uint32_t lwp);
const char *const *core_register_names(const struct core *core, size_t *count);
/* aarch64: the bits of a code address in which pointer authentication keeps its code; clear them in a return
 * address before use (NT_ARM_PAC_MASK). 0 when there are none. */
uint64_t core_code_mask(const struct core *core);

const struct core_segment *core_segments(const struct core *core, size_t *count);
const struct core_mapping *core_mappings(const struct core *core, size_t *count); /* by start; empty without NT_FILE */
bool core_auxv(const struct core *core, uint64_t type, uint64_t *value);

/* The executable: path from NT_FILE (the entry AT_PHDR lies in), load bias and build id as the core's own memory
 * has it (length 0 when the first page was not dumped). path NULL when nothing tells. */
struct core_executable {
	const char *path;
	uint64_t bias;     /* add to an unbiased address of the file */
	bool bias_known;
	struct build_id build_id;
};
const struct core_executable *core_executable(const struct core *core);

/* The build id of the object whose first page is mapped at `start`, read from target memory. */
bool core_build_id_at(const struct core *core, uint64_t start, struct build_id *out);

/* Makes the executable's file serve reads that the core left out (text, read-only data). The caller has checked
 * that it is the right file (build ids). Borrows elf, which must outlive the core. Also sets the bias where the
 * core alone could not tell it (AT_ENTRY - e_entry, AT_PHDR - PT_PHDR). */
struct error *core_back_with_executable(struct core *core, const struct elf_file *elf);

/* Reads length bytes of target memory at address into buffer; core bytes win over file bytes; a zero-filled tail
 * (memory size past file size in a complete core) is NOT readable unless the segment's flags and format say that
 * the kernel stored it. NULL: all read. ERROR_UNMAPPED and ERROR_TRUNCATED leave the readable prefix in buffer
 * and its length in *done (may be NULL). */
struct error *core_read(const struct core *core, uint64_t address, void *buffer, size_t length, size_t *done);

/* The same without a copy, without an error object, for hot paths: a pointer to the bytes when they lie
 * contiguously in one mapped file, else NULL (then core_read decides). */
const unsigned char *core_peek(const struct core *core, uint64_t address, size_t length);

bool core_is_mapped(const struct core *core, uint64_t address); /* readable now, from core or file */
/* Little-endian load of width 1, 2, 4 or 8; false when unreadable. */
bool core_read_uint(const struct core *core, uint64_t address, size_t width, uint64_t *value);

/* Address of a thread's copy of a TLS variable of the main executable: variant II for x86-64 (tls_base - rounded
 * block size + offset), variant I for aarch64. memory_size and alignment are those of PT_TLS. False when the
 * thread has no TLS base. */
bool core_tls_address(const struct core *core, const struct core_thread *thread, uint64_t tls_vaddr,
                      uint64_t tls_memory_size, uint64_t tls_alignment, uint64_t offset, uint64_t *address);

#endif
