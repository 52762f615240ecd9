/* formats.h - how values of tokio's types are shown (a table for value/view.h), and what is known of addresses: which
 * task, which set of futures they lie in. */
#ifndef HANSEI_TOKIO_FORMATS_H
#define HANSEI_TOKIO_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

struct formatter_table;
struct tokio;
struct tokio_labels;

const struct formatter_table *tokio_formats(void);
const struct formatter_table *tokio_sync_formats(void); /* channels, semaphores */

/* Labels and the text behind them live until tokio_labels_free. The index is made at the first question. */
struct tokio_labels *tokio_labels_new(struct tokio *tk);
void tokio_labels_free(struct tokio_labels *labels);

/* For struct viewer; context is a struct tokio_labels. "task 3", "task 3 via FuturesUnordered"; *ref "task/3". */
const char *tokio_label(void *context, uint64_t address, const char **ref);
bool tokio_is_future(void *context, uint32_t type);

#endif
