# Outlives the guard, and ends the command when the guard cannot. Read by a POSIX shell.
#
# Told on its standard input, line by line:
#   child PID group|tree    whom to signal: a process group, or a process and its descendants
#   live SECONDS GRACE      after so many seconds without another word the command is ended
#   stop GRACE              the command is ended now: TERM, and after the grace KILL
#   signal NAME             passed on
#   ended                   the command is over: nothing is signalled any more
# The end of the input means that the guard is dead.
# Says on its standard output: "stopping" when it begins to end the command, "gone" when that is done.

grace=$1
child=
reach=
timer=

# The guard may be gone while it is told something, and a terminal's keys are not meant for us.
trap '' PIPE INT QUIT HUP TERM TSTP

# The command and its descendants, and of those that were found before whoever is still there.
family() {
    table=$(ps -A -o pid= -o ppid= 2>/dev/null)
    all=" $child "
    for pid in $known; do
        kill -0 "$pid" 2>/dev/null && all="$all$pid "
    done
    more=yes
    while [ "$more" = yes ]; do
        more=no
        while read -r pid parent; do
            case $all in *" $pid "*) continue ;; esac
            case $all in *" $parent "*) all="$all$pid " more=yes ;; esac
        done <<TABLE
$table
TABLE
    done
    known=$all
}

tell() {
    if [ "$reach" = group ]; then
        kill -s "$1" -- "-$child" 2>/dev/null
    else
        family
        # shellcheck disable=SC2086 # several numbers
        kill -s "$1" $known 2>/dev/null
    fi
}

is_there() {
    if [ "$reach" = group ]; then
        kill -0 -- "-$child" 2>/dev/null
    else
        family
        for pid in $known; do
            kill -0 "$pid" 2>/dev/null && return 0
        done
        return 1
    fi
}

# A number that was seen to be gone is never signalled again: it may be somebody else's by now.
stop() {
    [ -n "$child" ] || return
    echo stopping
    tell TERM
    tell CONT # A stopped process does not hear TERM otherwise.
    sleep "$1" &
    clock=$!
    while is_there; do
        if ! kill -0 "$clock" 2>/dev/null; then
            tell KILL
            break
        fi
        sleep 0.05
    done
    kill "$clock" 2>/dev/null
    echo gone
}

disarm() {
    [ -z "$timer" ] || kill "$timer" 2>/dev/null
    timer=
}

# Runs its arguments in the background, in place of what ran there.
instead() {
    disarm
    (
        clock=
        trap '[ -z "$clock" ] || kill "$clock" 2>/dev/null; exit' TERM
        "$@"
    ) &
    timer=$!
}

stop_later() {
    sleep "$1" &
    clock=$!
    wait "$clock"
    stop "$2"
}

while read -r word first second; do
    case $word in
        child) child=$first reach=$second ;;
        live) instead stop_later "$first" "$second" ;;
        stop) instead stop "$first" ;;
        signal) tell "$first" ;;
        ended)
            disarm
            exit 0
            ;;
    esac
done

# What runs in the background goes on: it may have begun to end the command before, and be the first to be done.
last=$timer
(stop "$grace") &
wait "$!"
timer=$last
disarm
