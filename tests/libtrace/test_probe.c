/*
 * The probe point libtrace:event, as a debugger finds it: by the notes of libtrace.so. A process is
 * held at each place that they name, and its arguments are read where they say.
 */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <trace.h>

enum {
	PROBES_MAX = 64,
	NARGS = 4,
	NOTE_TYPE = 3, /* of .note.stapsdt */
	NOP = 0x90,
	INT3 = 0xcc,
	EVENTS = 100,
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct probe {
	uintptr_t at;
	char args[128];
};

static struct probe probes[PROBES_MAX];
static size_t nprobe;

/* ---- the notes ---- */

static const Elf64_Shdr *section(const uint8_t *image, const char *name)
{
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *all = (const void *)(image + head->e_shoff);
	const char *names = (const char *)image + all[head->e_shstrndx].sh_offset;

	for (int i = 0; i < head->e_shnum; i++) {
		if (strcmp(names + all[i].sh_name, name) == 0)
			return &all[i];
	}
	return NULL;
}

/* A note: pc, base, semaphore, then provider, name and arguments as texts. */
static void take_note(const uint8_t *desc, uintptr_t loaded, uintptr_t base)
{
	const char *provider = (const char *)desc + 24, *name = provider + strlen(provider) + 1;
	const char *args = name + strlen(name) + 1;
	uint64_t words[3];

	memcpy(words, desc, sizeof(words));
	if (strcmp(provider, "libtrace") != 0 || strcmp(name, "event") != 0)
		return;
	assert_true(nprobe < PROBES_MAX);
	probes[nprobe].at = loaded + words[0] + (base - words[1]);
	snprintf(probes[nprobe].args, sizeof(probes[nprobe].args), "%s", args);
	nprobe++;
}

static void read_notes(void)
{
	Dl_info info;
	struct stat st;
	const uint8_t *image;
	const Elf64_Shdr *notes, *base;
	int fd;

	assert_int_not_equal(dladdr((void *)(uintptr_t)posix_trace_create, &info), 0);
	fd = open(info.dli_fname, O_RDONLY);
	assert_true(fd >= 0 && fstat(fd, &st) == 0);
	image = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	assert_true(image != MAP_FAILED);
	notes = section(image, ".note.stapsdt");
	base = section(image, ".stapsdt.base");
	assert_true(notes != NULL && base != NULL);
	for (size_t at = 0; at < notes->sh_size;) {
		const Elf64_Nhdr *n = (const void *)(image + notes->sh_offset + at);
		const uint8_t *desc = (const uint8_t *)(n + 1) + (n->n_namesz + 3) / 4 * 4;

		if (n->n_type == NOTE_TYPE)
			take_note(desc, (uintptr_t)info.dli_fbase, base->sh_addr);
		at = (size_t)(desc + (n->n_descsz + 3) / 4 * 4 - (image + notes->sh_offset));
	}
	close(fd);
}

/* ---- arguments: "-4@%edi", "8@$1", "8@16(%rsp)" ---- */

static const struct {
	const char *names[4]; /* of 8, 4, 2 and 1 bytes */
	size_t offset;
} registers[] = {
#define REG(r64, r32, r16, r8, field)                                                              \
	{                                                                                          \
		{r64, r32, r16, r8}, offsetof(struct user_regs_struct, field)                      \
	}
    REG("rax", "eax", "ax", "al", rax),      REG("rbx", "ebx", "bx", "bl", rbx),
    REG("rcx", "ecx", "cx", "cl", rcx),      REG("rdx", "edx", "dx", "dl", rdx),
    REG("rsi", "esi", "si", "sil", rsi),     REG("rdi", "edi", "di", "dil", rdi),
    REG("rbp", "ebp", "bp", "bpl", rbp),     REG("rsp", "esp", "sp", "spl", rsp),
    REG("r8", "r8d", "r8w", "r8b", r8),      REG("r9", "r9d", "r9w", "r9b", r9),
    REG("r10", "r10d", "r10w", "r10b", r10), REG("r11", "r11d", "r11w", "r11b", r11),
    REG("r12", "r12d", "r12w", "r12b", r12), REG("r13", "r13d", "r13w", "r13b", r13),
    REG("r14", "r14d", "r14w", "r14b", r14), REG("r15", "r15d", "r15w", "r15b", r15),
#undef REG
};

static uint64_t value_of(const struct user_regs_struct *regs, const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(registers); i++) {
		for (int w = 0; w < 4; w++) {
			const char *n = registers[i].names[w];
			uint64_t v;

			if (strlen(n) != len || memcmp(n, name, len) != 0)
				continue;
			memcpy(&v, (const char *)regs + registers[i].offset, sizeof(v));
			return v;
		}
	}
	fail_msg("no such register: %.*s", (int)len, name);
	return 0;
}

