# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# run.sh - programs, commands, lines and scripts.
#
# Exit statuses of commands are those of the programs: 0 answered, 1 could not, 2 wrong usage, 3 answered in part, 130
# interrupted. 3 does not stop a script.

complain()
{
	printf 'error: %s\n' "$*" >&2
}

# printf for answers. That nobody reads them any more is no error.
answer() # FORMAT ARG...
{
	# shellcheck disable=SC2059 # the format is an argument
	printf "$@" 2>/dev/null
}

# Where programs are: $HANSEI_BIN, beside this script, in build/ of the source tree, on the PATH. Helpers may also be
# in libexec/hansei.
find_programs()
{
	program_places=
	for program_place in "${HANSEI_BIN-}" "$beside" "$home" "$home/../build" "$home/../libexec/hansei"; do
		[ -z "$program_place" ] || program_places="$program_places$program_place$nl"
	done
}

find_program() # NAME; sets found
{
	IFS=$nl
	for program_place in $program_places; do
		unset IFS
		found=$program_place/$1
		[ ! -x "$found" ] || return 0
	done
	unset IFS
	found=$(command -v -- "$1") || {
		complain "$1 is not built"
		return 1
	}
}

# The pager for what the session itself prints; programs get it from run_program.
page()
{
	if [ -n "$page_helper" ] && [ "$config_pager" != off ]; then
		"$page_helper" -
	else
		cat
	fi
}

# Runs a program. At the prompt its answer goes through the pager, when it is longer than the screen. Warnings that
# were told at launch are not repeated.
run_program() # PROGRAM ARG...
{
	run_name=$1
	shift
	find_program "$run_name" 2>/dev/null || {
		complain "${command_name:-$run_name} is not built: there is no $run_name"
		return 1
	}
	[ -z "$force" ] || set -- --force "$@"
	set -- "$found" "$@"
	if [ -n "$page_helper" ] && [ "$config_pager" != off ] && [ -t 1 ]; then
		set -- "$page_helper" "$@"
	fi
	if [ -z "$told$run_quiet" ]; then
		"$@" </dev/null
		return
	fi
	"$@" </dev/null 2>"$private/errors"
	run_status=$?
	tell_errors
	return "$run_status"
}

# Prints what a program said, but nothing that was told at launch, nor, if run_quiet, that --limit cut a list.
tell_errors()
{
	[ -s "$private/errors" ] || return 0
	while IFS= read -r run_message; do
		case $run_quiet$run_message in
		1hansei-*' shown (--limit)') continue ;;
		esac
		case $nl$told$nl in
		*"$nl$run_message$nl"*) ;;
		*) printf '%s\n' "$run_message" >&2 ;;
		esac
	done <"$private/errors"
}

# One command, as words. `$_` is the address of the future at the cursor.
run_words() # WORD...
{
	# shellcheck disable=SC2016 # the word itself
	case " $* " in
	*' $_ '*)
		for run_word; do
			shift
			if [ "$run_word" = '$_' ]; then
				cursor_address || return
				run_word=$address
			fi
			set -- "$@" "$run_word"
		done
		;;
	esac
	find_command "$1" || return
	shift
	"run_$command_how" "$@"
}

# What parse_command found.
run_command()
{
	case $shell in
	'') eval "run_words $words" ;;
	'! '*) run_shell "${shell#! }" ;;
	*) run_piped ;;
	esac
}

run_shell() # TEXT
{
	if [ -n "$prompting" ]; then
		"${SHELL:-/bin/sh}" -c "$1"
	else
		"${SHELL:-/bin/sh}" -c "$1" </dev/null
	fi
}

# A pipe runs the command in a process of its own: it leaves status and cursor in a file. That the reader had enough is
# no failure, nor that it ends with 1, as grep does when it finds nothing.
run_piped()
{
	if [ -z "$words" ]; then
		complain "a command is missing before '${shell%% *}'"
		return 2
	fi
	case $shell in
	'|'*) set -- "${shell#| }" ;;
	*) set -- "cat $shell" ;;
	esac
	echo run_status=0 >"$private/state"
	{
		page_helper='' piping=1
		eval "run_words $words"
		state_keep "$?"
	} | "${SHELL:-/bin/sh}" -c "$1"
	run_shell_status=$?
	# shellcheck source=/dev/null
	. "$private/state"
	case $run_status,$run_shell_status,$shell in
	0,0,*) ;;
	0,1,'|'*) ;;
	0,*)
		[ "$run_shell_status" -ge 128 ] || complain "the shell's command ended with status $run_shell_status"
		return 1
		;;
	esac
	return "$run_status"
}

state_keep() # STATUS
{
	quote "$config_pager"
	cat >"$private/state" <<-END
		run_status=$1 quitting=$quitting
		cursor_kind='$cursor_kind' cursor_key='$cursor_key' cursor_frame='$cursor_frame'
		config_depth='$config_depth' config_limit='$config_limit' config_max_array_values='$config_max_array_values'
		config_max_string_len='$config_max_string_len' config_truncate_names='$config_truncate_names'
		config_ugly='$config_ugly' config_pager=$quoted
	END
}

# All commands of a line, up to the first that fails. failed_text is then that command, and line_count how many
# there were so far.
run_line() # LINE
{
	line=$1 line_count=0 failed_text=''
	while [ -z "$quitting" ]; do
		parse_command
		case $? in
		1) return 0 ;;
		2)
			failed_text=$text
			return 2
			;;
		esac
		[ -n "$words$shell" ] || continue
		line_count=$((line_count + 1))
		interrupted=''
		run_command
		run_status=$?
		[ -z "$interrupted" ] || run_status=130
		case $run_status in
		0) ;;
		3) incomplete=3 ;;
		*)
			failed_text=$text
			return "$run_status"
			;;
		esac
	done
	return 0
}

# Ends a script or --exec that failed.
give_up() # STATUS WHERE
{
	if [ "$1" -lt 128 ]; then
		# shellcheck disable=SC2016 # backquotes are only that
		printf 'hansei: %s: in `%s`\n' "$2" "$failed_text" >&2
	fi
	exit "$1"
}

# The commands of --exec options, which may have several lines.
run_options()
{
	run_index=0
	while [ "$run_index" -lt "$exec_count" ]; do
		run_index=$((run_index + 1))
		eval "run_lines \"\$exec_$run_index\""
	done
	exit "$incomplete"
}

run_lines() # TEXT
{
	IFS=$nl
	# shellcheck disable=SC2086 # lines on purpose
	set -- $1
	unset IFS
	for run_input; do
		[ -z "$quitting" ] || return 0
		run_comment "$run_input" || run_line "$run_input" || give_up "$?" --exec
	done
}

run_comment() # LINE
{
	case ${1#"${1%%[! "$tab"]*}"} in
	'#'*) ;;
	*) return 1 ;;
	esac
}

# Commands on standard input.
run_script()
{
	run_number=0 run_more=1
	while [ -n "$run_more" ] && [ -z "$quitting" ]; do
		IFS= read -r run_input || run_more=
		run_number=$((run_number + 1))
		run_comment "$run_input" || run_line "${run_input%"$carriage_return"}" || give_up "$?" "stdin line $run_number"
	done
	exit "$incomplete"
}

run_quit()
{
	if [ $# -gt 0 ]; then
		complain "quit takes no argument"
		return 2
	fi
	quitting=1
}
