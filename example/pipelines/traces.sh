#!/bin/sh
# traces.sh [FIELD VALUE] - the await chains of the tasks that match; by default of those that wait for a mutex.

set -eu
[ $# -eq 2 ] || set -- waiting-on mutex
hansei-tasks --with "$1" "$2" -o tsv | hansei-trace -o table
