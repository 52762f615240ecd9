#include "elf/elf_header.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"

static struct error *map_descriptor(struct file_map *out, int fd, const char *path)
{
	struct stat st;
	if (fstat(fd, &st) != 0)
		return error_errno(errno, "%s", path);
	if (S_ISDIR(st.st_mode))
		return error_new(ERROR_UNSUPPORTED, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return error_new(ERROR_UNSUPPORTED, "%s: not a regular file", path);
	if (st.st_size <= 0)
		return error_new(ERROR_UNSUPPORTED, "%s: empty file", path);
	if ((uint64_t)st.st_size > SIZE_MAX)
		return error_new(ERROR_UNSUPPORTED, "%s: too large for this machine's address space", path);
	void *bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return error_errno(errno, "%s", path);
	*out = (struct file_map){ bytes, (uint64_t)st.st_size };
	return NULL;
}

struct error *file_map_open(struct file_map *out, const char *path)
{
	*out = (struct file_map){ NULL, 0 };
	/* O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on regular files. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return error_errno(errno, "%s", path);
	struct error *err = map_descriptor(out, fd, path);
	close(fd); /* the mapping stays */
	return err;
}

void file_map_close(struct file_map *map)
{
	if (map->bytes != NULL)
		munmap((void *)(uintptr_t)map->bytes, (size_t)map->size);
	*map = (struct file_map){ NULL, 0 };
}

/* First bytes of files that are given for cores or programs by mistake. Magics: the formats' own specifications
 * (RFC 8878, RFC 1952, lz4 frame format, xz file format, minidumpapiset.h, mach-o/loader.h). */
static const struct kind {
	const char *magic;
	size_t length;
	const char *what;   /* "a …", or NULL: compressed */
	const char *unpack; /* the command that unpacks it */
} KINDS[] = {
	{ "\x28\xb5\x2f\xfd", 4, NULL, "zstd -d" },
	{ "\x04\x22\x4d\x18", 4, NULL, "lz4 -d" },
	{ "\xfd" "7zXZ", 5, NULL, "xz -d" },
	{ "\x1f\x8b", 2, NULL, "gzip -d" },
	{ "BZh", 3, NULL, "bzip2 -d" },
	{ "MDMP", 4, "a minidump (it holds stacks but no heap, so no tasks)", NULL },
	{ "\xce\xfa\xed\xfe", 4, "a Mach-O file", NULL },
	{ "\xcf\xfa\xed\xfe", 4, "a Mach-O file", NULL },
	{ "\xfe\xed\xfa\xce", 4, "a Mach-O file", NULL },
	{ "\xfe\xed\xfa\xcf", 4, "a Mach-O file", NULL },
	{ "\xca\xfe\xba\xbe", 4, "a Mach-O file", NULL },
	{ "MZ", 2, "a Windows program", NULL },
	{ "#!", 2, "a script", NULL },
	{ "!<arch>\n", 8, "an archive", NULL },
	{ "ProblemType:", 12, "an Apport report (apport-unpack takes the core out of it)", NULL },
};

static const char *wanted_text(enum elf_wanted wanted)
{
	return wanted == ELF_WANT_CORE ? "a core dump" : "a program";
}

static const struct kind *kind_find(const unsigned char *bytes, uint64_t size)
{
	for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++)
		if (size >= KINDS[i].length && memcmp(bytes, KINDS[i].magic, KINDS[i].length) == 0)
			return &KINDS[i];
	/* A zstd file may begin with skippable frames: 0x184D2A50 to 0x184D2A5F (RFC 8878, 3.1.2). */
	if (size >= 4 && (load_uint(bytes, 4) & 0xfffffff0u) == 0x184d2a50u)
		return &KINDS[0];
	return NULL;
}

static struct error *not_elf(const unsigned char *bytes, uint64_t size, enum elf_wanted wanted)
{
	const struct kind *kind = kind_find(bytes, size);
	if (kind != NULL) {
		if (kind->what == NULL)
			return error_new(ERROR_UNSUPPORTED, "compressed %s; unpack it with '%s' first",
			                 wanted == ELF_WANT_CORE ? "core" : "file", kind->unpack);
		return error_new(ERROR_UNSUPPORTED, "%s, not %s", kind->what, wanted_text(wanted));
	}
	if (size < SELFMAG && memcmp(bytes, ELFMAG, (size_t)size) == 0)
		return error_new(ERROR_TRUNCATED, "cut inside the ELF header (%" PRIu64 " bytes)", size);
	return error_new(ERROR_UNSUPPORTED, "not an ELF file, so not %s", wanted_text(wanted));
}

