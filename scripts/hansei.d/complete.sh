# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# complete.sh - what Tab offers: `hansei --complete TEXT`, where TEXT is the line up to the cursor. Prints the end of
# TEXT that is to be replaced, and then one candidate a line, as hansei-edit.c wants them. HANSEI_CURSOR and HANSEI_SESSION tell of the session. Nothing is offered where nothing is known.

complete_line() # TEXT
{
	private=${HANSEI_SESSION-} force=${HANSEI_FORCE-} told='' run_quiet='' page_helper='' config_pager=off
	complete_cursor="${HANSEI_CURSOR-}  "
	cursor_kind=${complete_cursor%% *} complete_cursor=${complete_cursor#* }
	cursor_key=${complete_cursor%% *} complete_cursor=${complete_cursor#* }
	cursor_frame=${complete_cursor%% *}
	HANSEI_FORMAT=table
	complete_split "$1" || return 0
	printf '%s\n' "$complete_raw"
	eval "complete_command $complete_words" 2>/dev/null
}

# Sets complete_words: the finished words of the last command of the text, quoted; complete_raw: the one that is being
# typed, as it stands; complete_word: without its quotes. Status 1: what is typed goes to the shell.
complete_split() # TEXT
{
	line=$1 complete_words='' complete_raw='' complete_word=''
	while :; do
		parse_blanks
		case $line in
		'') return 0 ;;
		';'*)
			line=${line#;} complete_words=''
			continue
			;;
		'!'*) [ -n "$complete_words" ] || return 1 ;;
		esac
		complete_raw=$line
		if ! parse_word 2>/dev/null; then
			# An open quote: what is behind it is typed.
			complete_word=$word$line
			return 0
		fi
		if [ -z "$line" ]; then
			complete_word=$word
			return 0
		fi
		case $word_quoted,$word in
		,'|' | ,'!' | ,'>' | ,'>>') return 1 ;;
		esac
		quote "$word"
		complete_words="$complete_words $quoted" complete_raw=''
	done
}

# Prints those of the candidates on standard input, `VALUE[tab EXPLANATION]`, that begin with what is typed, quoted
# where needed. HOW: plain; open: the same, and more may follow in the same word; exact: alternatives separated by commas;
# regex: the same, as expressions that match the value.
complete_from() # HOW
{
	case $1 in
	plain | open) complete_base='' complete_typed=$complete_word ;;
	*)
		complete_base=${complete_word%"${complete_word##*,}"}
		complete_typed=${complete_word##*,}
		;;
	esac
	COMPLETE_BASE=$complete_base COMPLETE_TYPED=$complete_typed COMPLETE_QUOTE=${complete_raw%"${complete_raw#?}"} \
		awk -v how="$1" -F '\t' '
		BEGIN {
			base = ENVIRON["COMPLETE_BASE"]; typed = ENVIRON["COMPLETE_TYPED"]; quote = ENVIRON["COMPLETE_QUOTE"]
			if (quote != "\"" && quote != "\047")
				quote = ""
		}
		$1 != "" {
			value = $1
			if (how == "regex")
				gsub(/[][.*+?()^$|\\{}]/, "\\\\&", value)
			if (how == "regex" || how == "exact")
				gsub(/,/, "\\,", value)
			if (substr(value, 1, length(typed)) != typed && substr($1, 1, length(typed)) != typed)
				next
			value = base value
			if (quote != "" || value ~ /[ \t;"\047]/) {
				q = quote != "" ? quote : value ~ /"/ ? "\047" : "\""
				value = q value q
			}
			print value "\t" $2 (how == "open" ? "\t+" : "")
		}'
}

# Keeps the answer of a command in the session, since the core does not change.
complete_cached() # NAME COMMAND...
{
	complete_file=$private/complete-$1
	shift
	if [ -z "$private" ]; then
		"$@"
	elif [ ! -e "$complete_file" ]; then
		"$@" >"$complete_file" </dev/null
	fi
	[ -z "$private" ] || cat "$complete_file"
}

complete_help() # PROGRAM
{
	find_program "$1" || return
	complete_cached "help-$1" "$found" --help
}

# A command with the words so far.
complete_command() # WORD...
{
	if [ $# -eq 0 ]; then
		complete_names
		return
	fi
	find_command "$1" || return
	shift
	case $command_how in
	listing) complete_listing "$@" ;;
	singular) complete_singular "$@" ;;
	frame)
		case ${1-} in
		'' | *[!0-9]*) ;;
		*)
			cursor_frame=$1
			shift
			;;
		esac
		complete_command "$@"
		;;
	up | down) complete_command "$@" ;;
	*)
		case $complete_word in
		-*) complete_options ;;
		*) complete_argument "$@" ;;
		esac
		;;
	esac
}

