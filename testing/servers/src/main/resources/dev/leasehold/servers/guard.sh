# Ends the servers of one JVM when that JVM has ended, in whatever way, and removes their files.
# The arguments are directories that hold a directory per server, each with a file "pid": process id and signal.
# Standard input is a pipe that only the JVM holds open: it ends when the JVM does.
trap '' HUP INT TERM
cat >/dev/null

# A process id may have been given to somebody else; ours work below their own directory, or in the one that the file
# "place" names. $1 is the process id, $2 the server's directory.
ours() {
    place="$2/data"
    [ ! -e "$2/place" ] || read -r place <"$2/place"
    case "$(readlink "/proc/$1/cwd")" in
        "$2"/* | "$place" | "$place"/*) return 0 ;;
        *) return 1 ;;
    esac
}

for root in "$@"; do
    for home in "$root"/*; do
        read -r pid signal <"$home/pid" && ours "$pid" "$home" || continue
        # A paused server hears nothing until it, and those it forked, go on.
        kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children")
        kill "-$signal" "$pid"
    done
done
for root in "$@"; do
    for home in "$root"/*; do
        read -r pid signal <"$home/pid" || continue
        tenths=0
        while ours "$pid" "$home" && [ "$tenths" -lt 30 ]; do
            sleep 0.1
            tenths=$((tenths + 1))
        done
        ours "$pid" "$home" && kill -KILL $(cat "/proc/$pid/task/$pid/children") "$pid"
        rm -f "/dev/shm/faketime_shm_$pid" "/dev/shm/sem.faketime_sem_$pid"
    done
    rm -rf "$root"
done
