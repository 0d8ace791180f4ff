# Everything that is done to this repository, by name. CI runs these targets and nothing else.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

BIN := bin/datapi
VERSION := $(shell git describe --always --dirty 2>/dev/null || echo unknown)

# The verbs engine is compiled in where its headers are; it opens its libraries only at run time.
TAGS = $(shell pkg-config --exists libibverbs librdmacm 2>/dev/null && command -v gcc >/dev/null && echo verbs)

GO_TEST := go test -p 2 -timeout 20m
NPM := npm --prefix web
WEB_SOURCES := $(shell find web -type f -not -path 'web/node_modules/*' -not -path 'web/dist/*' -not -name '*.go' 2>/dev/null)

GOLANGCI_LINT := go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
REDOCLY := REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true web/node_modules/.bin/redocly

.PHONY: help
help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build what changed and start the service with a private PostgreSQL and two soft IAs
	exec $(BIN) serve $(ARGS)

.PHONY: build
build: setup-run web/dist/index.html ## Build the page and the program: bin/datapi
	@mkdir -p $(dir $(BIN))
	go build -tags '$(TAGS)' -ldflags '-X main.version=$(VERSION)' -o $(BIN) ./cmd/datapi

.PHONY: test
test: setup-test test-web journeys test-go ## Run every test: vet, Go, the page's parts, the page in a browser

.PHONY: test-go
test-go: setup-test web/node_modules/.installed ## Run go vet and the Go tests
	go vet -tags '$(TAGS)' ./...
	$(GO_TEST) -tags '$(TAGS)' ./...

.PHONY: test-race
test-race: setup-test web/node_modules/.installed ## Run the Go tests under the race detector
	$(GO_TEST) -race ./...

.PHONY: test-locks
test-locks: ## Run the manager's tests and the conformance suite with every lock's place checked
	$(GO_TEST) -tags lockorder ./internal/manager ./internal/rdma/soft

.PHONY: test-web
test-web: web/node_modules/.installed ## Run the tests of the page's parts
	$(NPM) run test

.PHONY: journeys
journeys: setup-test build ## Run the page's journeys in headless Chromium against bin/datapi
	DATAPI_BIN=$(CURDIR)/$(BIN) $(NPM) run journeys

.PHONY: test-rxe
test-rxe: build ## Run the verbs engine on rxe and siw in a virtual machine (KERNEL=6.1 or 6.12: on that one only)
	scripts/test-rxe $(if $(KERNEL),-k $(KERNEL))

# GO_TEST's time limit is for short runs; a run of the harness takes as long as it is told to.
.PHONY: test-faults
test-faults: setup-test ## Attack the promises of docs/guarantees.md: ROUNDS times (5), SECONDS of load each (5), SEED
	DATAPI_FAULT_ROUNDS=$(or $(ROUNDS),5) DATAPI_FAULT_SECONDS=$(or $(SECONDS),5) DATAPI_FAULT_SEED=$(SEED) \
		go test -timeout 24h -count=1 -v -run '^TestFault' ./internal/faults

.PHONY: test-ha
test-ha: setup-ha ## Lose primaries of a cluster that Patroni looks after, under load: RUN (a pattern of tests), ROUNDS (1), SEED
	DATAPI_FAULT_ROUNDS=$(or $(ROUNDS),1) DATAPI_FAULT_SEED=$(SEED) \
		go test -tags ha -timeout 24h -count=1 -v -run '$(or $(RUN),^TestHA)' ./internal/faults

.PHONY: test-upgrade
test-upgrade: setup-test ## Run the version before and this one side by side under load: ROUNDS (1), SECONDS of load (2), SEED
	DATAPI_FAULT_ROUNDS=$(or $(ROUNDS),1) DATAPI_FAULT_SECONDS=$(or $(SECONDS),2) DATAPI_FAULT_SEED=$(SEED) \
		go test -tags upgrade -timeout 24h -count=1 -v -run '^TestUpgrade' ./internal/faults

.PHONY: test-mutations
test-mutations: setup-test ## Plant one bug of each kind and show that the harness of faults finds it
	go test -timeout 2h -count=1 -v -tags mutations -run '^TestMutations' ./internal/faults

.PHONY: bench
bench: setup-test ## Run the benchmarks
	$(GO_TEST) -run '^$$' -bench . -benchmem ./...

.PHONY: bench-rxe
bench-rxe: ## Run the verbs engine's benchmarks beside a C program's in a virtual machine (KERNEL=6.1 or 6.12)
	scripts/test-rxe -k $(or $(KERNEL),6.12) bench

# A package has the verbs engine, which finds the libraries at run time, or none at all.
.PHONY: deb
deb: setup-test build ## Pack the program for Debian: bin/datapi_*.deb
	scripts/deb

.PHONY: test-deb
test-deb: setup-test build ## Install, use, upgrade and remove the package in a copy of this machine (as root)
	scripts/test-deb "$$(DEB_VERSION=0~former scripts/deb | tail -n 1)" "$$(scripts/deb | tail -n 1)"

.PHONY: lint
lint: setup-test web/node_modules/.installed ## Lint the Go code, the page, openapi.yaml and the image
	go vet ./...
	$(GOLANGCI_LINT) run --build-tags verbs ./...
	$(NPM) run lint
	$(REDOCLY) lint --config .redocly.yaml openapi.yaml
	scripts/check-image

.PHONY: gen
gen: web/node_modules/.installed ## Make the generated files: openapi.yaml and the page's types of it
	scripts/gen

.PHONY: check
check: web/node_modules/.installed ## Fail where a generated file is not what the code makes
	scripts/gen --check

.PHONY: screenshots
screenshots: setup-test build ## Take the pictures of the page that the README shows
	DATAPI_BIN=$(CURDIR)/$(BIN) $(NPM) run screenshots

.PHONY: clean
clean: ## Remove what was built (never the service's data)
	rm -rf bin web/dist/assets web/dist/index.html web/node_modules

.PHONY: setup-run setup-test setup-ha
setup-run:
	@scripts/setup run
setup-test:
	@scripts/setup test
setup-ha:
	@scripts/setup ha

web/node_modules/.installed: web/package.json web/package-lock.json
	$(NPM) ci --ignore-scripts --no-audit --no-fund
	@touch $@

# Files of an earlier build bear other hashes: they would stay, and be embedded. They go when the new ones are there.
web/dist/index.html: web/node_modules/.installed $(WEB_SOURCES)
	@touch web/node_modules/.building
	$(NPM) run build
	@find web/dist/assets -type f ! -newer web/node_modules/.building -delete
	@touch $@
