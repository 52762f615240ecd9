#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "out/out.h"

static const struct option BUILTIN[] = {
	{ "help", 'h', NULL, NULL, "print this text" },
	{ "version", 'V', NULL, NULL, "print the version" },
};
const struct option_set OPTIONS_BUILTIN = OPTION_SET("Other", BUILTIN);

/* Walks all options of a program: start with set and row 0; NULL at the end. */
struct option_walk {
	size_t set, row;
};

static const struct option *walk_next(const struct program *program, struct option_walk *walk)
{
	for (;;) {
		const struct option_set *set = program->sets[walk->set];
		bool own = set != NULL;
		if (!own)
			set = &OPTIONS_BUILTIN;
		if (walk->row < set->count)
			return &set->options[walk->row++];
		if (!own)
			return NULL;
		walk->set++;
		walk->row = 0;
	}
}

/* What remains of the command line. */
struct parser {
	struct options *options;
	char *const *argv;
	size_t count, next;
	bool done; /* --help or --version */
};

static const struct option *find_exact(const struct program *program, const char *name, size_t length)
{
	struct option_walk walk = { 0, 0 };
	const struct option *option;
	while ((option = walk_next(program, &walk)) != NULL)
		if (strncmp(option->name, name, length) == 0 && option->name[length] == '\0')
			return option;
	return NULL;
}

/* A long name or a unique beginning of one. */
static struct error *find_name(const struct program *program, const char *name, size_t length,
                               const struct option **found)
{
	*found = find_exact(program, name, length);
	if (*found != NULL)
		return NULL;
	struct strbuf fits = STRBUF_INIT;
	struct option_walk walk = { 0, 0 };
	size_t count = 0;
	const struct option *option;
	while (length != 0 && (option = walk_next(program, &walk)) != NULL) {
		if (strncmp(option->name, name, length) != 0)
			continue;
		strbuf_addf(&fits, "%s--%s", count++ == 0 ? "" : " or ", option->name);
		*found = option;
	}
	struct error *err = NULL;
	if (count == 0)
		err = error_new(ERROR_USAGE, "--%.*s: no such option", (int)length, name);
	else if (count > 1)
		err = error_new(ERROR_USAGE, "--%.*s: could be %s", (int)length, name, fits.text);
	strbuf_release(&fits);
	return err;
}

static const struct option *find_letter(const struct program *program, char letter)
{
	struct option_walk walk = { 0, 0 };
	const struct option *option;
	while ((option = walk_next(program, &walk)) != NULL)
		if (option->letter == letter)
			return option;
	return NULL;
}

static size_t value_count(const struct option *option)
{
	if (option->arguments == NULL)
		return 0;
	return strchr(option->arguments, ' ') != NULL ? 2 : 1;
}

/* Records a use. attached is the value in the same word, or NULL; the others are the next words. spelled is the
 * option as the user wrote it. */
static struct error *take(struct parser *parser, const struct option *option, const char *spelled, const char *attached)
{
	struct option_use *use = &parser->options->uses[parser->options->use_count];
	*use = (struct option_use){ .option = option };
	size_t wanted = value_count(option), have = 0;
	if (attached != NULL && wanted == 0)
		return error_new(ERROR_USAGE, "%s: takes no value", spelled);
	if (attached != NULL)
		use->values[have++] = attached;
	for (; have < wanted; have++) {
		if (parser->next == parser->count)
			return error_new(ERROR_USAGE, "%s: needs %s: %s", spelled, wanted == 2 ? "two values" : "a value",
			                 option->arguments);
		use->values[have] = parser->argv[parser->next++];
	}
	parser->options->use_count++;
	parser->done = option == &BUILTIN[0] || option == &BUILTIN[1];
	return NULL;
}

static struct error *parse_long(struct parser *parser, const char *word)
{
	const char *name = word + 2, *equals = strchr(name, '=');
	size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
	const struct option *option;
	struct error *err = find_name(parser->options->program, name, length, &option);
	if (err != NULL)
		return err;
	struct strbuf spelled = STRBUF_INIT;
	strbuf_addf(&spelled, "--%s", option->name);
	err = take(parser, option, spelled.text, equals != NULL ? equals + 1 : NULL);
	strbuf_release(&spelled);
	return err;
}

