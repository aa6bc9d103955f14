#!/bin/sh
# Install what is missing: need.sh COMMAND[,ALTERNATIVE]:PACKAGE...
# A command that the machine has, from wherever, is taken as it is. font=LANGUAGE stands
# for a font that has the letters of a language.
set -eu

PATH=$PATH:/usr/sbin:/sbin
missing=
for pair in "$@"; do
	found=
	for command in $(echo "${pair%%:*}" | tr , ' '); do
		case $command in
		font=*) # a font for a language: font=zh
			if command -v fc-list >/dev/null && fc-list ":lang=${command#font=}" | grep -q .; then found=yes; fi
			;;
		*) if command -v "$command" >/dev/null; then found=yes; fi ;;
		esac
	done
	[ -n "$found" ] || missing="$missing ${pair##*:}"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null; then
	echo "install these with your package manager, then try again:$missing" >&2
	exit 1
fi
echo "installing:$missing" >&2
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086  # a list of words
$sudo apt-get install -qq -y --no-install-recommends $missing >/dev/null
