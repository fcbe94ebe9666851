#!/bin/sh
# Inside a container: run one attempt, the mounted invocation file, in the run's workspace. Then
# note for the host what outlived it, and how often the limit of processes refused one. By builtins
# alone: it may be that no further process can be started.
cd /work || exit 125
trap : TERM
sh "${1:-/run/lab-invocation/run.sh}"
code=$?
trap '' TERM

note() {
    for folder in /proc/[0-9]*; do
        pid=${folder#/proc/}
        [ "$pid" = 1 ] || [ "$pid" = $$ ] && continue
        # A process that has ended and waits to be collected has no command line.
        read -r line <"$folder/cmdline"
        [ -n "$line" ] && read -r name <"$folder/comm" && echo "left $name"
    done
    for file in /sys/fs/cgroup/pids/pids.events /sys/fs/cgroup/pids.events; do
        [ -r "$file" ] && read -r _ count <"$file" && echo "refused $count"
    done
}

told=/state/.lab-end
[ -d /state ] && [ ! -e "$told" ] && [ ! -L "$told" ] && note >"$told" 2>/dev/null
exit "$code"
