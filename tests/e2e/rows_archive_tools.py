"""Rows for test_archive_tools.py: options over archives, command lines, damage."""
from archive_sides import as_it_is, blocks, check_lines, nine_digits, sorted_lines

# tool, options, what their order leaves open.
OPTIONS = [
    ("pmdumplog", ["-L"], as_it_is),
    ("pmdumplog", ["-d"], blocks("PMID: ")),
    ("pmdumplog", ["-i"], blocks("InDom: ")),
    ("pmdumplog", ["-I"], as_it_is),
    ("pmdumplog", ["-t"], as_it_is),
    ("pmdumplog", ["-e"], as_it_is),
    ("pmdumplog", ["-h"], as_it_is),
    ("pmdumplog", ["-m"], as_it_is),
    ("pmdumplog", ["-mxs"], as_it_is),
    ("pmdumplog", ["-rxx"], as_it_is),
    ("pmdumplog", ["-mxxx"], as_it_is),
    ("pmdumplog", ["-tIexx"], as_it_is),
    ("pmdumplog", ["-z", "-m", "-S", "5sec", "-T", "1min"], as_it_is),
    ("pmlogcheck", ["-lv"], check_lines),
    ("pmlogcheck", ["-w", "-z"], check_lines),
    ("pmloglabel", ["-vL"], as_it_is),
    ("pmlogsummary", ["-abiIH"], nine_digits),
    ("pmlogsummary", ["-sF"], nine_digits),
    ("pmlogsummary", ["-xB", "7"], nine_digits),
]

# Where 6.0.3 is wrong, or what it says is chance (docs/spec/logger.md D1, archive.md 12).
EXCEPT = {
    ("pmdumplog", "binning", "-rxx"): "refuses an index that points beyond the data",
    ("pmlogsummary", "20201109"): "takes the first of values that are no numbers",
    ("pmlogsummary", "all-sles9-sp1"): "takes the first of values that are no numbers",
    ("pmlogsummary", "960624.08.17_v2"): "takes blocks without a type for numbers",
    ("pmlogsummary", "babylon.pmview_v2"): "takes blocks without a type for numbers",
    ("pmlogsummary", "bozo.client_v2"): "takes blocks without a type for numbers",
    ("pmlogcheck", "960624.08.17_v2", "-lv"): "takes blocks without a type for numbers",
    ("pmlogcheck", "babylon.pmview_v2", "-lv"): "takes blocks without a type for numbers",
    ("pmlogcheck", "bozo.client_v2", "-lv"): "takes blocks without a type for numbers",
}

# Too long for every run: minutes with Debian's tools.
SLOW = ("20180416.10.00", "pcp-pidstat-process-args", "20180127.08.40", "20180102", "bozo-20170904")

# The same by their long names, and those that no other row has.
LONG = [
    ("pmdumplog", "--all gap", sorted_lines),
    ("pmdumplog", "--descs gap", blocks("PMID: ")),
    ("pmdumplog", "--insts gap", blocks("InDom: ")),
    ("pmdumplog", "--labelsets sample-labels", as_it_is),
    ("pmdumplog", "--helptext omnibus_v3", as_it_is),
    ("pmdumplog", "--on omnibus_v3", blocks("InDom: ")),
    ("pmdumplog", "--label --hostzone gap", as_it_is),
    ("pmdumplog", "--markrecs gap sample", as_it_is),
    ("pmdumplog", "--metrics --sizes --start=+2 --finish=-3 gap", as_it_is),
    ("pmdumplog", "--reverse --timezone=EST5 gap", as_it_is),
    ("pmdumplog", "--namespace=/nosuch gap", as_it_is),
    ("pmdumplog", "-D nosuch gap", as_it_is),
    ("pmdumplog", "--help", as_it_is),
    ("pmlogcheck", "--label --timezone=EST5 --finish=-2 gap", check_lines),
    ("pmlogcheck", "--hostzone --metadataonly gap", check_lines),
    ("pmlogcheck", "-l -T +5 -Z EST5 wrap", check_lines),
    ("pmlogcheck", "--nowrap --verbose wrap", check_lines),
    ("pmlogcheck", "--namespace=/nosuch gap", check_lines),
    ("pmloglabel", "--label --verbose gap", as_it_is),
    ("pmloglabel", "--help", as_it_is),
    ("pmlogsummary", "--all --header --bins=3 mirage-3 sample.milliseconds", as_it_is),
    ("pmlogsummary", "--minimum --maximum --mintime --maxtime --samples gap sample.bin", as_it_is),
    ("pmlogsummary", "--label --precision=5 --timezone=EST5 gap sample.bin", as_it_is),
    ("pmlogsummary", "--sum --hostzone gap pmcd.pdu_in.total", as_it_is),
    ("pmlogsummary", "--start=+3 --finish=-3 --verbose -N gap sample.bin", as_it_is),
    ("pmlogsummary", "--namespace=/nosuch gap", as_it_is),
    ("pmlogsummary", "-D nosuch gap", as_it_is),
    ("pmlogsummary", "--help", as_it_is),
]

