/* poke CORE ADDRESS BYTES... - writes bytes (in hexadecimal) at an address of the process that an ELF core is of: for
 * tests of what programs make of damaged memory. `poke CORE ADDRESS` prints the file offset. Status 1 when the core
 * does not have the address. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long find(FILE *core, unsigned long long address)
{
	Elf64_Ehdr header;
	if (fread(&header, sizeof header, 1, core) != 1 || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return -1;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;
		if (fseek(core, (long)(header.e_phoff + (unsigned long long)i * header.e_phentsize), SEEK_SET) != 0 ||
		    fread(&segment, sizeof segment, 1, core) != 1)
			return -1;
		if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
			return (long)(segment.p_offset + (address - segment.p_vaddr));
	}
	return -1;
}

int main(int argc, char **argv)
{
	if (argc < 3) {
		fprintf(stderr, "usage: poke CORE ADDRESS BYTES...\n");
		return 2;
	}
	FILE *core = fopen(argv[1], "r+b");
	if (core == NULL) {
		fprintf(stderr, "poke: %s: %s\n", argv[1], strerror(errno));
		return 1;
	}
	long at = find(core, strtoull(argv[2], NULL, 0));
	if (at < 0) {
		fprintf(stderr, "poke: %s has no %s\n", argv[1], argv[2]);
		return 1;
	}
	if (argc == 3)
		printf("%ld\n", at);
	else if (fseek(core, at, SEEK_SET) != 0)
		return 1;
	for (int i = 3; i < argc; i++)
		fputc((int)strtoul(argv[i], NULL, 16), core);
	return fclose(core) == 0 ? 0 : 1;
}
