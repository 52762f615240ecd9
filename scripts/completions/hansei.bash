# bash completion for hansei and its programs. Options and fields are read from --help, so they are those of the
# installed version; commands and settings come from the session itself.
# shellcheck shell=bash

_hansei_options() # PROGRAM
{
	"$1" --help 2>/dev/null | sed -n '/^Columns and fields/q; s/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'
}

_hansei_fields() # PROGRAM
{
	"$1" --help 2>/dev/null | sed -n '1,/^Columns and fields/d; s/^  [* ] \([a-z_0-9]*\).*/\1/p' | tr _ -
}

_hansei_session() # TEXT
{
	"${COMP_WORDS[0]}" --complete "$1" 2>/dev/null | sed 1d | cut -f 1
}

_hansei_offer() # WORDS
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}")
}

_hansei()
{
	local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	if [ "${program##*/}" = hansei ] && [ "${COMP_WORDS[1]-}" = tokio-info ] && [ "$COMP_CWORD" -gt 1 ]; then
		program=hansei-tinfo
	fi
	case ${program##*/},$previous in
	hansei,-e | hansei,--exec)
		_hansei_offer "$(_hansei_session '')"
		return
		;;
	hansei,--config)
		_hansei_offer "$(_hansei_session 'config ')"
		return
		;;
	hansei-tinfo,-o | *,-[ctdb] | *,--core | *,--tokio-info | *,--debug-info | *,--binary | *,--output) return ;;
	*,-o | *,--format)
		_hansei_offer 'table tsv json'
		return
		;;
	*,-[wWg] | *,--with | *,--without | *,--group)
		_hansei_offer "$(_hansei_fields "$program")"
		return
		;;
	*,--columns)
		local field fields=''
		for field in $(_hansei_fields "$program"); do
			case $current in
			*,*) fields="$fields ${current%,*},$field" ;;
			*) fields="$fields $field" ;;
			esac
		done
		_hansei_offer "$fields"
		return
		;;
	hansei-tinfo,hansei-tinfo | hansei-tinfo,tokio-info)
		_hansei_offer 'extract check stats find-types type dump'
		return
		;;
	esac
	case $current in
	-*) _hansei_offer "$(_hansei_options "$program")" ;;
	*) [ "$program,$COMP_CWORD" != "${COMP_WORDS[0]},1" ] || [ "${program##*/}" != hansei ] || _hansei_offer tokio-info ;;
	esac
}

complete -o bashdefault -o default -F _hansei hansei hansei-tasks hansei-threads hansei-futures hansei-conns \
	hansei-runtimes hansei-trace hansei-print hansei-graph hansei-census hansei-info hansei-tinfo
