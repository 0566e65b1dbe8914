"""Each section of pmapi.md about live contexts, each row of its tables and each point of its lists has a test.

A row here is (how the row or point begins, without backticks; the file in tests/; the test in it; a word of it),
in the order of the specification. A section without table or list has one row, which begins with "".
"""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]

COVERED = {
    "1.2": [
        ("the functions returning pointers", "libpcp/test_error.c", "small_buffer", "pmErrStr_r"),
        ("pmGetConfig/pmGetOptionalConfig", "libpcp/test_config.c", "variables", "pmGetConfig"),
        ("option parsing", "libpcp/test_getopt.c", "sequences", "pmgetopt_r"),
        ("PM_CONTEXT_LOCAL: usable only from one thread", "libpcp/test_local.c", "test_threads", "PM_ERR_THREAD"),
    ],
    "3.1": [("", "libpcp/test_context.c", "test_current_of_thread", "pmWhichContext")],
    "3.2": [
        ("pmNewContext(", "libpcp/test_context.c", "test_handles", "pmNewContext"),
        ("pmDupContext(", "libpcp/test_host.c", "test_dup_and_reconnect", "pmDupContext"),
        ("pmUseContext(", "libpcp/test_context.c", "test_handles", "pmUseContext"),
        ("pmWhichContext(", "libpcp/test_context.c", "test_handles", "pmWhichContext"),
        ("pmDestroyContext(", "libpcp/test_context.c", "test_destroy_in_use", "pmDestroyContext"),
        ("pmReconnectContext(", "libpcp/test_host.c", "test_dup_and_reconnect", "pmReconnectContext"),
        ("pmGetHostName(", "libpcp/test_host.c", "test_host_name", "pmGetHostName"),
        ("pmGetContextHostName_r", "libpcp/test_host.c", "test_host_name", "pmGetContextHostName"),
    ],
    "3.3": [
        ("protocol:", "libpcp/test_hostspec.c", "test_good", "unix:"),
        ("host may be in square brackets", "libpcp/test_hostspec.c", "test_good", "["),
        ("default port list", "libpcp/test_host.c", "test_default_ports", "PMCD_PORT"),
        ("@proxy", "libpcp/test_hostspec.c", "test_good", "@"),
        ("local:[path]", "libpcp/test_host.c", "test_default_ports", "local:"),
        ("reference quirk: unix:", "libpcp/test_hostspec.c", "test_good", "?"),
        ("attributes are", "libpcp/test_hostspec.c", "test_attrs", "%"),
        ("syntax errors", "libpcp/test_hostspec.c", "test_bad", "non-numeric port"),
    ],
    "3.5": [
        ("__pmConnectLocal: Warning: cannot find", "libpcp/test_local.c", "test_loading", "cannot find DSO"),
        ("__pmConnectLocal: Warning: error attaching", "libpcp/test_local.c", "test_loading", "error attaching DSO"),
        ("__pmConnectLocal: Warning: couldn't find", "libpcp/test_local.c", "test_loading", "couldn't find init function"),
        ("__pmConnectLocal: Warning: initialization", "libpcp/test_local.c", "test_loading", "initialization routine"),
        ("__pmConnectLocal: Error: Unknown PMDA", "libpcp/test_local.c", "test_loading", "Unknown PM"),
    ],
    "4": [(cell, "libwire/test_profile.c", None, word) for cell, word in (
        ("Add(PM_INDOM_NULL,0,NULL)", "PM_INDOM_NULL"), ("Del(PM_INDOM_NULL,0,NULL)", "PM_INDOM_NULL"),
        ("Add(indom, 0, NULL)", "profile_add"), ("Del(indom, 0, NULL)", "profile_del"),
        ("Add(indom, n, list), no entry yet", "profile_add"), ("Add, entry INCLUDE", "profile_add"),
        ("Add, entry EXCLUDE", "profile_add"), ("Del(indom, n, list), no entry yet", "profile_del"),
        ("Del, entry INCLUDE", "profile_del"), ("Del, entry EXCLUDE", "profile_del"))],
    "5.1": [
        ("after an explicit", "libpcp/test_names.c", "test_loaded", "PMNS_LOCAL"),
        ("else no current context", "libpcp/test_names.c", None, "PM_ERR_NOPMNS"),
        ("HOST: PMNS_REMOTE", "libpcp/test_names.c", "test_remote", "PMNS_REMOTE"),
        ("pmLoadNameSpace(", "libpcp/test_names.c", "test_loaded", "pmLoadNameSpace"),
        ("pmLoadASCIINameSpace(", "libpcp/test_names.c", "test_loaded", "pmLoadASCIINameSpace"),
        ("pmUnloadNameSpace(", "libpcp/test_names.c", "test_loaded", "pmUnloadNameSpace"),
        ("pmTrimNameSpace(", "libpcp/test_names.c", "test_loaded", "pmTrimNameSpace"),
    ],
    "5.2": [
        ("n < 1", "libpcp/test_names.c", None, "PM_ERR_TOOSMALL"),
        ("n = 1", "libpcp/test_names.c", "test_remote", "PM_ERR_NAME"),
        ("n > 1", "libpcp/test_names.c", "test_remote", "PM_ID_NULL"),
        ("no usable namespace", "libpcp/test_names.c", None, "PM_ERR_NOPMNS"),
        ("names unknown to the namespace", "libpcp/test_names.c", "test_special_alone", "event.flags"),
        ("the empty name", "libpcp/test_names.c", "test_remote", '""'),
        ("remote lookups of 500", "libpcp/test_names.c", "test_batches", "check_size"),
    ],
    "5.3": [
        ("pmGetChildren(", "libpcp/test_names.c", None, "pmGetChildren("),
        ("pmGetChildrenStatus(", "libpcp/test_names.c", None, "pmGetChildrenStatus("),
        ("pmNameID(", "libpcp/test_names.c", None, "pmNameID("),
        ("pmNameAll(", "libpcp/test_names.c", None, "pmNameAll("),
        ("pmTraversePMNS(", "libpcp/test_names.c", None, "pmTraversePMNS"),
    ],
    "6": [
        ("pmLookupDesc(", "libpcp/test_host.c", "test_descs", "pmLookupDesc("),
        ("pmLookupDescs(", "libpcp/test_host.c", "test_descs", "pmLookupDescs("),
        ("pmLookupInDom(", "libpcp/test_host.c", "test_instances", "pmLookupInDom("),
        ("pmNameInDom(", "libpcp/test_host.c", "test_instances", "pmNameInDom("),
        ("pmGetInDom(", "libpcp/test_host.c", "test_instances", "pmGetInDom("),
        ("pmLookupInDomArchive", "libpcp/test_context.c", "test_modes", "pmLookupInDomArchive("),
        ("pmLookupText(", "libpcp/test_host.c", "test_text", "pmLookupText("),
        ("pmPrintDesc(", "libpcp/test_desc.c", None, "pmPrintDesc("),
    ],
    "7": [
        ("returns ≥ 0", "libpcp/test_host.c", "test_values", "PMCD_"),
        ("result has exactly n", "libpcp/test_host.c", "test_values", "numval"),
        ("32-bit integers are INSITU", "libpcp/test_host.c", "test_values", "tv_usec"),
        ("when derived metrics", "libpcp/test_derive.c", "test_shared_operands", "plan_fetch"),
        ("HOST: profile sent first", "libpcp/test_host.c", "test_values", "profiles"),
        ("ARCHIVE:", "libpcp/test_local.c", "test_all", "pmFetch"),
    ],
    "19.2": [("", "libpcp/test_getopt.c", "sequences", "pmgetopt_r")],
    "19.3": [(cell, "libpcp/test_options.c", None, word) for cell, word in (
        ("A", "-A"), ("a", "-a"), ("D", "-D"), ("g", "-g"))]
        + [("H", "libpcp/test_optsource.c", "hosts_file", "hosts")]
        + [(cell, "libpcp/test_options.c", None, word) for cell, word in (
            ("h", "-h"), ("K", "-K"), ("L", "-L"), ("n / N", "-n"), ("O", "-O"), ("p", "-p"), ("S", "-S"),
            ("s", "-s"), ("T", "-T"), ("t", "-t"), ("V", "-V"), ("Z", "-Z"), ("z", "-z"), ("?", "-?"))]
        + [("", "libpcp/parity_options.c", None, "PCP_HOST_LIST"), ("", "libpcp/test_optsource.c", "folios", "PCPFolio"),
           ("", "libpcp/parity_options.c", None, "PCP_CONTAINER"),
           ("", "libpcp/test_derive.c", "test_file", "pmLoadDerivedConfig")],
    "19.4": [("", "libpcp/test_options_context.c", "live_window", "pmGetContextOptions")],
    "20": [
        ("pmGetContextLabels", "libpcp/test_host.c", "test_labels", "pmGetContextLabels("),
        ("pmGetInstancesLabels", "libpcp/test_host.c", "test_labels", "pmGetInstancesLabels("),
        ("pmLookupLabels", "libpcp/test_host.c", "test_labels", "pmLookupLabels("),
        ("pmMergeLabelSets", "libpcp/test_label_set.c", "merged_sets", "pmMergeLabelSets"),
        ("pmMergeLabels", "libpcp/test_label_set.c", "merged_texts", "pmMergeLabels("),
        ("pmPrintLabelSets", "libpcp/test_label_text.c", "sets", "pmPrintLabelSets"),
        ("pmFreeLabelSets", "libpcp/test_label_set.c", None, "pmFreeLabelSets("),
    ],
    "21.1": [("", "libpcp/test_event.c", "results", "pmUnpackEventRecords(")],
    "21.2": [
        ("outputs are reset", "libpcp/test_fetchgroup.c", "test_failures", "PM_ERR_VALUE"),
        ("values are extracted", "libpcp/test_fetchgroup.c", None, "PM_TYPE_STRING"),
        ("rate:", "libpcp/test_fetchgroup.c", "test_rates", "PM_ERR_AGAIN"),
        ("overflow", "libpcp/test_fetchgroup.c", "test_overflow", "PM_ERR_TRUNC"),
        ("order of the checks", "libpcp/test_fetchgroup.c", "test_bad", "PM_ERR_CONV"),
        ("indom:", "libpcp/test_fetchgroup.c", "test_lists", "PM_ERR_TOOBIG"),
        ("strings are malloc'd", "libpcp/test_faults.c", "test_groups", "pmFetchGroup"),
    ],
    "22": [("", "libpcp/test_message.c", "lines", "pmNotifyErr")],
    "22.1": [("", "libpcp/test_trace.c", "test_options", "pmapi")],
    "23": [
        ("pmGetConfig(", "libpcp/test_config.c", "fatal", "FATAL PCP ERROR"),
        ("pmGetAPIConfig(", "libpcp/test_config.c", "features", "pmGetAPIConfig("),
        ("pmGetVersion(", "libpcp/test_config.c", "features", "pmGetVersion("),
        ("pmDiscoverServices(", "libpcp/test_missing.c", "finds_nobody", "pmDiscoverServices("),
    ],
}
HEADS = ("Function", "Call", "Short", "---")


