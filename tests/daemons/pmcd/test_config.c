/* test_config - pmcd.conf: what it may say, and every message about what it may not. */
#include "daemons/pmcd/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "libbase/buffer.h"
#include "libbase/cleanup.h"

#define ERR(line, text)        "pmcd config[line " #line "]: Error: " text "\n"
#define ACCESS_ERR(line, text) "access config[line " #line "]: Error: " text "\n"
#define GIVE_UP                "pmcd config: Can't continue, giving up\n"
#define A                      "a 1 dso x /y\n[access]\n" /* two lines before a statement */
#define X50                    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X500                   X50 X50 X50 X50 X50 X50 X50 X50 X50 X50

/* Text, what is said, whether 6.0.3 would refuse the file, and how many agents are left. */
// clang-format off
static const struct {
	const char *text;
	const char *said;
	bool failed;
	unsigned int nagent;
} agent_lines[] = {
	{ "", "", false, 0 },
	{ "# nothing\n\n \t\n", "", false, 0 },
	{ "a 1 dso x_init /x/y.so\n", "", false, 1 },
	{ "a 1 dso x /y", "", false, 1 },
	{ "a 0 dso x /y\nb 510 dso x /y\na 2 dso x /y\n", "", false, 3 },
	{ "\"\" 1 dso x /y\n", "", false, 1 },
	{ "a 1 socket inet http cmd\n", "", false, 1 },
	{ "a 1 socket ipv6 4321\n", "", false, 1 },
	{ "a 1 socket unix /s\n", "", false, 1 },
	{ "A 1 PIPE BINARY NotReady NOTREADY /x y z\n", "", false, 1 },
	{ "a 1 pipe \\\nbinary \\\n\\\n x\n", "", false, 1 },
	{ "a 1 pipe binary x # comment\n", "", false, 1 },
	{ "b[ 2 dso x /y\n", "", false, 1 },
	{ "a\n", ERR(1, "expected domain number for \"a\" agent"), true, 0 },
	{ "a b dso x /y\n", ERR(1, "expected domain number for \"a\" agent"), true, 0 },
	{ "a 1x dso x /y\n", ERR(1, "expected domain number for \"a\" agent"), true, 0 },
	{ "a -1 dso x /y\n", ERR(1, "expected domain number for \"a\" agent"), true, 0 },
	{ "a \"\" dso x /y\n", ERR(1, "expected domain number for \"a\" agent"), true, 0 },
	{ "b#c 2 pipe binary x\n", ERR(1, "expected domain number for \"b\" agent"), true, 0 },
	{ "\"ab\"cd 1 dso x /y\n", ERR(1, "expected domain number for \"ab\" agent"), true, 0 },
	{ "ab\"c d\" 1 dso x /y\n", ERR(1, "expected domain number for \"ab\"c\" agent"), true, 0 },
	{ "a 511 dso x /y\n", ERR(1, "Illegal domain number (511) for \"a\" agent"), true, 0 },
	{ "a 99999999999999999999 dso x /y\n",
	  ERR(1, "Illegal domain number (99999999999999999999) for \"a\" agent"), true, 0 },
	{ "a 1 dso x /y\nb 1 dso x /y\n",
	  ERR(2, "domain number for \"b\" agent clashes with \"a\" agent"), true, 1 },
	{ "a 1\n", ERR(1, "expected `dso', `socket' or `pipe'"), true, 0 },
	{ "a 1 foo x /y\n", ERR(1, "expected `dso', `socket' or `pipe'"), true, 0 },
	{ "a 1 dso\n", ERR(1, "expected DSO entry point"), true, 0 },
	{ "a 1 dso x\n", ERR(1, "expected DSO pathname"), true, 0 },
	{ "a 1 dso x y.so\n", ERR(1, "path \"y.so\" to PMDA is not absolute"), true, 0 },
	{ "a 1 dso x /y z\n", ERR(1, "too many parameters for DSO"), true, 0 },
	{ "a 1 socket\n",
	  ERR(1, "expected socket address domain (`inet', `ipv6', or `unix')"), true, 0 },
	{ "a 1 socket foo 1\n",
	  ERR(1, "expected socket address domain (`inet', `ipv6', or `unix')"), true, 0 },
	{ "a 1 socket inet\n", ERR(1, "expected socket port name or number"), true, 0 },
	{ "a 1 socket unix\n", ERR(1, "expected socket port name or number"), true, 0 },
	{ "a 1 socket inet nosuchservice\n",
	  ERR(1, "failed to get port number for port name nosuchservice"), true, 0 },
	{ "a 1 socket inet 65536\n", ERR(1, "failed to get port number for port name 65536"), true, 0 },
	{ "a 1 socket inet 0\n", ERR(1, "failed to get port number for port name 0"), true, 0 },
	{ "a 1 pipe\n", ERR(1, "pipe PDU type expected (`binary')"), true, 0 },
	{ "a 1 pipe text /x\n", ERR(1, "pipe PDU type expected (`binary')"), true, 0 },
	{ "a 1 pipe bin\\\nary x\n", ERR(1, "pipe PDU type expected (`binary')"), true, 0 },
	{ "a 1 pipe binary\n", ERR(1, "command to create pipe agent expected."), true, 0 },
	{ "a 1 pipe binary notready\n", ERR(1, "command to create pipe agent expected."), true, 0 },
	/* An error names the first of joined lines; the last one decides. */
	{ "\n\na \\\n1 foo\n", ERR(3, "expected `dso', `socket' or `pipe'"), true, 0 },
	{ "a 1 foo\nb 1 dso x /y\n", ERR(1, "expected `dso', `socket' or `pipe'"), false, 1 },
	{ "a 1 foo\nb 2 dso x /y\nc d\n",
	  ERR(1, "expected `dso', `socket' or `pipe'") ERR(3, "expected domain number for \"c\" agent"),
	  true, 1 },
	{ "a 1 dso x y\n[access]\nbogus\n", ERR(1, "path \"y\" to PMDA is not absolute"), true, 0 },
	{ "a 1 dso x /y\n\"b 2 pipe binary x\nc 3 dso x /y\n",
	  ERR(2, "unterminated quoted string") GIVE_UP, true, 1 },
	{ "a 1 dso x /y\nb 2 pipe binary " X500 X500 X500 X500 X50 X50 X50 X50 "\nc 3 dso x /y\n",
	  ERR(2, "ridiculously long line (2200 characters)") GIVE_UP, true, 1 },
	{ "a 1 pipe binary " X500 X500 "\\\n " X500 X500 X500 "\n",
	  ERR(1, "ridiculously long line (2200 characters)") GIVE_UP, true, 0 },
};

