/* Completion at the prompt: asks the completer, inserts what is certain, shows the rest, and walks through it. */
#include "edit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/utf8.h"

enum { SHOWN_MOST = 60 };

void menu_init(struct menu *menu)
{
	*menu = (struct menu){ .answer = STRBUF_INIT, .word = STRBUF_INIT, .before = STRBUF_INIT };
}

void menu_release(struct menu *menu)
{
	free(menu->items);
	strbuf_release(&menu->answer);
	strbuf_release(&menu->word);
	strbuf_release(&menu->before);
	menu_init(menu);
}

static void set_text(struct strbuf *to, const char *text, size_t length)
{
	strbuf_reset(to);
	strbuf_add(to, text, length);
}

static void run_completer(const struct edit *edit, char *line)
{
	char **argv = calloc(edit->completer_count + 2, sizeof *argv);
	if (argv == NULL)
		_exit(127);
	memcpy(argv, edit->completer, edit->completer_count * sizeof *argv);
	argv[edit->completer_count] = line;
	execvp(argv[0], argv);
	_exit(127);
}

/* The completer's answer to the text before the cursor. */
static void ask(const struct edit *edit, char *line, struct strbuf *answer)
{
	int ends[2];
	char buffer[8192];
	ssize_t n;
	strbuf_reset(answer);
	if (edit->completer_count == 0 || pipe(ends) != 0)
		return;
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);
		dup2(null, STDIN_FILENO);
		dup2(null, STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		close(ends[0]);
		close(ends[1]);
		run_completer(edit, line);
	}
	close(ends[1]);
	while ((n = read(ends[0], buffer, sizeof buffer)) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			strbuf_add(answer, buffer, (size_t)n);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);
	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Fills the menu anew. False: nothing is offered. */
static bool menu_fill(struct menu *menu, const struct edit *edit, const char *line)
{
	char *copy = strdup(line);
	if (copy == NULL)
		return false;
	ask(edit, copy, &menu->answer);
	free(copy);
	menu->count = 0;
	menu->shown = menu->walking = false;
	char *rest = menu->answer.text, *next = strchr(rest, '\n');
	if (next == NULL)
		return false;
	*next = '\0';
	if (!ends_with(line, rest))
		return false;
	set_text(&menu->word, rest, strlen(rest));
	set_text(&menu->before, line, strlen(line));
	for (rest = next + 1; (next = strchr(rest, '\n')) != NULL; rest = next + 1) {
		*next = '\0';
		char *note = strchr(rest, '\t'), *open = note != NULL ? strchr(note + 1, '\t') : NULL;
		if (note != NULL)
			*note++ = '\0';
		if (open != NULL)
			*open = '\0';
		menu->items = array_reserve(menu->items, &menu->capacity, menu->count, 1, sizeof *menu->items);
		menu->items[menu->count++] = (struct candidate){ rest, note != NULL ? note : "", open != NULL };
	}
	return menu->count != 0;
}

/* Puts `length` bytes of text where the word stands. */
static void replace(EditLine *el, struct menu *menu, const char *text, size_t length)
{
	struct strbuf insert = STRBUF_INIT;
	size_t characters = mbstowcs(NULL, menu->word.text, 0);
	if (characters == (size_t)-1)
		characters = menu->word.length;
	strbuf_add(&insert, text, length);
	if (characters != 0)
		el_deletestr(el, (int)characters);
	if (length != 0)
		el_insertstr(el, insert.text);
	strbuf_cut(&menu->before, menu->before.length - menu->word.length);
	strbuf_add(&menu->before, text, length);
	set_text(&menu->word, text, length);
	strbuf_release(&insert);
}

