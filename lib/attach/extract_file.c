#include "attach/extract_file.h"

#include <stddef.h>

#include "attach/attach_internal.h"
#include "base/error.h"
#include "extract/extract.h"
#include "tokio/roots.h"

static struct error *check_pair(struct elf_file *binary, struct elf_file *debug)
{
	char one[2 * BUILD_ID_MAX + 1], other[2 * BUILD_ID_MAX + 1];
	if (build_id_equal(elf_build_id(binary), elf_build_id(debug)))
		return NULL;
	build_id_text(elf_build_id(binary), one);
	build_id_text(elf_build_id(debug), other);
	return error_new(ERROR_MISMATCH,
	                 "%s is not the debug information of %s: build ids %s and %s (the debug information of another "
	                 "build is extracted on its own)", elf_path(debug), elf_path(binary), other, one);
}

struct error *extract_file(struct tinfo **out, const char *binary, const char *debug_info,
                           const struct extract_options *options)
{
	struct elf_file *image = NULL, *debug = NULL;
	struct error *err = elf_open(&image, binary);
	if (err == NULL && debug_info != NULL)
		err = elf_open(&debug, debug_info);
	if (err == NULL && debug != NULL)
		err = check_pair(image, debug);
	if (err == NULL)
		err = extract_layouts(out, debug != NULL ? debug : image, elf_has_text(image) ? image : NULL, tokio_roots(),
		                      options);
	elf_close(debug);
	elf_close(image);
	return err;
}
