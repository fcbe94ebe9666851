#!/bin/sh
read -r line || echo nothing to read
