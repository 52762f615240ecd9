# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# settings.sh - config, history, save-tokio-info.

# KEY|default|what it takes|help
# shellcheck disable=SC2016 # the word $PAGER
SETTINGS='
depth|2|a number|levels of a value that print and locals open
limit|off|a number above 0, or off|rows of listings, frames of traces
max-array-values|128|a number|elements of a list or map to print
max-string-len|131072|a number|bytes of a text to print
pager|on|on, off, or a command|what long answers are shown with at the prompt; on: $PAGER, else less
truncate-names|on|on or off|names are cut so that tables fit the terminal
ugly|off|on or off|values are shown member by member, as they are in memory
'

settings_default()
{
	IFS=$nl
	for setting_row in $SETTINGS; do
		unset IFS
		setting_rest=${setting_row#*|}
		setting_variable "${setting_row%%|*}"
		eval "$setting_name=\${setting_rest%%|*}"
	done
	unset IFS
}

# max-string-len → config_max_string_len
setting_variable() # KEY
{
	setting_name=config_ setting_part=$1
	while :; do
		case $setting_part in
		*-*) setting_name=$setting_name${setting_part%%-*}_ setting_part=${setting_part#*-} ;;
		*) break ;;
		esac
	done
	setting_name=$setting_name$setting_part
}

run_config() # [KEY [VALUE]]
{
	if [ $# -gt 2 ]; then
		complain "config: '$3' is one too many"
		return 2
	fi
	setting_keys=''
	IFS=$nl
	for setting_row in $SETTINGS; do
		unset IFS
		setting_key=${setting_row%%|*}
		setting_keys="$setting_keys, $setting_key"
		setting_variable "$setting_key"
		case $# in
		0) eval "answer '%-18s%s\\n' \"\$setting_key\" \"\$$setting_name\"" ;;
		*)
			[ "$setting_key" = "$1" ] || continue
			if [ $# -eq 1 ]; then
				eval "answer '%s\\n' \"\$$setting_name\""
			else
				setting_change "$2"
			fi
			return
			;;
		esac
	done
	unset IFS
	[ $# -gt 0 ] || return 0
	complain "config: no setting '$1'; there are ${setting_keys#, }"
	return 2
}

setting_change() # VALUE
{
	setting_takes=${setting_row#*|*|}
	setting_takes=${setting_takes%%|*}
	case $1 in
	'') setting_is='' ;;
	*[!0-9]*) setting_is=word ;;
	?????????????????*) setting_is='' ;; # more digits than any shell counts with
	*) setting_is=number ;;
	esac
	setting_good=''
	case $setting_takes in
	*'above 0'*) [ "$1" != 0 ] || setting_is='' ;;
	esac
	case $setting_is,$1,$setting_takes in
	number,*number* | word,off,*off* | word,on,*'on'[,\ ]*off* | word,*command) setting_good=1 ;;
	esac
	if [ -z "$setting_good" ]; then
		complain "config: $setting_key takes $setting_takes, not '$1'"
		return 2
	fi
	eval "$setting_name=\$1"
	[ "$setting_key" != pager ] || pager_export
	[ "$setting_key" != truncate-names ] || width_export
}

help_config()
{
	echo
	IFS=$nl
	for setting_row in $SETTINGS; do
		unset IFS
		setting_takes=${setting_row#*|*|}
		printf '  %-18s%s (%s)\n' "${setting_row%%|*}" "${setting_row##*|}" "${setting_takes%%|*}"
	done
	unset IFS
}

# What hansei-page starts.
pager_export()
{
	case $config_pager in
	on) HANSEI_PAGER=$pager_default ;;
	off) ;;
	*) HANSEI_PAGER=$config_pager ;;
	esac
	export HANSEI_PAGER
}

# The programs cut names to the width of the terminal; one so wide cuts nothing.
width_export()
{
	if [ "$config_truncate_names" = off ]; then
		COLUMNS=99999
		export COLUMNS
	else
		unset COLUMNS
	fi
}

# Sets limits: options of hansei-print for the settings that were changed.
print_limits()
{
	limits=
	[ "$config_depth" = 2 ] || limits="$limits --depth $config_depth"
	[ "$config_max_array_values" = 128 ] || limits="$limits --max-array $config_max_array_values"
	[ "$config_max_string_len" = 131072 ] || limits="$limits --max-string $config_max_string_len"
	[ "$config_ugly" = off ] || limits="$limits --ugly"
}

run_history() # [N]
{
	if [ -z "$prompting" ]; then
		complain "history is of the prompt: a script has none"
		return 1
	fi
	case ${1-} in
	*[!0-9]*)
		complain "history: '$1' is not a number"
		return 2
		;;
	esac
	[ -r "$history" ] || return 0
	awk -v count="${1-}" '
		{ lines[NR] = $0 }
		END { for (i = (count != "" && count < NR) ? NR - count + 1 : 1; i <= NR; i++) printf "%5d  %s\n", i, lines[i] }
	' "$history" | page
}

# Sets tinfo_file: the layouts as a file. When they were extracted, or came from the cache, that is the same extraction
# made once more for this session; it has the same bytes.
tinfo_find()
{
	tinfo_file=${HANSEI_TINFO-}
	[ -z "$tinfo_file" ] || return 0
	tinfo_cache=$private/extracted
	if [ ! -d "$tinfo_cache" ]; then
		mkdir "$tinfo_cache" || return
		find_program hansei-tasks || return
		# shellcheck disable=SC2086 # --force or nothing
		XDG_CACHE_HOME=$tinfo_cache "$found" $force --limit 0 >"$private/said" 2>"$private/errors" </dev/null || {
			tell_errors
			rm -rf "$tinfo_cache"
			return 1
		}
	fi
	set +f
	for tinfo_file in "$tinfo_cache"/hansei/*.tinfo; do
		[ -r "$tinfo_file" ] || continue
		set -f
		return 0
	done
	set -f
	complain "the layouts could not be extracted again"
	return 1
}

run_save_tokio_info() # FILE
{
	if [ $# -ne 1 ]; then
		complain "save-tokio-info: one FILE says where to"
		return 2
	elif [ -n "${HANSEI_TINFO-}" ]; then
		complain "the layouts are in a file already: $HANSEI_TINFO"
		return 1
	fi
	tinfo_find || return
	cp -- "$tinfo_file" "$1" || return
	answer 'wrote %s\n' "$1"
}

run_find_types() # REGEX
{
	tinfo_find || return
	run_program hansei-tinfo find-types "$tinfo_file" "$@"
}

run_type() # NAME [OPTION...]
{
	tinfo_find || return
	run_program hansei-tinfo type "$tinfo_file" "$@"
}
