# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# prompt.sh - the prompt: lines come from hansei-edit, answers go through hansei-page. Without these two (or on a
# terminal that cannot do it) it is plain reading and printing.

run_prompt()
{
	prompting=1 prompt_editor='' page_helper=''
	find_program hansei-edit 2>/dev/null && [ "${TERM:-dumb}" != dumb ] && prompt_editor=$found
	find_program hansei-page 2>/dev/null && page_helper=$found
	history_open
	completer_export
	trap 'interrupted=1' INT
	while [ -z "$quitting" ]; do
		prompt_text
		prompt_read
		case $? in
		0) ;;
		1) break ;;
		130) continue ;;
		*)
			[ -n "$prompt_editor" ] || break
			prompt_editor='' # and the next line without it
			continue
			;;
		esac
		! run_comment "$prompt_line" || continue
		run_line "$prompt_line"
		prompt_status=$?
		[ -z "$interrupted" ] || echo # behind the ^C that the terminal shows
		if [ "$prompt_status" -ne 0 ] && [ "$prompt_status" -ne 130 ] && [ "$line_count${line:+more}" != 1 ]; then
			# shellcheck disable=SC2016 # backquotes are only that
			printf 'in `%s`\n' "$failed_text" >&2
		fi
	done
	exit 0
}

# Sets prompt, and HANSEI_CURSOR for the completer.
prompt_text()
{
	case $cursor_kind in
	'') prompt='hansei> ' ;;
	thread) prompt="hansei : lwp $cursor_key> " ;;
	*) prompt="hansei : $cursor_kind $cursor_key #$cursor_frame> " ;;
	esac
	HANSEI_CURSOR="$cursor_kind $cursor_key $cursor_frame"
}

prompt_read()
{
	interrupted=''
	if [ -n "$prompt_editor" ]; then
		prompt_line=$("$prompt_editor" "$prompt" "$history" "$called" --complete)
		return
	fi
	printf '%s' "$prompt"
	IFS= read -r prompt_line && return
	echo
	[ -z "$interrupted" ] || return 130
	return 1
}

# Sets history: a file that can be written, or nothing.
history_open()
{
	history=
	prompt_place=${XDG_STATE_HOME:-${HOME:+$HOME/.local/state}}
	[ -n "$prompt_place" ] || return 0
	history=$prompt_place/hansei/history
	if ! mkdir -p "${history%/*}" 2>/dev/null || ! (umask 077 && : >>"$history") 2>/dev/null; then
		echo "warning: $history cannot be written: no history" >&2
		history=
	fi
}

# What complete.sh knows of this session, in a process of its own.
completer_export()
{
	find_program hansei-tasks 2>/dev/null && HANSEI_BIN=${found%/*}
	HANSEI_SESSION=$private HANSEI_FORCE=$force
	export HANSEI_BIN HANSEI_SESSION HANSEI_FORCE HANSEI_CURSOR
}
