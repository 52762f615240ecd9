/* hexdump.h - target memory as hexadecimal numbers and characters, sixteen bytes a line. */
#ifndef HANSEI_RECORDS_HEXDUMP_H
#define HANSEI_RECORDS_HEXDUMP_H

#include <stdbool.h>
#include <stdint.h>

struct out;
struct target;

/* Prints length bytes from address; lines equal to the one before are squeezed to `*`, the last line is the address
 * behind the end. false: not all of it is readable; what is has been printed, and how much that was. */
bool hexdump(struct out *out, struct target *target, uint64_t address, uint64_t length);

#endif
