#!/bin/sh
# queues.sh - what several tasks, or one in vain, queue up for: the resource, its permits, and the tasks in wake order.

set -eu
hansei-tasks -o json |
	jq -r '.waiting_on | select(.queue) | "\(.resource) \(.available) available: \(.queue | join(" "))"' |
	sort -u
