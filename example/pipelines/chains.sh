#!/bin/sh
# chains.sh - the chains of all tasks merged, root first, with how many tasks share each: input for flame graphs.

set -eu
hansei-tasks -o tsv |
	hansei-trace -o json |
	jq -r '[.frames[].name | gsub(";"; ",")] | reverse | join(";")' |
	sort | uniq -c | sort -k 1,1rn -k 2 | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/'
