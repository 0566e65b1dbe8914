/*
 * hooks - the functions that the compiler calls before every access to memory in code that it
 * compiles with -fsanitize=thread. They belong to the explorer here, not to a sanitizer: a thread
 * yields before each access to shared memory, plain or atomic.
 */
#include "hooks.h"

#include <stddef.h>
#include <stdint.h>

#include "explore.h"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *pc)
{
	(void)pc;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(n)                                                                                   \
	void __tsan_read##n(void *at)                                                              \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_write##n(void *at)                                                             \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_unaligned_read##n(void *at)                                                    \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_unaligned_write##n(void *at)                                                   \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_read_write##n(void *at)                                                        \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_unaligned_read_write##n(void *at)                                              \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_volatile_read##n(void *at)                                                     \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}                                                                                          \
	void __tsan_volatile_write##n(void *at)                                                    \
	{                                                                                          \
		explore_touch(at, n);                                                              \
	}
PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)
PLAIN(16)

void __tsan_read_range(void *at, size_t size)
{
	explore_touch(at, size);
}

void __tsan_write_range(void *at, size_t size)
{
	explore_touch(at, size);
}

#define FETCH(bits, name)                                                                          \
	uint##bits##_t __tsan_atomic##bits##_fetch_##name(volatile uint##bits##_t *at,             \
							  uint##bits##_t value, int order)         \
	{                                                                                          \
		(void)order;                                                                       \
		explore_touch(at, sizeof(*at));                                                    \
		return __atomic_fetch_##name(at, value, __ATOMIC_SEQ_CST);                         \
	}

#define SWAP(bits, name)                                                                           \
	int __tsan_atomic##bits##_compare_exchange_##name(                                         \
	    volatile uint##bits##_t *at, uint##bits##_t *expected, uint##bits##_t value,           \
	    int order, int failed)                                                                 \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failed;                                                                      \
		explore_touch(at, sizeof(*at));                                                    \
		return __atomic_compare_exchange_n(at, expected, value, 0, __ATOMIC_SEQ_CST,       \
						   __ATOMIC_SEQ_CST);                              \
	}

#define ATOMIC(bits)                                                                               \
	uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t *at, int order)    \
	{                                                                                          \
		(void)order;                                                                       \
		explore_touch(at, sizeof(*at));                                                    \
		return __atomic_load_n(at, __ATOMIC_SEQ_CST);                                      \
	}                                                                                          \
	void __tsan_atomic##bits##_store(volatile uint##bits##_t *at, uint##bits##_t value,        \
					 int order)                                                \
	{                                                                                          \
		(void)order;                                                                       \
		explore_touch(at, sizeof(*at));                                                    \
		__atomic_store_n(at, value, __ATOMIC_SEQ_CST);                                     \
	}                                                                                          \
	uint##bits##_t __tsan_atomic##bits##_exchange(volatile uint##bits##_t *at,                 \
						      uint##bits##_t value, int order)             \
	{                                                                                          \
		(void)order;                                                                       \
		explore_touch(at, sizeof(*at));                                                    \
		return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);                           \
	}                                                                                          \
	uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(                                 \
	    volatile uint##bits##_t *at, uint##bits##_t expected, uint##bits##_t value, int order, \
	    int failed)                                                                            \
	{                                                                                          \
		(void)order;                                                                       \
		(void)failed;                                                                      \
		explore_touch(at, sizeof(*at));                                                    \
		__atomic_compare_exchange_n(at, &expected, value, 0, __ATOMIC_SEQ_CST,             \
					    __ATOMIC_SEQ_CST);                                     \
		return expected;                                                                   \
	}                                                                                          \
	SWAP(bits, strong)                                                                         \
	SWAP(bits, weak)                                                                           \
	FETCH(bits, add)                                                                           \
	FETCH(bits, sub)                                                                           \
	FETCH(bits, and)                                                                           \
	FETCH(bits, or)                                                                            \
	FETCH(bits, xor)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
}