static const struct {
	const char *text;
	const char *said;
	unsigned int naccess;
} statements[] = {
	{ A "allow * : fetch;\n", "", 1 },
	{ A "\nallow\n*\n:\nfetch\n;\n", "", 1 },
	{ A "allow *:fetch;disallow 1.2.3.4:store;\n", "", 2 },
	{ "[Access]ALLOW Hosts * : FETCH;", "", 1 },
	{ A "\"allow\" * : \"fetch\";\n", "", 1 },
	{ A "allow fetch, access, hosts, all : fetch;\n", "", 1 },
	{ A "allow host host : fetch;\n", "", 1 },
	{ A "allow * : fetch, fetch, store;\n", "", 1 },
	{ A "allow * : all, all;\n", "", 1 },
	{ A "allow * : all, maximum 5 connections;\n", "", 1 },
	{ A "allow * : fetch, maximum 5 connections, store;\n", "", 1 },
	{ A "allow * : all except store, fetch;\n", "", 1 },
	{ A "allow * : all except store, maximum 5 connections;\n", "", 1 },
	{ A "# a comment\nallow * : fetch; # another\n", "", 1 },
	{ A, ERR(3, "no valid statements in [access] section"), 0 },
	{ "a 1 dso x /y\n[foo]\n", ERR(2, "\"access\" keyword expected"), 0 },
	{ "a 1 dso x /y\n[access\nallow * : fetch;\n", ERR(3, "']' expected"), 0 },
	{ A "foo * : fetch;\nallow * : all;\n", ERR(3, "allow or disallow statement expected"), 1 },
	{ A "allow * : fetch;;allow * : all;\n", ERR(3, "allow or disallow statement expected"), 2 },
	{ A "allow * : fetch; ]\n", ERR(3, "allow or disallow statement expected"), 1 },
	{ A "allow : fetch;\n", ERR(3, "no hosts in allow/disallow statement"), 0 },
	{ A "allow host : fetch;\n", ERR(3, "no hosts in allow/disallow statement"), 0 },
	{ A "allow \"hosts\" : fetch;\n", ERR(3, "no hosts in allow/disallow statement"), 0 },
	{ A "allow users : fetch;\n", ERR(3, "no users in allow/disallow statement"), 0 },
	{ A "disallow group : fetch;\n", ERR(3, "no groups in allow/disallow statement"), 0 },
	{ A "allow *, : fetch;\n", ERR(3, "host expected after ','"), 0 },
	{ A "allow user a, : fetch;\n", ERR(3, "user expected after ','"), 0 },
	{ A "allow groups a, ;\n", ERR(3, "group expected after ','"), 0 },
	{ A "allow * fetch;\n", ERR(3, "',' or ':' expected after \"*\""), 0 },
	{ A "allow users a b : fetch;\n", ERR(3, "',' or ':' expected after \"a\""), 0 },
	{ A "allow foo\n", ERR(4, "',' or ':' expected after \"foo\""), 0 },
	{ A "allow * : ;\n", ERR(3, "empty or incomplete permissions list"), 0 },
	{ A "allow * : all except;\n", ERR(3, "empty or incomplete permissions list"), 0 },
	{ A "allow * : foo;\n", ERR(3, "bad access specifier"), 0 },
	{ A "allow * : all except foo;\n", ERR(3, "bad access specifier"), 0 },
	{ A "allow * : fetch, foo;\n", ERR(3, "bad access specifier"), 0 },
	{ A "allow fe80:* : fetch;\n", ERR(3, "bad access specifier"), 0 },
	{ A "allow * : fetch, ;\n", ERR(3, "misplaced (trailing) ',' in permission list"), 0 },
	{ A "allow * : fetch\n", ERR(4, "',' or ';' expected in permission list"), 0 },
	{ A "allow * : fetch store;\n", ERR(3, "',' or ';' expected in permission list"), 0 },
	{ A "allow * : fetch except store;\n", ERR(3, "',' or ';' expected in permission list"), 0 },
	{ A "allow * : maximum 5 connections fetch;\n",
	  ERR(3, "',' or ';' expected in permission list"), 0 },
	{ A "allow * : all, store;\n", ERR(3, "can't have \"all\" mixed with specific permissions"), 0 },
	{ A "allow * : store, all;\n", ERR(3, "can't have \"all\" mixed with specific permissions"), 0 },
	{ A "allow * : fetch, all except store;\n",
	  ERR(3, "can't have \"all\" mixed with specific permissions"), 0 },
	{ A "allow * : all except store, all;\n",
	  ERR(3, "can't have \"all\" mixed with specific permissions"), 0 },
	{ A "allow * : all except all;\n", ERR(3, "can't have \"all\" within an \"all except\""), 0 },
	{ A "allow * : maximum 0 connections;\n",
	  ERR(3, "maximum connection limit must be a positive number"), 0 },
	{ A "allow * : maximum -1 connections;\n",
	  ERR(3, "maximum connection limit must be a positive number"), 0 },
	{ A "allow * : maximum 5x connections;\n",
	  ERR(3, "maximum connection limit must be a positive number"), 0 },
	{ A "allow * : maximum 99999999999 connections;\n",
	  ERR(3, "maximum connection limit must be a positive number"), 0 },
	{ A "allow * : maximum ;\n", ERR(3, "maximum connection limit must be a positive number"), 0 },
	{ A "allow * : maximum 5;\n", ERR(3, "\"connections\" expected"), 0 },
	{ A "allow * : unlimited connections;\n", ERR(3, "\"connections\" expected"), 0 },
	{ A "allow * : maximum 5 connections, maximum 6 connections;\n",
	  ERR(3, "connection limit already specified"), 0 },
	{ A "disallow * : maximum 5 connections;\n",
	  ERR(3, "can't specify connection limit in a disallow statement"), 0 },
	{ A "allow * : all except maximum 5 connections;\n",
	  ERR(3, "connection limit may not immediately follow \"all except\""), 0 },
	/* After an error the next statement is read. */
	{ A "allow * : fetch;\nbogus line ; allow\n disallow .* : fetch;\nallow b : all;",
	  ERR(4, "allow or disallow statement expected")
	  ERR(5, "',' or ':' expected after \"disallow\""), 2 },
	{ A "allow \"* : fetch;\nallow * : fetch;\n", ERR(3, "unterminated quoted string") GIVE_UP, 0 },
};

