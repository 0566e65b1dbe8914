/* log_fixture - see log_fixture.h. */
#include "log_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libtrace/layout.h"

#define BASE_NS 1600000000000000000

static trace_event_id_t types_end(void *arg)
{
	return LAYOUT_USER_FIRST + FIXTURE_TYPES;
}

static int types_name(void *arg, trace_event_id_t id, char *ret)
{
	if (id < LAYOUT_USER_FIRST || id >= types_end(arg))
		return -EINVAL;
	sprintf(ret, "type_%u", id - LAYOUT_USER_FIRST);
	return 0;
}

static size_t types_fields(void *arg, trace_event_id_t id, struct posix_trace_field_np *ret)
{
	if (id != LAYOUT_USER_FIRST)
		return 0;
	ret[0] = (struct posix_trace_field_np){"number", POSIX_TRACE_FIELD_UINT_NP, 0, 8, 0};
	ret[1] = (struct posix_trace_field_np){"rest", POSIX_TRACE_FIELD_BYTES_NP, 8, 0, 0};
	return 2;
}

/* Zeroed memory that child processes share. */
static void *shared_new(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	return p;
}

int fixture_open_fd(struct log_fixture *f, int policy, uint64_t log_size, uint32_t data_max, int fd)
{
	trace_attr_t *attr;

	*f = (struct log_fixture){.fd = fd};
	f->types = (struct log_types){f, types_end, types_name, types_fields};
	f->ctl = shared_new(sizeof(*f->ctl));
	f->block_len = (log_writer_memory(data_max) + 4095) & ~(uint64_t)4095;
	f->block = shared_new(f->block_len);
	attr = &f->ctl->attr;
	posix_trace_attr_init(attr);
	posix_trace_attr_setlogfullpolicy(attr, policy);
	posix_trace_attr_setlogsize(attr, log_size);
	posix_trace_attr_setmaxdatasize(attr, data_max);
	posix_trace_attr_setstreamfullpolicy(attr, POSIX_TRACE_FLUSH);
	posix_trace_attr_setname(attr, "fixture");
	attr->__creation_time = (struct timespec){1600000000, 123456789};
	attr->__clock_resolution = (struct timespec){0, 1};
	memset(attr->__version, 0, sizeof(attr->__version));
	strcpy(attr->__version, "fixture");
	f->ctl->id.stream_id = 0x123456789;
	f->ctl->id.target.pid = 4711;
	f->ctl->id.controller.pid = 4712;
	return log_writer_open(fd, f->ctl, f->block, &f->types, &f->writer);
}

void fixture_open(struct log_fixture *f, int policy, uint64_t log_size, uint32_t data_max)
{
	int fd = memfd_create("log", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(fixture_open_fd(f, policy, log_size, data_max, fd), 0);
}

void fixture_close(struct log_fixture *f)
{
	log_writer_close(f->writer);
	munmap(f->ctl, sizeof(*f->ctl));
	munmap(f->block, f->block_len);
	close(f->fd);
}

/* Lengths from 0 to the maximum; most of them are small. */
static uint32_t length_of(uint64_t n, uint64_t data_max)
{
	uint64_t h = n * 0x9e3779b97f4a7c15u;

	h ^= h >> 29;
	if (h % 7 == 0)
		return (uint32_t)(h / 7 % (data_max + 1));
	return (uint32_t)(h / 7 % ((data_max < 96 ? data_max : 96) + 1));
}

void fixture_event(const struct log_fixture *f, uint64_t n, struct event *ret, uint8_t *data)
{
	uint32_t length = length_of(n, f->ctl->attr.__data_size);

	for (uint32_t i = 0; i < length; i++)
		data[i] = (uint8_t)(n * 31 + i);
	if (length >= sizeof(n))
		memcpy(data, &n, sizeof(n));
	*ret = (struct event){
	    .id = (uint32_t)(LAYOUT_USER_FIRST - 1 + n % (FIXTURE_TYPES + 1)),
	    .pid = (int32_t)(4711 + n % 3),
	    .tid = (int32_t)(4711 + n % 5),
	    .thread = n << 32,
	    .address = 0x400000 + n,
	    .real_ns = BASE_NS + (int64_t)n * 100,
	    .truncated = n % 11 == 0 ? POSIX_TRACE_TRUNCATED_RECORD : 0,
	    .length = length,
	    .data = data,
	};
}

int fixture_add(struct log_fixture *f, uint64_t count)
{
	uint8_t *data = malloc(f->ctl->attr.__data_size + 1);
	struct event event;
	int r = 0;

	assert_non_null(data);
	for (uint64_t i = 0; i < count && r >= 0; i++) {
		fixture_event(f, f->next, &event, data);
		r = log_writer_add(f->writer, &event, f->next + 1);
		if (r >= 0)
			f->next++;
	}
	free(data);
	return r;
}

int fixture_complete(struct log_fixture *f)
{
	struct posix_trace_status_info status = {
	    .posix_stream_status = POSIX_TRACE_SUSPENDED,
	    .posix_log_full_status = (int)f->ctl->log_full,
	    .posix_log_overrun_status = (int)f->ctl->log_overrun,
	};
	struct posix_trace_counts_np counts = {
	    .recorded = f->next,
	    .reported = f->next - f->ctl->lost_log,
	    .lost_log = f->ctl->lost_log,
	};

	return log_writer_complete(f->writer, &status, &counts);
}

off_t fixture_size(const struct log_fixture *f)
{
	struct stat st;

	assert_int_equal(fstat(f->fd, &st), 0);
	return st.st_size;
}

static void check_event(const struct log_fixture *f, uint64_t n, const struct event *got)
{
	uint8_t *data = malloc(f->ctl->attr.__data_size + 1);
	struct event want;

	assert_non_null(data);
	fixture_event(f, n, &want, data);
	assert_int_equal(got->id, want.id);
	assert_int_equal(got->pid, want.pid);
	assert_int_equal(got->tid, want.tid);
	assert_int_equal(got->thread, want.thread);
	assert_int_equal(got->address, want.address);
	assert_int_equal(got->real_ns, want.real_ns);
	assert_int_equal(got->truncated, want.truncated);
	assert_int_equal(got->length, want.length);
	assert_memory_equal(got->data, data, want.length);
	free(data);
}

struct fixture_run fixture_read(const struct log_fixture *f, struct log_reader *log)
{
	struct fixture_run run = {0};
	struct event event;
	int r;

	while ((r = log_reader_next(log, &event)) == 1) {
		run.last_id = event.id;
		if (event.length == sizeof(int))
			memcpy(&run.last_data, event.data, sizeof(int));
		if (event.id < POSIX_TRACE_UNNAMED_USEREVENT)
			continue;
		if (run.count == 0)
			run.first = (uint64_t)(event.real_ns - BASE_NS) / 100;
		check_event(f, run.first + run.count++, &event);
	}
	assert_int_equal(r, 0);
	return run;
}

struct fixture_run fixture_check(const struct log_fixture *f, int fd)
{
	struct fixture_run run, again;
	struct log_reader *log;

	assert_int_equal(log_reader_open(fd, &log), 0);
	run = fixture_read(f, log);
	log_reader_rewind(log);
	again = fixture_read(f, log);
	assert_int_equal(again.first, run.first);
	assert_int_equal(again.count, run.count);
	log_reader_close(log);
	return run;
}
