# fish completion for hansei and its programs. Options and fields are read from --help, so they are those of the
# installed version; commands and settings come from the session itself.

function __hansei_program
    set -l words (commandline -opc)
    if test (count $words) -gt 1; and test $words[1] = hansei; and test $words[2] = tokio-info
        echo hansei-tinfo
    else
        echo $words[1]
    end
end

function __hansei_options
    set -l program (__hansei_program)
    $program --help 2>/dev/null | sed -n '/^Columns and fields/q
        s/^  \(-., \|    \)\(--[a-z-]*\)[^ ]*\( [A-Z][^ ]*\)* *\(.*\)/\2\t\4/p'
end

function __hansei_fields
    set -l program (__hansei_program)
    $program --help 2>/dev/null | sed -n '1,/^Columns and fields/d
        s/^  [* ] \([a-z_0-9]*\)\(, [a-z_0-9]*\)* *\(.*\)/\1\t\3/p'
end

function __hansei_session
    hansei --complete $argv[1] 2>/dev/null | sed 1d | cut -f 1,2
end

function __hansei_after
    contains -- (commandline -opc)[-1] $argv
end

for program in hansei hansei-tasks hansei-threads hansei-futures hansei-conns hansei-runtimes hansei-trace \
        hansei-print hansei-graph hansei-census hansei-info hansei-tinfo
    complete -c $program -n 'string match -q -- "-*" (commandline -ct)' -a '(__hansei_options)'
    complete -c $program -f -n '__hansei_after -w -W -g --with --without --group --columns' -a '(__hansei_fields)'
    if test $program != hansei-tinfo
        complete -c $program -f -n '__hansei_after -o --format' -a 'table tsv json'
    end
end
complete -c hansei -f -n '__hansei_after -e --exec' -a '(__hansei_session "")'
complete -c hansei -f -n '__hansei_after --config' -a '(__hansei_session "config ")'
complete -c hansei -n 'test (count (commandline -opc)) -eq 1' -a tokio-info
complete -c hansei-tinfo -f -n 'test (count (commandline -opc)) -eq 1' -a 'extract check stats find-types type dump'
complete -c hansei -f -n '__hansei_after tokio-info' -a 'extract check stats find-types type dump'
