/* disks - which domain a block device belongs to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "disks.h"

static void test_domains(void **state)
{
	static const struct {
		const char *name;
		const struct agent_indom *domain;
	} cases[] = {
	    {"sda", &disk_indom},
	    {"sda1", &partition_indom},
	    {"sdaa", &disk_indom},
	    {"sdaa15", &partition_indom},
	    {"nvme0n1", &disk_indom},
	    {"nvme0n1p2", &partition_indom},
	    {"nvme10c1n2", &disk_indom},
	    {"mmcblk0", &disk_indom},
	    {"mmcblk0p1", &partition_indom},
	    {"mmcblk0boot0", &partition_indom},
	    {"nbd15", &disk_indom},
	    {"nbd15p1", &partition_indom},
	    {"rbd3", &disk_indom},
	    {"cciss/c0d0", &disk_indom},
	    {"cciss/c0d0p1", &partition_indom},
	    {"dm-0", &dm_indom},
	    {"dm-", &disk_indom},
	    {"md127", &md_indom},
	    {"md", &disk_indom},
	    {"md_d0", &partition_indom},
	    {"ram0", NULL},
	    {"loop12", NULL},
	    {"sr0", NULL},
	    {"zram0", &zram_indom},
	    {"srx", &disk_indom},
	    {"nvme", &disk_indom},
	    {"", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (disk_domain(cases[i].name, strlen(cases[i].name)) != cases[i].domain)
			fail_msg("%s", cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_domains),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
