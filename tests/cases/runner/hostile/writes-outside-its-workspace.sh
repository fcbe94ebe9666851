#!/bin/sh
for file in /x /usr/x /etc/x /etc/passwd /run/lab/x /work/../x /proc/sys/kernel/core_pattern; do
    echo x >"$file" && echo "written: $file"
done
exit 0