complete_names()
{
	{
		IFS=$nl
		for complete_row in $COMMANDS; do
			unset IFS
			command_row "$complete_row"
			[ -z "$command_help" ] || printf '%s\t%s\n' "$command_name" "$command_help"
		done
		unset IFS
	} | complete_from plain
}

# Long options of the command's program, without those that the session takes care of.
complete_options()
{
	{
		[ "$command_how" != listing ] || printf -- '--exec\trun a command on each\n'
		complete_help "$command_program" | awk '
			/^Columns and fields/ { exit }
			/^$/ { part = 1 }
			part && match($0, /--[a-z-]+/) {
				name = substr($0, RSTART, RLENGTH)
				help = substr($0, RSTART + RLENGTH)
				sub(/^( [A-Z][^ ]*)* */, "", help)
				if (name !~ /^--(core|tokio-info|debug-info|binary|force|no-cache|help|version|no-header)$/)
					print name "\t" help
			}'
	} | complete_from plain
}

complete_fields()
{
	complete_help "$command_program" | awk '
		on && /^[ *]/ { line = substr($0, 5); name = line; sub(/[, ].*/, "", name); sub(/^[^ ]*(, [^ ]*)* */, "", line)
			gsub(/_/, "-", name); print name "\t" line }
		/^Columns and fields/ { on = 1 }' | complete_from "$1"
}

complete_listing() # WORD...
{
	complete_first='' complete_second='' complete_before=''
	while [ $# -gt 0 ]; do
		case $1 in
		-e | --exec)
			shift
			case $command_name in
			tasks | futures | threads) complete_exec_cursor ;;
			esac
			complete_command "$@"
			return
			;;
		esac
		quote "$1"
		complete_before="$complete_before $quoted"
		complete_second=$complete_first complete_first=$1
		shift
	done
	case $complete_first in
	-w | -W | --with | --without | -g | --group)
		complete_fields plain
		return
		;;
	--columns) complete_fields exact ;;
	-o | --format) printf '%s\n' table tsv json | complete_from plain ;;
	-l | --limit) ;;
	*)
		case $complete_second in
		-w | -W | --with | --without) complete_values "$complete_first" ;;
		*) complete_options ;;
		esac
		;;
	esac
}

# The first object that is listed will do, to know what can be asked of one.
complete_exec_cursor()
{
	complete_key=$(eval "run_program \"\$command_program\" -o tsv --no-header $complete_before --limit 1" 2>/dev/null)
	complete_key=${complete_key%%"$nl"*}
	complete_key=${complete_key%%"$tab"*}
	cursor_set "${command_name%s}" "${complete_key#*/}" 0
}

# The values that the core holds for a field, the most frequent first.
complete_values() # FIELD
{
	case $1 in *[!a-z_-]*) return ;; esac
	complete_how=$(complete_help "$command_program" | awk -v field="$1" '
		BEGIN { gsub(/-/, "_", field) }
		on && /^[ *]/ { names = substr($0, 5); sub(/  .*/, "", names)
			if ((", " names ",") ~ (", " field ",")) { print /\(exact\)$/ ? "exact" : /\(>N/ ? "count" : "regex"; exit } }
		/^Columns and fields/ { on = 1 }')
	case $complete_how in
	exact | regex) ;;
	*) return ;;
	esac
	complete_cached "values-$command_name-$1" run_program "$command_program" -o tsv --no-header --group "$1" |
		awk -F '\t' '{ print $1 "\t" $2 " " ($2 == 1 ? substr(plural, 1, length(plural) - 1) : plural) }' plural="$command_name" |
		complete_from "$complete_how"
}