def rows(section):
    """Beginnings of the rows and points of a section, without backticks; [""] if it has none."""
    text = (ROOT / "docs/spec/pmapi.md").read_text()
    body = re.split(rf"(?m)^##+ {re.escape(section)}\.? .*\n", text)[1]
    body = re.split(r"(?m)^##+ \d", body)[0].replace("`", "")
    found = []
    for line in body.splitlines():
        if line.startswith("* "):
            found.append(line[2:])
        elif line.startswith("|") and not line.lstrip("| ").startswith(HEADS):
            found.append(line.split("|")[1].strip())
    return found or [""]


@pytest.mark.parametrize("section", COVERED)
def test_each_row_has_a_case(section):
    spec, ours = rows(section), COVERED[section]
    unlike = [(text, begin) for text, (begin, *_) in zip(spec, ours) if not text.startswith(begin)]
    assert not unlike
    assert len(spec) == len(ours), spec[len(ours):]


@pytest.mark.parametrize("section", COVERED)
def test_the_cases_are_there(section):
    """Each test is in its file, and the file is about the row: it contains the word."""
    missing = []
    for begin, path, name, word in COVERED[section]:
        text = (ROOT / "tests" / path).read_text()
        if word not in text or (name is not None and f"cmocka_unit_test({name})" not in text):
            missing.append(f"{begin or section}: {path}: {name}, {word}")
    assert not missing


def test_no_live_section_is_left_out():
    """The others are about archives, derived metrics and formats, which need no context."""
    text = (ROOT / "docs/spec/pmapi.md").read_text()
    numbers = [n for n in re.findall(r"(?m)^##+ (\d+(?:\.\d+)?)\.? ", text)
               if n.split(".")[0] in ("3", "4", "5", "6", "7", "20", "21", "22", "23")]
    chapters = {n for n in numbers if any(m.startswith(n + ".") for m in numbers)} - set(COVERED)
    assert set(numbers) - chapters - set(COVERED) == {"3.4"}
