# Each target sets up what it needs in .venv and does nothing that is already done.
PYTHON ?= python3
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
# Many small BLAS calls are faster on one thread, and benchmarks are stated for one.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
export MKL_NUM_THREADS ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK = 1
# modules are compiled once, when they are first imported: most never are
QUICKLY = --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE

SOURCES := $(shell find src -type f -not -name '*.pyc') pyproject.toml README.md LICENSE
WORKERS ?= auto
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --durations 25 --durations-min 5
# pages and modules that need PyTorch, which `make test-torch` installs
WITHOUT_TORCH = $(if $(wildcard $(VENV)/.torch),,--ignore-glob='*/pacbayes/torch/*' --ignore=docs/networks.md)
DOCTESTS = $(BIN)/python -m pytest -n $(WORKERS) --dist worksteal --doctest-modules --doctest-glob='*.md' -p no:cacheprovider

.PHONY: demo test tests test-all test-lowest test-versions test-boosters test-torch fuzz docs dist test-dist released browser lint format bench tables clean help

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/.wheel ## show the main job on embedded data
	@$(BIN)/python examples/demo.py | sed -n '1,9p'
	@$(BIN)/pacbayes demo --out demo-report

test: lint tests ## lint, types, import arrows, tests and doctests, on the built wheel

tests: $(VENV)/.wheel ## tests and doctests without lint
	$(PYTEST) -m "not long"
	$(DOCTESTS) $(WITHOUT_TORCH) --pyargs pacbayes README.md docs

test-all: lint $(VENV)/.wheel ## the tests and the long studies
	$(PYTEST)
	$(DOCTESTS) $(WITHOUT_TORCH) --pyargs pacbayes README.md docs

# a version that has a build without CUDA; the environment of `make test` is the same, so that it has them from then on
test-torch: $(VENV)/.torch $(VENV)/.wheel ## the tests of networks, with PyTorch and safetensors in the environment
	$(PYTEST) -m "not long" tests/networks
	$(DOCTESTS) --pyargs pacbayes.torch $(wildcard docs/networks.md)

$(VENV)/.torch: $(VENV)/.tools
	$(BIN)/python -m pip install $(QUICKLY) torch==2.13.0 "safetensors>=0.4"
	@touch $@

test-lowest: ## the tests on the lowest supported versions of the dependencies
	$(MAKE) VENV=.venv-lowest CONSTRAINTS="-c requirements-lowest.txt" .venv-lowest/.wheel
	.venv-lowest/$(notdir $(BIN))/python -m pytest -n $(WORKERS) -m "not long"

test-versions: $(VENV)/.wheel ## certificates of the lowest and the newest libraries verify under each other
	$(MAKE) VENV=.venv-lowest CONSTRAINTS="-c requirements-lowest.txt" .venv-lowest/.wheel
	$(BIN)/python tools/cross_versions.py $(BIN)/python .venv-lowest/$(notdir $(BIN))/python

test-boosters: $(VENV)/.wheel ## XGBoost and LightGBM end to end, in an environment that has them
	$(MAKE) VENV=.venv-boosters .venv-boosters/.wheel
	.venv-boosters/$(notdir $(BIN))/python -m pip install $(QUICKLY) xgboost lightgbm || \
	  .venv-boosters/$(notdir $(BIN))/python -m pip install $(QUICKLY) xgboost-cpu lightgbm
	PACBAYES_REQUIRE_BOOSTERS=1 .venv-boosters/$(notdir $(BIN))/python -m pytest tests/runs/test_boosters.py

N ?= 50000
SEED ?= 0
fuzz: $(VENV)/.wheel ## N mutated inputs over all readers (N=50000 SEED=0), and how they ended
	PYTHONPATH=tests $(BIN)/python -W ignore -m fuzz --inputs $(N) --seed $(SEED)

# the packages of an extra without ours: the site reads our sources and runs none of them
EXTRA = import sys, tomllib; project = tomllib.load(open("pyproject.toml", "rb"))["project"]; \
  print(*project["optional-dependencies"][sys.argv[1]], sep="\n")

