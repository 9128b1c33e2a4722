# Thin names for what scripts/ does; every script also works alone.

.PHONY: help run test test-cluster test-matrix soak lint bench docs package setup

help:
	@echo "make run           install what is missing, build, open workbay"
	@echo "make test          the same, then check formatting, lints and run every test"
	@echo "make test-cluster  bring up a Backend.AI cluster on this machine if none runs, and test against it (VERSION=26.4.16)"
	@echo "make test-matrix   the same for each tested release, and write docs/backendai-matrix.md"
	@echo "make soak          half an hour of typing over a bad connection to that cluster"
	@echo "make lint          formatting and lints only"
	@echo "make bench         measure and write docs/benchmarks.md"
	@echo "make docs          build the documentation as a book into target/book"
	@echo "make package       build a tarball, a Debian package, an SBOM and checksums into target/package"

run:
	@scripts/run

test:
	@scripts/test

test-cluster:
	@$(if $(VERSION),WORKBAY_CLUSTER_VERSION=$(VERSION)) scripts/test-cluster

test-matrix:
	@scripts/test-matrix

soak:
	@scripts/test-cluster --ignored --nocapture soak

lint:
	@scripts/lint

bench:
	@scripts/bench

docs:
	@scripts/docs

package:
	@scripts/package

setup:
	@scripts/setup
