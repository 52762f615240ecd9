/* edit.h - the two halves of hansei-edit: reading a line (hansei-edit.c), and completion (edit-complete.c). Ownership:
 * strings of the command line are borrowed; the menu owns what it holds. */
#ifndef HANSEI_TOOLS_EDIT_H
#define HANSEI_TOOLS_EDIT_H

#include <histedit.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/strbuf.h"

/* What the completer offered last. */
struct menu {
	struct strbuf answer; /* words and explanations point into it */
	struct candidate {
		const char *word, *note; /* note: "" for none */
		bool open;               /* more may follow in the same word */
	} *items;
	size_t count, capacity;
	struct strbuf word;   /* what stands there of the word being completed */
	struct strbuf before; /* the line up to the cursor, as the last Tab left it: if it still is, Tab goes on */
	bool shown, walking;
	size_t chosen;        /* while walking */
};

struct edit {
	char *prompt;
	const char *history;
	char **completer; /* a program and its first arguments; NULL: no completion */
	size_t completer_count;
	FILE *screen;
	struct menu menu;
};

/* For EL_ADDFN; the client data of `el` is the struct edit. */
unsigned char edit_complete(EditLine *el, int key);
unsigned char edit_complete_back(EditLine *el, int key);
void menu_init(struct menu *menu);
void menu_release(struct menu *menu);

#endif
