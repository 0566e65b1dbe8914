"""Rows for test_pmlogrewrite.py: rules that both tools carry out alike, and those where 6.0.3 is wrong."""

# Archive: configurations, "\\n" for a new line. Messages, summaries and archives are alike.
SAME = {
    "rewrite": r"""
foo
metric
metric {
metric sample.bin
metric sample.bin {
metric sample.bin { }
metric sample.bin { foo }
metric sample.bin { type }
metric sample.bin { type -> }
metric sample.bin { type -> bar }
metric sample.bin { type -> STRING }
metric sample.bin { type -> 32 }
metric sample.bin { type if u32 -> 32 }
metric sample.bin { type -> U64 type -> U32 }
metric no.such { type -> U64 }
metric 1.2.3 { type -> U64 }
metric 29.*.* { type -> U64 }
metric 29.0.* { type -> U64 }
metric 29.*.6 { type -> U64 }
metric 600.0.0 { type -> U64 }
metric 29.5000.0 { type -> U64 }
metric 29.0.2000 { type -> U64 }
metric 29.0 { type -> U64 }
metric 29 { type -> U64 }
metric sample.bin { pmid -> 29.0.6 }
metric sample.bin { pmid -> 29.0.50 }
metric sample.bin { pmid -> 600.0.50 }
metric sample.bin { pmid -> 29.5000.50 }
metric sample.bin { pmid -> 29.0.5000 }
metric sample.bin { pmid -> 511.0.50 }
metric sample.bin { pmid -> *.0.50 }
metric sample.bin { pmid -> 1.*.50 }
metric sample.bin { pmid -> 1.*.* }
metric sample.bin { pmid -> 1.2.* }
metric sample.bin { pmid -> 1.2.3 pmid -> 4.5.6 }
metric sample.bin { name -> sample.bin }
metric sample.bin { name -> sample.part_bin }
metric sample.bin { name -> foo.bar name -> foo.bar2 }
metric sample.bin { name -> foo }
metric sample.bin { name -> 9foo }
metric sample.bin { name -> "foo" }
metric sample.bin { sem -> counter }
metric sample.bin { sem -> instant }
metric sample.bin { sem -> foo }
metric sample.bin { sem -> counter sem -> discrete }
metric sample.bin { delete delete }
metric sample.bin { delete name -> foo }
metric sample.bin { name -> foo delete }
metric sample.bin { units -> 0,0,0,0,0,0 }
metric sample.bin { units -> 1,0,0,KBYTE,0,0 }
metric sample.bin { units -> 1,0,0,0,0,0 }
metric sample.bin { units -> 1,0,0,MSEC,0,0 }
metric sample.bin { units -> 1,-1,0,KBYTE,SEC,0 }
metric sample.bin { units -> 0,0,0,KBYTE,SEC,ONE }
metric sample.bin { units -> 0,0,1,0,0,ONE }
metric sample.bin { units -> 0,0,1,0,0,3 }
metric sample.bin { units -> 0,0,1,0,0 }
metric sample.bin { units -> 0,0,1,0,0,ONE rescale }
metric sample.bin { units -> 0,0,0,0,0,0 rescale }
metric sampledso.long.bin_ctr { units -> 1,0,0,MBYTE,0,0 rescale }
metric sampledso.long.bin_ctr { units -> 1,0,0,BYTE,0,0 RESCALE units -> 1,0,0,BYTE,0,0 }
metric sampledso.long.bin_ctr { units -> 1,0,0,KBYTE,0,0 rescale }
metric sample.bin { indom -> 29.2 }
metric sample.bin { indom -> 29.3 }
metric sample.bin { indom -> 30.2 }
metric sample.bin { indom -> null }
metric sample.bin { indom -> null indom -> null }
metric sample.bin { indom -> null output first }
metric sample.bin { indom -> null output last }
metric sample.bin { indom -> null output inst 100 }
metric sample.bin { indom -> null output inst 101 }
metric sample.bin { indom -> null output iname "bin-100" }
metric sample.bin { indom -> null output iname "foo" }
metric sample.bin { indom -> null output min }
metric sample.bin { indom -> null output max }
metric sample.bin { indom -> null output sum }
metric sample.bin { indom -> null output avg }
metric sample.bin { indom -> null output foo }
metric sample.bin { indom -> 29.* }
metric sample.bin { indom -> 600.2 }
metric sample.bin { indom -> 29.9999999 }
metric sampledso.milliseconds { indom -> null }
metric sampledso.milliseconds { indom -> 30.2 }
metric sampledso.milliseconds { indom -> 30.2 output inst 200 }
metric sampledso.milliseconds { indom -> 30.2 output iname "bin-300" }
metric sampledso.milliseconds { indom -> 30.2 output iname "no" }
metric sampledso.milliseconds { indom -> 30.2 output first }
metric sampledso.milliseconds { indom -> 30.2 output inst 201 }
metric pmcd.pmlogger.host { indom -> null output sum }
metric pmcd.pmlogger.host { indom -> null output avg }
metric pmcd.pmlogger.host { indom -> null output max }
metric pmcd.pmlogger.host { type -> u32 }
metric pmcd.pmlogger.host { indom -> null }
global
global { }
global { hostname }
global { hostname -> }
global { hostname -> foo.bar.com }
global { hostname -> "foo bar" }
global { hostname -> 1.2.3.4 }
global { hostname -> localhost }
global { hostname -> bozo-laptop }
global { hostname -> a_b }
global { hostname -> 9foo }
global { hostname -> foo hostname -> bar }
global { hostname -> delete }
global { time -> 30 }
global { time -> 30.5 }
global { time -> +1:30 }
global { time -> 1: }
global { time -> 99:99:99 }
global { time -> foo }
global { time -> 0 }
global { time -> -0 }
global { time -> 1:75 }
global { time -> 30.1234567890123 }
global { time -> .5 }
global { time -> - 5 }
global { time -> "5" }
global { time -> 5 time -> 6 }
global { tz -> "EST" }
global { tz -> EST }
global { timezone -> "EST" tz -> "EST" }
global { tz -> "EST-10" }
global { tz -> "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" }
global { hostname -> aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa }
global { zoneinfo -> ":Africa" }
global { features -> 3 }
global { features -> bits(1) }
indom
indom 29
indom 29.2
indom 29.2 { }
indom 29.2 { foo }
indom foo { }
indom 29.2.3 { }
indom 600.2 { }
indom 29.5000000 { }
indom 1.2 { indom -> 3.4 }
indom 1.* { indom -> 3.4 }
indom 29.2 { iname "bin-100" -> "foo" }
indom 29.2 { iname "bin-100" -> "bin-200" }
indom 29.2 { iname "bin-100" -> "bin-200 foo" }
indom 29.2 { iname "bin-100" -> "bin-100" }
indom 29.2 { iname "bin-100" -> "bin-100 x" }
indom 29.2 { iname "bin" -> "foo" }
indom 29.2 { iname "bin-100" -> delete }
indom 29.2 { iname "bin-100" -> "foo" iname "bin-100" -> "bar" }
indom 29.2 { iname "bin-100" -> "foo" iname "bin-200" -> "foo" }
indom 29.2 { iname "bin-100" -> "bin-200" iname "bin-200" -> "bin-100" }
indom 29.2 { iname "bin-100" -> delete iname "bin-100" -> "x" }
indom 29.2 { iname bin -> foo }
indom 29.2 { iname "bin-100" foo }
indom 29.2 { iname "bin-100" -> foo }
indom 29.2 { inst 100 -> 101 }
indom 29.2 { inst 100 -> 200 }
indom 29.2 { inst 100 -> 100 }
indom 29.2 { inst 101 -> 102 }
indom 29.2 { inst 100 -> delete }
indom 29.2 { inst 100 -> delete inst 100 -> 101 }
indom 29.2 { inst 100 -> 101 inst 100 -> delete }
indom 29.2 { inst 100 -> 101 inst 100 -> 102 }
indom 29.2 { inst 100 -> 101 iname "bin-100" -> "foo" }
indom 29.2 { inst 100 -> delete iname "bin-100" -> "foo" }
indom 29.2 { inst 100 -> -1 }
indom 29.2 { inst 100 -> foo }
indom 29.2 { indom -> 29.2 }
indom 29.2 { indom -> 30.2 }
indom 29.2 { indom -> 31.* }
indom 29.* { indom -> 31.* }
indom 29.* { indom -> 31.7 }
indom 29.2 { indom -> 31.7 indom -> 31.8 }
indom 29.2 { indom -> duplicate 29.2 }
indom 29.2 { indom -> 511.7 }
indom 29.2 { indom -> 1 }
indom 29.2 { indom -> foo }
indom 29.2 { indom -> null }
indom 29.* { iname "bin-100" -> "foo" }
indom 29.* { inst 5 -> 6 }
indom 29.2 { indom -> 31.7 } metric sample.bin { indom -> 31.7 }
indom 29.2 { indom -> 31.7 } metric sample.bin { indom -> 30.2 }
indom 29.2 { indom -> 31.7 } metric sample.bin { indom -> null }
metric sample.bin { indom -> 30.2 } indom 29.2 { indom -> 31.7 }
indom 29.2 { indom -> 31.7 } indom 29.2 { indom -> 31.8 }
metric sample.bin { type -> 64 } metric sample.bin { type -> U64 }
metric sample.bin\n{\n  type -> 32\n\n name\n-> sample.bin\n}\n#x\n
metric sample.bin {\n  units -> 0,0,0,0,0,0\n\n}\n
metric sample.bin {\n indom -> 29.2\n\n}\n
metric sample.bin {\n type if\n u32 \n->\n 32\n\n}\n
metric sample.bin\n\n\n{ typ }
metric no.such\n\n{\n}
indom 1.2\n\n{\n}
indom 29.2\n\n{ inst 101\n-> 102\n\n iname "ab"\n\n->\n"foo"\n}
global { hostname\n->\nbozo-laptop\n\ntime -> 0\n\n}
metric sample.bin { name -> "foo\n
metric sample.bin { $ }
METRIC sample.BIN { Type -> U64 }
Metric sample.bin { TYPE -> u64 }
metric pmcd.pmlogger.host { indom -> null output last } metric 30.*.* { delete }
metric sample.bin { indom -> null } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output first } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output last } indom 29.2 { inst 900 -> delete }
metric sample.bin { indom -> null output inst 100 } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output inst 200 } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output iname "bin-100" } indom 29.2 { iname "bin-100" -> delete }
metric sample.bin { indom -> null output min } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output max } indom 29.2 { inst 900 -> delete }
metric sample.bin { indom -> null output sum } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> null output avg } indom 29.2 { inst 100 -> delete inst 200 -> delete }
metric sample.bin { indom -> null output avg type -> double } indom 29.2 { inst 100 -> delete inst 200 -> delete }
metric sample.bin { indom -> null output sum } indom 29.2 { inst 100 -> 101 iname "bin-200" -> "foo" }
metric sample.bin { indom -> 30.2 output sum }
metric sample.bin { indom -> 30.2 output min }
metric sample.bin { indom -> 30.2 output max type -> u64 }
metric sample.bin { indom -> 30.2 output avg } indom 29.2 { inst 200 -> delete }
metric sample.bin { indom -> 30.2 output avg } indom 29.2 { inst 100 -> delete }
metric sample.bin { indom -> 30.2 output max } indom 29.2 { inst 900 -> delete }
metric sample.bin { indom -> 30.2 } indom 29.2 { inst 200 -> delete }
metric sample.bin { indom -> 30.2 output inst 200 } indom 29.2 { inst 200 -> delete }
metric 29.*.* { delete } metric 2.*.* { delete }
global { hostname -> x time -> -1:00:00.25 tz -> "UTC" } metric sample.bin { name -> foo.bin pmid -> 99.1.2 type -> double sem -> counter units -> 1,-1,0,MBYTE,HOUR,0 }
metric pmcd.pmlogger.port { units -> 0,0,1,0,0,ONE } metric sampledso.long.bin_ctr { type->u32 units -> 0,0,1,0,0,ONE }
""",
    "omnibus_v3": r"""
text
text metric
text metric 29.0.5
text metric 29.0.5 { }
text metric 29.0.5 { delete }
text metric sample.mirage { delete }
text metric nosuch { delete }
text metric 29.0.5 help { delete }
text metric 29.0.5 * { delete }
text metric 29.0.5 foo { delete }
text metric 29.0.5 oneline { text -> "foo" }
text metric 29.0.5 oneline { text -> foo }
text metric 29.0.5 oneline { text -> "a \\"quoted\\" x" }
text metric 29.0.5 { metric -> 29.0.5 }
text metric 29.0.5 { metric -> 31.0.5 }
text metric 29.0.5 { metric -> 31.*.* }
text metric 29.*.* { metric -> 31.*.* }
text metric 29.0.5 { metric -> sample.bin }
text metric 29.0.5 { indom -> 29.1 }
text metric 29.0.5 "Metrics with a \\"saw-tooth\\" trend over time" { delete }
text metric 1.2.3 { delete }
text metric 600.2.3 { delete }
text indom 29.1 { delete }
text indom 29.* { delete }
text indom 29.1 { indom -> 30.1 }
text indom 29.* { indom -> 30.* }
text indom 29.* * { indom -> 30.* }
text indom 29.1 { indom -> 29.1 }
text indom 29.1 { metric -> 29.1.1 }
text indom 1.1 { text -> "x" }
text indom 29.1 { foo }
text foo { }
metric sample.mirage { pmid -> 31.0.5 }
metric sample.mirage { delete }
metric sample.mirage { pmid -> 31.0.5 } text metric 29.0.5 { text -> "foo" }
label
label context
label context { }
label context { delete }
label context "hostname" { delete }
label context "nosuch" { delete }
label context "hostname" "bozo-vm.localdomain" { delete }
label context "userid" "1000" { delete }
label context "userid" 1000 { delete }
label context * 1000 { delete }
label context * "1000" { delete }
label context { new "foo" bar }
label context { new "foo" 1e }
label context { new "foo" 1e+ }
label context { new "foo" 1e5x }
label context { new "foo" .5e3 }
label context { new "foo" }
label context { new foo "bar" }
label context { new "9 x" "bar" }
label context "hostname" { label -> foo }
label context "hostname" { value -> foo }
label context "hostname" { domain -> 5 }
label domain 29 { delete }
label domain 29 { domain -> 31 }
label domain 29 { domain -> 30 }
label domain 29 "role" { domain -> 31 }
label domain 600 { delete }
label domain 29.* { delete }
label domain * { delete }
label domain 29 { cluster -> 29.1 }
label domain 1 { delete }
label domain 1 { new "foo" "bar" }
label cluster 29.0 { delete }
label cluster 29.* { delete }
label cluster 29 { delete }
label cluster 29.0 { cluster -> 31 }
label cluster 29.5000 { delete }
label item 29.0.14 { delete }
label item 29.*.* { delete }
label item sample.long.write_me { delete }
label item nosuch { delete }
label item 29.0.14 { item -> 31.0.5 }
label item 29.*.* { item -> 31.*.* }
label item 29.0.15 { new "foo" "bar" }
label indom 29.1 { delete }
label indom 29.* { delete }
label indom 29.1 { indom -> 31.1 }
label indom 29.1 { instances -> 31.1 }
label instances 29.2 { delete }
label instances 29.2 100 { delete }
label instances 29.2 "bin-100" { delete }
label instances 29.2 "bin-100" "bin" { delete }
label instances 29.2 "bin-100" "bin" "100" { delete }
label instances 29.2 "bin-100" "bin" 100 { delete }
label instances 29.2 "bin-100" * { delete }
label instances 29.2 * "bin" { delete }
label instances 29.2 * * 100 { delete }
label instances 29.2 101 { delete }
label instances 29.2 "nosuch" { delete }
label instances 29.2 { instances -> 31.2 }
label instances 29.* { instances -> 31.* }
label instances 29.2 100 { instances -> 31.2 }
label instances 29.2 100 { instance -> "bin-200" }
label instances 29.2 "bin-100" { value -> 7 }
label foo { }
text metric 29.0.5\n\n oneline\n\n{\n metric\n->\n 29.0.5\n\n}
label indom 1.2 {\n new "a" "b"\n }
global { features -> bits(31,7) zoneinfo -> ":Etc/UTC" }
global { features -> x }
global { features -> bits(32) }
global { features -> bits(1 }
global { features -> bits }
global { zoneinfo -> x }
""",
    "20041125": r"""
metric swapdev.priority { type -> double }
metric swapdev.priority { type -> u32 }
metric swapdev.priority { type -> u64 }
metric disk.partitions.read { indom -> null output avg }
metric disk.partitions.read { indom -> null output sum }
metric disk.partitions.read { indom -> null output min }
metric disk.partitions.read { indom -> null output max }
metric disk.partitions.read { indom -> null output inst 5 }
metric disk.partitions.read { indom -> null output last }
metric kernel.percpu.interrupts { indom -> 60.10 output max }
metric disk.partitions.read { indom -> 60.10 output last }
metric filesys.used { indom -> null output avg }
metric filesys.full { indom -> null output avg }
metric filesys.full { indom -> null output sum type -> u32 }
metric filesys.used { units -> 1,0,0,MBYTE,0,0 rescale }
metric filesys.used { units -> 1,0,0,BYTE,0,0 rescale }
metric kernel.all.cpu.user { units -> 0,1,0,0,SEC,0 rescale type -> u32 }
metric kernel.all.load { type -> u32 }
metric kernel.all.load { type -> 64 }
metric kernel.all.load { type -> double }
metric 60.10.* { delete }
""",
    "nfsclient_64": r"""
metric nfsclient.age { type if 64 -> U64 type if 32 -> U32 }
metric nfsclient.age { type -> U64 type if 32 -> U32 }
metric nfsclient.age { type if 64 -> U64 type -> U32 }
metric nfsclient.age { type if 64 -> U64 type if 64 -> U32 }
""",
}
# The effects of options: options, archive, configuration.
OPTIONS = [
    (["-V", "3"], "gap", ""),
    (["-V", "3"], "omnibus_v2", "metric 29.0.14 { name -> foo.bar }"),
    (["-s"], "rewrite", "metric sampledso.long.bin_ctr { units -> 1,0,0,MBYTE,0,0 } "
                        "metric sample.ulonglong.bin_ctr { units -> 1,0,0,BYTE,0,0 }"),
    (["-s", "-v"], "rewrite", "metric sampledso.long.bin_ctr { units -> 1,0,0,KBYTE,0,0 }"),
    (["-q"], "rewrite", ""),
    (["-q", "-v"], "rewrite", "metric sample.bin { type -> 32 }"),
    (["-q"], "rewrite", "metric sample.bin { type -> U32 }"),
    (["-C"], "rewrite", "metric sample.bin { type -> U32 } metric no.such { delete }"),
    (["-d"], "rewrite", "metric sample.bin { type -> 64 }"),
]