# Command lines whose every byte is alike.
LINES = """
pmdumplog -v mirage-3.0 -v eventrec.0
pmdumplog -v mirage-3.meta
pmdumplog -v nosuch
pmdumplog -S @06:51:20 mirage-3
pmdumplog -r -T @06:51:25 mirage-3
pmdumplog -r -S @06:51:30 -T @06:51:25 mirage-3
pmdumplog -S bad mirage-3
pmdumplog -z -l mirage-3
pmdumplog -Z EST+5 -l mirage-3
pmdumplog -Z foo -L mirage-3
pmdumplog -Z EST+5 -z -l mirage-3
pmdumplog mirage-3 sample.milliseconds
pmdumplog mirage-3 sample
pmdumplog gap pmcd
pmdumplog -s gap pmcd
pmdumplog -M gap sample
pmdumplog -s -M gap sample
pmdumplog -xxr -M gap sample
pmdumplog mirage-3 nosuch.thing
pmdumplog mirage-3 sample nosuch
pmdumplog nosuch
pmdumplog mirage-3,gap
pmdumplog mirage-3 gap
pmdumplog -a ''
pmdumplog /
pmdumplog -l mirage-3.0
pmdumplog -n /nosuch mirage-3
pmdumplog 20180416.10.00.1.xz -lt
pmdumplog -?
pmdumplog
pmdumplog -Q
pmdumplog --nosuch
pmdumplog -S
pmdumplog omnibus_v3 sample.event
pmdumplog omnibus_v3 sample.bin sample.colour
pmdumplog omnibus_v3 sample.
pmdumplog omnibus_v3 sampl
pmdumplog -T 2sec -S 1sec omnibus_v3
pmdumplog -s 960624.08.17_v2 disk
pmdumplog -S 1min -T 3min pcp-atop disk hinv kernel.all
pmlogcheck nosuch
pmlogcheck gap,mirage
pmlogcheck .
pmlogcheck -z gap
pmlogcheck -S bad mirage-3
pmlogcheck -n /nosuch gap
pmlogcheck -m mirage-3 gap
pmloglabel gap
pmloglabel -l gap
pmloglabel -lv omnibus_v3
pmloglabel -L omnibus_v3
pmloglabel
pmloglabel -?
pmloglabel gap mirage-3
pmloglabel nosuch
pmloglabel -V 5 gap
pmloglabel -Q gap
pmlogsummary gap
pmlogsummary -H gap
pmlogsummary -Ha gap sample.bin
pmlogsummary -Hl mirage-3
pmlogsummary -HaiI mirage-3 sample
pmlogsummary -s gap pmcd.pdu_in.total sample
pmlogsummary -Hf -a gap sample.bin
pmlogsummary -HF -a gap sample.bin
pmlogsummary -HxB 3 gap sample.bin
pmlogsummary -B 4 mirage-3 sample.mirage
pmlogsummary -HbmiMIyB 2 mirage-3 sample.milliseconds
pmlogsummary -p 6 mirage-3 sample.milliseconds
pmlogsummary nosuch
pmlogsummary gap nosuch
pmlogsummary -z gap sample.bin
pmlogsummary -S @21:14:40 -l gap sample.bin
pmlogsummary -v gap sample.bin pmcd.pmlogger.host
pmlogsummary -xb gap sample.bin
pmlogsummary -n /nosuch gap
pmlogsummary -p x gap
pmlogsummary -B x gap
pmlogsummary -B 0 gap
pmlogsummary -fF gap sample.bin
pmlogsummary -s -v mirage-3
pmlogsummary -a eventrec
pmlogsummary -yb -HiI bozo-20170904 kernel.all.load hinv.ncpu
pmlogsummary -a 20150105.17.57-00
pmlogsummary -abiIH mark-bug
pmlogsummary -abiIH count-mark
pmlogsummary -abiIH gap2
pmlogsummary -abiIH instant-1
pmlogsummary -abiIHB 5 wrap
pmlogsummary diff1,diff2
pmlogsummary -lxiIHB 4 diff1,diff2 sample.milliseconds sample.bin
pmlogsummary -laiIH diff1,diff2 sample.milliseconds sample.bin
pmlogsummary -laz diff2,diff1
pmlogsummary -a diff1,diff1 sample
pmlogsummary -la multi hinv kernel.all.load disk.all network.interface
pmlogsummary -a multi-xz kernel.all.cpu
pmlogsummary -la mark_no_mark_0,mark_no_mark_1,mark_no_mark_2
pmlogsummary -S +3 -T -2 -a diff1,diff2
pmlogsummary -sH diff1,diff2 sample
pmlogsummary -x tzchange-10-a,tzchange-10-b
pmlogsummary -a omnibus_v2,omnibus_v3 sample.long
pmlogsummary arch_a,diff1
pmlogsummary schizo-A,schizo-B
pmlogsummary nosuch,diff1
pmlogsummary diff1,nosuch
pmlogsummary diff1,,diff2
pmlogsummary diff1 diff2
pmlogsummary
pmlogsummary -?
pmlogsummary -Q
pmlogsummary -T bad gap
pmlogsummary -zZ UTC gap
pmlogsummary gap "sample.bin[bin-100]"
pmlogsummary gap "sample.bin[bin-300,bin-100, nosuch]" pmcd.numagents
pmlogsummary gap 'sample.bin["bin-100", "bin-200"]'
pmlogsummary gap "sample.bin [ bin-100 ]"
pmlogsummary gap "sample.bin['bin-100']"
pmlogsummary gap "sample.bin[100]"
pmlogsummary gap "sample.bin[]"
pmlogsummary gap "sample.bin[ ]"
pmlogsummary gap "sample[bin-100]"
pmlogsummary gap "sample.bin[nosuch]"
pmlogsummary gap "nosuch[bin-100]"
pmlogsummary gap "sample.bin[bin-100" sample.bin
pmlogsummary gap "sample.bin[bin-100]x"
pmlogsummary gap "[x]"
pmlogsummary gap "sample bin"
pmlogsummary gap "sample.bin]"
pmlogsummary gap ""
pmlogsummary gap "pmcd.pdu_in.total[0]"
pmlogsummary gap "pmcd.pdu_in.total[]"
pmlogsummary gap "pmcd.pmlogger.port[20314]"
pmlogsummary gap "localhost:sample.bin[bin-100]" "gap/pmcd.numagents"
pmlogsummary -xmB 3 gap "sample.bin[bin-100]"
pmlogsummary -y diff1,diff2 "sample.bin[bin-100, bin-900]"
"""