static const struct {
	const char *perms;
	unsigned int allow_specified, allow_denied;
	unsigned int disallow_specified, disallow_denied;
} masks[] = {
	{ "fetch", 1, 0, 1, 1 },
	{ "store", 2, 0, 2, 2 },
	{ "fetch, store", 3, 0, 3, 3 },
	{ "all", 3, 0, 3, 3 },
	{ "all except store", 3, 2, 3, 1 },
	{ "all except store, fetch", 3, 3, 3, 0 },
};
// clang-format on

struct parsed {
	struct config c;
	struct buffer said;
	int result;
};

static void said(void *arg, const char *file, unsigned int line, const char *text)
{
	assert_string_equal(file, "f");
	buffer_printf(arg, "%s\n", text);
}

static void parse(struct parsed *p, const char *text)
{
	memset(p, 0, sizeof(*p));
	config_init(&p->c);
	p->result = config_parse(&p->c, text, strlen(text), "f", said, &p->said);
}

static void parse_done(struct parsed *p)
{
	config_done(&p->c);
	buffer_done(&p->said);
}

static void agent_errors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(agent_lines); i++) {
		struct parsed p;

		parse(&p, agent_lines[i].text);
		assert_string_equal(buffer_str(&p.said), agent_lines[i].said);
		assert_int_equal(p.c.failed, agent_lines[i].failed);
		assert_int_equal(p.c.nagent, agent_lines[i].nagent);
		assert_int_equal(p.result, p.c.nerror);
		assert_int_equal(p.result > 0, agent_lines[i].said[0] != '\0');
		assert_int_equal(p.c.has_access, strstr(agent_lines[i].text, "[access]") != NULL);
		parse_done(&p);
	}
}

