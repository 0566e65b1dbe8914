#include "libstore/member_library.h"

#include <dlfcn.h>
#include <string.h>

void *member_library_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

bool member_library_calls(void *handle, const struct member_call *calls, size_t n, void *ret_calls)
{
	bool all = true;

	for (size_t i = 0; i < n; i++) {
		void *call = dlsym(handle, calls[i].name);

		memcpy((char *)ret_calls + calls[i].offset, &call, sizeof(call));
		all = call != NULL && all;
	}
	return all;
}
