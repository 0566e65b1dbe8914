/*
 * Each column is as wide as its title. A value that does not fit is printed in a larger unit.
 */
#include "tools/pmstat/pmstat.h"

#include <stdio.h>
#include <string.h>

#define HOST_WIDTH 7

void line_print_titles(const struct layout *layout, bool swaps, const struct timespec *stamp)
{
	char when[32], c = swaps ? 's' : 'p';
	time_t t = stamp->tv_sec + (stamp->tv_nsec >= 500000000 ? 1 : 0);

	if (stamp->tv_sec == 0)
		t = time(NULL);
	printf("@ %s", pmCtime(&t, when));
	if (layout->hosts) {
		printf("%-7s%8s%21s%10s%10s%10s%*s\n", "node", "loadavg", "memory", "swap", "io",
		       "system", layout->xcpu ? 20 : 12, "cpu");
		printf("%8s%7s %6s %6s %6s", "", "1 min", "swpd", "buff", "cache");
	} else {
		printf("%8s%28s%10s%10s%10s%*s\n", "loadavg", "memory", "swap", "io", "system",
		       layout->xcpu ? 20 : 12, "cpu");
		printf(" %7s %6s %6s %6s %6s", "1 min", "swpd", "free", "buff", "cache");
	}
	printf("   %c%1s   %c%1s %4s %4s %4s %4s %3s %3s %3s", c, "i", c, "o", "bi", "bo", "in",
	       "cs", "us", "sy", "id");
	if (layout->xcpu)
		printf(" %3s %3s", "wa", "st");
	putchar('\n');
}

void line_print_host(const struct layout *layout, const char *host)
{
	size_t length = strlen(host);

	if (!layout->hosts)
		return;
	if (layout->suffix && length > HOST_WIDTH)
		host += length - HOST_WIDTH;
	printf("%-*.*s", HOST_WIDTH, HOST_WIDTH, host);
}

static void print_memory(const struct source *s, int metric)
{
	unsigned long long kbyte = s->values[metric].ull;

	if (s->stss[metric] < 0)
		printf(" %6s", "?");
	else if (kbyte < 1000000)
		printf(" %6llu", kbyte);
	else if (kbyte / 1024 < 100000)
		printf(" %5llum", kbyte / 1024);
	else
		printf(" %5llug", kbyte / 1024 / 1024);
}

static void print_rate(const struct source *s, int metric)
{
	unsigned long long rate = s->values[metric].ull;

	if (s->stss[metric] < 0)
		printf(" %4s", "?");
	else if (rate < 10000)
		printf(" %4llu", rate);
	else if (rate / 1000 < 1000)
		printf(" %3lluK", rate / 1000);
	else
		printf(" %3lluM", rate / 1000000);
}

/* The columns of the processor; without -x the last two are parts of the others. */
static const unsigned int shares[2][5] = {
    {1u << CPU_NICE | 1u << CPU_USER, 1u << CPU_INTR | 1u << CPU_SYS | 1u << CPU_STEAL,
     1u << CPU_IDLE | 1u << CPU_WAIT, 0, 0},
    {1u << CPU_NICE | 1u << CPU_USER, 1u << CPU_INTR | 1u << CPU_SYS, 1u << CPU_IDLE,
     1u << CPU_WAIT, 1u << CPU_STEAL},
};

/* The sum of the chosen times. */
static unsigned long long sum(const struct source *s, unsigned int chosen)
{
	unsigned long long total = 0;

	for (int i = CPU_NICE; i <= CPU_STEAL; i++)
		if ((chosen & 1u << i) != 0 && s->stss[i] >= 0)
			total += s->values[i].ull;
	return total;
}

bool line_cpu_share(const struct source *s, int share, double *ret_percent)
{
	bool known = s->stss[CPU_USER] >= 0 && s->stss[CPU_SYS] >= 0 && s->stss[CPU_IDLE] >= 0;
	unsigned long long total = known ? sum(s, ~0u) : 0;

	if (total == 0)
		return false;
	*ret_percent = 100.0 * (double)sum(s, shares[1][share]) / (double)total;
	return true;
}

static void print_cpu(const struct layout *layout, const struct source *s)
{
	bool known = s->stss[CPU_USER] >= 0 && s->stss[CPU_SYS] >= 0 && s->stss[CPU_IDLE] >= 0;
	unsigned long long total = known ? sum(s, ~0u) : 0;

	for (int i = 0; i < (layout->xcpu ? 5 : 3); i++) {
		if (total > 0)
			printf(" %3llu",
			       (100 * sum(s, shares[layout->xcpu][i]) + total / 2) / total);
		else
			printf(" %3s", "?");
	}
}

void line_print_values(const struct layout *layout, const struct source *s)
{
	if (s->stss[LOAD] >= 0)
		printf(" %7.2f", (double)s->values[LOAD].f);
	else
		printf(" %7s", "?");
	print_memory(s, SWAP_USED);
	print_memory(s, MEM_FREE);
	if (!layout->hosts)
		print_memory(s, MEM_BUFFERS);
	print_memory(s, MEM_CACHED);
	for (int i = PAGE_IN; i <= SWITCHES; i++)
		print_rate(s, i);
	print_cpu(layout, s);
	putchar('\n');
}