static void access_errors(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++) {
		struct parsed p;

		parse(&p, statements[i].text);
		assert_string_equal(buffer_str(&p.said), statements[i].said);
		assert_int_equal(p.c.failed, statements[i].said[0] != '\0');
		assert_int_equal(p.c.naccess, statements[i].naccess);
		parse_done(&p);
	}
}

static void access_masks(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(masks); i++) {
		char text[256];
		struct parsed p;
		const struct config_access *s;

		snprintf(text, sizeof(text), "[access]\nallow a : %s; disallow users b, c : %s;",
			 masks[i].perms, masks[i].perms);
		parse(&p, text);
		assert_string_equal(buffer_str(&p.said), "");
		s = p.c.access;
		assert_int_equal(s->class, CONFIG_HOSTS);
		assert_int_equal(s->line, 2);
		assert_int_equal(s->specified, masks[i].allow_specified);
		assert_int_equal(s->denied, masks[i].allow_denied);
		assert_int_equal(s->max_connections, 0);
		s = s->next;
		assert_int_equal(s->class, CONFIG_USERS);
		assert_int_equal(s->nname, 2);
		assert_string_equal(s->names[0], "b");
		assert_string_equal(s->names[1], "c");
		assert_int_equal(s->specified, masks[i].disallow_specified);
		assert_int_equal(s->denied, masks[i].disallow_denied);
		assert_null(s->next);
		parse_done(&p);
	}
}

