# Ends the servers of one JVM when that JVM has ended, in whatever way, and removes their files.
# $1 is the directory that holds a directory per server, each with a file "pid": process id and signal.
# Standard input is a pipe that only the JVM holds open: it ends when the JVM does.
trap '' HUP INT TERM
root=$1
cat >/dev/null

# A process id may have been given to somebody else; ours work below the root.
ours() {
    case "$(readlink "/proc/$1/cwd")" in
        "$root"/*) return 0 ;;
        *) return 1 ;;
    esac
}

for file in "$root"/*/pid; do
    read -r pid signal <"$file" || continue
    ours "$pid" || continue
    # A paused server hears nothing until it, and those it forked, go on.
    kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children")
    kill "-$signal" "$pid"
done
for file in "$root"/*/pid; do
    read -r pid signal <"$file" || continue
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        ours "$pid" || break
        sleep 0.1
    done
    ours "$pid" && kill -KILL "$pid"
done
rm -rf "$root"