# Copies: compressed, of several volumes, with marks, old, with labels, with events, large.
COPIES = """
gap omnibus_v2 omnibus_v3 omnibus-nomark_v2 omnibus-nomark_v3 rewrite sample-labels ok-mv-bar 20041125 mark-bug
interpmark bug1057 dupname-a eventrec eventrec-old all-irix-6.5.25 20180102 pcp-zeroconf 960624.08.17_v2
ace_v2 procpid-encode dyninsts2 fcsw_indom mmv.help pmproxy tzchange-10-a value-test small changeinst foo+
"""

# All of Debian's own rules, on archives with the metrics that they change.
MIGRATIONS = """
nfsclient_32 nfsclient_64 new_mysql mysql-1 old_xfs new_tcp new_snmp cgroups-units procsched pcp-zeroconf dm-io numa
pmproxy proc sample-labels 20180127.08.40
"""

# Command lines that are refused alike.
REFUSALS = """

gap
-Q
-V 7 gap out
-V x gap out
-V 2 omnibus_v3 out
nosuch out
-c nosuch gap out
-c /dev/null gap out
-C gap
gap out more
-i gap out
-i nosuch
gap gap
gap nosuch/out
-c folder gap out
-c folder/good -c folder/wrong gap out
-V 3 gap gap
"""

