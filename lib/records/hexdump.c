/* The form of hexdump -C, so that people's eyes and scripts know it. */
#include "records/hexdump.h"

#include <inttypes.h>
#include <string.h>

#include "base/strbuf.h"
#include "out/out.h"
#include "value/target.h"

enum { LINE = 16 };

static void put_line(struct out *out, uint64_t address, const unsigned char *bytes, size_t count)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "%08" PRIx64 " ", address);
	for (size_t i = 0; i < LINE; i++) {
		strbuf_adds(&line, i == LINE / 2 ? "  " : " ");
		if (i < count)
			strbuf_addf(&line, "%02x", bytes[i]);
		else
			strbuf_adds(&line, "  ");
	}
	strbuf_adds(&line, "  |");
	for (size_t i = 0; i < count; i++)
		strbuf_addc(&line, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
	strbuf_adds(&line, "|\n");
	out_write(out, line.text, line.length);
	strbuf_release(&line);
}

/* As many of the bytes as there are. */
static size_t read_prefix(struct target *target, uint64_t address, unsigned char *bytes, size_t count)
{
	if (target_read(target, address, bytes, count))
		return count;
	size_t got = 0;
	while (got < count && target_read(target, address + got, bytes + got, 1))
		got++;
	return got;
}

bool hexdump(struct out *out, struct target *target, uint64_t address, uint64_t length)
{
	unsigned char now[LINE], before[LINE];
	uint64_t done = 0;
	bool squeezed = false;
	while (done < length && !out_failed(out)) {
		size_t want = length - done < LINE ? (size_t)(length - done) : LINE;
		size_t got = read_prefix(target, address + done, now, want);
		bool same = done != 0 && got == LINE && memcmp(now, before, LINE) == 0;
		if (same && !squeezed)
			out_text(out, "*\n");
		else if (!same && got != 0)
			put_line(out, address + done, now, got);
		squeezed = same;
		memcpy(before, now, LINE);
		done += got;
		if (got < want)
			break;
	}
	if (done != 0)
		out_printf(out, "%08" PRIx64 "\n", address + done);
	if (done < length)
		out_printf(out, "[%" PRIu64 " of %" PRIu64 " bytes shown]\n", done, length);
	return done == length || out_failed(out);
}
