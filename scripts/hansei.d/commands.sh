# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# commands.sh - the table of commands. One row is one command:
#
#     name|aliases|program|how|completion|arguments|help
#
# program: what answers; a command whose program is not there says so. how: the function run_HOW that runs it.
# completion: what Tab offers for an argument: task, future, thread, command, config, local, file, type, value (an
# address), or - for options only. A row without help is hidden: it works, but help and Tab do not show it.

COMMANDS='
census||hansei-census|report|-|[OPTION]…|count threads, tasks and futures on one page
children||hansei-tasks|children|-||what the task under the cursor holds beside its await chain
config|||config|config|[KEY [VALUE]]|show settings, or change one
connection|conn|hansei-conns|connection|value|0xADDR|show one connection
connections|conns|hansei-conns|listing|-|[OPTION]…|list HTTP, TLS and socket connections
down|||down|command|[COMMAND…]|move one frame towards what was polled last; run COMMAND there
dump||hansei-print|dump|local|0xADDR | LOCAL[PATH] | 0xADDR TYPE [PATH]|show memory in hexadecimal
find-types||hansei-tinfo|find_types|-|REGEX|
frame|||frame|command|[N] [COMMAND…]|show a frame of the await chain, or move to it; run COMMAND there
future||hansei-futures|singular|future|[0xADDR [COMMAND…]]|select a future and show it; or run COMMAND on it
futures||hansei-futures|listing|-|[OPTION]…|list futures that are in flight beside the await chains
graph||hansei-graph|report|-|[OPTION]…|show which task waits for which
help|||help|command|[COMMAND]|list the commands, or explain one
history|||history|-|[N]|show what was typed at the prompt
info||hansei-info|report|-||show what is attached: core, process, layouts
locals||hansei-print|locals|-|[OPTION]…|show the local variables of the frame
print||hansei-print|print|local|[LOCAL[PATH]] | 0xADDR TYPE [PATH]|show a value
regs||hansei-threads|regs|-||show the registers of the thread under the cursor
runtime||hansei-runtimes|runtime|-|[INDEX | 0xHANDLE]|show one runtime
runtimes||hansei-runtimes|listing|-|[OPTION]…|list the runtimes
save-tokio-info|||save_tokio_info|file|FILE|keep the layouts that were extracted at launch
task||hansei-tasks|singular|task|[ID | 0xADDR [COMMAND…]]|select a task and show it; or run COMMAND on it
tasks||hansei-tasks|listing|-|[OPTION]…|list tasks
thread||hansei-threads|singular|thread|[LWP [COMMAND…]]|select a thread and show it; or run COMMAND on it
threads||hansei-threads|listing|-|[OPTION]…|list threads
trace||hansei-trace|trace|task|[ID | 0xADDR] [OPTION]…|show the await chain of a task or future
type||hansei-tinfo|type|type|NAME | ID [OPTION]…|
up|||up|command|[COMMAND…]|move one frame towards the root; run COMMAND there
whatis||hansei-info|whatis|value|[0xADDR]|show what is known of an address
exit|||quit|-||
quit|||quit|-||end the session
'

# A pipe may stand in a row's arguments, so rows are taken apart from both ends.
command_row() # ROW
{
	command_name=${1%%|*} command_help=${1##*|}
	command_rest=${1#*|}
	command_rest=${command_rest%|*}
	command_aliases=${command_rest%%|*} command_rest=${command_rest#*|}
	command_program=${command_rest%%|*} command_rest=${command_rest#*|}
	command_how=${command_rest%%|*} command_rest=${command_rest#*|}
	command_completion=${command_rest%%|*} command_arguments=${command_rest#*|}
}

# Finds a command by its name, an alias, or a beginning that no other command has, and sets command_*.
find_command() # NAME
{
	command_found='' command_candidates='' command_rivals=0
	IFS=$nl
	for command_line in $COMMANDS; do
		unset IFS
		command_row "$command_line"
		case $1 in
		"$command_name" | "$command_aliases")
			[ -z "$1" ] || return 0
			;;
		esac
		case $command_name in
		"$1"*)
			[ -n "$command_help" ] || continue
			command_found=$command_line command_rivals=$((command_rivals + 1))
			command_candidates="$command_candidates, $command_name"
			;;
		esac
	done
	unset IFS
	if [ "$command_rivals" -eq 1 ]; then
		command_row "$command_found"
		return 0
	fi
	if [ "$command_rivals" -eq 0 ] || [ -z "$1" ]; then
		complain "no command '$1' (help lists them)"
	else
		complain "'$1' could be ${command_candidates#, }"
	fi
	return 2
}

run_help()
{
	if [ $# -gt 1 ]; then
		complain "help: '$2' is one too many"
		return 2
	elif [ $# -eq 1 ]; then
		find_command "$1" || return
		help_command | page
		return 0
	fi
	help_all | page
}

help_all()
{
	IFS=$nl
	for help_line in $COMMANDS; do
		unset IFS
		command_row "$help_line"
		[ -n "$command_help" ] || continue
		printf '  %-18s%s\n' "$command_name${command_aliases:+, $command_aliases}" "$command_help"
	done
	unset IFS
	cat <<-'END'

		A beginning that fits only one command is enough. task, future and thread also move the cursor, and with a
		command behind them run it there: task 5 trace. `help COMMAND` says more of one.

		  A; B               both, one after the other
		  LISTING --exec A   A on each object that is listed (the rest of the line is A)
		  A | COMMAND        the answer through a command of the shell
		  A > FILE           the answer into a file; >> appends
		  !COMMAND           a command of the shell
		  $_                 the address of the future at the cursor
	END
}

help_command()
{
	printf 'usage: %s%s\n%s.\n' "$command_name" "${command_arguments:+ $command_arguments}" "$command_help"
	[ -z "$command_aliases" ] || printf 'Also: %s\n' "$command_aliases"
	case $command_how in
	config) help_config ;;
	listing)
		case $command_name in tasks | futures | threads)
			printf '\n  -e, --exec COMMAND          run it on each object listed; the rest of the line is COMMAND\n' ;;
		esac
		;;
	esac
	if [ -n "$command_program" ] && find_program "$command_program" 2>/dev/null; then
		# All but the program's own first lines, and the options that the session takes care of.
		"$found" --help </dev/null | awk '
			/^$/ { part = 1 }
			!part || /^  -[ctdbf], / || /^      --no-cache/ || /^  -V, / { next }
			{ print }'
	fi
}
