/* check.h - do a .tinfo and a core belong together, and by which evidence? */
#ifndef HANSEI_ATTACH_CHECK_H
#define HANSEI_ATTACH_CHECK_H

struct error;
struct strbuf;

enum fit { FIT_YES, FIT_NO, FIT_UNDECIDED };

/* Appends a sentence of evidence. binary may be NULL: then the executable is looked for, see attach.h. Errors are those
 * of opening the files. */
struct error *attach_check(const char *tokio_info, const char *core, const char *binary, enum fit *fit,
                           struct strbuf *evidence);

#endif