docs: .venv-docs/.tools ## the site, into site/; it is read without a network: open site/index.html
	NO_MKDOCS_2_WARNING=1 .venv-docs/$(notdir $(BIN))/python -m mkdocs build --strict --quiet
	$(PYTHON) tools/site_check.py site

.venv-docs/.tools: pyproject.toml
	$(PYTHON) -m venv .venv-docs
	$(PYTHON) -c '$(EXTRA)' docs > .venv-docs/requirements.txt
	.venv-docs/$(notdir $(BIN))/python -m pip install $(QUICKLY) -r .venv-docs/requirements.txt
	@touch $@

dist: .venv-release/.tools ## sdist and wheel of the last commit, built twice to the same bytes, checked and listed
	.venv-release/$(notdir $(BIN))/python tools/distribution.py dist

PYTHONS ?= python3.11 python3.12 python3.13
test-dist: dist ## the built wheel in empty environments: each extra alone, Python 3.11 to 3.13, lowest and newest
	$(PYTHON) tools/clean_installs.py dist --python $(PYTHONS) --lowest requirements-lowest.txt

.venv-release/.tools: pyproject.toml
	$(PYTHON) -m venv .venv-release
	$(PYTHON) -c '$(EXTRA)' release > .venv-release/requirements.txt
	.venv-release/$(notdir $(BIN))/python -m pip install $(QUICKLY) -r .venv-release/requirements.txt
	@touch $@

released: $(VENV)/.torch $(VENV)/.wheel ## what this version writes, into tests/released; only before its tag
	$(BIN)/python tools/released.py

browser: ## chromium, its driver and axe-core for the tests of report and site, where they may be installed
	@bash tools/browser.sh

lint: $(VENV)/.wheel ## style, formatting, strict types, import arrows, prose
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/house.py
	$(BIN)/python tools/prose.py

format: $(VENV)/.wheel ## rewrite the code in house style
	$(BIN)/ruff check --quiet --fix .
	$(BIN)/ruff format --quiet .

bench: $(VENV)/.wheel ## speed, each as a ratio measured in one run
	$(BIN)/python benchmarks/numerics.py
	$(BIN)/python benchmarks/posteriors.py
	$(BIN)/python benchmarks/stream.py
	$(BIN)/python benchmarks/online.py
	$(BIN)/python benchmarks/certify.py
	$(BIN)/python benchmarks/learning.py
	$(BIN)/python benchmarks/before.py
	$(BIN)/python benchmarks/shares.py
	$(BIN)/python benchmarks/conversion.py
	$(BIN)/python benchmarks/command_line.py
	$(BIN)/python benchmarks/start.py

# MAPIE_PYTHON names a Python that has MAPIE and what this package needs, for the tables that compare with it;
# PACBAYES_IMAGES a folder with mnist.npz and fashion.npz, for the slow table of networks
tables: $(VENV)/.wheel ## the tables of numbers in the pages, measured again in place (TABLES="a b" for some, SLOW=1 for all)
	$(BIN)/python tools/tables.py $(if $(SLOW),--slow) $(TABLES)

# an environment keeps the Python that it was made with: another one would find packages that are not for it
$(VENV)/.tools: pyproject.toml
	@[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(QUICKLY) $(CONSTRAINTS) "$(CURDIR)[dev]"
	@touch $@

$(VENV)/.wheel: $(VENV)/.tools $(SOURCES)
	@rm -rf $(VENV)/dist
	$(BIN)/python -m build --wheel --outdir $(VENV)/dist . > $(VENV)/build.log || (cat $(VENV)/build.log; false)
	$(BIN)/python -m pip install $(QUICKLY) --force-reinstall --no-deps $(VENV)/dist/*.whl
	@touch $@

clean: ## remove everything that was set up
	rm -rf demo-report site .browser .venv .venv-lowest .venv-boosters .venv-docs .venv-release .pytest_cache .mypy_cache .ruff_cache .hypothesis dist
