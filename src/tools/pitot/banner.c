/* banner - see banner.h. */
#include "banner.h"

#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "collector.h"
#include "recorder.h"
#include "word.h"

static void print_word(const char *word)
{
	char text[4 * PLACE_PATH];

	fputs(word_quote(word, text, sizeof(text)), stdout);
}

static void print_try(const struct place *p, const char *tool, const char *arguments)
{
	char word[2 * PLACE_PATH];

	fputs("    ", stdout);
	snprintf(word, sizeof(word), "%s/bin/%s", p->prefix, tool);
	print_word(word);
	fputs(" -h ", stdout);
	snprintf(word, sizeof(word), "unix:%s", p->socket);
	print_word(word);
	printf(" %s\n", arguments);
}

static void print_listening(const struct place *p, int port, char *const addresses[], int count)
{
	printf("  listening on %s\n", p->socket);
	if (count == 0)
		printf("               127.0.0.1 port %d (loopback only; more with --listen "
		       "ADDRESS)\n",
		       port);
	for (int i = 0; i < count; i++)
		printf("               %s port %d\n", addresses[i], port);
}

/* "2.0 GB"; text holds at least 32 bytes. */
static const char *size_text(uint64_t bytes, char *text)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	double v = (double)bytes;
	size_t i = 0;

	for (; v >= 1024 && i + 1 < sizeof(units) / sizeof(units[0]); i++)
		v /= 1024;
	snprintf(text, 32, "%.3g %s", v, units[i]);
	return text;
}

static void print_recording(const struct place *p, const struct recorder *recorder)
{
	char text[32];

	if (recorder->off) {
		puts("  records      nothing (--no-record)");
		return;
	}
	fputs("  records into ", stdout);
	print_word(p->archive_dir);
	printf(" (at most %s, oldest go first)\n", size_text(recorder->keep, text));
}

int banner_print(const struct place *p, const struct recorder *recorder, int port,
		 char *const addresses[], int count)
{
	struct collector c;
	char source[PLACE_PATH + 8];
	char host[256];
	int context, r;

	snprintf(source, sizeof(source), "unix:%s", p->socket);
	context = pmNewContext(PM_CONTEXT_HOST, source);
	if (context < 0)
		return context;
	collector_init(&c);
	r = collector_count_names(&c);
	pmGetContextHostName_r(context, host, sizeof(host));
	pmDestroyContext(context);
	if (r < 0)
		return r;
	printf("Pitot " PITOT_VERSION " collects %lld metrics of %s\n", (long long)c.metrics,
	       host);
	print_listening(p, port, addresses, count);
	printf("  log          %s\n", p->pmcd_log);
	print_recording(p, recorder);
	puts("  try in another shell:");
	print_try(p, "pminfo", "-f kernel.all.load mem.util.free");
	print_try(p, "pmval", "-s 5 kernel.all.cpu.user");
	print_try(p, "pmprobe", "-v network.interface.in.bytes");
	puts("  Ctrl-C stops; `pitot status` tells how it is");
	fflush(stdout);
	return 0;
}
