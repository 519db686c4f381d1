# `make help` lists what there is to do. Everything is installed into .venv; nothing else is touched.
PYTHON ?= python3
BIN := .venv/bin
CORE := CMakeLists.txt $(wildcard src/rankforest/core/*)

.PHONY: help demo test lint bench sanitize clean
.DEFAULT_GOAL := help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):[^#]*## /\1\t/' | awk -F'\t' '{printf "  make %-10s %s\n", $$1, $$2}'

demo: .venv/installed-all  ## the command line from end to end: fit, score, judge, explain, export, and a report in demo/
	@$(BIN)/rankforest demo

test: lint  ## lint, type check and all tests
	$(BIN)/python -m pytest -n 2

lint: .venv/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror src/rankforest/core/*
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

bench: .venv/installed-bench  ## benchmarks against the peers (half an hour; `make test` runs small versions of all)
	$(BIN)/python benchmarks/run_all.py

sanitize: build/sanitize/installed  ## kernels and model files under AddressSanitizer and UndefinedBehaviorSanitizer
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libubsan.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	build/sanitize/bin/python -m pytest tests/core tests/theory tests/storage -p no:cacheprovider

clean:  ## remove what was built and installed
	rm -rf .venv build demo

# One stamp per set of extras: a second run installs nothing, a change of the core builds again.
.venv/installed-%: .venv/pyvenv.cfg pyproject.toml $(CORE)
	@echo "Installing rankforest with the extra '$*' (a minute or two, once) ..."
	@$(BIN)/python -m pip install --quiet --editable ".[$*]"
	@touch $@

.venv/pyvenv.cfg: scripts/requirements.sh
	@PYTHON=$(PYTHON) sh scripts/requirements.sh
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --upgrade pip

build/sanitize/installed: $(CORE) pyproject.toml
	@PYTHON=$(PYTHON) sh scripts/requirements.sh
	@$(PYTHON) -m venv build/sanitize
	@build/sanitize/bin/python -m pip install --quiet --upgrade pip
	@build/sanitize/bin/python -m pip install --quiet --config-settings=cmake.define.RANKFOREST_SANITIZE=ON --config-settings=build-dir=build/sanitized ".[test]"
	@touch $@
