"""Sessions of calls for tests/libpcp_import/script.c: what both libraries answer in the same way. Where Pitot differs
(docs/spec/import.md) there is a unit test, and no call here.
"""
import random

NAMES = """
start names 0
version 1
version 4
metric "" - 0 - 1
metric 1a - 0 - 1
metric a. - 0 - 1
metric a..b - 0 - 1
metric a.1 - 0 - 1
metric a-b - 0 - 1
metric _a - 0 - 1
metric "a b" - 0 - 1
metric a_b.c_1 - 0 - 1
metric A.B - 0 - 1
metric t - -1 - 1
metric t - 7 - 1
metric t - 99 - 99
metric t - 0 - 2
metric t - 6 - 4
metric A.B 9.9.9 99 - 99
metric A.C 245.0.1 99 - 99
metric A.D 245.0.9 0 1.5 1
metric A.E 1.2.3 0 1.5 3 1 -1 0 2 3 0
metric A.E 245.0.9 0 - 1
inst 1.5 foo 1
inst 1.5 foo 2
inst 1.5 bar 1
inst 1.5 "foo bar" 3
inst 1.5 "foo baz" 4
inst 1.5 foobar 5
inst 1.5 "goo bar" 6
inst 1.5 goo 7
inst 1.5 " lead" 8
inst 1.5 " tead" 9
inst 1.5 "" 10
inst 1.5 "x\\ty" 11
inst 1.5 "x\\tz" 12
inst 9.9 alone 0
value nosuch "" 1
handle nosuch ""
value a_b.c_1 foo 1
value a_b.c_1 "" 1
value A.D NULL 1
value A.D "" 1
value A.D goo 1
value A.D "goo other" 2
value A.D "foo" 2
value A.D "lead" 2
handle A.D foo
handle A.D foo
handle A.D nope
handle a_b.c_1 NULL
hvalue 0 1
hvalue -1 1
hvalue 4 1
hvalue 3 1
hvalue 1 1
write 1 0
dump
units 1 0 -1 3 2 1
units 20 -9 9 7 -8 15
ids 511 4095 1023
ids 512 4096 1024
error 0
error -12357
error -20001 9
error -99
use 0
use 9
error -1
use 1
error -1
"""

KINDS = {"32": 0, "u32": 1, "64": 2, "u64": 3, "float": 4, "double": 5, "string": 6}
TEXTS = ["", " 5", "5 ", "5x", "x", "-", "-1", "+1", "0x10", "010", "4294967296", "2147483648", "9223372036854775808",
         "18446744073709551616", "1.5", "-1.5", "1e3", "1e50", "1e400", "1e-320", "nan", "-inf", "0x1p3", "hello"]


def conversions(version):
    lines = ["start values 0", f"version {version}"]
    lines += [f"metric m{name} 1.0.{kind} {kind} - 3" for name, kind in KINDS.items()]
    for second, text in enumerate(TEXTS):
        lines += [f'value m{name} NULL "{text}"' for name in KINDS] + [f"write {second + 1} 0"]
    return "\n".join([*lines, "end"])


# Metadata that comes late, in each way in which it can come; marks; results.
LATE = """
start late 0
version VERSION
metric a 2.0.1 0 - 3
metric i 1.1.1 0 1.1 3
metric j 1.1.2 6 1.2 3
metric k 1.1.3 4 1.1 3
metric e 1.1.4 0 1.9 3
inst 1.1 two 2
inst 1.1 one 1
inst 1.2 x 1
label 16 2.0.1 0 n v
label 8 2.0.0 0 n v
label 2 2 0 n v
label 4 1.1 0 n v
label 32 1.1 -1 n v
label 32 1.1 99 n v
label 1 0 0 n v
label 1 0 0 n w
label 1 0 0 t true
label 1 0 0 q "a\\"b"
label 1 0 0 T TRUE
label 1 0 0 "a b" c
label 1 0 0 a.b c
label 1 0 0 "" c
label 1 0 0 c ""
label 2 - 0 n v
label 64 - -1 "" ""
label 32 - -1 "" ""
text 4 1 - ""
text 4 9 - ""
text 9 9 - ""
text 4 1 1.1.2 ""
text 4 1 1.1.2 "foo\\n"
text 4 1 1.1.2 "foo\\n"
text 4 1 1.1.2 bar
text 4 2 7.7.7 "no metric"
text 8 2 7.7 "no domain"
write 5 0
text 8 1 1.2 x
value a NULL 1
value i two 5
value i two 6
write 6 0
value i one x
value i two 5
write 7 0
value i one 1
value i two x
value k one 1.25
value k two 1e40
write 7 500000
write 7 600000
mark
mark
value j x "some text"
write 8 500
value a NULL 1
write 8 400
write 9 0
text 4 2 1.1.4 "of e"
value e nope 1
write 10 0
label 1 0 0 n v
write 11 0
label 1 0 0 n v
write 12 0
result 12 500 2.0.1 1 -1 7
result 13 0 1.1.1 2 2 20 1 10
result 13 1 1.1.2 1 1 =text
result 13 2 1.1.1 -12350
result 13 3 1.1.1 0
result 12 0 1.1.1 0
value a NULL 3
hiresult 14 123456789 2.0.1 1 -1 8
value a NULL 4
result 15 0
hires 15 987654321
end
"""

