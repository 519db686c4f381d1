# Says in one sentence what is missing before anything is installed.
fail() { echo "rankforest: $1" >&2; exit 1; }

python=${PYTHON:-python3}
cxx=${CXX:-c++}
command -v "$python" >/dev/null 2>&1 || fail "Python 3.11 or newer is needed, and '$python' was not found; install it or name it with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || fail "Python 3.11 or newer is needed, and '$python' is $("$python" -V 2>&1); name a newer one with PYTHON=..."
"$python" -c 'import venv, ensurepip' 2>/dev/null || fail "'$python' lacks the venv module; install it (Debian: apt install python3-venv)."
command -v "$cxx" >/dev/null 2>&1 || fail "a C++20 compiler is needed, and '$cxx' was not found; install one (Debian: apt install g++) or name it with CXX=..."
dir=$(mktemp -d) || fail "no temporary folder could be made."
trap 'rm -rf "$dir"' EXIT
printf '#include <concepts>\nstatic_assert(std::integral<int>);\nint main() {}\n' > "$dir/probe.cpp"
"$cxx" -std=c++20 -o "$dir/probe" "$dir/probe.cpp" >/dev/null 2>&1 || fail "a C++20 compiler is needed, and '$cxx' cannot compile C++20; name a newer one with CXX=..."
