# Set-up, run and test: `make help` lists the targets. Needs Python 3.11 or newer, make and git.
PYTHON ?= python3
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/installed
PEER := .venv-peer
STUDY ?= all
VERSIONS ?= lowest-direct
DATED := .venv-$(VERSIONS)
EXAMPLE := .test/results/studies/example/report.html

.PHONY: help run test test-fast test-nightly test-core test-versions test-processors proposals studies fuzz cluster-acceptance coverage lint lint-ci audit format docs bench package release-check paper-scale lock clean

# Where Python is told to write no bytecode, every job that a test starts compiles the library anew.
test test-fast test-nightly test-core proposals studies: export PYTHONDONTWRITEBYTECODE :=

##@ To use it (the first call installs .venv; another Python: PYTHON=python3.13 VENV=.venv-3.13)

## help: this list
help:
	@awk '/^##@/ { printf "\n%s\n", substr($$0, 5) } /^## [a-z-]+:/ { name = $$2; sub(/:$$/, "", name); text = $$0; sub(/^## [a-z-]+: */, "", text); printf "  make %-19s %s\n", name, text }' Makefile

## run: the studies listed under `run:` in config/config.yaml, or STUDY=name
run: $(INSTALLED)
	@$(BIN)/snakemake --cores $(CORES) $(STUDY)
	@for page in $(patsubst %,results/studies/%/report.html,$(if $(filter all,$(STUDY)),*,$(STUDY))); do echo "report: $(CURDIR)/$$page"; done

## docs: the documentation as a site in site/, with the report of a small study
docs: $(EXAMPLE)
	@rm -rf docs/reference/generated  # pages of functions that have moved since would be errors
	@$(BIN)/sphinx-build --fresh-env --fail-on-warning --keep-going --quiet -c docs . site
	@echo "documentation: $(CURDIR)/site/index.html"

## clean: remove everything that was made, environments included; downloads are kept
clean:
	rm -rf $(VENV) $(PEER) .venv-lowest-direct .venv-highest .venv-actionlint dist site docs/gallery docs/images/read-your-report.png docs/reference/cli.md docs/reference/names.md docs/reference/tables.md docs/reference/generated .snakemake .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find results -mindepth 1 -maxdepth 1 ! -name README.md -exec rm -rf {} +
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

##@ To change it (.ci/run has all that a change must pass)

## test-fast: the fast unit tests in a minute and a half on two cores, without a workflow, a browser or a cluster
test-fast: $(INSTALLED)
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m "not slow" tests/unit tests/papers

## test: the whole test suite, about five minutes on two cores
# Three processes on two cores: those of the cluster, of workflows and of browsers often wait.
test: $(INSTALLED)
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

## lint: code style, types, workflow style and Snakemake's own checks
lint: $(INSTALLED)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy --no-error-summary
	@$(BIN)/snakefmt --check Snakefile workflow/Snakefile workflow/rules
	@$(BIN)/snakemake --lint

## format: correct the style of code and rules
format: $(INSTALLED)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .
	@$(BIN)/snakefmt Snakefile workflow/Snakefile workflow/rules

## bench: our kernels beside other programs, see docs/performance.md; ROWS="xnb gaussian" for some
bench: $(INSTALLED) $(PEER)/installed
	@XNBFLOW_PEER_PYTHON=$(PEER)/bin/python $(BIN)/python -m benchmarks $(ROWS)

##@ For maintainers

## test-nightly: tests that take minutes, small benchmarks, all shipped and proposed studies
test-nightly: $(INSTALLED)
	@$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m nightly
	@$(BIN)/python -m benchmarks --small
	@$(MAKE) --no-print-directory studies proposals

## test-core: the fast unit tests in a copy of the project without its papers
test-core: $(INSTALLED)
	@$(BIN)/python -m pytest -n 0 -m core tests/integration/test_papers.py

