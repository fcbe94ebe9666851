#!/bin/sh
rm -rf .git
echo x >a
