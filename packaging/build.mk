# Installing and releasing, for the top-level Makefile: include packaging/build.mk

# What is installed, and who writes its manual pages: the same, but for another architecture.
BINARY ?= bin/tabard
DATA = $(DESTDIR)$(PREFIX)/share
.PHONY: install release site
install: bin/tabard
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/tabard
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/include include/tabard.h include/tabard.f90
	install -D -m 644 -t $(DATA)/tabard/python include/tabard.py
	install -D -m 644 -t $(DATA)/doc/tabard README.md LICENSE
	bin/tabard version --licenses > $(DATA)/doc/tabard/licenses.txt
	rm -f $(DATA)/man/man1/tabard*.1.gz
	bin/tabard man --force --dir $(DATA)/man/man1
	gzip -9nf $(DATA)/man/man1/tabard*.1
	mkdir -p $(DATA)/bash-completion/completions $(DATA)/zsh/site-functions $(DATA)/fish/vendor_completions.d
	bin/tabard completion bash > $(DATA)/bash-completion/completions/tabard
	bin/tabard completion zsh > $(DATA)/zsh/site-functions/_tabard
	bin/tabard completion fish > $(DATA)/fish/vendor_completions.d/tabard.fish
	install -D -m 644 packaging/modulefiles/tabard $(DATA)/modulefiles/tabard/$(VERSION)

# Packages, archives, bill of materials and checksums in dist/. RELEASE='amd64' leaves AArch64 out.
RELEASE ?= amd64 arm64
release:
	@.ci/deps.sh release
	@$(MAKE) --no-print-directory bin/tabard
	VERSION='$(VERSION)' GOCMD="$(GOCMD)" packaging/release.sh $(RELEASE)

# The documentation with search, for a browser without a server.
site:
	packaging/site.sh
