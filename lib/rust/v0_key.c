/* v0_key.c - reads a v0 symbol once, left to right, without following its back-references.
 *
 * The grammar (Rust RFC 2603; rustc's book, "v0 Symbol Format") stands in tables: a tag byte selects a rule, a rule
 * is a string of steps, and a stack of half-done rules takes the place of recursion, so that no name, however
 * deep, needs more than memory linear in its length. Each step consumes bytes and mixes what they say into the
 * key. Two things are mixed differently from how they are spelled: the disambiguator of a crate not at all
 * (cargo changes it with the debug level), and a back-reference as the ordinal of the node it points to, because
 * its byte position shifts with the length of those disambiguators. The mangler's choice of what to back-refer
 * to depends only on structure, hence equal sources give equal keys. */
#include "rust/names.h"
#include "rust/v0.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum {
	INLINE_LENGTH = 512,      /* symbols up to here need no malloc; 998 of 1,000 are shorter */
	MAX_LENGTH = 1 << 20,     /* longer ones are not read: a hostile table shall not make us take gigabytes */
};
static const uint32_t NO_NODE = UINT32_MAX;
static const uint32_t OPEN = UINT32_MAX;          /* cost of a node that is still being read */
static const uint32_t MAX_COST = UINT32_MAX - 1;

/* A path, type or constant that a back-reference may name. Ascending by position. */
struct node {
	uint32_t at;    /* position in the body */
	uint32_t cost;  /* bytes a demangler reads for it */
	uint8_t kind;   /* 'p', 't' or 'c' */
};

struct frame {
	const char *steps; /* what of the rule is still to do */
	uint32_t node;     /* finished by this rule, or NO_NODE */
	uint64_t start;    /* read_cost() when it began */
};

struct reader {
	const char *text;
	uint32_t at, length;
	uint64_t hash;
	uint64_t extra; /* cost beyond the bytes of the text itself */
	struct node *nodes;
	struct frame *frames;
	uint32_t node_count, frame_count;
};

struct rule {
	char tag;
	const char *steps;
};

/* Steps: p path, t type, c constant, q pattern; d disambiguator, x the crate's, u identifier without one,
 * n namespace; L optional lifetime, l lifetime, G optional binder, s unsafe and ABI of a function type;
 * A generic arguments, Y types, D bounds of a dyn, K constants, F fields, W patterns, each up to E; b associated
 * types of one bound; v fields of an enum value; h hexadecimal data. */
static const struct rule PATHS[] = {
	{ 'C', "xu" }, { 'M', "dpt" }, { 'X', "dptp" }, { 'Y', "tp" }, { 'N', "npdu" }, { 'I', "pA" },
};
static const struct rule TYPES[] = {
	{ 'A', "tc" }, { 'S', "t" }, { 'T', "Y" }, { 'R', "Lt" }, { 'Q', "Lt" }, { 'P', "t" }, { 'O', "t" },
	{ 'F', "GsYt" }, { 'D', "GDl" }, { 'W', "tq" },
};
static const char BASIC_TYPES[] = "abcdefhijlmnopstuvxyz";
/* A, T, V, R, Q, e: values of structured types (adt_const_params). */
static const struct rule CONSTANTS[] = {
	{ 'p', "" }, { 'R', "c" }, { 'Q', "c" }, { 'A', "K" }, { 'T', "K" }, { 'V', "pv" },
};
static const char DATA_TYPES[] = "abcehijlmnostxy";
static const struct rule PATTERNS[] = { { 'R', "cc" }, { 'O', "W" }, { 'N', "" } };
static const struct rule VALUES[] = { { 'U', "" }, { 'T', "K" }, { 'S', "F" } };

#define RULE_FIND(rules, tag) rule_find((rules), sizeof (rules) / sizeof (rules)[0], (tag))

static const char *rule_find(const struct rule *rules, size_t count, char tag)
{
	for (size_t i = 0; i < count; i++)
		if (rules[i].tag == tag)
			return rules[i].steps;
	return NULL;
}

static bool is_one_of(const char *set, char c)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static void mix(struct reader *r, uint64_t value)
{
	r->hash = (r->hash ^ value) * 0xff51afd7ed558ccdu;
	r->hash ^= r->hash >> 32;
}

static char peek(const struct reader *r)
{
	return r->at < r->length ? r->text[r->at] : '\0';
}

static bool eat(struct reader *r, char c)
{
	if (r->at >= r->length || r->text[r->at] != c)
		return false;
	r->at++;
	return true;
}

static uint64_t read_cost(const struct reader *r)
{
	return r->at + r->extra;
}

static int base62_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 36;
	return -1;
}

