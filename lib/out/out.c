#include "out/out.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "out/text.h"

static const char *const ESCAPES[] = {
	[STYLE_PLAIN] = "",
	[STYLE_BOLD] = "\033[1m",
	[STYLE_DIM] = "\033[2m",
	[STYLE_NAME] = "\033[36m",
	[STYLE_SITE] = "\033[32m",
};

static bool variable_set(const char *name)
{
	const char *value = getenv(name);
	return value != NULL && value[0] != '\0';
}

static size_t terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	if (columns != NULL && columns[0] >= '1' && columns[0] <= '9' && strlen(columns) < 6) {
		char *end;
		unsigned long width = strtoul(columns, &end, 10);
		if (*end == '\0')
			return width;
	}
#ifdef TIOCGWINSZ
	struct winsize size;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		return size.ws_col;
#else
	(void)fd;
#endif
	return 0;
}

void out_init(struct out *out, const char *program, FILE *file)
{
	*out = (struct out){ .program = program, .name = "standard output", .file = file, .messages = stderr };
	signal(SIGPIPE, SIG_IGN);
	int fd = fileno(file);
	out->terminal = fd >= 0 && isatty(fd);
	if (!out->terminal)
		return;
	const char *term = getenv("TERM");
	out->colour = !variable_set("NO_COLOR") && (term == NULL || strcmp(term, "dumb") != 0);
	out->width = terminal_width(fd);
}

/* The result of a stdio call that sets errno. */
static void note(struct out *out, bool failed)
{
	if (failed && out->error == 0)
		out->error = errno != 0 ? errno : EIO;
}

void out_write(struct out *out, const void *bytes, size_t length)
{
	if (out->error == 0)
		note(out, fwrite(bytes, 1, length, out->file) != length);
}

void out_text(struct out *out, const char *text)
{
	out_write(out, text, strlen(text));
}

void out_printf(struct out *out, const char *format, ...)
{
	if (out->error != 0)
		return;
	va_list args;
	va_start(args, format);
	note(out, vfprintf(out->file, format, args) < 0);
	va_end(args);
}

void out_flush(struct out *out)
{
	if (out->error == 0)
		note(out, fflush(out->file) != 0);
}

void style_add(struct strbuf *to, const struct out *out, enum style style, const char *text)
{
	bool dressed = out->colour && style != STYLE_PLAIN && text[0] != '\0';
	if (dressed)
		strbuf_adds(to, ESCAPES[style]);
	strbuf_adds(to, text);
	if (dressed)
		strbuf_adds(to, "\033[0m");
}

void out_styled(struct out *out, enum style style, const char *text)
{
	struct strbuf plain = STRBUF_INIT, dressed = STRBUF_INIT;
	text_add_plain(&plain, text);
	style_add(&dressed, out, style, plain.text);
	out_write(out, dressed.text, dressed.length);
	strbuf_release(&plain);
	strbuf_release(&dressed);
}

struct error *out_close(struct out *out, int *status)
{
	errno = 0;
	bool failed = fclose(out->file) != 0;
	note(out, failed);
	out->file = NULL;
	if (out->error == 0)
		return NULL;
	*status = out->error == EPIPE ? 0 : 1;
	return out->error == EPIPE ? NULL : error_errno(out->error, "%s", out->name);
}
