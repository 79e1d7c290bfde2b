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
known=
timer=

# The guard may be gone while it is told something, and a terminal's keys are not meant for us.
trap '' PIPE INT QUIT HUP TERM TSTP

# Of those that were found before whoever is still there, and their descendants. A number that was seen to be gone is
# never signalled again: it may be somebody else's by now.
look_around() {
    all=" "
    for pid in $known; do
        kill -s 0 "$pid" 2>/dev/null && all="$all$pid "
    done
    table=$(ps -A -o pid= -o ppid= 2>/dev/null)
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
    known=${all# }
}

tell() {
    [ -n "$child" ] || return
    if [ "$reach" = group ]; then
        kill -s "$1" -- "-$child" 2>/dev/null
    else
        look_around
        # shellcheck disable=SC2086 # several numbers
        [ -z "$known" ] || kill -s "$1" $known 2>/dev/null
    fi
}

is_there() {
    if [ "$reach" = group ]; then
        kill -s 0 -- "-$child" 2>/dev/null
    else
        look_around
        [ -n "$known" ]
    fi
}

stop() {
    [ -n "$child" ] || return
    echo stopping
    tell TERM
    tell CONT # A stopped process does not hear TERM otherwise.
    sleep "$1" &
    clock=$!
    while is_there && kill -s 0 "$clock" 2>/dev/null; do
        sleep 0.05
    done
    kill -s KILL "$clock" 2>/dev/null
    over=$clock
    # Nobody can ignore this, but it may take a moment.
    tries=20
    while is_there && [ $tries -gt 0 ]; do
        tell KILL
        sleep 0.05
        tries=$((tries - 1))
    done
    echo gone
}

# Returns when the timer is gone: it can be told as soon as it is there, since TERM is not ignored where it begins.
disarm() {
    [ -n "$timer" ] || return
    kill "$timer" 2>/dev/null
    wait "$timer" 2>/dev/null
    timer=
}

# Runs its arguments in the background, in place of what ran there.
instead() {
    disarm
    trap - TERM
    (
        over=$!
        trap '[ "$!" = "$over" ] || kill -s KILL "$!" 2>/dev/null; exit' TERM
        "$@"
    ) &
    timer=$!
    trap '' TERM
}

stop_later() {
    sleep "$1" &
    clock=$!
    wait "$clock"
    # Without the shell that began this, another one has taken its place.
    kill -s 0 "$$" 2>/dev/null && stop "$2"
}

while read -r word first second; do
    case $word in
        child) child=$first reach=$second known=$first ;;
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
