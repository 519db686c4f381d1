# `make help` lists what there is to do. Everything is installed into .venv; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
CORE := CMakeLists.txt $(wildcard src/rankforest/core/*)

.PHONY: help demo test lint bench docs docs-check wheel sanitize scalar oldest clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: .venv/installed-all  ## the command line from end to end: fit, score, judge, explain, export, and a report in demo/
	@$(BIN)/rankforest demo

test: lint  ## lint, type check and all tests
	$(BIN)/python -m pytest -n 2

lint: .venv/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror src/rankforest/core/*
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: .venv/installed-bench  ## benchmarks against the peers (half an hour; `make test` runs small versions of all)
	$(BIN)/python benchmarks/run_all.py

docs: .venv/installed-docs  ## the site, into build/docs; runs the gallery (two minutes)
	$(BIN)/python -m sphinx -b html -n -W --keep-going -q -d build/docs-cache docs build/docs
	@echo "The site is build/docs/index.html."

docs-check: docs .venv/installed-dev  ## the site, its internal links, and every code block; of links to other sites the form
	$(BIN)/python -m pytest tests/docs tests/cli/test_docs.py tests/metrics/test_inference_docs.py tests/report/test_page.py

wheel: scripts/wheel.sh  ## the wheel, repaired, audited, and tested as users install it; PYTHON=python3.12 or newer gives the abi3 wheel
	@PYTHON=$(PYTHON) sh scripts/requirements.sh
	PYTHON=$(PYTHON) sh scripts/wheel.sh

sanitize: build/sanitize/installed  ## kernels and model files under AddressSanitizer and UndefinedBehaviorSanitizer
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	build/sanitize/bin/python -m pytest tests/core tests/shapley tests/theory tests/storage -p no:cacheprovider

scalar: build/scalar/installed  ## tests of the kernels without any x86 code, as on other processors
	build/scalar/bin/python -m pytest tests/core tests/tree tests/boosting -p no:cacheprovider

oldest: build/oldest/installed  ## tests with the oldest dependencies that pyproject.toml allows
	build/oldest/bin/python -m pytest tests/core tests/data tests/estimators tests/forest tests/interpret tests/storage \
		tests/cli tests/plots tests/report tests/export tests/dask -p no:cacheprovider

clean:  ## remove what was built and installed
	rm -rf .venv build demo docs/_live docs/auto_examples docs/auto_pages docs/reference/generated docs/reference/backreferences

# One stamp per set of extras: a second run installs nothing, a change of the core builds again.
.venv/installed-%: .venv/pyvenv.cfg pyproject.toml $(CORE)
	@echo "Installing rankforest with the extra '$*' (a minute or two, once) ..."
	@$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

.venv/pyvenv.cfg: scripts/requirements.sh
	@PYTHON=$(PYTHON) sh scripts/requirements.sh
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade pip

# Environments of their own, with the package as users get it: not editable.
build/sanitize/installed: define = --config-settings=cmake.define.RANKFOREST_SANITIZE=ON
build/scalar/installed: define = --config-settings=cmake.define.RANKFOREST_SCALAR=ON
build/oldest/installed: define = --constraint build/oldest/versions.txt
build/oldest/installed: build/oldest/versions.txt
build/%/installed: $(CORE) pyproject.toml
	@PYTHON=$(PYTHON) sh scripts/requirements.sh
	@$(PYTHON) -m venv build/$*
	@build/$*/bin/python -m pip install --quiet --upgrade pip
	@build/$*/bin/python -m pip install --quiet $(define) --config-settings=build-dir=build/$*-core ".[test]"
	@touch $@

build/oldest/versions.txt: scripts/lowest_versions.py pyproject.toml
	@mkdir -p build/oldest
	@$(PYTHON) scripts/lowest_versions.py > $@
