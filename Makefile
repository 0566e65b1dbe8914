# A thin front over meson and ninja. See README.md for ./run and ./check, which install what is missing.
PREFIX ?= /opt/pitot
FUZZ_S ?= 60
MESON = meson

.PHONY: all stage check install uninstall bench fuzz asan tsan portability bare clean

all: build/debug/build.ninja
	ninja -C build/debug

build/debug/build.ninja:
	$(MESON) setup build/debug

# What ./run starts: a release build, installed under build/stage.
stage: build/stage-build/build.ninja
	ninja -C build/stage-build
	$(MESON) install -C build/stage-build --quiet --no-rebuild

build/stage-build/build.ninja:
	$(MESON) setup build/stage-build --buildtype=release -Dtests=false --prefix="$(CURDIR)/build/stage"

check:
	/usr/bin/python3 scripts/check-suite

install:
	@if [ -e build/release/build.ninja ]; then \
		$(MESON) configure build/release --prefix="$(PREFIX)"; \
	else \
		$(MESON) setup build/release --buildtype=release -Dtests=false --prefix="$(PREFIX)"; \
	fi
	ninja -C build/release
	$(MESON) install -C build/release --quiet --no-rebuild $(if $(DESTDIR),--destdir "$(DESTDIR)")

ifdef SYSTEMD
	scripts/install-service "$(PREFIX)" "$(DESTDIR)"
endif

# What was installed last, wherever that was.
uninstall: PREFIX = $(shell /usr/bin/python3 -c 'import json; \
	print(*(o["value"] for o in json.load(open("build/release/meson-info/intro-buildoptions.json")) if o["name"] == "prefix"))')
uninstall:
	scripts/install-service --remove "$(PREFIX)" "$(DESTDIR)"
	ninja -C build/release uninstall
	scripts/index-man --remove "$(DESTDIR)$(PREFIX)/share/man"

bench: stage
	/usr/bin/python3 bench/bench

fuzz:
	FUZZ_S=$(FUZZ_S) scripts/fuzz-all

asan:
	/usr/bin/python3 scripts/check-suite asan

tsan:
	/usr/bin/python3 scripts/check-suite tsan

portability:
	scripts/portability

# ./run and ./check on a bare Debian 12 in a container (root, debootstrap).
bare:
	scripts/check-bare

clean:
	rm -rf build
