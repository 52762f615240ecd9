/* Where references come from: operands, or the lines of standard input. */
#include "cli/refs.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"

/* Longer lines are refused: no record of ours comes near. */
enum { LINE_MOST = 64 * 1024 * 1024 };

/* Character devices are terminals, /dev/null and the like. */
static bool is_readable(FILE *input)
{
	struct stat st;
	int fd = input != NULL ? fileno(input) : -1;
	if (input != NULL && fd < 0)
		return true; /* a memory stream */
	return fd >= 0 && fstat(fd, &st) == 0 && !S_ISCHR(st.st_mode) && !S_ISDIR(st.st_mode);
}

struct ref_source refs_open(struct arena *arena, const char *const *operands, size_t count, FILE *input)
{
	struct ref_source source = { .operands = operands, .operand_count = count, .standard = input, .arena = arena };
	if (count == 0 && is_readable(input))
		source.input = input;
	return source;
}

bool refs_given(struct ref_source *source)
{
	if (source->operand_count != 0)
		return true;
	if (source->input == NULL)
		return false;
	int c = getc(source->input);
	if (c == EOF)
		return false;
	ungetc(c, source->input);
	return true;
}

/* One line without its end; false at the end of input. Waits for no more than the line. */
static bool read_line(FILE *input, struct strbuf *line, struct error **err)
{
	int c;
	errno = 0;
	strbuf_reset(line);
	while ((c = getc_unlocked(input)) != EOF && c != '\n') {
		if (line->length < LINE_MOST)
			strbuf_addc(line, (char)c);
	}
	if (c == EOF && ferror(input))
		*err = error_errno(errno, "read");
	else if (line->length == LINE_MOST)
		*err = error_new(ERROR_USAGE, "the line is too long");
	return *err != NULL || c != EOF || line->length != 0;
}

static struct error *parse_line(struct ref_source *source, struct strbuf *line, struct ref *ref, bool *skipped)
{
	const char *text = line->text + strspn(line->text, " ");
	*skipped = false;
	if (*text == '{') {
		struct strbuf value = STRBUF_INIT;
		bool found = json_find_ref(text, &value);
		char *kept = arena_strdup(source->arena, value.text);
		strbuf_release(&value);
		return found ? ref_parse(kept, ref) : error_new(ERROR_USAGE, "no JSON object with a member \"ref\"");
	}
	size_t length = strcspn(text, "\t \r");
	*skipped = length == 0 || (length == 3 && strncmp(text, "ref", 3) == 0);
	return *skipped ? NULL : ref_parse(arena_strndup(source->arena, text, length), ref);
}

static bool next_line(struct ref_source *source, struct ref *ref, struct error **err)
{
	struct strbuf line = STRBUF_INIT;
	bool found = false;
	while (!found && read_line(source->input, &line, err)) {
		bool skipped = false, io = *err != NULL && error_code(*err) == ERROR_IO;
		source->line++;
		if (*err == NULL)
			*err = parse_line(source, &line, ref, &skipped);
		*err = error_wrap(*err, "standard input, line %llu", (unsigned long long)source->line);
		found = !skipped;
		if (io) {
			source->input = NULL;
			break;
		}
	}
	strbuf_release(&line);
	return found;
}

bool refs_next(struct ref_source *source, struct ref *ref, struct error **err)
{
	*err = NULL;
	for (;;) {
		if (source->input != NULL) {
			if (next_line(source, ref, err))
				return true;
			source->input = NULL;
		}
		if (source->next == source->operand_count)
			return false;
		const char *operand = source->operands[source->next++];
		if (strcmp(operand, "-") != 0 || source->standard == NULL) {
			*err = ref_parse(operand, ref);
			return true;
		}
		source->input = source->standard;
	}
}
