#!/bin/sh
mkdir locked
echo x >locked/a
chmod 0 locked
echo x >closed
chmod 0 closed
cp /bin/true as-you
chmod 6755 as-you
mkdir -m 0 .git/shut
chmod 500 .
