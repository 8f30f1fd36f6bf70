"""Measure elman and PyTorch alternately in one run; the command is tools/bench."""

import argparse
import dataclasses
import datetime
import json
import math
import os
import pathlib
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True

import cluster
import corpora

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOY = ROOT / "data" / "toy.zh-en.tsv"
DAILY = ROOT / "data" / "daily.zh-en.tsv"
EVERYDAY = ROOT / "data" / "everyday.zh-en.safetensors"
PYTHON = "/usr/bin/python3"  # the one that Debian's python3-torch is for
CELLS = ("elman", "relu", "gru", "lstm")
BASE = {"bidirectional": True, "attention": "additive", "attentional_layer": True}
BATCH, LENGTH = 64, 10
PRECISIONS = ("float32", "int8")
CLIENTS = 64


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The amount of work in each part. A pair is V, E = H."""

    rounds: int = 5
    toy: tuple = (400, 128)  # updates, H
    update: tuple = ((6000, 256), (6000, 512), (8000, 512), (20000, 512))  # the third is typical of subwords
    cells: tuple = ((6000, 256), (6000, 512))
    bfloat16: tuple = ((6000, 512),)
    base: tuple = (5300, 256, 22)  # V, E = H, words in a sentence
    updates: int = 12
    epoch_pairs: int = None  # None: the whole corpus
    epoch_hidden: int = 256
    decode: tuple = ((6000, 256), 1000)  # the model's, sentences
    subwords: tuple = (1000000, 8000)  # lines, merges
    growth: dict = dataclasses.field(default_factory=lambda: {
        "V": (1500, 3000, 6000, 12000), "H": (64, 128, 256, 512), "length": (5, 10, 20, 40),
        "batch": (16, 32, 64, 128)})
    growth_base: tuple = (6000, 256)
    growth_updates: int = 8
    shards: tuple = (6000, 512)
    shard_updates: int = 10
    cluster: tuple = ((8000, 512), (8000, 1024), (32000, 512), (32000, 1024))
    kernels: tuple = (15, 1)  # rounds, divisor of the sizes


# Small enough for all parts to run in a test.
QUICK = Sizes(rounds=1, toy=(10, 32), update=((400, 32),), cells=((400, 32),), bfloat16=((400, 32),),
              base=(400, 32, 8), updates=3,
              epoch_pairs=100, epoch_hidden=32, decode=((400, 32), 20), subwords=(500, 100),
              growth={"V": (200, 400), "H": (16, 32), "length": (5, 10), "batch": (16, 32)},
              growth_base=(400, 32), growth_updates=3, shards=(400, 32), shard_updates=3,
              cluster=((400, 32),), kernels=(1, 32))


def cores():
    return len(os.sched_getaffinity(0))


def processor_flags():
    """Return the instructions of the processor, as Linux names them."""
    try:
        return set(pathlib.Path("/proc/cpuinfo").read_text().split())
    except OSError:
        return set()


def best_kernels():
    """Debian's OpenBLAS uses old kernels on unknown processors. elman chooses suitable ones itself; this
    function chooses them for everything else."""
    if "OPENBLAS_CORETYPE" in os.environ or platform.machine() != "x86_64":
        return {}
    flags = processor_flags()
    if {"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= flags:
        return {"OPENBLAS_CORETYPE": "SkylakeX"}
    return {"OPENBLAS_CORETYPE": "Haswell"} if {"avx2", "fma"} <= flags else {}


class PyTorch:
    """A process that answers requests with a fixed number of threads.

    PyTorch and OpenBLAS have a team of threads each. If PyTorch's team waits actively, as by default, it takes the
    processors from OpenBLAS's, and two threads are often slower than one."""

    def __init__(self, threads):
        self.label = f"{threads} thread" + ("s" if threads > 1 else "")
        self.environment = {**os.environ, **best_kernels(), "OMP_NUM_THREADS": str(threads),
                            "OPENBLAS_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "PASSIVE",
                            "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(self.command("serve"), env=self.environment, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    @staticmethod
    def command(*arguments):
        return [PYTHON, HERE / "pytorch_side.py", *arguments]

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("bench: PyTorch ended without an answer")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def has_pytorch():
    try:
        return subprocess.run([PYTHON, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def spread(values):
    return {"median": statistics.median(values), "minimum": min(values), "maximum": max(values)}


class Row:
    """One row of the table: the measurements of every program in every round."""

    def __init__(self, part, what, unit="s"):
        self.part, self.what, self.unit = part, what, unit
        self.elman, self.other, self.extra, self.notes = [], {}, {}, []
        self.reference = "PyTorch"

    def add_other(self, label, value):
        self.other.setdefault(label, []).append(value)

    def best(self):
        """The label of the fastest, or smallest, of the others."""
        if not self.other:
            return None
        return min(self.other, key=lambda label: statistics.median(self.other[label]))

    def ratios(self):
        """Return one ratio per round, because the speed of a machine changes between rounds."""
        label = self.best()
        return [] if label is None else [o / e for o, e in zip(self.other[label], self.elman)]

    def as_json(self):
        ratios = self.ratios()
        return {"part": self.part, "what": self.what, "unit": self.unit, "elman": self.elman,
                "compared_with": self.reference, "others": self.other, "best_other": self.best(),
                "ratios": ratios, "ratio": spread(ratios) if ratios else None,
                "extra": self.extra, "notes": self.notes}


def shown(value, unit):
    if unit == "MiB":
        return f"{value:,.0f} MiB"
    for factor, name in ((1, "s"), (1e3, "ms")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {name}"
    return f"{value * 1e6:.3g} µs"


def range_of(values, form):
    if len(values) == 1:
        return form(values[0])
    return f"{form(statistics.median(values))} ({form(min(values))} to {form(max(values))})"


def figures(row):
    """Return the cells of a row by column, as docs/results.json has them."""
    label = row.best()
    return {
        "part": row.part, "what": row.what, "elman": shown(statistics.median(row.elman), row.unit),
        "compared": "" if label is None else f"{shown(statistics.median(row.other[label]), row.unit)}, {label}",
        "ratio": "" if label is None else range_of(row.ratios(), "{:.2f}".format),
        "remarks": "; ".join(row.notes)}


def row_name(row):
    return re.sub(r"\W+", "-", f"{row.part} {row.what}".lower().replace(",", ""))


def table_line(row):
    return "| " + " | ".join(figures(row).values()) + " |"


TABLE_HEAD = ["| part | what | elman | compared with | ratio | remarks |", "|---|---|---|---|---|---|"]


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, pathlib.Path(folder)
        self.sizes, self.threads = QUICK if options.quick else Sizes(), options.threads
        self.rounds = options.rounds or self.sizes.rounds
        self.build = pathlib.Path(options.build).resolve()
        self.rows, self.notes, self.kernels, self.slopes, self.tables = [], [], None, [], []
        self.workers = []
        self.load = os.getloadavg()[0]
        if self.load > 0.5:
            self.note(f"the machine was busy when this began (load {self.load:.1f}), so that the "
                      "figures mean little")
        if set(options.parts) <= set(ALONE):
            pass
        elif options.without_pytorch:
            self.note("PyTorch was skipped, as requested")
        elif not has_pytorch():
            self.note(f"PyTorch was skipped: {PYTHON} has no module torch (Debian: python3-torch)")
        else:
            self.workers = [PyTorch(n) for n in sorted({1, self.threads})]

    def close(self):
        for worker in self.workers:
            worker.close()

    def note(self, text):
        self.notes.append(text)
        print(f"bench: {text}", file=sys.stderr)

    def finish(self, row):
        self.rows.append(row)
        print(table_line(row), file=sys.stderr)

    # ---- the programs ----

    def use_processors(self):
        """Limit a program to the measured number of threads."""
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:self.threads])

    def run(self, name, *arguments, environment=None):
        """Run one of elman's programs and return its JSON output."""
        command = [self.build / name, *map(str, arguments)]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, env=environment,
                              preexec_fn=self.use_processors)
        return json.loads(done.stdout)

    def elman(self, *arguments):
        """Return the seconds of a whole command."""
        start = time.perf_counter()
        subprocess.run([self.build / "elman", *map(str, arguments)], check=True,
                       stdout=subprocess.DEVNULL, preexec_fn=self.use_processors)
        return time.perf_counter() - start

    def update(self, pairs, hidden, batch, updates, threads=None, shards=1, settings=None):
        return self.run("bench_update", pairs, hidden, batch, updates, threads or self.threads, shards,
                        *(f"{name}={str(value).lower()}" for name, value in (settings or {}).items()))

    def products(self, vocabulary, hidden, batch, source, target, threads, rounds=3):
        return self.run("bench_products", vocabulary, hidden, batch, source, target, threads, rounds,
                        environment={**os.environ, **best_kernels()})

    def made(self, vocabulary, length=LENGTH, batch=BATCH, updates=0):
        path = self.folder / f"made-{vocabulary}-{length}-{batch}.tsv"
        if not path.exists():
            corpora.made(path, vocabulary, length, batch * max(updates, 1))
        return path

    def check_same(self, ours, theirs):
        for key in ("source_vocabulary", "target_vocabulary"):
            if ours[key] != theirs[key]:
                sys.exit(f"bench: the programs see different data: {key} {ours[key]} and {theirs[key]}")

    def compare_training(self, row, pairs, hidden, batch, updates, value, rounds=None,
                         settings=None):
        """Run rounds of elman and of PyTorch on the same pairs; value(answer) is the measurement."""
        for _ in range(rounds or self.rounds):
            ours = self.update(pairs, hidden, batch, updates, settings=settings)
            row.elman.append(value(ours))
            for worker in self.workers:
                theirs = worker.ask(do="train", pairs=str(pairs), hidden=hidden, batch=batch,
                                    updates=updates, settings=settings or {})
                self.check_same(ours, theirs)
                row.add_other(worker.label, value(theirs))

    def compare_update(self, part, what, pairs, hidden, settings):
        row = Row(part, what)
        self.compare_training(row, pairs, hidden, BATCH, self.sizes.updates, median_update, settings=settings)
        self.finish(row)

    # ---- the parts ----

    def part_toy(self):
        """The toy run: the whole command, and a single update."""
        updates, hidden = self.sizes.toy
        whole = Row("toy", f"{updates} updates: elman's whole command, PyTorch's loop alone")
        single = Row("toy", f"one update of one sentence, H {hidden}")
        for _ in range(self.rounds):
            whole.elman.append(self.elman("train", "--quiet", "--batch-size", 1, "--epochs",
                                          updates // 5, "--threads", self.threads, "--hidden-size", hidden,
                                          "--embedding-size", hidden, "--force", "--output",
                                          self.folder / "toy.safetensors", TOY))
            single.elman.append(median_update(self.update(TOY, hidden, 1, updates)))
            for worker in self.workers:
                theirs = worker.ask(do="train", pairs=str(TOY), hidden=hidden, batch=1,
                                    updates=updates, settings={})
                whole.add_other(worker.label, theirs["whole"])
                single.add_other(worker.label, median_update(theirs))
        self.finish(whole)
        self.finish(single)

    def part_update(self):
        """One update at each size, and the time of its matrix products alone."""
        updates = self.sizes.updates
        for vocabulary, hidden in self.sizes.update:
            row = Row("update", update_name(vocabulary, hidden))
            pairs = self.made(vocabulary, updates=updates)
            shares, rates, squares = [], [], []
            for _ in range(self.rounds):
                self.compare_training(row, pairs, hidden, BATCH, updates, median_update, rounds=1)
                bare = self.products(vocabulary, hidden, BATCH, LENGTH, LENGTH + 1, self.threads)
                shares.append(statistics.median(bare["seconds"]) / row.elman[-1])
                rates.append(bare["operations"] / row.elman[-1] * 1e-9)
                squares.append(bare["square_gflops"])
            reached = [rate / square for rate, square in zip(rates, squares)]
            row.extra = {"product_share": shares, "gflops": rates, "square_gflops": squares,
                         "sgemm_share": reached}
            row.notes.append("matrix products alone need " + range_of(shares, "{:.0%}".format)
                             + " of the time")
            row.notes.append(f"{statistics.median(rates):.0f} GFLOP/s, "
                             + range_of(reached, "{:.0%}".format) + " of sgemm's rate")
            self.finish(row)

    def part_cells(self):
        """One update with each recurrent cell, at two sizes."""
        updates = self.sizes.updates
        for vocabulary, hidden in self.sizes.cells:
            pairs = self.made(vocabulary, updates=updates)
            for cell in CELLS:
                self.compare_update("cells", f"{update_name(vocabulary, hidden)}, {cell}", pairs, hidden, {"cell": cell})

    def part_bfloat16(self):
        """One update with --precision bfloat16, against PyTorch in float32; and PyTorch's own bfloat16 (autocast)
        where the processor has instructions for it."""
        updates = self.sizes.updates
        autocast = "avx512_bf16" in processor_flags()
        for vocabulary, hidden in self.sizes.bfloat16:
            row = Row("bfloat16", update_name(vocabulary, hidden))
            pairs = self.made(vocabulary, updates=updates)
            float32, theirs = [], {}
            for _ in range(self.rounds):
                float32.append(median_update(self.update(pairs, hidden, BATCH, updates)))
                ours = self.update(pairs, hidden, BATCH, updates, settings={"precision": "bfloat16"})
                row.elman.append(median_update(ours))
                for worker in self.workers:
                    for cast in (False, True) if autocast else (False,):
                        answer = worker.ask(do="train", pairs=str(pairs), hidden=hidden, batch=BATCH,
                                            updates=updates, settings={}, autocast=cast)
                        self.check_same(ours, answer)
                        if cast:
                            theirs.setdefault(worker.label, []).append(median_update(answer))
                        else:
                            row.add_other(worker.label, median_update(answer))
            faster = [before / after for before, after in zip(float32, row.elman)]
            row.extra = {"float32": float32, "faster": faster, "autocast": theirs}
            row.notes.append("elman in float32 needs " + range_of(faster, "{:.2f}".format) + " times as long")
            for label, seconds in theirs.items():
                row.notes.append(f"PyTorch's autocast to bfloat16 needs {shown(statistics.median(seconds), 's')}, {label}")
            self.finish(row)

    def part_base(self):
        """One update of a network with the parts that the presets share, with a vocabulary and lengths of subwords."""
        updates = self.sizes.updates
        vocabulary, hidden, length = self.sizes.base
        pairs = self.made(vocabulary, length=length, updates=updates)
        for cell in ("elman", "gru"):
            self.compare_update("base", f"{update_name(vocabulary, hidden, length)}, {cell}", pairs, hidden, {**BASE, "cell": cell})

    def part_memory(self):
        """Peak memory in training, each program in a separate process."""
        vocabulary, hidden = self.sizes.update[-1]
        row = Row("memory", update_name(vocabulary, hidden), "MiB")
        pairs = self.made(vocabulary, updates=3)
        row.elman.append(self.update(pairs, hidden, BATCH, 3)["peak_kib"] / 1024)
        before = None
        for threads in sorted({1, self.threads}) if self.workers else ():
            worker = PyTorch(threads)
            before = worker.ask(do="about")["peak_kib"] / 1024
            answer = worker.ask(do="train", pairs=str(pairs), hidden=hidden, batch=BATCH, updates=3,
                                settings={})
            row.add_other(worker.label, answer["peak_kib"] / 1024)
            worker.close()
        if before is not None:
            row.notes.append(f"PyTorch uses {before:,.0f} MiB of it before any work")
        self.finish(row)

    def part_threads(self):
        """elman with all threads against one thread."""
        if self.threads < 2:
            self.note("threads: skipped, because the machine has one core")
            return
        updates = self.sizes.updates
        for vocabulary, hidden in self.sizes.update:
            row = Row("threads", f"{update_name(vocabulary, hidden)}, {self.threads} threads")
            row.reference = "elman"
            pairs, machine = self.made(vocabulary, updates=updates), []
            for _ in range(self.rounds):
                for threads in (self.threads, 1):
                    value = median_update(self.update(pairs, hidden, BATCH, updates, threads))
                    if threads > 1:
                        row.elman.append(value)
                    else:
                        row.add_other("elman, 1 thread", value)
                one, all_threads = (
                    min(self.products(vocabulary, hidden, BATCH, LENGTH, LENGTH + 1, n)["seconds"])
                    for n in (1, self.threads))
                machine.append(one / all_threads)
            row.extra = {"products_ratio": machine}
            row.notes.append("matrix products alone " + range_of(machine, "{:.2f}".format) + " times")
            self.finish(row)

    def part_epoch(self):
        """An epoch of a real corpus."""
        if self.options.corpus is None:
            self.note("epoch: skipped; it needs --corpus DIR with a file train.tsv")
            return
        hidden = self.sizes.epoch_hidden
        pairs = corpora.real(self.options.corpus, self.folder / "real.tsv", self.sizes.epoch_pairs)
        with open(pairs, encoding="utf-8") as file:
            count = sum(1 for _ in file)
        row = Row("epoch", f"{count:,} pairs, H {hidden}, batches of {BATCH}")
        self.compare_training(row, pairs, hidden, BATCH, 0, lambda answer: answer["whole"],
                              rounds=min(self.rounds, 3))
        self.finish(row)

    def model(self):
        """Return the model, sentences to translate, and the limit of tokens (0 = 2 S + 10)."""
        if self.options.model is not None:
            return pathlib.Path(self.options.model), pathlib.Path(self.options.sentences), 0
        model, sentences = self.folder / "decode.safetensors", self.folder / "sentences"
        if not model.exists():
            (vocabulary, hidden), count = self.sizes.decode
            pairs = self.made(vocabulary, updates=math.ceil(count / BATCH))
            self.elman("train", "--quiet", "--epochs", 0, "--hidden-size", hidden, "--embedding-size",
                       hidden, "--source-tokens", "space", "--target-tokens", "space", "--output",
                       model, pairs)
            with open(pairs, encoding="utf-8") as file:
                lines = [line.split("\t")[0] for line in file][:count]
            sentences.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return model, sentences, LENGTH

    def part_decode(self):
        """Translation of many sentences: greedy and with beam search, one by one and batched, in each precision."""
        model, sentences, limit = self.model()
        for beam in (1, 5):
            for mode, sizes in (("single", (1,)), ("batch", (64, 256))):
                rows = {precision: Row("decode", "") for precision in PRECISIONS}
                for _ in range(self.rounds):
                    self.decode_round(rows, (model, sentences, beam, limit, mode), sizes)
                for precision, row in rows.items():
                    self.finish_decoding(row, precision, beam, mode)

    def decode_round(self, rows, work, sizes):
        """Translate in each precision and in PyTorch, and add the times to the rows."""
        model, sentences, beam, limit, mode = work
        found = self.folder / "found"
        ours = {}
        for precision, row in rows.items():
            answer = self.run("bench_translate", model, sentences, found, beam, limit, mode, precision)
            row.elman.append(answer["seconds"][0])
            sources, ours[precision] = read_found(found)
            row.extra["sentences"] = len(sources)
        for worker in self.workers:
            for size in sizes:
                theirs = worker.ask(do="translate", model=str(model), sentences=sources, limit=limit,
                                    beam=beam, batch=size)
                label = worker.label + (f", batches of {size}" if size > 1 else "")
                for precision, row in rows.items():
                    row.add_other(label, theirs["seconds"][0])
                    pairs = list(zip(ours[precision], theirs["ids"]))
                    same = sum(a == b for a, b in pairs) / len(pairs)
                    row.extra["same"] = min(row.extra.get("same", 1.0), same)

    def finish_decoding(self, row, precision, beam, mode):
        search = "greedy" if beam == 1 else f"beam {beam}"
        way = "one by one" if mode == "single" else "batched"
        row.what = f"{row.extra['sentences']:,} sentences, {search}, {way}"
        if precision != "float32":
            row.what += f", {precision}"
        if "same" in row.extra:
            same = row.extra["same"]
            row.notes.append(f"{same:.1%} of the translations are the same")
            if precision == "float32" and beam == 1 and same < 0.99:
                self.note(f"{row.what}: the programs do not agree, so the ratio is meaningless")
        self.finish(row)

    def source_tokens(self, model, text):
        """Return the source tokens of a sentence."""
        sentence, found = self.folder / "sentence", self.folder / "found"
        sentence.write_text(text + "\n", encoding="utf-8")
        self.run("bench_translate", model, sentence, found, 1, 0, "single", "float32")
        words = source_words_of(model)
        return [words[i] for i in read_found(found)[0][0]]

    def part_start(self):
        """From the start of the process to the first translation."""
        model, sentences, _ = self.model()
        text = sentences.read_text(encoding="utf-8").splitlines()[0]
        words = self.source_tokens(model, text)
        rows = {precision: Row("start", "process start to first translation") for precision in PRECISIONS}
        rows["int8"].what += ", int8"
        for _ in range(self.rounds):
            for precision, row in rows.items():
                row.elman.append(self.elman("translate", "--quiet", "--precision", precision, "--model", model,
                                            text))
            for worker in self.workers:
                start = time.perf_counter()
                subprocess.run(PyTorch.command("first", model, *words), check=True,
                               env=worker.environment, stdout=subprocess.DEVNULL)
                seconds = time.perf_counter() - start
                for row in rows.values():
                    row.add_other(worker.label, seconds)
        for row in rows.values():
            self.finish(row)

    def part_serve(self):
        """The service with 64 clients beside `translate` on a file, and with one client beside the library."""
        model, sentences = self.options.model or EVERYDAY, self.folder / "served"
        if self.options.model is None:
            lines = [line.split("\t")[0] for line in DAILY.read_text(encoding="utf-8").splitlines()]
        else:
            lines = pathlib.Path(self.options.sentences).read_text(encoding="utf-8").splitlines()
        count = min(len(lines), self.sizes.decode[1])
        sentences.write_text("\n".join(lines[:count]) + "\n", encoding="utf-8")
        first = self.folder / "first-sentence"
        first.write_text(lines[0] + "\n", encoding="utf-8")
        with open(self.folder / "service", "wb") as messages:
            service = subprocess.Popen(
                [self.build / "elman", "serve", "-m", f"bench={model}", "--listen", "127.0.0.1:0", "-t", str(self.threads)],
                stderr=messages, preexec_fn=self.use_processors)
        try:
            port = self.port_of(service)
            if port is None:
                self.note("serve was skipped: this build has no HTTP server")
                return
            self.serve_many(port, model, sentences, first, count)
            self.serve_one(port, model, sentences, count)
        finally:
            service.terminate()
            service.wait()

    def port_of(self, service):
        """Return the port once the service listens; None if the build has no service."""
        while True:
            found = re.search(r"^listening at .*:(\d+)\n", (self.folder / "service").read_text(encoding="utf-8"), re.M)
            if found:
                return found[1]
            if service.poll() is not None:
                return None
            time.sleep(0.05)

    def serve_many(self, port, model, sentences, first, count):
        row = Row("serve", f"{count:,} sentences, {CLIENTS} clients")
        row.reference = "elman translate"
        answers = []
        for _ in range(self.rounds):
            answer = self.run("bench_serve", port, "bench", sentences, CLIENTS)
            answers.append(answer)
            row.elman.append(answer["seconds"][0])
            arguments = ["translate", "-q", "-m", model, "-t", self.threads, "-i"]
            row.add_other("elman translate, without its start", self.elman(*arguments, sentences) - self.elman(*arguments, first))
        row.extra = {key: statistics.median(answer[key] for answer in answers) for key in ("p50", "p99")}
        row.notes.append(f"a request takes {shown(row.extra['p50'], 's')} (p50), {shown(row.extra['p99'], 's')} (p99)")
        self.finish(row)

    def serve_one(self, port, model, sentences, count):
        row = Row("serve", "one client, a sentence")
        row.reference = "the library"
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models") as answer:
            served = json.load(answer)["models"][0]
        above = []
        for _ in range(self.rounds):
            row.elman.append(self.run("bench_serve", port, "bench", sentences, 1)["mean"])
            answer = self.run("bench_translate", model, sentences, self.folder / "found", served["beam"], 0, "single",
                              served["precision"])
            row.add_other("the library", answer["seconds"][0] / count)
            above.append(row.elman[-1] - row.other["the library"][-1])
        row.extra = {"above": statistics.median(above)}
        row.notes.append(f"{1e3 * row.extra['above']:.2f} ms above the translation alone")
        self.finish(row)

    def part_subwords(self):
        """Subwords: learning merges, splitting, and the start of a run."""
        count, merges = self.sizes.subwords
        pairs, codes = self.folder / "syllables.tsv", self.folder / "codes"
        text = self.folder / "syllables"
        corpora.syllables(pairs, count)
        with open(pairs, encoding="utf-8") as lines, open(text, "w", encoding="utf-8") as file:
            file.writelines(line.split("\t")[0] + "\n" for line in lines)
        rows = [(Row("subwords", f"{count:,} lines, {merges:,} merges learned"),
                 ("subwords", "learn", "--quiet", "--force", "--merges", merges, "--output", codes, text)),
                (Row("subwords", f"{count:,} lines split"),
                 ("subwords", "apply", "--quiet", "--codes", codes, "--input", text)),
                (Row("subwords", f"{count:,} pairs, process start to first update"),
                 ("train", "--quiet", "--force", "--subwords", merges, "--epochs", 0, "--threads",
                  self.threads, "--output", self.folder / "syllables.safetensors", pairs))]
        for _ in range(min(self.rounds, 3)):
            for row, command in rows:
                row.elman.append(self.elman(*command))
        for row, _ in rows:
            row.notes.append(f"{count / statistics.median(row.elman):,.0f} a second")
            self.finish(row)

    def part_growth(self):
        """The time of an update as one size grows and the others stay."""
        vocabulary, hidden = self.sizes.growth_base
        base = {"V": vocabulary, "H": hidden, "length": LENGTH, "batch": BATCH}
        updates = self.sizes.growth_updates
        for name, steps in self.sizes.growth.items():
            rows = []
            for step in steps:
                size = {**base, name: step}
                row = Row("growth", f"{name} {step:,}")
                pairs = self.made(size["V"], size["length"], size["batch"], updates)
                self.compare_training(row, pairs, size["H"], size["batch"], updates, median_update,
                                      rounds=min(self.rounds, 3))
                self.finish(row)
                rows.append(row)
            slopes = {"elman": slope(steps, [statistics.median(row.elman) for row in rows])}
            for label in rows[0].other:
                slopes[f"PyTorch, {label}"] = slope(
                    steps, [statistics.median(row.other[label]) for row in rows])
            self.slopes.append({"what": name, "slopes": slopes})

    def part_cluster(self):
        """The cost of shards, the gain of processes on this machine, and an estimate for several machines."""
        updates = self.sizes.shard_updates
        vocabulary, hidden = self.sizes.shards
        pairs, name = self.made(vocabulary, updates=updates), update_name(vocabulary, hidden)
        row = Row("cluster", f"{name}, 2 shards, {self.threads} threads")
        row.reference = "elman"
        for _ in range(self.rounds):
            row.elman.append(median_update(self.update(pairs, hidden, BATCH, updates, shards=2)))
            row.add_other("1 shard", median_update(self.update(pairs, hidden, BATCH, updates)))
        self.finish(row)
        self.measure_processes(pairs, name, hidden, updates)
        models = []
        for vocabulary, hidden in self.sizes.cluster:
            pairs = self.made(vocabulary, updates=2)
            half, whole = (min(self.update(pairs, hidden, batch, 5)["seconds"])
                           for batch in (BATCH // 2, BATCH))
            behind = min(self.node(pairs, hidden, 3, 0)["behind"])
            models.append(cluster.Model((vocabulary, hidden), whole, max(2 * half - whole, 0), behind,
                                        BATCH, LENGTH))
            self.measure_node(pairs, vocabulary, hidden)
        self.tables.append(("Machines like this one, 64 sentences each: an update, and its efficiency",
                            cluster.table(models)))
        faster = [model.faster(cluster.FASTER) for model in models]
        self.tables.append((f"Machines {cluster.FASTER} times as fast", cluster.table(faster)))
        self.tables.append(("Machines like this one, without sending while computing, "
                            "and the time that it saves", cluster.table_of_hidden(models)))
        self.tables.append((f"The same, machines {cluster.FASTER} times as fast",
                            cluster.table_of_hidden(faster)))

    def node(self, pairs, hidden, updates, megabits):
        """One of two machines, each with a shard of BATCH sentences; see bench_node.c."""
        return self.run("bench_node", pairs, hidden, 2 * BATCH, updates, self.threads, 2, 2, megabits)

    def measure_node(self, pairs, vocabulary, hidden):
        row = Row("cluster", f"{update_name(vocabulary, hidden)} a node, 2 nodes, 10 Gb/s")
        row.reference = "elman"
        for _ in range(self.rounds):
            result = self.node(pairs, hidden, 5, 10000)
            row.elman.append(statistics.median(result["meanwhile"]))
            row.add_other("nothing sent while it computes", statistics.median(result["apart"]))
        self.finish(row)

    def measure_processes(self, pairs, name, hidden, updates):
        """Two processes with one thread each against one with two threads, both built with MPI."""
        program = self.build.parent / "mpi" / "elman"  # the build of the preset
        if not program.exists() or shutil.which("mpirun") is None or self.threads < 2:
            self.note(f"processes: skipped; they need two cores, mpirun and {program}")
            return
        environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_plm_rsh_agent": "sh"}

        def seconds(launcher, threads):
            """Return the seconds of an update: a long run minus a short one."""
            times = []
            for epochs in (1, 3):
                start = time.perf_counter()
                subprocess.run([*launcher, program, "train", "-q", "-f", "-t", str(threads), "--shards",
                                "2", "--epochs", str(epochs), "--batch-size", str(BATCH),
                                "--hidden-size", str(hidden), "--embedding-size", str(hidden),
                                "-o", self.folder / "together", pairs],
                               check=True, env=environment, stdout=subprocess.DEVNULL)
                times.append(time.perf_counter() - start)
            return (times[1] - times[0]) / (2 * math.ceil(corpora.lines(pairs) / BATCH))

        row = Row("cluster", f"{name}, 2 shards, 2 processes")
        row.reference = "elman"
        for _ in range(self.rounds):
            row.elman.append(seconds(["mpirun", "-n", "2", "--bind-to", "none"], 1))
            row.add_other("1 process, 2 threads", seconds([], 2))
        self.finish(row)

    def part_kernels(self):
        """The kernels of elman, one by one."""
        self.kernels = self.run("bench_kernels", self.threads, *self.sizes.kernels)["kernels"]

    # ---- the results ----

    def machine(self):
        cpu = dict(re.findall(r"^(\S.*?)\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.MULTILINE))
        name = cpu.get("model name", platform.machine())
        if "cpu family" in cpu:
            name += f" (family {cpu['cpu family']}, model {cpu['model']})"
        about = {"processor": name, "cores": cores(),
                 "threads": self.threads, "load_at_start": self.load, "rounds": self.rounds,
                 "quick": self.options.quick}
        if self.workers:
            about["pytorch"] = self.workers[0].ask(do="about")["version"]
        return about

    def results(self):
        machine = self.machine()
        return {"machine": machine, "notes": self.notes,
                "rows": [row.as_json() for row in self.rows], "slopes": self.slopes,
                "kernels": self.kernels, "record": self.record(machine["processor"])}

    def record(self, processor):
        """Return this run as a record of docs/results.json, whose id a person chooses."""
        return {"id": "", "date": datetime.date.today().isoformat(), "processor": processor,
                "threads": self.threads, "command": shlex.join(["tools/bench", *sys.argv[1:]]),
                "figures": {row_name(row): figures(row) for row in self.rows}}

    def print_results(self, results):
        machine = results["machine"]
        torch = f", PyTorch {machine['pytorch']}" if "pytorch" in machine else ""
        print(f"{machine['processor']}, {machine['threads']} of {machine['cores']} cores{torch}; "
              f"{machine['rounds']} round{'s' if machine['rounds'] > 1 else ''}, load {machine['load_at_start']:.1f} at the start\n")
        if self.rows:
            print("\n".join(TABLE_HEAD + [table_line(row) for row in self.rows]))
        if self.slopes:
            print("\nSlopes of log time over log size:\n")
            for entry in self.slopes:
                print(f"- {entry['what']}: " + "; ".join(
                    f"{name} {value:.2f}" for name, value in entry["slopes"].items()))
        for title, table in self.tables:
            print(f"\n{title}:\n\n" + "\n".join(table))
        if self.kernels:
            print("\n| kernel | median | fastest | rate |\n|---|---|---|---|")
            for kernel in self.kernels:
                seconds = kernel["seconds"]
                print(f"| {kernel['name']} | {shown(statistics.median(seconds), 's')} | "
                      f"{shown(min(seconds), 's')} | "
                      f"{kernel['work'] / statistics.median(seconds) * 1e-9:.3g} {kernel['unit']} |")
        for note in self.notes:
            print(f"\nNote: {note}.")


def median_update(answer):
    """Return the median without the first updates, which touch memory for the first time."""
    seconds = answer["seconds"]
    return statistics.median(seconds[1:] if len(seconds) > 1 else seconds)


def update_name(vocabulary, hidden, length=LENGTH):
    return f"V {vocabulary:,}, H {hidden}, {BATCH} × {length} words"


def slope(sizes, seconds):
    """Return the slope of the least-squares line through the points on a log-log scale."""
    x, y = [math.log(size) for size in sizes], [math.log(value) for value in seconds]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


def source_words_of(model):
    data = pathlib.Path(model).read_bytes()
    metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    return json.loads(metadata["elman.source_vocab"])


def read_found(path):
    """Return the ids of the sentences and of their translations."""
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [[list(map(int, line[side].split())) for line in lines] for side in range(2)]


PARTS = tuple(name[len("part_") :] for name in vars(Bench) if name.startswith("part_"))
ALONE = ("threads", "serve", "subwords", "cluster", "kernels")  # without PyTorch
ON_REQUEST = ("subwords", "cluster", "kernels")  # slow, or only for special purposes


def options_from(arguments):
    parser = argparse.ArgumentParser(
        prog="tools/bench", description="Measure elman and PyTorch alternately in one run "
        "and print times and ratios as a Markdown table.")
    parser.add_argument("parts", metavar="PART", nargs="*",
                        help="parts to measure: " + ", ".join(PARTS) + ", or all (default: all but "
                        + ", ".join(ON_REQUEST) + ")")
    parser.add_argument("--corpus", metavar="DIR", help="folder with train.tsv, for the part epoch")
    parser.add_argument("--model", metavar="FILE", help="for the parts decode and start: a model with "
                        "dot attention and no other extras (default: a synthetic one, V 6,000, H 256)")
    parser.add_argument("--sentences", metavar="FILE", help="sentences for --model, one per line")
    parser.add_argument("--json", metavar="FILE", help="also write every single measurement to FILE, and the "
                        "record of the run for docs/results.json")
    parser.add_argument("--quick", action="store_true", help="small sizes, to check that everything works")
    parser.add_argument("--rounds", metavar="N", type=int, help="repetitions (default: 5; quick: 1)")
    parser.add_argument("--threads", metavar="N", type=int, default=cores(),
                        help="threads of elman; PyTorch uses as many, or one (default: all cores)")
    parser.add_argument("--without-pytorch", action="store_true", help="measure elman only")
    parser.add_argument("--build", metavar="DIR", default=ROOT / "build" / "release",
                        help="folder of programs that are already built")
    options = parser.parse_args(arguments)
    if options.parts == ["all"]:
        options.parts = list(PARTS)
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; use all, or some of {', '.join(PARTS)}")
    if (options.model is None) != (options.sentences is None):
        parser.error("--model and --sentences go together")
    if options.threads < 1 or (options.rounds is not None and options.rounds < 1):
        parser.error("--threads and --rounds must be at least 1")
    options.parts = options.parts or [part for part in PARTS if part not in ON_REQUEST]
    return options


def main():
    options = options_from(sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options, folder)
        try:
            for part in options.parts:
                getattr(bench, f"part_{part}")()
            results = bench.results()
        finally:
            bench.close()
    bench.print_results(results)
    if options.json is not None:
        pathlib.Path(options.json).write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"bench: {error}")
