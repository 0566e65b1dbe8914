"""One command line run with Debian's program and with ours, in a folder each: what both say and make."""
import subprocess

from peer import bare_env


class Sides:
    """Debian's programs that need no collector, and ours."""

    def __init__(self, prefix, peer_root, make_folder, files=()):
        folders = [make_folder("theirs"), make_folder("ours")]
        env = bare_env(peer_root, folders[0])
        own = {name: value for name, value in env.items() if name != "LD_LIBRARY_PATH"}
        self.sides = [(f"{peer_root}/usr/lib/pcp/bin/", env, folders[0]), (f"{prefix.path}/bin/", own, folders[1])]
        self.write(files)

    def write(self, files):
        for _, _, folder in self.sides:
            for name, text in files:
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)

    def run(self, tool, args, files=(), stdin=b"", results=()):
        """Theirs and ours: exit status, standard output, standard error, and the results (None: not made)."""
        answers = []
        self.write(files)
        for programs, env, folder in self.sides:
            for name in results:
                if name not in dict(files):
                    (folder / name).unlink(missing_ok=True)
            done = subprocess.run([programs + tool, *args], cwd=folder, env=env, input=stdin, timeout=120,
                                  capture_output=True, check=False)
            made = [(folder / name).read_bytes() if (folder / name).exists() else None for name in results]
            answers.append((done.returncode, done.stdout, done.stderr.replace(programs.encode(), b""), made))
        return answers
