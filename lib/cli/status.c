#include "cli/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strbuf.h"
#include "out/text.h"

int status_of(const struct error *err)
{
	return error_code(err) == ERROR_USAGE ? STATUS_USAGE : STATUS_FAILED;
}

int status_tally(size_t answered, size_t failed)
{
	if (failed == 0)
		return STATUS_ANSWERED;
	return answered == 0 ? STATUS_FAILED : STATUS_INCOMPLETE;
}

/* Messages quote arguments, file names and target text: what could upset a terminal is escaped. */
static void say(struct out *out, const char *prefix, const char *message)
{
	struct strbuf line = STRBUF_INIT;
	strbuf_addf(&line, "%s: ", prefix);
	text_add_plain(&line, message);
	strbuf_addc(&line, '\n');
	if (out->file != NULL)
		out_flush(out);
	fputs(line.text, out->messages);
	fflush(out->messages);
	strbuf_release(&line);
}

static void say_formatted(struct out *out, const char *prefix, const char *format, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	char *text = length >= 0 ? malloc((size_t)length + 1) : NULL;
	if (text == NULL)
		return;
	vsnprintf(text, (size_t)length + 1, format, args);
	say(out, prefix, text);
	free(text);
}

void status_complain(struct out *out, struct error *err)
{
	say(out, out->program, error_message(err));
	error_free(err);
}

int status_error(struct out *out, struct error *err)
{
	int status = status_of(err);
	status_complain(out, err);
	if (status == STATUS_USAGE)
		fprintf(out->messages, "try '%s --help'\n", out->program);
	return status;
}

void status_warn(struct out *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_formatted(out, "warning", format, args);
	va_end(args);
}

void status_note(struct out *out, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	say_formatted(out, out->program, format, args);
	va_end(args);
}

int out_shut(struct out *out, int status)
{
	struct error *err = out_close(out, &status);
	if (err != NULL)
		status_complain(out, err);
	return status;
}