## test-versions: the fast unit tests with the oldest dependencies, or VERSIONS=highest (needs uv)
# Old packages get warnings of deprecation from newer ones that they use: there they are no errors.
test-versions:
	uv venv --quiet --clear --python $(PYTHON) $(DATED)
	uv pip compile --quiet --resolution $(VERSIONS) --python $(DATED) --extra workflow --extra test pyproject.toml -o $(DATED)/versions.txt
	uv pip install --quiet --python $(DATED) -r $(DATED)/versions.txt
	uv pip install --quiet --python $(DATED) --no-deps -e .
	NUMBA_CACHE_DIR=$(DATED)/kernels $(DATED)/bin/python -m pytest -n 2 --dist loadfile -m "not slow" tests/unit tests/papers \
	  $(if $(filter lowest-direct,$(VERSIONS)),-W default::DeprecationWarning)

## test-processors: the fast unit tests with other BLAS kernels, threads, locales, ...; SETTINGS=--list prints them
test-processors: $(INSTALLED)
	@$(BIN)/python .ci/processors.py $(SETTINGS)

## proposals: generated tables, each by `xnbflow study` and a run to its page
proposals: $(INSTALLED)
	@XNBFLOW_PROPOSALS=all $(BIN)/python -m pytest -n 2 tests/integration/test_proposed_studies.py -k proposal

## studies: every shipped study, run to its page on tiny files in the original layouts
studies: $(INSTALLED)
	@XNBFLOW_STUDIES=all $(BIN)/python -m pytest -n 2 tests/integration/test_shipped_studies.py

## fuzz: 100,000 damaged files, given to every reader
fuzz: $(INSTALLED)
	@XNBFLOW_FUZZ=5000 $(BIN)/python -m pytest -n 2 tests/fuzz

## cluster-acceptance: a study on a local SLURM cluster whose jobs and nodes fail (root, slurm-wlm, munge)
cluster-acceptance: $(INSTALLED)
	@$(BIN)/python -m pytest -m slurm tests/acceptance/test_slurm.py

## coverage: lines that no fast test reaches
coverage: $(INSTALLED)
	@$(BIN)/python -m pytest -q -m "not slow" --cov=xnbflow --cov-report=term-missing:skip-covered tests/unit tests/papers

## paper-scale: the whole workflow on eighteen simulated series of the paper's size
paper-scale: $(INSTALLED)
	@$(BIN)/python -m benchmarks.paper_scale

## lint-ci: the workflows of the hosted CI, by zizmor and actionlint
lint-ci: $(INSTALLED)
	@.ci/lint-ci $(BIN)/zizmor $(BIN)/python

## audit: known vulnerabilities of the locked dependencies (needs PyPI's advisories)
audit: $(INSTALLED)
	@$(BIN)/python -m pip install --quiet pip-audit
	@$(BIN)/python -m pip_audit --requirement requirements.lock --require-hashes --disable-pip

## lock: pin the newest versions that pyproject.toml allows (needs uv)
lock:
	uv pip compile --upgrade --universal --python-version 3.11 --extra workflow --extra docs --extra dev --generate-hashes --no-strip-extras \
	  --no-emit-index-url --no-emit-find-links --no-header pyproject.toml -o requirements.lock

## package: build, check, install, use and uninstall wheel and source
package:
	@.ci/package $(PYTHON)

## release-check: version, changelog, citation, wheel and documents agree; TAG=v0.1.0 is compared too
release-check: $(INSTALLED)
	@$(BIN)/python .ci/release_check.py $(if $(TAG),--tag $(TAG))

##@

$(INSTALLED): requirements.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(EXAMPLE): $(INSTALLED) $(shell git ls-files workflow .test config)
	@$(BIN)/snakemake example --directory .test --configfile .test/config/config.yaml --cores $(CORES) --quiet
	@touch $@

$(PEER)/installed:
	$(PYTHON) -m venv $(PEER)
	$(PEER)/bin/python -m pip install --quiet xnb==0.5.1 KDEpy==1.1.12
	@touch $@
