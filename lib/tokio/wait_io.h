/* wait_io.h - waits for a socket or pipe to become ready. Internal to lib/tokio. */
#ifndef HANSEI_TOKIO_WAIT_IO_H
#define HANSEI_TOKIO_WAIT_IO_H

struct chain;
struct frame;
struct tokio;
struct wait;

/* leaf is a Readiness (src/runtime/io/scheduled_io.rs). */
void wait_io(struct tokio *tk, const struct chain *chain, const struct frame *leaf, struct wait *out);

#endif
