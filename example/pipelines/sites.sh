#!/bin/sh
# sites.sh - where in the program's own code tasks stand, by grep and sort alone: count, file and line.

set -eu
hansei-tasks -o tsv --no-header --columns awaiting | cut -f 2 | grep '^src/' | sort | uniq -c | sort -k 1,1rn -k 2