static const struct machine_row {
	uint16_t machine;
	const char *name;
} MACHINES[] = {
	{ EM_386, "i386" },       { EM_ARM, "32-bit Arm" }, { EM_PPC64, "PowerPC" },     { EM_S390, "s390" },
	{ EM_RISCV, "RISC-V" },   { EM_MIPS, "MIPS" },      { EM_SPARCV9, "SPARC" },     { EM_PPC, "32-bit PowerPC" },
	{ EM_SPARC, "SPARC" },    { EM_IA_64, "Itanium" },  { EM_LOONGARCH, "LoongArch" },
};

static struct error *check_machine(uint16_t machine)
{
	if (machine == EM_X86_64 || machine == EM_AARCH64)
		return NULL;
	for (size_t i = 0; i < sizeof MACHINES / sizeof MACHINES[0]; i++)
		if (MACHINES[i].machine == machine)
			return error_new(ERROR_UNSUPPORTED, "for %s; only x86-64 and aarch64 are read", MACHINES[i].name);
	return error_new(ERROR_UNSUPPORTED, "for ELF machine %u; only x86-64 and aarch64 are read", machine);
}

/* Object files are programs here: split debug information (.dwo, .dwp) comes as ET_REL. */
static struct error *check_type(uint16_t type, enum elf_wanted wanted)
{
	bool program = type == ET_EXEC || type == ET_DYN || type == ET_REL;
	if (wanted == ELF_WANT_CORE ? type == ET_CORE : program)
		return NULL;
	if (type == ET_CORE)
		return error_new(ERROR_UNSUPPORTED, "a core dump, not a program");
	if (type == ET_REL)
		return error_new(ERROR_UNSUPPORTED, "an object file, not a core dump");
	if (program)
		return error_new(ERROR_UNSUPPORTED, "a program or shared library, not a core dump");
	return error_new(ERROR_UNSUPPORTED, "an ELF file of type %u, not %s", type, wanted_text(wanted));
}

struct error *elf_header_read(struct elf_header *out, const unsigned char *bytes, uint64_t size,
                              enum elf_wanted wanted)
{
	struct error *err;
	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return not_elf(bytes, size, wanted);
	if (size > EI_CLASS && bytes[EI_CLASS] == ELFCLASS32)
		return error_new(ERROR_UNSUPPORTED, "a 32-bit ELF file; only 64-bit ones are read");
	if (size > EI_DATA && bytes[EI_DATA] == ELFDATA2MSB)
		return error_new(ERROR_UNSUPPORTED, "a big-endian ELF file; only little-endian ones are read");
	if (size < ELF_HEADER_SIZE)
		return error_new(ERROR_TRUNCATED, "cut inside the ELF header (%" PRIu64 " bytes)", size);
	if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB || bytes[EI_VERSION] != EV_CURRENT)
		return error_new(ERROR_UNSUPPORTED, "ELF class %u, data %u, version %u; only class 2, data 1, version 1 are read",
		                 bytes[EI_CLASS], bytes[EI_DATA], bytes[EI_VERSION]);
	struct cursor c = cursor_over(bytes + EI_NIDENT, ELF_HEADER_SIZE - EI_NIDENT);
	out->type = cursor_u16(&c);
	out->machine = cursor_u16(&c);
	(void)cursor_u32(&c); /* e_version */
	out->entry = cursor_u64(&c);
	out->phoff = cursor_u64(&c);
	out->shoff = cursor_u64(&c);
	(void)cursor_u32(&c); /* e_flags */
	(void)cursor_u16(&c); /* e_ehsize */
	out->phentsize = cursor_u16(&c);
	out->phnum = cursor_u16(&c);
	out->shentsize = cursor_u16(&c);
	out->shnum = cursor_u16(&c);
	out->shstrndx = cursor_u16(&c);
	if ((err = check_machine(out->machine)) != NULL)
		return err;
	return check_type(out->type, wanted);
}
