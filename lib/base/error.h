/* error.h - errors as values. A fallible function returns NULL for success, or an error that the caller owns:
 * it hands it on (usually wrapped in its own context) or frees it with error_free. The library never prints
 * and never exits; a tool maps codes to exit statuses in one place (lib/cli/status.h). */
#ifndef HANSEI_BASE_ERROR_H
#define HANSEI_BASE_ERROR_H

enum error_code {
	ERROR_DATA,        /* the bytes of a file or of the target contradict their format */
	ERROR_IO,          /* the operating system refused; the message has strerror's text */
	ERROR_UNMAPPED,    /* target memory that neither the core nor a file provides */
	ERROR_TRUNCATED,   /* the file ends before what its own tables promise */
	ERROR_MISMATCH,    /* two inputs do not belong together (build ids, fingerprints) */
	ERROR_UNSUPPORTED, /* well-formed, but not something we read */
	ERROR_NOT_FOUND,   /* what was asked for is not there */
	ERROR_USAGE,       /* the caller asked for something that makes no sense */
	ERROR_MEMORY,      /* allocation failed */
};

struct error;

/* Makes an error with a printf-style message. Never returns NULL: when memory is short it returns a static
 * out-of-memory error, which error_free ignores. */
struct error *error_new(enum error_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* As error_new with ERROR_IO and ": " strerror(error_number) appended. */
struct error *error_errno(int error_number, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the message of err and returns it; consumes err. NULL stays NULL, so that
 * `return error_wrap(f(), "…")` is fine. */
struct error *error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The static out-of-memory error: reporting it cannot fail. */
struct error *error_memory(void);

enum error_code error_code(const struct error *err);
const char *error_message(const struct error *err); /* valid until the error is wrapped or freed */
void error_free(struct error *err);                 /* NULL and static errors are fine */

#endif
