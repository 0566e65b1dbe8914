/* mapping - files in memory: docs/spec/pmapi.md 24. */
#include <sys/mman.h>

#include <pcp/libpcp.h>

void *__pmMemoryMap(int fd, size_t size, int writable)
{
	int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *memory = mmap(NULL, size, protection, MAP_SHARED, fd, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void __pmMemoryUnmap(void *memory, size_t size)
{
	munmap(memory, size);
}