static uint64_t argument(pid_t pid, const struct user_regs_struct *regs, const char *args,
			 int which)
{
	const char *p = args, *open;
	int size;
	uint64_t v;

	for (int i = 0; i < which; i++)
		p = strchr(p, ' ') + 1;
	size = abs(atoi(p));
	p = strchr(p, '@') + 1;
	open = strchr(p, '(');
	if (open != NULL && open < p + strcspn(p, " ")) {
		size_t len = strcspn(open + 2, ")");
		uintptr_t at = value_of(regs, open + 2, len) + (uintptr_t)strtol(p, NULL, 0);

		v = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (void *)at, NULL);
	} else {
		v = *p == '$' ? (uint64_t)strtoll(p + 1, NULL, 0)
			      : value_of(regs, p + 1, strcspn(p + 1, " "));
	}
	return size == 8 ? v : v & ((UINT64_C(1) << 8 * size) - 1);
}

/* ---- a process that is held at the probes ---- */

static const char text[] = "probed";

static void emit(void)
{
	trace_event_id_t id;
	trace_id_t trid;

	if (posix_trace_eventid_open("probed", &id) != 0 ||
	    posix_trace_create(0, NULL, &trid) != 0 || posix_trace_start(trid) != 0)
		_exit(1);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (int i = 0; i < EVENTS; i++)
		posix_trace_event(id, text, sizeof(text));
	_exit(0);
}

static void put_byte(pid_t pid, uintptr_t at, uint8_t byte)
{
	long word = ptrace(PTRACE_PEEKTEXT, pid, (void *)at, NULL);

	ptrace(PTRACE_POKETEXT, pid, (void *)at, (void *)((word & ~0xffL) | byte));
}

static const struct probe *probe_at(uintptr_t at)
{
	for (size_t i = 0; i < nprobe; i++) {
		if (probes[i].at == at)
			return &probes[i];
	}
	return NULL;
}

static void each_record_is_a_probe(void **state)
{
	struct user_regs_struct regs;
	int status, hits = 0;
	pid_t pid = fork();

	if (pid == 0)
		emit();
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status));
	for (size_t i = 0; i < nprobe; i++)
		put_byte(pid, probes[i].at, INT3);
	while (ptrace(PTRACE_CONT, pid, NULL, NULL) == 0 && waitpid(pid, &status, 0) == pid &&
	       WIFSTOPPED(status)) {
		const struct probe *probe;

		if (WSTOPSIG(status) != SIGTRAP)
			continue;
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		probe = probe_at(regs.rip - 1); /* continue after the nop that it replaced */
		assert_non_null(probe);
		assert_int_equal(argument(pid, &regs, probe->args, 0),
				 POSIX_TRACE_UNNAMED_USEREVENT + 1);
		assert_int_equal(argument(pid, &regs, probe->args, 1), (uintptr_t)text);
		assert_int_equal(argument(pid, &regs, probe->args, 2), sizeof(text));
		assert_true(argument(pid, &regs, probe->args, 3) != 0);
		hits++;
	}
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(hits, EVENTS);
}

static void notes_name_it(void **state)
{
	read_notes();
	assert_true(nprobe >= 2);
	for (size_t i = 0; i < nprobe; i++) {
		int spaces = 0;

		for (const char *p = probes[i].args; *p != '\0'; p++)
			spaces += *p == ' ';
		assert_int_equal(spaces, NARGS - 1);
		assert_int_equal(*(const uint8_t *)probes[i].at, NOP);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(notes_name_it),
	    cmocka_unit_test(each_record_is_a_probe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