static void access_file(void **state)
{
	static const struct {
		const char *text;
		const char *said;
		unsigned int naccess;
	} rows[] = {
	    {"allow * : fetch, maximum 7 connections;\n", "", 1},
	    {"allow foo\n", ACCESS_ERR(2, "',' or ':' expected after \"foo\""), 0},
	    {"[access]\nallow * : fetch;\n", ACCESS_ERR(1, "allow or disallow statement expected"),
	     0},
	    {"# only\n", ACCESS_ERR(2, "no valid statements in [access] section"), 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed p;

		parse(&p, "a 1 dso x /y\n");
		p.result = config_parse_access(&p.c, rows[i].text, strlen(rows[i].text), "f", said,
					       &p.said);
		assert_string_equal(buffer_str(&p.said), rows[i].said);
		assert_int_equal(p.c.naccess, rows[i].naccess);
		assert_int_equal(p.c.nagent, 1);
		assert_true(p.c.has_access);
		assert_int_equal(p.c.failed, rows[i].said[0] != '\0');
		if (rows[i].naccess > 0) {
			assert_true(p.c.access->access_file);
			assert_int_equal(p.c.access->max_connections, 7);
		}
		parse_done(&p);
	}
}

static void assert_argv(const struct config_agent *a, const char *joined)
{
	struct buffer got = BUFFER_INIT;

	for (unsigned int i = 0; i < a->argc; i++)
		buffer_printf(&got, "<%s>", a->argv[i]);
	assert_string_equal(buffer_str(&got), joined);
	assert_null(a->argv[a->argc]);
	buffer_done(&got);
}

static void agent_fields(void **state)
{
	const struct config_agent *a;
	struct parsed p;

	parse(&p, "\"a b\" 1 pipe binary notready \"x y\" \"z\\\"w\" c\\#d e\\f \"g\\h\" # no\n"
		  "\n"
		  "dso 2 dso entry /path\n"
		  "inet 3 socket inet 4321 /cmd -x\n"
		  "v6 4 socket ipv6 4321\n"
		  "un 5 socket unix /s cmd\n"
		  "srv 6 socket inet http\n");
	assert_string_equal(buffer_str(&p.said), "");
	a = p.c.agents;
	assert_string_equal(a->label, "a b");
	assert_int_equal(a->domain, 1);
	assert_int_equal(a->kind, CONFIG_PIPE);
	assert_int_equal(a->line, 1);
	assert_true(a->notready);
	assert_null(a->entry);
	assert_null(a->path);
	assert_argv(a, "<x y><z\"w><c#d><e\\f><g\\h>");
	a = a->next;
	assert_int_equal(a->kind, CONFIG_DSO);
	assert_int_equal(a->line, 3);
	assert_string_equal(a->entry, "entry");
	assert_string_equal(a->path, "/path");
	assert_argv(a, "");
	a = a->next;
	assert_int_equal(a->kind, CONFIG_SOCKET);
	assert_int_equal(a->family, AF_INET);
	assert_int_equal(a->port, 4321);
	assert_null(a->service);
	assert_argv(a, "</cmd><-x>");
	a = a->next;
	assert_int_equal(a->family, AF_INET6);
	assert_argv(a, "");
	a = a->next;
	assert_int_equal(a->family, AF_UNIX);
	assert_string_equal(a->path, "/s");
	assert_argv(a, "<cmd>");
	a = a->next;
	assert_string_equal(a->service, "http");
	assert_int_equal(a->port, 80 << 8); /* as it comes from the data base */
	assert_null(a->next);
	parse_done(&p);
}

static void equal_agents(void **state)
{
	// clang-format off
	static const struct {
		const char *a, *b;
		bool equal;
	} rows[] = {
		{ "a 1 dso x /y\n", "b 1 dso x /y\n", true },
		{ "a 1 dso x /y\n", "a 2 dso x /y\n", false },
		{ "a 1 dso x /y\n", "a 1 dso z /y\n", false },
		{ "a 1 dso x /y\n", "a 1 dso x /z\n", false },
		{ "a 1 dso x /y\n", "a 1 pipe binary x /y\n", false },
		{ "a 1 pipe binary x y\n", "a 1 pipe binary notready x y\n", true },
		{ "a 1 pipe binary x y\n", "a 1 pipe binary x y z\n", false },
		{ "a 1 pipe binary x y\n", "a 1 pipe binary x z\n", false },
		{ "a 1 socket inet 5 x\n", "b 1 socket inet 5 x\n", true },
		{ "a 1 socket inet 5 x\n", "b 1 socket inet 6 x\n", false },
		{ "a 1 socket inet 5 x\n", "b 1 socket ipv6 5 x\n", false },
		{ "a 1 socket inet 5 x\n", "b 1 socket inet 5\n", false },
		{ "a 1 socket unix /s\n", "b 1 socket unix /t\n", false },
	};
	// clang-format on
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct parsed a, b;

		parse(&a, rows[i].a);
		parse(&b, rows[i].b);
		assert_int_equal(config_agent_equal(a.c.agents, b.c.agents), rows[i].equal);
		assert_true(config_agent_equal(a.c.agents, a.c.agents));
		parse_done(&a);
		parse_done(&b);
	}
}

/* Lines as a distribution installs them. */
static void installed(void **state)
{
	struct parsed p;

	parse(&p, "# agents\n"
		  "# Name  Id      IPC     IPC Params      File/Cmd\n"
		  "pmcd\t2\tdso\tpmcd_init\t/var/lib/pcp/pmdas/pmcd/pmda_pmcd.so\n"
		  "proc\t3\tpipe\tbinary\t\t/var/lib/pcp/pmdas/proc/pmdaproc -d 3\n"
		  "linux\t60\tpipe\tbinary\t\t/var/lib/pcp/pmdas/linux/pmdalinux\n"
		  "\n"
		  "[access]\n"
		  "disallow \".*\" : store;\n"
		  "disallow \":*\" : store;\n"
		  "allow \"local:*\" : all;\n");
	assert_string_equal(buffer_str(&p.said), "");
	assert_false(p.c.failed);
	assert_int_equal(p.c.nagent, 3);
	assert_argv(p.c.agents->next, "</var/lib/pcp/pmdas/proc/pmdaproc><-d><3>");
	assert_int_equal(p.c.naccess, 3);
	assert_string_equal(p.c.access->names[0], ".*");
	assert_int_equal(p.c.access->denied, CONFIG_OP_STORE);
	parse_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(agent_errors), cmocka_unit_test(access_errors),
	    cmocka_unit_test(access_masks), cmocka_unit_test(access_file),
	    cmocka_unit_test(agent_fields), cmocka_unit_test(equal_agents),
	    cmocka_unit_test(installed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