static struct error *parse_letters(struct parser *parser, const char *word)
{
	for (const char *at = word + 1; *at != '\0' && !parser->done; at++) {
		char spelled[3] = { '-', *at, '\0' };
		const struct option *option = find_letter(parser->options->program, *at);
		if (option == NULL && ((unsigned char)*at & 0x80) != 0)
			return error_new(ERROR_USAGE, "%s: no such option", word);
		if (option == NULL)
			return error_new(ERROR_USAGE, "%s: no such option", spelled);
		bool valued = value_count(option) != 0;
		struct error *err = take(parser, option, spelled, valued && at[1] != '\0' ? at + 1 : NULL);
		if (err != NULL || valued)
			return err;
	}
	return NULL;
}

struct error *options_parse(struct options *options, const struct program *program, struct arena *arena, int argc,
                            char *const *argv)
{
	*options = (struct options){ .program = program };
	size_t count = argc > 0 ? (size_t)argc : 0, room = 0;
	for (size_t i = 1; i < count; i++) /* a bundle holds as many options as it has letters */
		room += argv[i][0] == '-' ? strlen(argv[i]) : 0;
	options->uses = arena_array(arena, room, sizeof *options->uses);
	options->operands = arena_array(arena, count, sizeof *options->operands);
	struct parser parser = { options, argv, count, 1, false };
	bool only_operands = false;
	while (parser.next < parser.count && !parser.done) {
		const char *word = argv[parser.next++];
		struct error *err = NULL;
		if (only_operands || word[0] != '-' || word[1] == '\0') {
			if (program->operands == NULL)
				return error_new(ERROR_USAGE, "'%s': no operand is expected", word);
			options->operands[options->operand_count++] = word;
		} else if (strcmp(word, "--") == 0) {
			only_operands = true;
		} else {
			err = word[1] == '-' ? parse_long(&parser, word) : parse_letters(&parser, word);
		}
		if (err != NULL)
			return err;
	}
	return NULL;
}

bool options_answered(const struct options *options, struct out *out)
{
	if (options_given(options, "help")) {
		options_help(options->program, out);
		return true;
	}
	if (!options_given(options, "version"))
		return false;
	out_printf(out, "%s %s\n", options->program->name, HANSEI_VERSION);
	return true;
}

const struct option_use *options_next(const struct options *options, const char *name, const struct option_use *previous)
{
	size_t from = previous != NULL ? (size_t)(previous - options->uses) + 1 : 0;
	for (size_t i = from; i < options->use_count; i++)
		if (strcmp(options->uses[i].option->name, name) == 0)
			return &options->uses[i];
	return NULL;
}

bool options_given(const struct options *options, const char *name)
{
	return options_next(options, name, NULL) != NULL;
}

/* The last use of an option, or NULL. */
static const struct option_use *last_use(const struct options *options, const char *name)
{
	const struct option_use *last = NULL, *use = NULL;
	while ((use = options_next(options, name, use)) != NULL)
		last = use;
	return last;
}

static const char *variable_of(const struct options *options, const char *name)
{
	const struct option *option = find_exact(options->program, name, strlen(name));
	return option != NULL ? option->environment : NULL;
}

const char *options_value(const struct options *options, const char *name)
{
	const struct option_use *use = last_use(options, name);
	if (use != NULL)
		return use->values[0];
	const char *variable = variable_of(options, name);
	const char *value = variable != NULL ? getenv(variable) : NULL;
	return value != NULL && value[0] != '\0' ? value : NULL;
}

struct error *options_blame(const struct options *options, const char *name, struct error *err)
{
	const char *variable = variable_of(options, name);
	if (variable != NULL && !options_given(options, name))
		return error_wrap(err, "%s", variable);
	return error_wrap(err, "--%s", name);
}

struct error *number_parse(const char *text, uint64_t *value)
{
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || text[digits] != '\0')
		return error_new(ERROR_USAGE, "'%s' is not a number", text);
	uint64_t sum = 0;
	for (size_t i = 0; i < digits; i++) {
		uint64_t digit = (uint64_t)(text[i] - '0');
		if (sum > (UINT64_MAX - digit) / 10)
			return error_new(ERROR_USAGE, "'%s' is too large", text);
		sum = sum * 10 + digit;
	}
	*value = sum;
	return NULL;
}

struct error *options_number(const struct options *options, const char *name, uint64_t *value)
{
	const char *text = options_value(options, name);
	return text != NULL ? options_blame(options, name, number_parse(text, value)) : NULL;
}