# Where 6.0.3 is wrong: archive, configuration, why, and what ours says or makes (a regular expression, in messages,
# summary or dump). That theirs has none of it is part of the test.
DIFFERENT = [
    ("gap", "global { time -> 30 }", "loses instance domains that are in force at the moved time",
     r'inst \[20377 or "20377"\] value "bozo.localdomain"'),
    ("omnibus_v3", "global { time -> -30 }", "looks for the base of a delta at the moved time", r"29.0.101 \(sample"),
    ("omnibus_v3", "metric 30.*.* { delete }", "leaves labels and texts of metrics behind", None),
    ("rewrite", "metric sample.bin { name -> foo-bar }", "takes a name that no metric can have", "syntax error"),
    ("rewrite", "metric 29.*.* { name -> foo }", "gives one name to many: all but one are nameless",
     "Metric name foo already assigned"),
    ("rewrite", "metric sample.bin { name -> foo } metric sample.part_bin { name -> foo }", "the same",
     "Metric name foo already assigned"),
    ("rewrite", "metric sample.bin { units -> 9,0,0,KBYTE,0,0 }", "takes a dimension that four bits can't hold",
     r"Dimension \(9\)"),
    ("rewrite", "metric sample.bin { pmid -> 30.*.* }", "makes one metric of two that are not alike",
     "which is not alike"),
    ("rewrite", "metric sample.bin { indom -> 30.2 } indom 30.2 { indom -> 31.7 }", "the domain is not there",
     r"New indom \(30.2\) for metric sample.bin is not in"),
    ("rewrite", "indom 29.2 { inst 100 -> 200 inst 200 -> 100 }", "applies both: values end where they were",
     r'inst \[200 or "bin-100"\] value 100\n +inst \[100 or "bin-200"\] value 200'),
    ("rewrite", "metric sample.bin { indom -> 30.2 output max } indom 29.2 { inst 900 -> 901 }",
     "gives a value a number that its new domain has not", r'\(sample.bin\): inst \[900 or "bin-900"\] value 900'),
    ("rewrite", "metric sample.bin { indom -> 30.2 } indom 29.2 { inst 200 -> delete inst 300 -> 301 }", "the same",
     r'\(sample.bin\):\n +inst \[100 or "bin-100"\] value 100\n +inst \[300 or "bin-300"\] value 300'),
    ("rewrite", "metric sample.bin { indom -> 30.2 output sum } indom 30.2 { inst 100 -> 101 }",
     "does not find a domain whose instances change", r'\(sample.bin\): inst \[101 or "bin-100"\] value 4500'),
    ("rewrite", "metric sample.bin { indom -> 30.2 output first } indom 29.2 { inst 100 -> delete }",
     "warns of an instance 0 that nobody asked for", None),
    ("rewrite", "indom 29.2 { inst 99999999999 -> 5 }", "wraps a number", "Illegal instance identifier"),
    ("rewrite", "indom 29.2 { inst 100 -> 4294967295 }", "takes it for DELETE", "Illegal instance identifier"),
    ("rewrite", "indom 29.2 { indom -> duplicate 31.7 }", "moves the metrics to the copy",
     r"\(sample.bin\)\n.*InDom: 29.2"),
    ("rewrite", 'indom 29.2 { indom -> duplicate 31.7 iname "bin-100" -> "foo" } '
                "metric sample.bin { indom -> 31.7 pmid -> 31.*.* }", "the same",
     r'\(sample.part_bin\):\n +inst \[100 or "bin-100"\]'),
    ("rewrite", "global { time -> -23:59:59.999 }", "says of 59.999 seconds that they are more than 59", None),
    ("rewrite", "# nothing\n", "takes a configuration without rules for an error", "No changes"),
    ("rewrite", "metric sampledso.long.bin_ctr { type -> double units -> 1,0,0,MBYTE,0,0 rescale }",
     "scales as an integer first", r'or "bin-100"\] value 0.09765625'),
    ("omnibus_v3", "text metric 29.0.5 all { delete }", "does not know ALL", "Help Text: full pmID"),
    ("omnibus_v3", 'text metric 29.0.5 { text -> "foo" text -> "bar" }', "crashes", "Duplicate text clause"),
    ("omnibus_v3", 'text metric 29.0.5 { text -> "foo" delete }', "crashes", "Conflicting delete"),
    ("omnibus_v3", 'text metric 29.0.5 { delete text -> "foo" }', "crashes", "Conflicting text"),
    ("omnibus_v3", "text metric 29.0.5 { metric -> 31.0.5 metric -> 32.0.5 }", "crashes", "Duplicate metric clause"),
    ("omnibus_v3", "text metric 29.0.14 help { metric -> 31.0.5 }", "an empty text stays", r"PMID: 31.0.5\n\n"),
    ("omnibus_v3", 'text indom 29.1 { text -> "" }', "takes no empty text", r"InDom: 29.1 \[\]"),
    ("omnibus_v3", 'label context { new "foo" "bar" }', "later labels replace the new one",
     r'\{"domainname":"localdomain","foo":"bar"'),
    ("omnibus_v3", 'label context { new "a" "b" new "c" "d" }', "crashes", '"a":"b","c":"d","domainname"'),
    ("omnibus_v3", 'label context { new "foo" 1e5 }', "later labels replace the new one", r'"localdomain","foo":1e5,'),
    ("omnibus_v3", 'label context { new "foo" -123.456e+78 }', "later labels replace the new one", r'"localdomain","foo":-123\.456e\+78,'),
    ("omnibus_v3", 'label context { new "foo" 1.5E-3 }', "later labels replace the new one", r'"localdomain","foo":1\.5E-3,'),
    ("omnibus_v3", 'label context { new "foo" 1.5 }', "takes no fractions", '"foo":1.5'),
    ("omnibus_v3", r'label context { new "foo" "a\"b" }', "takes no quotes in values", r'"foo":"a\\"b"'),
    ("omnibus_v3", 'label context "hostname" { label -> "foo" }',
     "the others make a set of their own, which replaces it", '"foo":"bozo-vm.localdomain","groupid":1000'),
    ("omnibus_v3", 'label context "hostname" { value -> "foo" }', "the same", '"groupid":1000,"hostname":"foo"'),
    ("omnibus_v3", 'label context { label -> "foo" }', "gives one name to several", r'(?<!,)\{"foo":\d+\}'),
    ("omnibus_v3", 'label context "hostname" { label -> "foo" label -> "bar" }', "crashes", "Duplicate clause"),
    ("omnibus_v3", 'label context "hostname" { label -> "x" value -> "y" }', "crashes", '"x":"y"'),
    ("omnibus_v3", 'label context "hostname" { delete value -> "y" }', "crashes", "Conflicting delete"),
    ("omnibus_v3", "label domain 29 { domain -> 600 }", "takes a domain that is none", r"Illegal domain field \(600\)"),
    ("omnibus_v3", 'label instances 29.2 "bin-100" { label -> "x" }', "keeps the places of the old name",
     r"name\(2,1\) : value\(5,3\)"),
    ("omnibus_v3", "label instances 29.2 { instance -> 101 }", "gives one instance several sets", None),
    ("omnibus_v3", "metric 29.0.14 { delete }", "leaves labels and texts of the metric behind", None),
    ("omnibus_v3", "metric 29.0.14 { pmid -> 31.0.14 }", "takes the labels of the domain away from those that stay",
     r'(?s)Domain 29 labels.*Domain 31 labels'),
    ("omnibus_v3", "indom 29.2 { inst 100 -> 101 }", "leaves the labels of the instance with the old number",
     r"InDom 29.2\[101\] labels"),
    ("omnibus_v3", "indom 29.2 { inst 100 -> delete }", "leaves the labels of the instance behind", None),
    ("20041125", "indom 60.* { indom -> 61.* }", "meets a domain twice", "pmInDom:\t-> 61.5"),
]