/* Bytes that all candidates begin with, whole characters only. */
static size_t common_length(const struct menu *menu)
{
	const char *first = menu->items[0].word;
	size_t length = strlen(first);
	for (size_t i = 1; i < menu->count; i++) {
		size_t n = 0;
		while (n < length && menu->items[i].word[n] == first[n])
			n++;
		length = n;
	}
	while (length != 0 && ((unsigned char)first[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static size_t screen_width(FILE *screen)
{
	struct winsize size;
	return ioctl(fileno(screen), TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

/* Below the line: one candidate a line where there are explanations, else in columns. */
static void show(const struct edit *edit)
{
	const struct menu *menu = &edit->menu;
	size_t count = menu->count < SHOWN_MOST ? menu->count : SHOWN_MOST, widest = 0, noted = 0;
	size_t width = screen_width(edit->screen);
	for (size_t i = 0; i < count; i++) {
		size_t columns = utf8_width(menu->items[i].word);
		widest = columns > widest ? columns : widest;
		noted += menu->items[i].note[0] != '\0';
	}
	size_t per_line = noted != 0 || widest + 2 > width ? 1 : width / (widest + 2);
	fputc('\n', edit->screen);
	for (size_t i = 0; i < count; i++) {
		const struct candidate *item = &menu->items[i];
		size_t columns = utf8_width(item->word);
		size_t room = width > widest + 3 ? width - widest - 3 : 0;
		bool last = (i + 1) % per_line == 0 || i + 1 == count;
		fprintf(edit->screen, "%s", item->word);
		if (item->note[0] != '\0')
			fprintf(edit->screen, "%*s%.*s", (int)(widest + 2 - columns), "", (int)utf8_prefix(item->note, room), item->note);
		else if (!last)
			fprintf(edit->screen, "%*s", (int)(widest + 2 - columns), "");
		if (last)
			fputc('\n', edit->screen);
	}
	if (count < menu->count)
		fprintf(edit->screen, "… and %zu more\n", menu->count - count);
	fflush(edit->screen);
}

static void walk(EditLine *el, struct menu *menu, bool back)
{
	if (!menu->walking)
		menu->chosen = back ? menu->count - 1 : 0;
	else if (back)
		menu->chosen = (menu->chosen + menu->count - 1) % menu->count;
	else
		menu->chosen = (menu->chosen + 1) % menu->count;
	menu->walking = true;
	replace(el, menu, menu->items[menu->chosen].word, strlen(menu->items[menu->chosen].word));
}

/* A word that stands alone is finished, unless it is a step on the way to something. */
static void insert_only(EditLine *el, struct menu *menu)
{
	struct strbuf word = STRBUF_INIT;
	strbuf_adds(&word, menu->items[0].word);
	if (!menu->items[0].open && word.length != 0 && strchr("/=", word.text[word.length - 1]) == NULL)
		strbuf_addc(&word, ' ');
	replace(el, menu, word.text, word.length);
	menu->count = 0;
	strbuf_release(&word);
}

static unsigned char complete(EditLine *el, bool back)
{
	void *data = NULL;
	el_get(el, EL_CLIENTDATA, &data);
	struct edit *edit = data;
	struct menu *menu = &edit->menu;
	const LineInfo *line = el_line(el);
	size_t length = (size_t)(line->cursor - line->buffer);
	bool again = menu->count > 1 && menu->before.length == length && memcmp(menu->before.text, line->buffer, length) == 0;
	if (again && menu->shown) {
		walk(el, menu, back);
		return CC_REFRESH;
	}
	if (!again) {
		struct strbuf text = STRBUF_INIT;
		set_text(&text, line->buffer, length);
		bool offered = menu_fill(menu, edit, text.text);
		strbuf_release(&text);
		if (!offered)
			return CC_REFRESH_BEEP;
		size_t common = common_length(menu);
		if (menu->count == 1) {
			insert_only(el, menu);
			return CC_REFRESH;
		}
		if (common > menu->word.length) {
			replace(el, menu, menu->items[0].word, common);
			return CC_REFRESH;
		}
	}
	show(edit);
	menu->shown = true;
	return CC_REDISPLAY;
}

unsigned char edit_complete(EditLine *el, int key)
{
	(void)key;
	return complete(el, false);
}

unsigned char edit_complete_back(EditLine *el, int key)
{
	(void)key;
	return complete(el, true);
}
