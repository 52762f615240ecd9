/* hansei-edit - reads one line from the terminal, with editing, history and completion; a helper of the session.
 *
 *	hansei-edit PROMPT HISTORY [COMPLETER ARG…]
 *
 * Prints the line on standard output. HISTORY is a file of lines, shared with other sessions, or empty. On Tab the
 * completer is run with the text before the cursor as its last argument. It answers with the end of that text which
 * is to be replaced, on a line of its own, and then one candidate a line: the word, perhaps an explanation behind a tab, and
 * `+` behind another when more may follow without a blank. The first Tab completes what all candidates have in common,
 * or shows them; further ones walk through them, Shift-Tab walks back. Exit status: 0 a line, 1 end of input, 130
 * interrupted. */
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

#include "base/strbuf.h"
#include "edit.h"

enum {
	HISTORY_LINES = 10000,
	INTERRUPTED = 130,
};

static volatile sig_atomic_t caught; /* the last signal */

static void on_signal(int number)
{
	caught = number;
}

static char *prompt_text(EditLine *el)
{
	void *data = NULL;
	el_get(el, EL_CLIENTDATA, &data);
	return ((struct edit *)data)->prompt;
}

/* Suspended: the terminal is the shell's meanwhile. */
static void suspend(EditLine *el)
{
	el_set(el, EL_PREP_TERM, 0);
	raise(SIGSTOP);
	el_set(el, EL_PREP_TERM, 1);
	el_set(el, EL_REFRESH);
}

/* One character, from bytes: libedit's own reader knows no interruption. */
static int read_character(EditLine *el, wchar_t *to)
{
	mbstate_t state = { 0 };
	for (;;) {
		char byte;
		ssize_t n = caught == 0 ? read(STDIN_FILENO, &byte, 1) : -1;
		int number = caught;
		if (n == 1) {
			size_t used = mbrtowc(to, &byte, 1, &state);
			if (used == (size_t)-2)
				continue;
			if (used == (size_t)-1)
				*to = (unsigned char)byte; /* no text in this locale */
			return 1;
		}
		if (n == 0)
			return 0;
		if (number != SIGWINCH && number != SIGTSTP && (number != 0 || errno != EINTR))
			return -1;
		caught = 0;
		if (number == SIGWINCH)
			el_resize(el);
		else if (number == SIGTSTP)
			suspend(el);
	}
}

/* Deletes back to a blank, or, between words, the last one. */
static unsigned char delete_word(EditLine *el, int key)
{
	(void)key;
	const LineInfoW *line = el_wline(el);
	const wchar_t *at = line->cursor;
	while (at > line->buffer && iswspace((wint_t)at[-1]))
		at--;
	while (at > line->buffer && !iswspace((wint_t)at[-1]))
		at--;
	el_deletestr(el, (int)(line->cursor - at));
	return CC_REFRESH;
}

static bool in_word(wchar_t c)
{
	return iswalnum((wint_t)c) || c == L'_';
}

/* Words end at every `.`, so that one moves through a path step by step. */
static unsigned char word_left(EditLine *el, int key)
{
	(void)key;
	const LineInfoW *line = el_wline(el);
	const wchar_t *at = line->cursor;
	while (at > line->buffer && !in_word(at[-1]))
		at--;
	while (at > line->buffer && in_word(at[-1]))
		at--;
	el_cursor(el, (int)(at - line->cursor));
	return CC_CURSOR;
}

static unsigned char word_right(EditLine *el, int key)
{
	(void)key;
	const LineInfoW *line = el_wline(el);
	const wchar_t *at = line->cursor;
	while (at < line->lastchar && !in_word(*at))
		at++;
	while (at < line->lastchar && in_word(*at))
		at++;
	el_cursor(el, (int)(at - line->cursor));
	return CC_CURSOR;
}

/* When there are far too many lines, the file is replaced by one with the newest. */
static void history_trim(const struct edit *edit, History *past)
{
	HistEvent event;
	struct strbuf path = STRBUF_INIT;
	strbuf_addf(&path, "%s.%ld", edit->history, (long)getpid());
	FILE *file = fopen(path.text, "w");
	for (int more = history(past, &event, H_LAST); file != NULL && more >= 0; more = history(past, &event, H_PREV))
		fprintf(file, "%s\n", event.str);
	if (file == NULL || fclose(file) != 0 || rename(path.text, edit->history) != 0)
		unlink(path.text);
	strbuf_release(&path);
}

/* Enters the lines of the file; its last one is kept for comparison. */
static void history_read(const struct edit *edit, History *past, struct strbuf *last)
{
	HistEvent event;
	char *line = NULL;
	size_t room = 0, count = 0;
	FILE *file = edit->history[0] != '\0' ? fopen(edit->history, "r") : NULL;
	if (file == NULL)
		return;
	while (getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		history(past, &event, H_ENTER, line);
		strbuf_reset(last);
		strbuf_adds(last, line);
		count++;
	}
	free(line);
	fclose(file);
	if (count > HISTORY_LINES + HISTORY_LINES / 4)
		history_trim(edit, past);
}

