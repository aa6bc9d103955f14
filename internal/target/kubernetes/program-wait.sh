# Waits until tare has streamed its program into the directory $1, and becomes it.
dir=$1
shift
[ -d "$dir" ] || mkdir -p "$dir" || exit 1 # in a volume that others use too
trap 'exit 143' TERM # this shell is process 1, which has no default action
left=3000            # ten minutes
until [ -x "$dir/tare" ]; do
	left=$((left - 1))
	if [ "$left" -le 0 ]; then
		echo "tare's program did not come within ten minutes" >&2
		exit 1
	fi
	sleep 0.2 2>/dev/null || sleep 1 # POSIX has whole seconds
done
exec "$dir/tare" "$@"
