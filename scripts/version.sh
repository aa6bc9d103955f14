#!/bin/sh
# The version of this tree, as Semantic Versioning 2.0.0 has it: of a commit with the tag
# v1.2.3, 1.2.3; of the fifth commit after it, 1.2.4-dev.5+gabc1234; without a tag (a shallow clone), a
# prerelease of the newest version of the changelog, 0.1.0-dev.5+gabc1234; without git, 0.1.0-dev.
set -eu
newest=$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md 2>/dev/null | head -n 1)
newest=${newest:-0.0.0}
described=$(git describe --tags --long --match 'v[0-9]*.[0-9]*.[0-9]*' 2>/dev/null) || {
	count=$(git rev-list --count HEAD 2>/dev/null) || { echo "$newest-dev"; exit; }
	echo "$newest-dev.$count+g$(git rev-parse --short HEAD)"
	exit
}
commit=${described##*-} rest=${described%-*}
count=${rest##*-} tag=${rest%-*}
tag=${tag#v}
case $count:$tag in
	0:*) echo "$tag" ;;
	*-*) echo "$tag.$count+$commit" ;; # after 1.2.3-rc.1
	*) echo "${tag%.*}.$((${tag##*.} + 1))-dev.$count+$commit" ;;
esac