# More data than one index entry covers, and a descriptor in between.
LARGE = "\n".join(
    ["start large 0", "version VERSION", "metric s - 6 - 3", "metric t - 0 - 3"] +
    [f'value s NULL "{"x" * 20000}"\nwrite {second} 0' + ("\ntext 4 1 245.0.2 foo\nwrite 7 5" if second == 7 else "")
     for second in range(1, 31)] + ["mark", "end"])

MANY = "\n".join(
    ["start many 0", "version VERSION"] +
    [f"metric m{n} - {n % 7} 1.1 3" for n in range(1, 301)] + [f"inst 1.1 i{n} {n}" for n in range(1, 51)] +
    ["\n".join(f"value m{n} i{i} 1{i}" for n in range(1, 301) for i in range(50, 0, -7)) + f"\nwrite {second} 0"
     for second in (1, 2)] + ["end"])

HEIR = """
start parent 0
version VERSION
host some.host
zone EST5EDT
metric a - 0 - 3
metric i 1.1.1 0 1.1 3
inst 1.1 one 1
text 4 1 245.0.1 foo
label 1 0 0 l v
handle a NULL
handle i one
hvalue 2 2
start heir 1
host ""
zone ""
hvalue 1 5
write 3 3
end
end
use 1
write 4 4
mark
end
error -1
"""


class RandomSession:
    """Calls in an order that means something, with mistakes between them."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = [f"start random{seed} 0", f"version {self.random.choice((2, 3))}"]
        self.time = 10
        self.recorded = self.marked = False
        self.metrics = []  # (name, pmid, domain)
        self.insts = {"1.1": [], "1.2": []}
        self.next_inst = {"1.1": 0, "1.2": 0}

    def chance(self, part):
        return self.random.random() < part

    def metric(self):
        if self.metrics and self.chance(0.15):
            name, pmid = self.random.choice(self.metrics)[0], self.random.choice(self.metrics)[1]
            return f"metric {name} {pmid} 0 - 1"
        n = len(self.metrics) + 1
        asked = f"1.1.{n}" if self.chance(0.7) else "-"
        domain = self.random.choice(("-", "1.1", "1.2"))
        self.metrics.append((f"m{n}", f"245.0.{n}" if asked == "-" else asked, domain))
        return f"metric m{n} {asked} {self.random.randint(0, 6)} {domain} {self.random.choice((1, 3, 4))}"

    def inst(self):
        domain = self.random.choice(("1.1", "1.2"))
        if self.insts[domain] and self.chance(0.2):
            return f'inst {domain} "{self.random.choice(self.insts[domain])}" {self.random.randint(0, 9)}'
        n = self.next_inst[domain]
        self.next_inst[domain] += self.random.randint(1, 3)
        name = f"i{n}" + self.random.choice(("", " x", " y z"))
        self.insts[domain].append(name)
        return f'inst {domain} "{name}" {n}'

    def place(self):
        """A metric and one of its instances."""
        name, _, domain = self.random.choice(self.metrics)
        if self.chance(0.05):
            return f'{name} "bad"'
        return f"{name} NULL" if domain == "-" else f'{name} "{self.random.choice(self.insts[domain] or ["none"])}"'

    def value(self):
        return f'value {self.place()} "{self.random.choice(("1", "22", "-3", "x", "", "text"))}"'

    def handle(self):
        return f"handle {self.place()}"

    def hvalue(self):
        return f"hvalue {self.random.randint(0, 6)} 5"

    def write(self):
        if not self.marked and self.chance(0.1):
            return f"write {self.time - 1} 0"
        self.time += self.random.randint(1 if self.marked else 0, 2)
        self.marked = False
        return f'{self.random.choice(("write", "write2", "hires"))} {self.time} 0'

    def result(self):
        self.time += 1
        self.marked, self.recorded = False, True
        values = self.random.choice(("0", "-12350", "1 0 5", "2 3 1 0 9"))
        return f"result {self.time} 0 {self.random.choice(self.metrics)[1]} {values}"

    def mark(self):
        if not self.recorded:
            return "error 0"
        self.time += 1
        self.marked = True
        return "mark"

    def text(self):
        subject = self.random.choice([metric[1] for metric in self.metrics] + ["1.1", "1.2"])
        return f'text {self.random.choice((4, 8))} {self.random.choice((1, 2))} {subject} "t{self.random.randint(0, 5)}"'

    def label(self):
        kind, subject = self.random.choice(((1, "0"), (2, "1"), (4, "1.1"), (8, "1.1.0"), (32, "1.2"),
                                            (16, self.random.choice(self.metrics)[1])))
        return f"label {kind} {subject} {self.random.randint(0, 3)} n{self.random.randint(0, 3)} v{self.random.randint(0, 3)}"

    def call(self):
        if not self.metrics:
            return self.metric()
        return self.random.choices(
            (self.metric, self.inst, self.value, self.handle, self.hvalue, self.write, self.result, self.mark, self.text,
             self.label), (1, 1, 5, 1, 1, 2, 1, 1, 1, 1))[0]()


def random_session(seed, calls=120):
    """(lines, size of a volume)"""
    session = RandomSession(seed)
    lines = session.lines + [session.call() for _ in range(calls)]
    return "\n".join([*lines, f"write {session.time + 5} 0", "end"]), session.random.choice((1000, 10 ** 9, 10 ** 9))