def cut(name, size):
    """A file cut to a size, or by as many bytes as a negative one says."""
    def damage(folder):
        path = folder / name
        data = path.read_bytes()
        path.write_bytes(data[:size])
    return damage


def put(name, offset, data):
    def damage(folder):
        path = folder / name
        old = path.read_bytes()
        path.write_bytes(old[:offset] + data + old[offset + len(data):])
    return damage


def gone(*names):
    def damage(folder):
        for name in names:
            (folder / name).unlink()
    return damage


def both(*damages):
    def damage(folder):
        for one in damages:
            one(folder)
    return damage


def label_later(seconds):
    """The labels of all files begin later than their records."""
    def damage(folder):
        for name in ("g.0", "g.index", "g.meta"):
            start = int.from_bytes((folder / name).read_bytes()[12:16], "big") + seconds
            put(name, 12, start.to_bytes(4, "big"))(folder)
    return damage


# Our readers take metadata as far as it is whole: after a crash there is much to be read.
TORN = {"pmdumplog": "reads it", "pmloglabel": "knows its end", "pmlogsummary": "reads it"}

# The changes to a copy of "gap" named g; tools whose answers differ on purpose are listed with the reason.
DAMAGE = [
    ("no .meta", gone("g.meta"), {}),
    ("no volume", gone("g.0"), {}),
    ("no index", gone("g.index"), {}),
    ("index alone left", gone("g.meta", "g.0"), {}),
    ("empty .meta", cut("g.meta", 0), {}),
    ("empty volume", cut("g.0", 0), {}),
    ("empty index", cut("g.index", 0), {"*": "read as if missing"}),
    ("label-only index", cut("g.index", 132), {"*": "read as if missing"}),
    ("label-only .meta", cut("g.meta", 132), {}),
    ("label-only volume", cut("g.0", 132), {}),
    ("label cut", cut("g.0", 100), {}),
    ("label cut in its first word", cut("g.0", 2), {}),
    ("label cut in its last word", cut("g.0", 130), {}),
    ("index entry cut", cut("g.index", 140), {}),
    ("record cut in its last word", cut("g.0", -3), {}),
    ("record cut in its body", cut("g.0", -30), {}),
    ("record cut in its first word", cut("g.0", 134), {}),
    ("metadata cut in its last word", cut("g.meta", -3), TORN),
    ("metadata cut in its body", cut("g.meta", -30), TORN),
    ("metadata cut in its first word", cut("g.meta", 134), {}),
    ("length too small", put("g.0", 132, b"\0\0\0\5"), {}),
    ("label length too small", put("g.0", 0, b"\0\0\0\5"), {}),
    ("label length negative", put("g.0", 0, b"\xff\0\0\5"), {"pmlogcheck": "an illegal length is told as such"}),
    ("label trailer too small", put("g.0", 128, b"\0\0\0\5"), {}),
    ("label trailer differs", put("g.0", 128, b"\0\0\0\x85"), {}),
    ("magic of the volume", put("g.0", 4, b"\x51"), {}),
    ("magic of .meta", put("g.meta", 4, b"\x51"), {}),
    ("version of the index", put("g.index", 7, b"\5"), {}),
    ("version 3 in a label of version 2", put("g.0", 7, b"\3"), {}),
    ("version 1", put("g.0", 7, b"\1"), {}),
    ("wrong volume number", put("g.0", 23, b"\1"), {}),
    ("another pid", put("g.0", 11, b"\1"), {}),
    ("another host", put("g.index", 24, b"XX"), {}),
    ("metadata of version 3", put("g.meta", 139, b"\5"), {"*": "crashes"}),
    ("metadata of no type", put("g.meta", 139, b"\x09"), {}),
    ("length too large", put("g.0", 134, b"\x09"), {}),
    ("records before the label's time", label_later(5), {}),
    ("the label's time after all records", label_later(500), {}),
    ("a torn tail and no index", both(cut("g.0", -30), gone("g.index")), {}),
    ("a torn trailer and no index", both(cut("g.0", -1), gone("g.index")), {}),
    ("a torn tail and an empty index", both(cut("g.0", -30), cut("g.index", 0)), {"*": "read as if missing"}),
    ("a torn tail and a damaged last entry", both(cut("g.0", -30), cut("g.index", -5)), {}),
    ("unknown metric", put("g.0", 151, b"\xff"), {"pmlogcheck": "crashes"}),
]
DAMAGE_TOOLS = [("pmdumplog", ["-Ltms"]), ("pmlogcheck", ["-l"]), ("pmlogcheck", ["-m"]), ("pmloglabel", []), ("pmloglabel", ["-l"]),
                ("pmlogsummary", ["-a", "g", "sample"])]