/* "_" is 0, "0_" is 1, and so on. */
static bool base62_read(struct reader *r, uint64_t *value)
{
	uint64_t v = 0;
	bool some = false;
	while (!eat(r, '_')) {
		int digit = base62_digit(peek(r));
		if (digit < 0 || v > (UINT64_MAX - 64) / 62)
			return false;
		v = v * 62 + (uint64_t)digit;
		some = true;
		r->at++;
	}
	*value = some ? v + 1 : 0;
	return true;
}

/* 0 when the letter is absent, else the number after it plus one. */
static bool optional_read(struct reader *r, char letter, uint64_t *value)
{
	*value = 0;
	if (!eat(r, letter))
		return true;
	if (!base62_read(r, value))
		return false;
	++*value;
	return true;
}

static bool identifier_read(struct reader *r)
{
	bool punycode = eat(r, 'u');
	uint32_t size = 0;
	if (peek(r) < '0' || peek(r) > '9')
		return false;
	if (!eat(r, '0')) {
		for (; peek(r) >= '0' && peek(r) <= '9'; r->at++) {
			size = size * 10 + (uint32_t)(peek(r) - '0');
			if (size > r->length)
				return false;
		}
	}
	eat(r, '_');
	if (size > r->length - r->at)
		return false;
	for (uint32_t i = 0; i < size; i++)
		if (r->text[r->at + i] != '_' && base62_digit(r->text[r->at + i]) < 0)
			return false;
	mix(r, ((uint64_t)size << 1) | punycode);
	mix(r, hash_bytes(r->text + r->at, size, 0));
	r->at += size;
	if (punycode) /* libiberty decodes by insertion: quadratic moves */
		r->extra += (uint64_t)size * size / 256;
	return true;
}

static bool data_read(struct reader *r)
{
	uint32_t start = r->at;
	eat(r, 'n'); /* negative */
	while ((peek(r) >= '0' && peek(r) <= '9') || (peek(r) >= 'a' && peek(r) <= 'f'))
		r->at++;
	mix(r, r->at - start);
	mix(r, hash_bytes(r->text + start, r->at - start, 0));
	return eat(r, '_');
}

static bool frame_push(struct reader *r, const char *steps, uint32_t node)
{
	r->frames[r->frame_count++] = (struct frame){ steps, node, read_cost(r) };
	return true;
}

/* Pushes a list element's rule and leaves the list's own step to be done again, unless the list is at its end. */
static bool list_step(struct reader *r, struct frame *list, const char *element)
{
	if (eat(r, 'E')) {
		mix(r, 'E');
		return true;
	}
	list->steps--;
	return frame_push(r, element, NO_NODE);
}

static bool reference_read(struct reader *r, char want)
{
	uint64_t target;
	if (!base62_read(r, &target))
		return false;
	uint32_t low = 0, high = r->node_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (r->nodes[middle].at < target)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == r->node_count || r->nodes[low].at != target)
		return false;
	/* Into an enclosing node would never end, and rustc cannot write it: it knows a position only when done. */
	const struct node *node = &r->nodes[low];
	if (node->cost == OPEN || (want == 'c') != (node->kind == 'c') || (want == 'p' && node->kind != 'p'))
		return false;
	r->extra += node->cost;
	mix(r, 'B');
	mix(r, low);
	return true;
}

static bool node_read(struct reader *r, char want)
{
	char tag = peek(r), kind = want;
	uint32_t at = r->at++;
	if (tag == '\0')
		return false;
	if (tag == 'B')
		return reference_read(r, want);
	const char *steps;
	if (want == 'c') {
		steps = is_one_of(DATA_TYPES, tag) ? "h" : RULE_FIND(CONSTANTS, tag);
	} else if ((steps = RULE_FIND(PATHS, tag)) != NULL) {
		kind = 'p'; /* a type that is a path can be named as either */
	} else if (want == 't') {
		steps = is_one_of(BASIC_TYPES, tag) ? "" : RULE_FIND(TYPES, tag);
	}
	if (steps == NULL)
		return false;
	mix(r, (unsigned char)tag);
	r->nodes[r->node_count] = (struct node){ at, OPEN, (uint8_t)kind };
	return frame_push(r, steps, r->node_count++);
}

/* Steps that a tag among a few decides, and that nothing can refer to. */
static bool rule_read(struct reader *r, const char *steps)
{
	if (steps == NULL)
		return false;
	mix(r, (unsigned char)peek(r));
	r->at++;
	return frame_push(r, steps, NO_NODE);
}

static bool number_step(struct reader *r, char step)
{
	uint64_t value;
	char letter = step == 'd' || step == 'x' ? 's' : step == 'G' ? 'G' : 'L';
	if (!optional_read(r, letter, &value) || (step == 'l' && value == 0))
		return false;
	if (step == 'x')
		return true; /* the hash of the crate: what the key is there to ignore */
	if (step == 'G') /* a demangler names every bound lifetime */
		r->extra += value < MAX_COST ? value : MAX_COST;
	mix(r, value);
	return true;
}

