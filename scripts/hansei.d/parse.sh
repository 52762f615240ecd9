# shellcheck shell=sh disable=SC2034,SC2154 # parts share variables
# parse.sh - a line as commands and words. Blanks separate words, `;` separates commands; single or double quotes make
# one word of what is inside, and a backslash is an ordinary character, since regular expressions have many. An
# unquoted word `|`, `>`, `>>` or `!` gives the rest of the command to the user's shell; so does `!` at the beginning.

# Sets quoted: the text as one word for eval.
quote() # TEXT
{
	quoted='' quote_rest=$1
	while :; do
		case $quote_rest in
		*\'*) ;;
		*) break ;;
		esac
		quoted="$quoted${quote_rest%%\'*}'\\''"
		quote_rest=${quote_rest#*\'}
	done
	quoted="'$quoted$quote_rest'"
}

# Takes the first command off $line. Status 0, with
#
#     words   its words, for eval "set -- $words"; empty: nothing stood there
#     shell   what goes to the user's shell: `| …`, `> …`, `>> …` with a command before it, `! …` without one
#     text    the command as it was typed
#
# 1: the line is empty. 2: an error, told.
parse_command()
{
	words='' shell='' text=$line
	parse_blanks
	[ -n "$line" ] || return 1
	case $line in
	'!'*)
		line=${line#!}
		parse_shell || return
		shell="! $shell"
		;;
	*)
		parse_words || return
		;;
	esac
	text=${text%"$line"}
	text=${text#"${text%%[! "$tab"]*}"}
	text=${text%;}
	text=${text%"${text##*[! "$tab"]}"}
	return 0
}

parse_blanks()
{
	line=${line#"${line%%[! "$tab"]*}"}
}

parse_words()
{
	while :; do
		parse_blanks
		case $line in
		'') return 0 ;;
		';'*)
			line=${line#;}
			return 0
			;;
		esac
		parse_word || return
		if [ -z "$word_quoted" ]; then
			case $word in
			'|' | '!') # in front of a command `!` is not a word
				parse_shell || return
				shell="| $shell"
				return 0
				;;
			'>' | '>>')
				shell_word=$word
				parse_shell || return
				shell="$shell_word $shell"
				return 0
				;;
			esac
		fi
		quote "$word"
		words="$words $quoted"
	done
}

# One word off $line; word_quoted: a part of it stood in quotes.
parse_word()
{
	word='' word_quoted=''
	while :; do
		case $line in
		'' | [\ "$tab"\;]*)
			return 0
			;;
		\'* | \"*)
			parse_quote=${line%"${line#?}"} line=${line#?} word_quoted=1
			case $line in
			*"$parse_quote"*) ;;
			*)
				complain "a quote is not closed: $parse_quote$line"
				return 2
				;;
			esac
			word=$word${line%%"$parse_quote"*}
			line=${line#*"$parse_quote"}
			;;
		*)
			parse_chunk=${line%%[\ "$tab"\;\'\"]*}
			word=$word$parse_chunk
			line=${line#"$parse_chunk"}
			;;
		esac
	done
}

# The text up to a `;` outside quotes, as it stands.
parse_shell()
{
	shell=''
	parse_blanks
	while :; do
		parse_chunk=${line%%[\;\'\"]*}
		shell=$shell$parse_chunk line=${line#"$parse_chunk"}
		case $line in
		'') break ;;
		';'*)
			line=${line#;}
			break
			;;
		esac
		parse_quote=${line%"${line#?}"} line=${line#?}
		case $line in
		*"$parse_quote"*) ;;
		*)
			complain "a quote is not closed: $parse_quote$line"
			return 2
			;;
		esac
		shell=$shell$parse_quote${line%%"$parse_quote"*}$parse_quote
		line=${line#*"$parse_quote"}
	done
	if [ -z "$shell" ]; then
		complain "a command of the shell, or a file, is missing at the end"
		return 2
	fi
}
