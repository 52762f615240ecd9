/* hansei-page - shows an answer through the pager when it is longer than the screen; a helper of the session.
 *
 *	hansei-page PROGRAM [ARG…]    runs it, and hands on its status
 *	hansei-page -                 shows standard input
 *
 * The program writes into a pseudoterminal as large as the real one, so that it prints as it would there: names cut to
 * the width, in colour. What fits the screen goes out as it is; otherwise $HANSEI_PAGER gets everything. What the
 * program says on standard error meanwhile waits until the pager has ended. A pager that is quit ends the program. */
#define _XOPEN_SOURCE 700 /* pseudoterminals */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/strbuf.h"

struct page {
	int input;             /* what is shown */
	int messages;          /* standard error of the program, or -1 */
	pid_t program, pager;  /* 0: none */
	int pager_input;
	size_t rows, columns;  /* of the screen */
	size_t row, column;    /* where the text so far ends; escape: inside a sequence */
	bool escape, quit;
	struct strbuf held, held_messages;
};

static bool write_all(int fd, const char *bytes, size_t length)
{
	while (length != 0) {
		ssize_t n = write(fd, bytes, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		bytes += n;
		length -= (size_t)n;
	}
	return true;
}

static void measure(struct page *page, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (page->escape) {
			page->escape = !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'));
		} else if (c == '\n') {
			page->row++;
			page->column = 0;
		} else if (c == '\033') {
			page->escape = true;
		} else if ((c & 0xc0) != 0x80) { /* a character, and not a further byte of one */
			if (page->column == page->columns) {
				page->row++;
				page->column = 0;
			}
			page->column++;
		}
	}
}

static void run_shell(const char *command)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (getenv("LESS") == NULL)
		setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	perror("hansei-page: /bin/sh");
	_exit(127);
}

static bool start_pager(struct page *page)
{
	const char *command = getenv("HANSEI_PAGER");
	int ends[2];
	if (command == NULL || command[0] == '\0' || pipe(ends) != 0)
		return false;
	page->pager = fork();
	if (page->pager == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		run_shell(command);
	}
	close(ends[0]);
	if (page->pager < 0) {
		page->pager = 0;
		close(ends[1]);
		return false;
	}
	page->pager_input = ends[1];
	fcntl(page->pager_input, F_SETFD, FD_CLOEXEC);
	return true;
}

/* Sends text on, or holds it as long as the screen is not full. */
static void take(struct page *page, const char *bytes, size_t length)
{
	if (page->pager == 0) {
		measure(page, bytes, length);
		strbuf_add(&page->held, bytes, length);
		if (page->row < page->rows) /* and one line for the prompt */
			return;
		if (!start_pager(page)) {
			page->rows = SIZE_MAX; /* no pager: everything goes to the screen */
			page->pager_input = STDOUT_FILENO;
		}
	} else {
		strbuf_add(&page->held, bytes, length);
	}
	page->quit = !write_all(page->pager_input, page->held.text, page->held.length);
	strbuf_reset(&page->held);
}

static void take_messages(struct page *page)
{
	char buffer[4096];
	ssize_t n = read(page->messages, buffer, sizeof buffer);
	if (n <= 0) {
		if (n == 0 || errno != EINTR) {
			close(page->messages);
			page->messages = -1;
		}
	} else if (page->pager != 0) {
		strbuf_add(&page->held_messages, buffer, (size_t)n);
	} else {
		write_all(STDERR_FILENO, buffer, (size_t)n);
	}
}

static void show(struct page *page)
{
	char buffer[65536];
	bool more = true;
	while (more && !page->quit) {
		struct pollfd fds[2] = { { page->input, POLLIN, 0 }, { page->messages, POLLIN, 0 } };
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents != 0)
			take_messages(page);
		if (fds[0].revents == 0)
			continue;
		ssize_t n = read(page->input, buffer, sizeof buffer);
		more = n > 0 || (n < 0 && errno == EINTR); /* the other end of a pseudoterminal gone is EIO, or an end */
		if (n > 0)
			take(page, buffer, (size_t)n);
	}
}

/* A pseudoterminal that changes nothing of what is written to it. Status: whether there is one. */
static bool open_terminal(int *outer, int *inner)
{
	struct termios modes;
	struct winsize size;
	*outer = posix_openpt(O_RDWR | O_NOCTTY);
	const char *name = *outer >= 0 && grantpt(*outer) == 0 && unlockpt(*outer) == 0 ? ptsname(*outer) : NULL;
	*inner = name != NULL ? open(name, O_RDWR | O_NOCTTY) : -1;
	if (*inner < 0 || tcgetattr(*inner, &modes) != 0)
		return false;
	modes.c_oflag &= ~(tcflag_t)OPOST;
	modes.c_lflag &= ~(tcflag_t)(ECHO | ICANON);
	fcntl(*outer, F_SETFD, FD_CLOEXEC);
	return tcsetattr(*inner, TCSANOW, &modes) == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	       ioctl(*inner, TIOCSWINSZ, &size) == 0;
}

static void run_program(char **argv)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	execvp(argv[0], argv);
	fprintf(stderr, "hansei-page: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

static void start_program(struct page *page, char **argv)
{
	int outer, inner, messages[2];
	if (!open_terminal(&outer, &inner) || pipe(messages) != 0)
		run_program(argv); /* in our place, without a pager */
	page->program = fork();
	if (page->program < 0)
		run_program(argv);
	if (page->program == 0) {
		dup2(inner, STDOUT_FILENO);
		dup2(messages[1], STDERR_FILENO);
		close(inner);
		close(messages[0]);
		close(messages[1]);
		run_program(argv);
	}
	close(inner);
	close(messages[1]);
	fcntl(messages[0], F_SETFD, FD_CLOEXEC);
	page->input = outer;
	page->messages = messages[0];
}

static int wait_for(pid_t pid)
{
	int status = 0;
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int finish(struct page *page)
{
	if (page->quit && page->program > 0)
		kill(page->program, SIGTERM);
	if (page->pager > 0)
		close(page->pager_input);
	int status = wait_for(page->program);
	bool interrupted = status == 128 + SIGINT;
	if (page->quit)
		status = 0;
	if (page->pager == 0 && !interrupted)
		write_all(STDOUT_FILENO, page->held.text, page->held.length);
	wait_for(page->pager);
	while (page->messages >= 0)
		take_messages(page);
	write_all(STDERR_FILENO, page->held_messages.text, page->held_messages.length);
	return status;
}

int main(int argc, char **argv)
{
	struct page page = { .messages = -1, .held = STRBUF_INIT, .held_messages = STRBUF_INIT };
	struct winsize size;
	if (argc < 2) {
		fputs("usage: hansei-page PROGRAM [ARG…], or hansei-page -\n", stderr);
		return 2;
	}
	bool given = strcmp(argv[1], "-") == 0;
	bool screen = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
	if (!screen && !given)
		run_program(argv + 1);
	page.rows = screen ? size.ws_row : SIZE_MAX;
	page.columns = screen && size.ws_col != 0 ? size.ws_col : SIZE_MAX;
	signal(SIGINT, SIG_IGN); /* ^C ends the program, not us: the pager must be waited for */
	signal(SIGPIPE, SIG_IGN);
	if (!given)
		start_program(&page, argv + 1);
	show(&page);
	int status = finish(&page);
	strbuf_release(&page.held);
	strbuf_release(&page.held_messages);
	return status;
}
