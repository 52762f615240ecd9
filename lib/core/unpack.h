/* unpack.h - compressed cores (systemd-coredump's .zst). A stream gives no random access, so the core is unpacked
 * once into a sparse file: runs of zeros become holes. Frames may have no content size, there may be several, and
 * skippable ones (RFC 8878). */
#ifndef HANSEI_CORE_UNPACK_H
#define HANSEI_CORE_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

struct error;

/* Does the file begin like a zstd stream? false also when it cannot be read: core_open will say why. */
bool core_is_compressed(const char *path);

struct unpack_result {
	uint64_t size;  /* of the unpacked core */
	bool cut;       /* the stream ended inside a frame: what came before is there */
};

/* Unpacks path into target: written beside it and renamed, nothing is left behind on failure. progress (may be NULL)
 * gets compressed bytes done and total. Errors: ERROR_IO (a full disk), ERROR_DATA (no valid stream at all, damaged
 * in the middle: the offset in the compressed file). */
struct error *core_unpack(const char *path, const char *target, struct unpack_result *result,
                          void (*progress)(void *context, const char *phase, uint64_t done, uint64_t total),
                          void *context);

#endif