complete_singular() # WORD...
{
	if [ $# -eq 0 ]; then
		case $complete_word in
		-*) complete_options ;;
		*) complete_objects ;;
		esac
		return
	fi
	case $1 in -*) complete_options && return ;; esac
	object_key "$command_name" "$1" || return
	if [ $# -eq 1 ]; then
		case $complete_word in -*) complete_options && return ;; esac
	fi
	case $command_name in
	thread) cursor_set thread "$key" '' ;;
	*) cursor_set "$command_name" "$key" 0 ;;
	esac
	shift
	complete_command "$@"
}

# Ids or addresses of the command's objects, with a word on each.
complete_objects()
{
	case $command_name in
	task | trace) set -- hansei-tasks id,future ;;
	future) set -- hansei-futures address,future ;;
	thread) set -- hansei-threads lwp,role ;;
	connection) set -- hansei-conns address,peer ;;
	runtime) set -- hansei-runtimes id,flavor ;;
	*) return ;;
	esac
	complete_cached "objects-$1" run_program "$1" -o tsv --no-header --columns "$2" | cut -f 2- | complete_from plain
}

complete_argument() # WORD...
{
	case $command_completion,$# in
	command,0) complete_names ;;
	config,0 | config,1) complete_settings "$@" ;;
	task,0) complete_objects ;;
	value,0) complete_objects ;;
	file,0) complete_files ;;
	local,*)
		case ${1-} in
		0x*) [ $# -ne 1 ] || complete_types ;;
		*) complete_locals "$@" ;;
		esac
		;;
	type,0) complete_types ;;
	esac
}

complete_settings() # [KEY]
{
	{
		IFS=$nl
		for complete_row in $SETTINGS; do
			unset IFS
			complete_rest=${complete_row#*|*|}
			case $#,${complete_row%%|*} in
			0,*) printf '%s\t%s\n' "${complete_row%%|*}" "${complete_row##*|}" ;;
			1,"${1-}")
				case ${complete_rest%%|*} in *' on or off' | 'on or off' | 'on, off'*) echo on ;; esac
				case ${complete_rest%%|*} in *off*) echo off ;; esac
				;;
			esac
		done
		unset IFS
	} | complete_from plain
}

complete_files()
{
	case $complete_word in
	[~]/*) set -- "${HOME-}/${complete_word#??}" ;;
	*) set -- "$complete_word" ;;
	esac
	set +f
	for complete_path in "$1"*; do
		[ -e "$complete_path" ] || continue
		[ ! -d "$complete_path" ] || complete_path=$complete_path/
		printf '%s\n' "$complete_word${complete_path#"$1"}"
	done | complete_from plain
	set -f
}

# Locals of the frame at the cursor, or what can follow the last `.` of a path; hansei-print names it when it is asked
# for something that cannot be.
complete_locals()
{
	cursor_frame_reference || return
	case $complete_word in
	*.*)
		complete_root=${complete_word%.*}
		complete_said=$(run_program hansei-print --depth 0 "$reference" "$complete_root.?" 2>&1)
		case $complete_said in
		*'; it has '*) complete_said=${complete_said##*; it has } ;;
		*'; the live one is '*) complete_said=${complete_said##*; the live one is } ;;
		*) return ;;
		esac
		printf '%s\n' "$complete_said" | awk -v root="$complete_root" '{
			count = split($0, names, ", ")
			for (i = 1; i <= count; i++)
				if (names[i] !~ /^__/)
					print root "." names[i]
		}' | complete_from open
		;;
	*)
		complete_cached "locals-$cursor_kind-$cursor_key-$cursor_frame" \
			run_program hansei-print -o tsv --no-header --depth 0 --max-array 0 --max-string 0 "$reference" |
			cut -f 2,3 | complete_from open
		;;
	esac
}

complete_types()
{
	tinfo_find || return
	complete_cached types run_program hansei-tinfo find-types "$tinfo_file" . --format tsv | cut -f 1 | complete_from plain
}