/* One write, so that lines of sessions side by side stay whole. */
static void history_append(const struct edit *edit, const char *line, const char *last)
{
	struct strbuf text = STRBUF_INIT;
	int fd = -1;
	if (edit->history[0] != '\0' && line[strspn(line, " \t")] != '\0' && strcmp(line, last) != 0)
		fd = open(edit->history, O_WRONLY | O_APPEND | O_CREAT, 0600);
	strbuf_addf(&text, "%s\n", line);
	if (fd >= 0 && write(fd, text.text, text.length) < 0)
		perror(edit->history);
	if (fd >= 0)
		close(fd);
	strbuf_release(&text);
}

static void set_up(EditLine *el, struct edit *edit, History *past)
{
	static const int SIGNALS[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP };
	for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
		struct sigaction action = { .sa_handler = on_signal };
		sigemptyset(&action.sa_mask);
		sigaction(SIGNALS[i], &action, NULL);
	}
	el_set(el, EL_CLIENTDATA, (void *)edit);
	el_set(el, EL_PROMPT, prompt_text);
	el_set(el, EL_EDITOR, "emacs");
	el_set(el, EL_HIST, history, (void *)past);
	el_set(el, EL_GETCFN, read_character);
	el_set(el, EL_ADDFN, "hansei-complete", "complete the word", edit_complete);
	el_set(el, EL_ADDFN, "hansei-complete-back", "the candidate before", edit_complete_back);
	el_set(el, EL_ADDFN, "hansei-delete-word", "delete back to a blank", delete_word);
	el_set(el, EL_ADDFN, "hansei-word-left", "to the beginning of the word", word_left);
	el_set(el, EL_ADDFN, "hansei-word-right", "to the end of the word", word_right);
	el_set(el, EL_BIND, "^I", "hansei-complete", NULL);
	el_set(el, EL_BIND, "\\e[Z", "hansei-complete-back", NULL);
	el_set(el, EL_BIND, "^W", "hansei-delete-word", NULL);
	el_set(el, EL_BIND, "\\eb", "hansei-word-left", NULL);
	el_set(el, EL_BIND, "\\ef", "hansei-word-right", NULL);
	el_set(el, EL_BIND, "\\e[1;5D", "hansei-word-left", NULL);
	el_set(el, EL_BIND, "\\e[1;5C", "hansei-word-right", NULL);
	el_set(el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(el, EL_BIND, "\\e[3~", "ed-delete-next-char", NULL);
}

static int read_line(struct edit *edit, EditLine *el, const char *last)
{
	int count = 0;
	struct pollfd typed = { STDIN_FILENO, POLLIN, 0 };
	el_set(el, EL_PREP_TERM, 1);
	if (poll(&typed, 1, 0) > 0) /* before we were asked: the terminal has shown it already, and now we will */
		fputs("\r\033[K", edit->screen);
	errno = 0;
	const char *line = el_gets(el, &count);
	el_set(el, EL_PREP_TERM, 0);
	if (line == NULL || count <= 0) {
		fputc('\n', edit->screen);
		return caught == SIGINT ? INTERRUPTED : caught != 0 ? 128 + caught : 1;
	}
	char *text = strndup(line, strcspn(line, "\n"));
	if (text == NULL)
		return 1;
	history_append(edit, text, last);
	bool printed = puts(text) >= 0 && fflush(stdout) == 0;
	free(text);
	return printed ? 0 : 1;
}

int main(int argc, char **argv)
{
	HistEvent event;
	struct strbuf last = STRBUF_INIT;
	if (argc < 3) {
		fputs("usage: hansei-edit PROMPT HISTORY [COMPLETER ARG…]\n", stderr);
		return 2;
	}
	setlocale(LC_CTYPE, "");
	struct edit edit = { .prompt = argv[1], .history = argv[2], .completer = argv + 3, .completer_count = (size_t)argc - 3 };
	menu_init(&edit.menu);
	edit.screen = fopen("/dev/tty", "w");
	if (edit.screen == NULL)
		edit.screen = stderr;
	EditLine *el = el_init("hansei", stdin, edit.screen, stderr);
	History *past = history_init();
	if (el == NULL || past == NULL) {
		fputs("hansei-edit: no line editing on this terminal\n", stderr);
		return 2;
	}
	history(past, &event, H_SETSIZE, HISTORY_LINES);
	history_read(&edit, past, &last);
	set_up(el, &edit, past);
	int status = read_line(&edit, el, last.text);
	/* What is typed already is for the next one, but el_end would throw it away: it gets another terminal. */
	el_set(el, EL_SETFP, 0, fopen("/dev/null", "r"));
	history_end(past);
	el_end(el);
	menu_release(&edit.menu);
	strbuf_release(&last);
	return status;
}
