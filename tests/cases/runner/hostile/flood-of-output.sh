#!/bin/sh
yes | head -c 50000000
