#!/bin/sh
# waits.sh - how many tasks wait for what, the most frequent first.
#
# Like all pipelines here it works on the core in HANSEI_CORE, with HANSEI_TINFO or HANSEI_DEBUG_INFO where the layouts
# are not in the executable itself. The programs must be on the PATH.

set -eu
hansei-tasks -o json | jq -r '.waiting_on.kind // "nothing"' | sort | uniq -c | sort -k 1,1rn -k 2
