#!/bin/sh
kill -9 -1
sleep 5
