#!/bin/sh
truncate -s 20G sparse || echo refused
truncate -s 20M sparse
