/* value_model.h - a small set of types, some memory, and renders of values in it, for test_render and test_expr. */
#ifndef HANSEI_TESTS_VALUE_MODEL_H
#define HANSEI_TESTS_VALUE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "value/target.h"
#include "value/view.h"

enum { BASE = 0x10000, MODEL_SIZE = 0x2000 };

struct value_model {
	unsigned char memory[MODEL_SIZE];
	struct tinfo *ti;
	struct target target;
	struct viewer viewer;
	/* struct Point { x: u32, y: u32 }, struct Outer { id: u64, point: Point }, struct Id(u32), struct Unit,
	 * struct Link { next: &Link }, Option<u32> with a tag of 4 bytes, enum Shape { Dot, Square { side: u32 } } */
	uint32_t u32, point, outer, newtype, unit, link, option, shape;
	uint32_t reference, raw, str, slice; /* &Point, *const Point, &str, &[u32] */
	uint64_t max_array;
	bool ugly, incomplete; /* of the last render */
};

struct value_model *value_model_new(void);
void value_model_free(struct value_model *m);
void value_model_put(struct value_model *m, uint64_t address, uint64_t value, unsigned width);

#define assert_text(m, type, address, depth, text) value_model_text((m), (type), (address), (depth), (text), __FILE__, __LINE__)
#define assert_json(m, type, address, text) value_model_json((m), (type), (address), (text), __FILE__, __LINE__)
void value_model_text(struct value_model *m, uint32_t type, uint64_t address, uint64_t depth, const char *text,
                      const char *file, int line);
void value_model_json(struct value_model *m, uint32_t type, uint64_t address, const char *text, const char *file,
                      int line);

#endif