SMALL = b"\0\0\0\5"
# One word of a label of version 2.
MISPRINTS = [("prefix", 0, SMALL), ("negative prefix", 0, b"\xff"), ("large prefix", 0, b"\x7f"), ("suffix", 128, SMALL),
             ("magic number", 4, b"\x55"), ("version", 7, b"\5"), ("volume number", 20, b"\0\0\1\7")]


# Options of pmloglabel that write, given to a copy of an archive after damage.
WRITES = [
    ("a host", "gap", None, ["-h", "another"]),
    ("a long host", "gap", None, ["-h", "h" * 80]),
    ("a zone", "gap", None, ["-vZ", "EST5"]),
    ("all by their long names", "gap", None, ["--host=another", "--timezone=EST5", "--pid=5", "--version=2"]),
    ("a process", "gap", None, ["-vlp", "77"]),
    ("a negative process", "gap", None, ["-p", "-3"]),
    ("a magic number mended", "gap", put("g.meta", 4, b"\x55"), ["-s"]),
    ("a volume number mended", "gap", put("g.meta", 23, b"\1"), ["-vs"]),
    ("a host mended", "gap", put("g.index", 24, b"XX"), ["-vs"]),
    ("the same version", "gap", None, ["-V", "2"]),
    ("zone of version 3", "omnibus_v3", None, ["-vLZ", "FOO"]),
    *[(f"{what} of {name} mended, {' '.join(options)}", "gap", put(name, at, data), options)
      for name in ("g.0", "g.index", "g.meta") for options in (["-s"], ["-vs"], ["-ls"], ["-p", "4"])
      for what, at, data in MISPRINTS],
    ("prefix and suffix mended", "gap", both(put("g.0", 0, SMALL), put("g.0", 128, SMALL)), ["-vs"]),
    ("prefix and magic number mended", "gap", both(put("g.0", 0, SMALL), put("g.0", 4, b"\x55")), ["-vs"]),
    ("suffix and magic number mended", "gap", both(put("g.meta", 128, SMALL), put("g.meta", 4, b"\x55")), ["-vs"]),
    ("a host mended without a word", "gap", put("g.index", 24, b"XX"), ["-s"]),
]
