#!/bin/sh
git config user.name a
git config user.email a@localhost
echo 1 >a
git add a
git commit -qm one
echo 2 >a
git commit -qam two --amend
echo 3 >b
git add b
git commit -qm three
git reset -q --hard HEAD~1
