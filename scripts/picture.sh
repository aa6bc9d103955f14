#!/bin/sh
# Takes a picture of a page, 1000 x 900 pixels from its top: picture.sh PAGE.html PICTURE.png
set -eu

browser=$(command -v chromium-headless-shell || command -v chromium)
exec "$browser" --headless --no-sandbox --hide-scrollbars --window-size=1000,900 --virtual-time-budget=5000 \
	--screenshot="$2" "file://$(realpath "$1")"
