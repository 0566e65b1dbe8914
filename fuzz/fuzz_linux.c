/*
 * fuzz_linux - any bytes as one of the files that the linux agent reads.
 *
 * The first byte selects the file; the others are its content. All metrics are fetched, and every
 * instance with a value belongs to its domain.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include <pitot/agent.h>

#include "fuzz.h"

extern const struct agent linux_agent;

static const char *const paths[] = {
    "proc/stat",
    "proc/loadavg",
    "proc/uptime",
    "proc/meminfo",
    "proc/vmstat",
    "proc/interrupts",
    "proc/softirqs",
    "proc/cpuinfo",
    "proc/buddyinfo",
    "proc/zoneinfo",
    "proc/slabinfo",
    "proc/swaps",
    "proc/diskstats",
    "proc/partitions",
    "proc/self/mounts",
    "proc/net/dev",
    "proc/net/if_inet6",
    "proc/pressure/cpu",
    "proc/pressure/io",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/node0/numastat",
    "sys/devices/system/cpu/present",
    "etc/os-release",
    "run/utmp",
    "proc/net/snmp",
    "proc/net/snmp6",
    "proc/net/netstat",
    "proc/net/sockstat",
    "proc/net/softnet_stat",
    "proc/net/tcp",
    "proc/net/unix",
    "proc/locks",
    "proc/tty/driver/serial",
    "proc/sys/fs/file-nr",
    "proc/sys/kernel/sem",
    "proc/sysvipc/shm",
    "proc/sysvipc/msg",
    "proc/sysvipc/sem",
    "etc/passwd",
    "proc/net/rpc/nfs",
    "proc/net/rpc/nfsd",
    "proc/fs/nfsd/pool_threads",
    "proc/fs/nfsd/pool_stats",
    "sys/kernel/debug/extfrag/unusable_index",
    "sys/block/zram0/mm_stat",
    "sys/block/sda/device/wwid",
    "sys/block/md0/md/level",
    "sys/class/scsi_tape/st0/stats/io_ns",
    "sys/class/fc_host/host0/statistics/rx_words",
};
enum { NPATHS = sizeof(paths) / sizeof(paths[0]) };

static int files[NPATHS];
static pmdaInterface dispatch;
static pmID pmids[2048];
static int npmids;

static void make_folders(const char *root, const char *path)
{
	char folder[256];

	snprintf(folder, sizeof(folder), "%s/%s", root, path);
	for (char *p = folder + strlen(root) + 1; *p != '\0'; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(folder, 0700);
		*p = '/';
	}
}

static void open_agent(void)
{
	char root[] = "/tmp/fuzz-linux-XXXXXX";
	char path[256];

	FUZZ_REQUIRE(mkdtemp(root) != NULL);
	for (int i = 0; i < NPATHS; i++) {
		make_folders(root, paths[i]);
		snprintf(path, sizeof(path), "%s/%s", root, paths[i]);
		files[i] = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		FUZZ_REQUIRE(files[i] >= 0);
	}
	setenv("PITOT_LINUX_ROOT", root, 1);
	setenv("PCP_VAR_DIR", "/proc/nonexistent", 1);
	dispatch.domain = 60;
	agent_init(&linux_agent, &dispatch);
	FUZZ_REQUIRE(dispatch.status == 0);
	for (int i = 0; i < dispatch.version.any.ext->e_nmetrics && npmids < 2048; i++)
		pmids[npmids++] = dispatch.version.any.ext->e_metrics[i].m_desc.pmid;
}

/* Each value's instance can be looked up. */
static void check_instances(const pmValueSet *set)
{
	pmDesc desc;
	pmInResult *found;

	dispatch.version.four.desc(set->pmid, &desc, dispatch.version.four.ext);
	if (set->numval <= 0 || desc.indom == PM_INDOM_NULL)
		return;
	FUZZ_REQUIRE(dispatch.version.four.instance(desc.indom, set->vlist[0].inst, NULL, &found,
						    dispatch.version.four.ext) >= 0);
	free(found->namelist[0]);
	free(found->namelist);
	free(found->instlist);
	free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	pmResult *result;
	int which;

	if (npmids == 0)
		open_agent();
	if (size == 0)
		return 0;
	which = data[0] % NPATHS;
	FUZZ_REQUIRE(ftruncate(files[which], 0) == 0);
	FUZZ_REQUIRE(pwrite(files[which], data + 1, size - 1, 0) == (ssize_t)(size - 1));
	FUZZ_REQUIRE(
	    dispatch.version.four.fetch(npmids, pmids, &result, dispatch.version.four.ext) == 0);
	for (int i = 0; i < result->numpmid; i++)
		check_instances(result->vset[i]);
	dispatch.version.four.ext->e_resultCallBack(result);
	return 0;
}
