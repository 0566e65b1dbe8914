/*
 * fuzz_tracing - input of the tracing agent from traced processes and their /proc: descriptions
 * that do not match the data, environments, vectors, names. The first byte selects the kind.
 */
#include <string.h>

#include "config.h"
#include "fields.h"
#include "fuzz.h"
#include "names.h"
#include "process.h"
#include "queues.h"
#include "stream.h"

enum { MOST = 4096 };

/* Checks that the records of an array fill it exactly. */
static void check_array(const pmHighResEventArray *array)
{
	const char *at = (const char *)array->ea_record, *end = (const char *)array + array->ea_len;

	for (int i = 0; i < array->ea_nrecords; i++) {
		const pmHighResEventRecord *r = (const void *)at;

		FUZZ_REQUIRE(at + sizeof(*r) - sizeof(r->er_param) <= end);
		at = (const char *)r->er_param;
		for (int k = 0; k < r->er_nparams; k++) {
			const pmEventParameter *p = (const void *)at;

			FUZZ_REQUIRE(at + sizeof(*p) <= end && p->ep_len >= 4);
			at += sizeof(pmID) + (p->ep_len + 3u) / 4 * 4;
		}
	}
	FUZZ_REQUIRE(at == end);
}

/* A description, then the event's data. */
static void fuzz_event(const uint8_t *data, size_t size)
{
	struct posix_trace_field_np described[POSIX_TRACE_FIELDS_MAX_NP];
	int params[POSIX_TRACE_FIELDS_MAX_NP], array = pmdaEventNewHighResArray(), r;
	struct type type = {.fields = described, .params = params, .name = "fuzz"};
	struct type *types[] = {&type, &type};
	struct stream stream = {.types = types, .ntypes = 2};
	struct timespec stamp = {1, 2};
	union {
		struct ring_event event;
		uint8_t room[sizeof(struct ring_event) + MOST];
	} kept = {.event = {.type = 1}};

	unsigned int wanted = 0;

	if (size > 0) {
		wanted = *data++ % (POSIX_TRACE_FIELDS_MAX_NP + 1);
		size--;
	}
	while (size >= sizeof(described[0]) && type.nfields < wanted) {
		struct posix_trace_field_np *f = &described[type.nfields];

		memcpy(f, data, sizeof(*f));
		params[type.nfields++] = fields_get(type.name, f, f->reserved, true);
		data += sizeof(*f);
		size -= sizeof(*f);
	}
	size = size < MOST ? size : MOST;
	memcpy(kept.event.data, data, size);
	kept.event.size = (uint32_t)size;
	r = records_decode(array, &kept, sizeof(struct ring_event) + size, &stamp, &stream);
	FUZZ_REQUIRE(r == 1);
	check_array(pmdaEventGetHighResAddr(array));
	kept.event.type = 7;
	FUZZ_REQUIRE(
	    records_decode(array, &kept, sizeof(struct ring_event) + size, &stamp, &stream) < 0);
	pmdaEventReleaseHighResArray(array);
}

static void fuzz_process(const uint8_t *data, size_t size)
{
	char value[16];

	process_variable_of((const char *)data, size, "A", value, sizeof(value));
	FUZZ_REQUIRE(memchr(value, '\0', sizeof(value)) != NULL);
	process_is_privileged_of(data, size);
}

static void fuzz_text(const uint8_t *data, size_t size)
{
	char text[MOST + 1], message[200] = "", got[6 * MOST + 16];
	struct config config;
	int r;

	size = size < MOST ? size : MOST;
	memcpy(text, data, size);
	text[size] = '\0';
	r = config_parse(&config, "f", text, message, sizeof(message));
	FUZZ_REQUIRE((r < 0) == (message[0] != '\0'));
	if (r == 0)
		config_find(&config, "user", "command");
	config_done(&config);
	names_json(text, got, sizeof(got));
	for (const char *c = got; *c != '\0'; c++)
		FUZZ_REQUIRE((unsigned char)*c >= 0x20);
	names_component(text, got, sizeof(got));
	FUZZ_REQUIRE(
	    strspn(got, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
	    strlen(got));
	names_instance(text, got, sizeof(got));
	FUZZ_REQUIRE(strchr(got, ' ') == NULL && strlen(got) == strlen(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const kinds[])(const uint8_t *, size_t) = {fuzz_event, fuzz_process,
								 fuzz_text};

	if (size > 0)
		kinds[data[0] % 3](data + 1, size - 1);
	return 0;
}
