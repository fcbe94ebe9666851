#!/bin/sh
echo '{}' >run.json
echo '{}' >metrics.json
echo '{}' >../run.json
exit 0
