# Two commands do everything on a fresh machine: make demo, make test.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.done
FAST := not slow and not docker and not toolchain and not data and not paid

.PHONY: help setup tools demo test check fix docs bench truth images clean

help:
	@echo "make setup   this project's Python environment (.venv)"
	@echo "make demo    a research question end to end, without Docker, key or model"
	@echo "make test    everything that can be tested on this machine"
	@echo "make check   format, lint, types, layers, generated docs, unit tests"
	@echo "make fix     what a tool can repair, repaired"
	@echo "make truth   the calibration question in the repository's own pool"
	@echo "make bench   the performance budget, beside its rivals and floors"
	@echo "make images  the Docker images (needs an engine)"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "error: Python 3.11 or newer is needed (PYTHON=python3.12 make ...)" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null \
		|| { echo "error: this Python has no venv/ensurepip (Debian: apt install python3-venv)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --editable '.[analysis,dev]'
	@touch $@

setup: $(STAMP)

tools: $(STAMP)
	@$(BIN)/lab setup python-pytest

demo: tools
	@$(BIN)/lab demo

test: tools
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile

check: $(STAMP)
	@$(BIN)/ruff format --check --quiet . || { echo "run: make fix" >&2; exit 1; }
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lab docs --check
	@$(BIN)/lab lint
	@$(BIN)/lab aggregate --all --check
	@$(BIN)/python -m pytest -q -n 2 --dist loadfile -m '$(FAST)'

fix: $(STAMP)
	@$(BIN)/ruff check --quiet --fix . || true
	@$(BIN)/ruff format --quiet .
	@$(BIN)/lab docs

docs: $(STAMP)
	@$(BIN)/lab docs

truth: tools
	@$(BIN)/lab plan RQ-instrument-truth
	@$(BIN)/lab batch experiments/batch-plans/rq-instrument-truth-fill.json
	@$(BIN)/lab aggregate RQ-instrument-truth
	@$(BIN)/lab truth

bench: tools
	@$(BIN)/python tests/bench/run.py

images: $(STAMP)
	@docker/build.sh

clean:
	rm -rf $(VENV) .demo .mypy_cache .ruff_cache .hypothesis
