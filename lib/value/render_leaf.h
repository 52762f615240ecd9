/* render_leaf.h - what the text of a value looks like before it is written: whether it has parts, whether it begins with
 * its type. Between render_text.c and render_leaf.c. */
#ifndef HANSEI_VALUE_RENDER_LEAF_H
#define HANSEI_VALUE_RENDER_LEAF_H

#include "value/render.h"

enum { LEAF_HOPS = 12 }; /* wrappers that are looked through */

bool text_is_tuple(const struct plan *plan);
bool text_is_bare_enum(const struct type *type); /* Option, Result: their variants need no path */
/* Is there a plain number in these wrappers? */
bool text_scalar_inside(struct render *r, struct value value, struct value *inner);
/* What is shown even where depth is used up: nothing that has parts. */
bool text_is_leaf(struct render *r, struct value value);

#endif
