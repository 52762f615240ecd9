/* What the two renderers share: bounds, the way through pointers, symbols, texts in pieces. */
#include "value/render.h"

#include <string.h>

#include "base/utf8.h"
#include "elf/elf_file.h"
#include "rust/names.h"
#include "value/target.h"

enum { FLUSH_AT = 32 * 1024, PIECE = 4096, SAME_MAX = 32 };
#define BUDGET UINT64_C(4000000)

void render_init(struct render *r, struct viewer *viewer, const struct render_options *options)
{
	*r = (struct render){ .viewer = viewer, .options = *options, .out = STRBUF_INIT, .budget = BUDGET };
}

void render_flush(struct render *r)
{
	if (r->out.length != 0)
		r->options.write(r->options.context, r->out.text, r->out.length);
	strbuf_reset(&r->out);
}

void render_check(struct render *r)
{
	if (r->out.length >= FLUSH_AT && !r->held)
		render_flush(r);
}

void render_release(struct render *r)
{
	render_flush(r);
	strbuf_release(&r->out);
}

/* The structure, whatever is known of the type: --ugly. */
static void view_ugly(struct render *r, struct value value, struct view *view)
{
	struct type type = tinfo_type(r->viewer->target->tinfo, value.type);
	memset(view, 0, offsetof(struct view, word));
	view->word[0] = view->json[0] = '\0';
	view->concrete = view->value.type = TINFO_NONE;
	if (type.kind == TYPE_ARRAY) {
		view_array(r->viewer, view, value.address, type.target, type.extra, UINT64_MAX);
	} else if (type.kind == TYPE_POINTER) {
		view->kind = VIEW_POINTER;
		if (!target_word(r->viewer->target, value.address, &view->pointer))
			view_unreadable(view, value.address);
		view->value = (struct value){ type.target, view->pointer };
		view->raw = type_is_raw_pointer(&type);
	}
}

void render_view(struct render *r, struct value value, enum view_mode mode, struct view *view)
{
	if (r->options.ugly)
		view_ugly(r, value, view);
	else
		view_of(r->viewer, value, mode, view);
}

bool render_enter(struct render *r, struct value value)
{
	if (r->followed_count == RENDER_NESTING)
		return false;
	for (unsigned i = 0; i < r->followed_count; i++)
		if (r->followed[i].address == value.address && r->followed[i].type == value.type)
			return false;
	r->followed[r->followed_count++] = value;
	return true;
}

void render_leave(struct render *r)
{
	r->followed_count--;
}

bool render_spend(struct render *r)
{
	if (r->budget == 0) {
		r->incomplete = true;
		return false;
	}
	r->budget--;
	return true;
}

struct value render_peeled(struct render *r, struct value value)
{
	for (int i = 0; i < SAME_MAX && !r->options.ugly; i++) {
		const struct plan *plan = plan_of(r->viewer, value.type);
		struct view view;
		if (plan->formatter == NULL || (plan->formatter->flags & FORMAT_PEEL) == 0)
			break;
		view_of(r->viewer, value, VIEW_FOR_TEXT, &view);
		if (view.kind != VIEW_SAME)
			break;
		value = view.value;
	}
	return value;
}

bool render_symbol(struct render *r, struct strbuf *out, uint64_t address)
{
	struct target *t = r->viewer->target;
	uint64_t offset;
	if (t->executable == NULL || !t->has_bias)
		return false;
	const struct elf_symbol *symbol = elf_symbol_at(t->executable, address - t->bias, &offset);
	if (symbol == NULL)
		return false;
	rust_demangle_to(out, symbol->name);
	if (offset != 0)
		strbuf_addf(out, "+0x%llx", (unsigned long long)offset);
	return true;
}

void render_string_json(struct render *r, const char *text)
{
	strbuf_addc(&r->out, '"');
	utf8_escape_json(&r->out, text, strlen(text));
	strbuf_addc(&r->out, '"');
}

/* How many bytes of a piece can be escaped now: not half of a character, when more is to come. */
static size_t whole_characters(const unsigned char *bytes, size_t length)
{
	for (size_t back = 1; back <= 3 && back <= length; back++) {
		unsigned char c = bytes[length - back];
		if (c < 0x80)
			break;
		if (c >= 0xc0)
			return back < (c >= 0xf0 ? 4u : c >= 0xe0 ? 3u : 2u) ? length - back : length;
	}
	return length;
}

void render_bytes(struct render *r, uint64_t address, uint64_t length, bool json)
{
	unsigned char piece[PIECE];
	uint64_t limit = length < r->options.max_string ? length : r->options.max_string, left = limit;
	strbuf_addc(&r->out, '"');
	while (left != 0) {
		size_t take = left < sizeof piece ? (size_t)left : sizeof piece;
		/* A page at a time where a whole piece cannot be had. */
		if (!target_read(r->viewer->target, address, piece, take)) {
			size_t in_page = (size_t)(TARGET_PAGE - address % TARGET_PAGE);
			take = take < in_page ? take : in_page;
			if (!target_read(r->viewer->target, address, piece, take)) {
				r->incomplete = true;
				strbuf_adds(&r->out, json ? "\xef\xbf\xbd" : "\" <unreadable>");
				if (json)
					strbuf_addc(&r->out, '"');
				return;
			}
		}
		size_t whole = take < left || limit < length ? whole_characters(piece, take) : take;
		whole = whole == 0 ? take : whole;
		if (json)
			utf8_escape_json(&r->out, piece, whole);
		else
			utf8_escape(&r->out, piece, whole);
		left = take < left ? left - whole : 0;
		address += whole;
		render_check(r);
	}
	if (limit < length && json)
		strbuf_adds(&r->out, "\xe2\x80\xa6");
	strbuf_addc(&r->out, '"');
	if (limit < length && !json)
		strbuf_addf(&r->out, "… (%llu bytes)", (unsigned long long)length);
}
