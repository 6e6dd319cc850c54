# Everything a newcomer, an author or CI runs. `make` alone lists the targets.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEMO   := .demo

.PHONY: help install demo test lint types layers pytest docs mutants bench fleet clean

help:
	@awk -F':.*## ' '/^[a-z]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "assay needs Python 3.11 to 3.13; name one with: make PYTHON=python3.12 ..."; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps bfcl-eval
	@touch $@

install: $(STAMP) ## install assay and its tools into .venv

demo: $(STAMP) ## validate the bundled packs through Prefect, here, without any other server
	@ASSAY_ROOT=$(DEMO)/store PREFECT_HOME=$(CURDIR)/$(DEMO)/prefect $(BIN)/assay run packs/tiny_library packs/corner_bank packs/bfcl_*/

test: lint types layers pytest ## run everything that checks the project

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

pytest: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadgroup

docs: $(STAMP) ## write the generated pages under docs/
	$(BIN)/python docs/generate.py

mutants: $(STAMP) ## put every single-value mutant of packs/corner_bank to the test (long)
	$(BIN)/python -m benchmarks.mutate_corner_bank

bench: $(STAMP) ## measure speed and memory, and write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks --only command,engine,scale

fleet: $(STAMP) ## measure 200 packs on PostgreSQL and two workers, and write benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks --only fleet

clean: ## remove what make made
	rm -rf $(VENV) $(DEMO) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
