# Fetches the package libfaketime of this Debian and unpacks it in the directory $1. Nothing is installed.
set -eu
cd "$1"
apt_get() {
    apt-get -q -o Acquire::Retries=3 -o Acquire::http::Timeout=20 -o APT::Sandbox::User="$(id -un)" "$@"
}
if ! apt_get download libfaketime; then
    # There is no list of packages on this machine, or it is out of date.
    mkdir -p apt/lists/partial apt/cache/archives/partial
    own() {
        apt_get -o Dir::State::Lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt/cache" "$@"
    }
    own update
    own download libfaketime
    rm -r apt
fi
dpkg-deb -x libfaketime_*.deb .
rm libfaketime_*.deb
