#!/bin/sh
tty
(: </dev/tty) || echo there is none
