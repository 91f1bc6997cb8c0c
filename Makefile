# Everything a developer runs. `make setup` is implied by the rest and does nothing when it is up to date.
PYTHON ?= python3
VENV ?= .venv
LLM_VENV ?= .venv-llm
WHEEL_VENV := dist/venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.setup-stamp

.PHONY: help setup demo test test-source test-wheel test-llm test-cluster soak golden lint docs bench bench-hooks bench-resolve clean

help:  ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

setup: $(STAMP)  ## a virtual environment with the project and its tools

# pip compiles what it installs, but not an editable install: without bytecode, and where Python is told to write none, each
# command would compile the package anew, which takes longer than the command.
$(STAMP): pyproject.toml .ci/constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint .ci/constraints.txt --editable '.[dev]'
	$(BIN)/python -m compileall -q graphdream
	touch $@

demo: setup  ## import a bloated graph, dream, show, undo, verify
	$(BIN)/graphdream demo

test: test-source test-wheel  ## every test from source, then the smoke subset against the built wheel

# Over the cores, four at most: a test may start processes of its own, and some hold a graph of 13,000 entities.
test-source: setup
	$(BIN)/python -m pytest -q --numprocesses auto --maxprocesses 4 --dist worksteal

test-llm: setup $(LLM_VENV)/.setup-stamp  ## a real small model behind the real client; downloads 130 MB once
	GRAPHDREAM_LLM_PYTHON="$(CURDIR)/$(LLM_VENV)/bin/python" $(BIN)/python -m pytest -q -s -m llm tests/llm

# Its own environment: nothing else needs a model, and nothing of it may be needed by the project.
$(LLM_VENV)/.setup-stamp: tests/llm/requirements.txt
	test -x $(LLM_VENV)/bin/python || $(PYTHON) -m venv $(LLM_VENV)
	$(LLM_VENV)/bin/python -m pip install --quiet --no-deps --only-binary :all: --requirement tests/llm/requirements.txt
	touch $@

test-cluster: $(VENV)/.cluster-stamp  ## fleets on real Ray clusters, with workers and machines killed; 240 MB once
	$(BIN)/python -m pytest -q -m cluster tests/fleet

# In the same environment, but only where it is asked for: everything else is tested without Ray.
$(VENV)/.cluster-stamp: $(STAMP)
	$(BIN)/python -m pip install --quiet --constraint .ci/constraints.txt --editable '.[dev,cluster]'
	touch $@

golden: setup  ## write the prompts of the passes anew, for the commit to show what changed
	GOLDEN=write $(BIN)/python -m pytest -q tests/passes/test_golden.py

soak: setup  ## the laws again, with far more lives, kills and processes; takes an hour or more
	$(BIN)/python -m pytest -q -m soak

# The second environment borrows the first one's libraries through a .pth line. Only the folder itself is added, so the
# editable install's own .pth is not read and the only importable graphdream is the wheel's.
test-wheel: setup
	rm -rf dist
	$(BIN)/python -m build --quiet --wheel --no-isolation --outdir dist .
	$(BIN)/python -m venv $(WHEEL_VENV)
	$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' \
		> "$$($(WHEEL_VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/borrowed.pth"
	$(WHEEL_VENV)/bin/python -m pip install --quiet --no-deps --no-index dist/*.whl
	cd dist && python="$(CURDIR)/$(WHEEL_VENV)/bin/python" \
		&& "$$python" -c 'import graphdream, sys; sys.exit(not graphdream.__path__[0].startswith(sys.prefix))' \
		&& "$$python" -m pytest -q -m wheel -p no:cacheprovider \
			--rootdir "$(CURDIR)" -c "$(CURDIR)/pyproject.toml" "$(CURDIR)/tests"

lint: setup  ## style, types, import directions, generated tables
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy graphdream tools
	$(BIN)/python tools/house.py
	$(BIN)/cog -P --check --diff -I tools docs/*.md

docs: setup  ## regenerate the tables between cog marks
	$(BIN)/cog -P -r -I tools docs/*.md

bench: setup  ## the engine and the cycles: every figure of docs/measured.md of speed, growth and bytes; takes many minutes
	$(BIN)/python bench/engine.py --readme docs/measured.md
	$(BIN)/python bench/cycle.py --readme docs/measured.md

bench-hooks: setup  ## what a hook costs its host, and recall over the Model Context Protocol; takes ten minutes
	$(BIN)/python bench/hook.py --readme docs/measured.md
	$(BIN)/python bench/protocol.py --readme docs/measured.md

# Other systems' libraries need an interpreter of their own: PEERS=PYTHON (extra `bench`). What is missing is said.
PEERS ?= $(BIN)/python
bench-resolve: setup  ## who is who: every figure of the table in docs/measured.md, beside other systems; takes many minutes
	$(BIN)/python bench/resolve.py --peers $(PEERS) --readme docs/measured.md

clean:  ## remove what the targets above made, but not the environment
	rm -rf dist .pytest_cache .mypy_cache .ruff_cache
