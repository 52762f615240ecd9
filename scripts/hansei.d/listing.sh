# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# listing.sh - listings, and `--exec COMMAND…`, which takes the rest of the line and runs it on each object listed.

# Sets limited: the words, quoted, with the limit of `config limit` unless they have one.
limit_add() # WORD...
{
	limited='' limit_given=$config_limit
	for limit_word; do
		quote "$limit_word"
		limited="$limited $quoted"
		case $limit_word in
		-l* | --l*) limit_given=off ;;
		esac
	done
	[ "$limit_given" = off ] || limited="$limited --limit $limit_given"
}

# What stands before --exec are options of the program; where an option takes one or two values is told by its name.
run_listing() # [OPTION...] [--exec COMMAND...]
{
	listing_words='' listing_group='' listing_values=0 listing_exec='' listing_format=''
	while [ $# -gt 0 ] && [ -z "$listing_exec" ]; do
		if [ "$listing_values" -gt 0 ]; then
			listing_values=$((listing_values - 1))
		else
			case $1 in
			-e | --exec | --ex | --exe)
				listing_exec=1
				shift
				continue
				;;
			--w*=*) listing_values=1 ;;
			--g*=*) listing_group=1 ;;
			--fo*=*) listing_format=1 ;;
			--*=*) ;;
			--w* | -w | -W) listing_values=2 ;;
			-w* | -W*) listing_values=1 ;;
			-g | --g*) listing_group=1 listing_values=1 ;;
			-g*) listing_group=1 ;;
			-o | --fo*) listing_format=1 listing_values=1 ;;
			-o*) listing_format=1 ;;
			-[lctdb] | --l* | --col* | --core | --tokio-info | --debug-info | --binary) listing_values=1 ;;
			-*) ;;
			*)
				complain "$command_name lists: '$1' is one of them in '${command_name%s} $1'"
				return 2
				;;
			esac
		fi
		quote "$1"
		listing_words="$listing_words $quoted"
		shift
	done
	eval "limit_add $listing_words"
	if [ -z "$listing_exec" ]; then
		eval "run_program \"\$command_program\" $limited"
		return
	fi
	listing_exec "$@"
}

listing_exec() # COMMAND...
{
	listing_noun=${command_name%s}
	case $command_name in
	tasks | futures | threads) ;;
	*)
		complain "$command_name: --exec is for tasks, futures and threads"
		return 2
		;;
	esac
	if [ -n "$listing_group$listing_format" ]; then
		complain "--exec runs on objects: it does not go with --group and --format"
		return 2
	elif [ $# -eq 0 ]; then
		complain "--exec: a command is missing"
		return 2
	fi
	listing_program=$command_program
	find_command "$1" || return
	if [ "$command_how" = listing ]; then
		complain "--exec: $command_name is no command on one object"
		return 2
	fi
	# The heading that the bare singular prints is its own.
	listing_headed=''
	[ $# -gt 1 ] || [ "$command_name" != "$listing_noun" ] || listing_headed=1
	listing_rows=$(eval "page_helper= run_quiet=1; run_program \"\$listing_program\" -o tsv --no-header --columns ref $limited") || return
	listing_how=listing_loop
	! listing_at_once "$@" || listing_how=listing_batch
	if [ -z "$page_helper" ] || [ "$config_pager" = off ] || [ ! -t 1 ]; then
		"$listing_how" "$@"
		return
	fi
	echo 130 >"$private/status" # unless it comes to its end
	{
		page_helper=
		"$listing_how" "$@"
		echo "$?" >"$private/status"
	} | page
	read -r listing_status <"$private/status"
	return "$listing_status"
}

# Whether the program of the command can take all objects in one run, with the same answer.
listing_at_once() # COMMAND...
{
	# shellcheck disable=SC2016 # the word itself
	case " $* " in *' $_ '*) return 1 ;; esac
	case $listing_noun,$command_name,${2-} in
	task,task, | future,future, | thread,thread,) ;;
	task,trace, | task,trace,-*) ;;
	*) return 1 ;;
	esac
}

listing_batch() # COMMAND...
{
	shift
	set -- "$command_program" "$@"
	case $command_name in trace) limit_add "$@" && eval "set -- $limited" ;; esac
	find_program "$1" || return
	shift
	echo 0 >"$private/failed"
	{
		printf '%s\n' "$listing_rows" | "$found" ${force:+"$force"} "$@" 2>&1 >&3 3>&- | listing_errors >&2
	} 3>&1
	IFS= read -r listing_failed <"$private/failed"
	listing_count=0
	IFS=$nl
	# shellcheck disable=SC2086 # lines on purpose
	set -- $listing_rows
	unset IFS
	listing_count=$#
	listing_end
}

# Hands on what the program says, and counts what it could not answer.
listing_errors()
{
	listing_failed=0
	while IFS= read -r run_message; do
		case $run_message in
		hansei-*) listing_failed=$((listing_failed + 1)) ;;
		esac
		case $nl$told$nl in
		*"$nl$run_message$nl"*) ;;
		*) printf '%s\n' "$run_message" ;;
		esac
	done
	echo "$listing_failed" >"$private/failed"
}

listing_end()
{
	listing_plural=s
	[ "$listing_count" -ne 1 ] || listing_plural=
	answer '[Executed against %s %s%s, %s failed]\n' "$listing_count" "$listing_noun" "$listing_plural" "$listing_failed"
	[ "$listing_failed" -gt 0 ] || return 0
	complain "failed on $listing_failed of $listing_count"
	return 1
}

# Cursor and counts are kept in positional parameters, since the commands come here again when they list.
listing_loop() # COMMAND...
{
	set -- "$cursor_kind" "$cursor_key" "$cursor_frame" "$listing_noun" "$listing_headed" "$@"
	listing_count=0 listing_failed=0
	IFS=$nl
	# shellcheck disable=SC2086 # lines on purpose
	for listing_row in $listing_rows; do
		unset IFS
		listing_run "$@" || listing_failed=$((listing_failed + 1))
		[ -z "$interrupted" ] || break
	done
	unset IFS
	cursor_set "$1" "$2" "$3"
	listing_noun=$4
	listing_end
}

listing_run() # KIND KEY FRAME NOUN HEADED COMMAND...
{
	listing_reference=${listing_row%%"$tab"*}
	case $4 in
	thread) cursor_set "$4" "${listing_reference#*/}" '' ;;
	*) cursor_set "$4" "${listing_reference#*/}" 0 ;;
	esac
	[ "$listing_count" -eq 0 ] || answer '\n'
	listing_count=$((listing_count + 1))
	[ -n "$5" ] || answer '%s %s\n' "$4" "$cursor_key"
	shift 5
	set -- "$listing_count" "$listing_failed" "$@"
	listing_nested "$@"
	set -- "$?" "$1" "$2"
	listing_count=$2 listing_failed=$3 quitting=''
	[ "$1" -eq 0 ] || [ "$1" -eq 3 ]
}

listing_nested()
{
	shift 2
	run_words "$@"
}
