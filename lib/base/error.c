#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct error {
	enum error_code code;
	char *message; /* owned; NULL only in the static error */
};

static struct error out_of_memory = { ERROR_MEMORY, NULL };

static char *format_message(const char *format, va_list args)
{
	va_list copy;
	va_copy(copy, args);
	int length = vsnprintf(NULL, 0, format, copy);
	va_end(copy);
	if (length < 0)
		return NULL;
	char *text = malloc((size_t)length + 1);
	if (text != NULL)
		vsnprintf(text, (size_t)length + 1, format, args);
	return text;
}

/* Consumes message. */
static struct error *error_take(enum error_code code, char *message)
{
	struct error *err = message != NULL ? malloc(sizeof *err) : NULL;
	if (err == NULL) {
		free(message);
		return &out_of_memory;
	}
	err->code = code;
	err->message = message;
	return err;
}

static char *join(const char *first, const char *second)
{
	size_t length = strlen(first) + 2 + strlen(second) + 1;
	char *text = malloc(length);
	if (text != NULL)
		snprintf(text, length, "%s: %s", first, second);
	return text;
}

struct error *error_new(enum error_code code, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *message = format_message(format, args);
	va_end(args);
	return error_take(code, message);
}

struct error *error_errno(int error_number, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	char *context = format_message(format, args);
	va_end(args);
	char *message = context != NULL ? join(context, strerror(error_number)) : NULL;
	free(context);
	return error_take(ERROR_IO, message);
}

struct error *error_wrap(struct error *err, const char *format, ...)
{
	if (err == NULL || err == &out_of_memory)
		return err;
	va_list args;
	va_start(args, format);
	char *context = format_message(format, args);
	va_end(args);
	char *message = context != NULL ? join(context, err->message) : NULL;
	free(context);
	if (message != NULL) {
		free(err->message);
		err->message = message;
	}
	return err;
}

struct error *error_memory(void)
{
	return &out_of_memory;
}

enum error_code error_code(const struct error *err)
{
	return err->code;
}

const char *error_message(const struct error *err)
{
	return err->message != NULL ? err->message : "out of memory";
}

void error_free(struct error *err)
{
	if (err == NULL || err == &out_of_memory)
		return;
	free(err->message);
	free(err);
}
