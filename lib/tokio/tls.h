/* tls.h - thread-local variables of the target: which offsets in the program's TLS block a key of thread_local! has, by
 * the symbols, and where that is for each thread. Internal to lib/tokio. */
#ifndef HANSEI_TOKIO_TLS_H
#define HANSEI_TOKIO_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tokio;

enum { TLS_COPIES = 8 }; /* of one key: several tokios in one program */

struct tls_key {
	const char *symbol;  /* part of the mangled name that both manglings share: "5tokio7runtime7context7CONTEXT" */
	const char *role;    /* of the static in the layouts */
	uint32_t root;       /* enum path_root: the type inside of what std wraps around it */
};

struct tls_variable {
	uint64_t vaddr, size, alignment; /* the TLS segment */
	bool known;                      /* that it is known */
	uint64_t offsets[TLS_COPIES];    /* of the value of type root in the block */
	size_t count;
};

void tls_find(struct tokio *tk, const struct tls_key *key, struct tls_variable *out);
/* The address of the copy for the thread by its index in tokio_threads; false when it has none. */
bool tls_address(const struct tokio *tk, const struct tls_variable *variable, size_t copy, size_t thread,
                 uint64_t *address);

#endif
