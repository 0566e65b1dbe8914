#!/bin/sh
# alone.sh INCLUDE CC... - each installed header compiles alone, as C99 and as C++, without a warning.
include=$1
shift
failed=0
for header in "$include"/pcp/*.h "$include"/pitot/*.h; do
	printf "#include \"%s\"\nint here;\n" "$header" | "$@" -std=c99 -D_GNU_SOURCE -Wall -Wextra -pedantic -Werror \
		-fsyntax-only -I"$include" -xc - || failed=1
	if command -v c++ >/dev/null; then
		printf "#include \"%s\"\nint here;\n" "$header" | c++ -Wall -Wextra -Werror -fsyntax-only -I"$include" \
			-xc++ - || failed=1
	fi
done
exit $failed
