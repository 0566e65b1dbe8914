/*
 * forked - a child of a sanitized test does not check for leaks.
 *
 * A child that ends by exit() would check, and wait for ever for a lock of the sanitizer's
 * allocator that another thread of its parent held at the fork. LeakSanitizer calls this function
 * before it takes its locks; the process that the test started in checks as ever.
 */
#include <sys/types.h>
#include <unistd.h>

static pid_t first;

static __attribute__((constructor)) void forked_note_first(void)
{
	first = getpid();
}

__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
	return getpid() != first;
}