static bool argument_step(struct reader *r, struct frame *list)
{
	if (peek(r) == 'L') {
		list->steps--;
		mix(r, 'L');
		return number_step(r, 'l');
	}
	if (peek(r) == 'K') {
		list->steps--;
		return rule_read(r, "c");
	}
	return list_step(r, list, "t");
}

static bool signature_step(struct reader *r)
{
	if (eat(r, 'U'))
		mix(r, 'U');
	if (!eat(r, 'K'))
		return true;
	mix(r, 'K');
	if (!eat(r, 'C'))
		return identifier_read(r);
	mix(r, 'C');
	return true;
}

static bool step(struct reader *r, struct frame *frame)
{
	char what = *frame->steps++;
	switch (what) {
	case 'p': case 't': case 'c':
		return node_read(r, what);
	case 'd': case 'x': case 'L': case 'l': case 'G':
		return number_step(r, what);
	case 'u':
		return identifier_read(r);
	case 'n': /* lower case: a name space of names; upper case: closures, shims and the like */
		if (base62_digit(peek(r)) < 10)
			return false;
		mix(r, (unsigned char)r->text[r->at++]);
		return true;
	case 'h':
		return data_read(r);
	case 's':
		return signature_step(r);
	case 'A':
		return argument_step(r, frame);
	case 'Y':
		return list_step(r, frame, "t");
	case 'D':
		return list_step(r, frame, "pb");
	case 'K':
		return list_step(r, frame, "c");
	case 'F':
		return list_step(r, frame, "duc");
	case 'W':
		return list_step(r, frame, "q");
	case 'b':
		if (peek(r) != 'p')
			return true;
		frame->steps--;
		return rule_read(r, "ut");
	case 'q':
		return rule_read(r, RULE_FIND(PATTERNS, peek(r)));
	case 'v':
		return rule_read(r, RULE_FIND(VALUES, peek(r)));
	}
	return false;
}

static bool rules_run(struct reader *r)
{
	while (r->frame_count != 0) {
		struct frame *top = &r->frames[r->frame_count - 1];
		if (*top->steps != '\0') {
			if (!step(r, top))
				return false;
			continue;
		}
		if (top->node != NO_NODE) {
			uint64_t cost = read_cost(r) - top->start + 1; /* 1: the tag was read before the push */
			r->nodes[top->node].cost = cost < MAX_COST ? (uint32_t)cost : MAX_COST;
		}
		r->frame_count--;
	}
	return true;
}

/* A symbol is a path and perhaps a second one, the crate that instantiated it. */
static bool symbol_read(struct reader *r)
{
	frame_push(r, "p", NO_NODE);
	if (!rules_run(r))
		return false;
	mix(r, r->at < r->length);
	if (r->at < r->length) {
		frame_push(r, "p", NO_NODE);
		if (!rules_run(r))
			return false;
	}
	return r->at == r->length;
}

bool v0_read(const char *body, size_t length, struct v0_facts *facts)
{
	/* A node costs a byte. Above every node's frame lies at most one of a list element, below all one start. */
	struct node nodes[INLINE_LENGTH];
	struct frame frames[2 * INLINE_LENGTH + 2];
	struct reader r = { .text = body, .hash = 0x243f6a8885a308d3u, .nodes = nodes, .frames = frames };
	void *nodes_heap = NULL, *frames_heap = NULL;
	bool good = false;

	if (length > MAX_LENGTH)
		return false;
	r.length = (uint32_t)length;
	if (length > INLINE_LENGTH) {
		r.nodes = nodes_heap = malloc(length * sizeof *nodes);
		r.frames = frames_heap = malloc((2 * length + 2) * sizeof *frames);
	}
	if (r.nodes != NULL && r.frames != NULL)
		good = symbol_read(&r);
	facts->key = hash_u64(r.hash);
	facts->expansion = read_cost(&r);
	free(nodes_heap);
	free(frames_heap);
	return good;
}

const char *v0_body(const char *symbol, size_t *length)
{
	const char *body = symbol;
	body += strspn(body, "_");
	if (body - symbol > 2 || *body != 'R')
		return NULL;
	body++;
	if (RULE_FIND(PATHS, *body) == NULL)
		return NULL;
	*length = strcspn(body, ".$");
	return body;
}

bool v0_key(const char *symbol, uint64_t *key)
{
	struct v0_facts facts;
	size_t length;
	const char *body = v0_body(symbol, &length);
	if (body == NULL || !v0_read(body, length, &facts))
		return false;
	*key = facts.key;
	return true;
}
