#!/bin/sh
# values.sh [TYPE FRAME PATH] - a value in each task of a type, as JSON: {"task": …, "value": …}. By default the
# configuration that the example's dispatcher holds.

set -eu
[ $# -eq 3 ] || set -- dispatcher 4 config.data.c
hansei-tasks --with type "$1" -o tsv |
	hansei-print --frame "$2" --path "$3" -o json |
	jq -c '{task: (.ref | capture("^frame/(?<id>[^.]*)").id | tonumber? // .), value}'
