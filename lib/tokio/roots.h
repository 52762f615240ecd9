/* roots.h - what an extraction has to look for in a program that uses tokio: the argument of extract_layouts. */
#ifndef HANSEI_TOKIO_ROOTS_H
#define HANSEI_TOKIO_ROOTS_H

struct roots;

/* Static, never NULL. */
const struct roots *tokio_roots(void);

#endif
