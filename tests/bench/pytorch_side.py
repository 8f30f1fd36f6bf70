#!/usr/bin/python3
"""The measured network, its updates and its search in PyTorch, in the usual style of PyTorch programs.

    pytorch_side.py serve                      requests on standard input, answers on standard output
    pytorch_side.py first MODEL WORD...        translates one sentence

Requests and answers are JSON objects, one per line; "do" of a request names one of REQUESTS. The number
of threads is set by OMP_NUM_THREADS and OPENBLAS_NUM_THREADS, which are read at the start of a
process, so each number of threads needs a process of its own."""

import collections
import functools
import json
import pathlib
import random
import sys
import time

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import elman_torch  # noqa: E402: for its file reader; the network here is the default one, written for speed
from elman_torch import END, START  # noqa: E402

WINDOW = 64  # batches that are sorted by length together, as in src/train/order.c


CELLS = {"elman": nn.RNN, "relu": functools.partial(nn.RNN, nonlinearity="relu"), "gru": nn.GRU,
         "lstm": nn.LSTM}


class Side(nn.Module):
    def __init__(self, vocabulary, embedding, hidden, cell="elman"):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.rnn = CELLS[cell](embedding, hidden)

    def step(self, ids, state):
        rnn = self.rnn
        return torch.tanh(functional.linear(self.embedding(ids), rnn.weight_ih_l0, rnn.bias_ih_l0)
                          + functional.linear(state, rnn.weight_hh_l0, rnn.bias_hh_l0))


class Translator(nn.Module):
    def __init__(self, source_words, target_words, embedding, hidden, cell="elman"):
        super().__init__()
        self.encoder = Side(source_words, embedding, hidden, cell)
        self.decoder = Side(target_words, embedding, hidden, cell)
        self.decoder.out = nn.Linear(2 * hidden, target_words)

    def encode(self, source, lengths):
        """Return states (B,S,H), last real states (1,B,H), and mask (B,1,S) or None; lengths None = all equal."""
        embedded = self.encoder.embedding(source)
        if lengths is None:
            states, last = self.encoder.rnn(embedded)
            return states.transpose(0, 1), last, None
        packed = pack_padded_sequence(embedded, lengths, enforce_sorted=False)
        packed, last = self.encoder.rnn(packed)
        states, _ = pad_packed_sequence(packed)
        mask = torch.arange(len(source))[None, :] >= lengths[:, None]
        return states.transpose(0, 1), last, mask[:, None]

    def attend(self, outputs, states, mask):
        """Return [RNN output; context] (B,T,2H) for outputs (B,T,H)."""
        scores = outputs @ states.transpose(1, 2)
        if mask is not None:
            scores = scores.masked_fill(mask, -torch.inf)
        return torch.cat([outputs, scores.softmax(-1) @ states], -1)

    def forward(self, batch):
        """Return the logits of the real target positions."""
        states, last, mask = self.encode(batch.source, batch.lengths)
        outputs, _ = self.decoder.rnn(self.decoder.embedding(batch.target), last)
        features = self.attend(outputs.transpose(0, 1), states, mask).transpose(0, 1)
        return self.decoder.out(features.flatten(0, 1) if batch.real is None else features[batch.real])


def time_major(sentences):
    """Return a tensor (steps,batch), padded with 0."""
    steps = max(map(len, sentences))
    return torch.tensor([s + [0] * (steps - len(s)) for s in sentences]).t().contiguous()


def lengths_of(sentences):
    """Return the lengths; None if all are equal."""
    lengths = [len(sentence) for sentence in sentences]
    return None if min(lengths) == max(lengths) else torch.tensor(lengths)


# ---- training ----


class Batch:
    def __init__(self, pairs):
        sources, targets = [source for source, _ in pairs], [target for _, target in pairs]
        self.source, self.lengths = time_major(sources), lengths_of(sources)
        self.target = time_major([[START] + target for target in targets])
        expected = time_major([target + [END] for target in targets])
        lengths = lengths_of(targets)
        self.real = None
        if lengths is not None:
            self.real = torch.arange(len(expected))[:, None] <= lengths[None, :]
        self.expected = expected.flatten() if self.real is None else expected[self.real]


def numbers_of(sentences, specials):
    """Return ids by decreasing frequency, after the special tokens, and the size of the vocabulary."""
    counts = collections.Counter(word for sentence in sentences for word in sentence)
    ids = {word: i for i, (word, _) in enumerate(counts.most_common(), specials)}
    return [[ids[word] for word in sentence] for sentence in sentences], len(ids) + specials


def batches_of(pairs, size):
    """Return batches in random order; in a large corpus, sentences of similar length share a batch."""
    rng = random.Random(1)
    order = rng.sample(pairs, len(pairs))
    if len(pairs) >= 2 * WINDOW * size:
        window = WINDOW * size
        order = [pair for at in range(0, len(order), window)
                 for pair in sorted(order[at : at + window], key=lambda p: (len(p[1]), len(p[0])))]
    batches = [order[at : at + size] for at in range(0, len(order), size)]
    return rng.sample(batches, len(batches))


class Settled(nn.Module):
    """A network with more options than the cell, from python/elman_torch.py."""

    def __init__(self, config):
        super().__init__()
        self.translator = elman_torch.Translator(config)

    def forward(self, batch):
        lengths = batch.lengths
        if lengths is None:
            lengths = torch.full((batch.source.shape[1],), len(batch.source))
        logits, _ = self.translator(batch.source, lengths, batch.target)
        return logits.flatten(0, 1) if batch.real is None else logits[batch.real]


def network(source_words, target_words, hidden, settings):
    if set(settings) <= {"cell"}:
        return Translator(source_words, target_words, hidden, hidden, **settings)
    config = {**dict.fromkeys(elman_torch.SETTINGS, False), "attention": "dot", "attention_heads": 1, "cell": "elman",
              "layers": 1, "embedding_size": hidden, "hidden_size": hidden,
              "source_vocabulary": source_words, "target_vocabulary": target_words}
    return Settled({**config, **settings})


def train(request):
    """Measure `updates` updates, 0 = one epoch, without building the tensors of a batch."""
    with open(request["pairs"], encoding="utf-8") as file:
        lines = [line.rstrip("\n").split("\t")[:2] for line in file]
    sources, source_words = numbers_of([line[0].split() for line in lines], 1)
    targets, target_words = numbers_of([line[1].split() for line in lines], 3)
    batches = batches_of(list(zip(sources, targets)), request["batch"])
    updates = request["updates"] or len(batches)
    batches = [Batch(batch) for batch in batches[:updates]]
    torch.manual_seed(1)
    model = network(source_words, target_words, request["hidden"], request["settings"])
    optimizer = torch.optim.Adam(model.parameters())
    times = [time.perf_counter()]
    for update in range(updates):
        batch = batches[update % len(batches)]
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cpu", torch.bfloat16, enabled=request.get("autocast", False)):
            loss = functional.cross_entropy(model(batch), batch.expected)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        times.append(time.perf_counter())
    return {"source_vocabulary": source_words, "target_vocabulary": target_words,
            "seconds": [after - before for before, after in zip(times[1:], times[2:])],
            "whole": times[-1] - times[0], "peak_kib": peak_kib()}


# ---- translating ----


def load(path):
    """Return the model, and the ids of the source words."""
    metadata, tensors = elman_torch.read_safetensors(path)
    words = [json.loads(metadata[f"elman.{side}_vocab"]) for side in ("source", "target")]
    config = json.loads(metadata["elman.config"])
    if config["attention"] != "dot" or config["cell"] != "elman":
        sys.exit("pytorch_side.py translates with dot attention and the Elman cell only")
    model = Translator(*map(len, words), config["embedding_size"], config["hidden_size"])
    model.load_state_dict(tensors, strict=True)
    return model.eval(), {word: i for i, word in enumerate(words[0])}, words[1]


def limit_of(sentence, limit):
    return limit or 2 * len(sentence) + 10


def greedy(model, sentences, limit):
    states, last, mask = model.encode(time_major(sentences), lengths_of(sentences))
    limits = torch.tensor([limit_of(sentence, limit) for sentence in sentences])
    state, ids = last[0], torch.full((len(sentences),), START)
    done, steps = torch.zeros(len(sentences), dtype=torch.bool), []
    while not done.all():
        state = model.decoder.step(ids, state)
        logits = model.decoder.out(model.attend(state[:, None], states, mask)[:, 0])
        logits[:, START] = -torch.inf
        ids = logits.argmax(-1)
        steps.append(torch.where(done, -1, ids))
        done = done | (ids == END) | (limits == len(steps))
    return [[i for i in row if i >= 0] for row in torch.stack(steps, 1).tolist()]


def beam_search(model, sentences, limit, width):
    """Search with the rules of src/translate/beam.c: a finished hypothesis narrows the beam, a
    score is log p / T, and the search ends when no open hypothesis can reach the best score."""
    states, last, mask = model.encode(time_major(sentences), lengths_of(sentences))
    limits = torch.tensor([limit_of(sentence, limit) for sentence in sentences])
    rows, count = torch.arange(len(sentences))[:, None], len(sentences)
    state = last[0][:, None].expand(-1, width, -1)  # (B,K,H)
    ids = torch.full((count, width), START)
    open_log = torch.full((count, width), -torch.inf)
    open_log[:, 0] = 0
    tokens = torch.zeros(count, width, 0, dtype=torch.long)
    finished = torch.zeros(count, dtype=torch.long)
    best_score, best = torch.full((count,), -torch.inf), [[] for _ in sentences]
    step = 0
    while not open_log.isinf().all():
        step += 1
        state = model.decoder.step(ids, state)
        logits = model.decoder.out(model.attend(state, states, mask))
        log = logits.log_softmax(-1)
        log[:, :, START] = -torch.inf
        words = log.shape[-1]
        log, places = (open_log[:, :, None] + log).flatten(1).topk(width)
        parents, ids = places.div(words, rounding_mode="floor"), places % words
        state, tokens = state[rows, parents], torch.cat([tokens[rows, parents], ids[:, :, None]], -1)
        taken = (torch.arange(width)[None, :] < (width - finished)[:, None]) & ~log.isinf()
        ends = (ids == END) | (limits == step)[:, None]
        score, place = torch.where(taken & ends, log / step, -torch.inf).max(1)
        for i in (score > best_score).nonzero()[:, 0].tolist():
            best[i] = tokens[i, place[i]].tolist()
        best_score = torch.maximum(best_score, score)
        finished += (taken & ends).sum(1)
        open_log = torch.where(taken & ~ends, log, -torch.inf)
        lost = open_log.max(1).values / limits <= best_score
        open_log[lost] = -torch.inf
    return best


def search(model, sentences, limit, width):
    if width == 1:
        return greedy(model, sentences, limit)
    return beam_search(model, sentences, limit, width)


def translate(request):
    model, _, _ = load(request["model"])
    sentences, size = request["sentences"], request["batch"]
    found = [None] * len(sentences)
    with torch.inference_mode():
        search(model, sentences[:1], request["limit"], request["beam"])
        start = time.perf_counter()
        order = range(len(sentences))
        if size > 1:
            order = sorted(order, key=lambda i: len(sentences[i]))
        for at in range(0, len(order), size):
            numbers = order[at : at + size]
            ids = search(model, [sentences[i] for i in numbers], request["limit"], request["beam"])
            for i, translation in zip(numbers, ids):
                found[i] = translation
        seconds = time.perf_counter() - start
    return {"seconds": [seconds], "ids": found, "peak_kib": peak_kib()}


# ---- the process ----


def peak_kib():
    for line in pathlib.Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def about(_):
    return {"version": torch.__version__, "threads": torch.get_num_threads(), "peak_kib": peak_kib()}


REQUESTS = {"train": train, "translate": translate, "about": about}


def serve():
    for line in sys.stdin:
        request = json.loads(line)
        print(json.dumps(REQUESTS[request["do"]](request)), flush=True)


def first(path, words):
    model, ids, names = load(path)
    with torch.inference_mode():
        found = greedy(model, [[ids.get(word, 0) for word in words]], 0)[0]
    print(" ".join(names[i] for i in found if i != END))


def main():
    # As in the other program: denormal numbers would slow down rare words.
    torch.set_flush_denormal(True)
    if sys.argv[1:] == ["serve"]:
        serve()
    elif sys.argv[1:2] == ["first"] and len(sys.argv) > 3:
        first(sys.argv[2], sys.argv[3:])
    else:
        sys.exit("usage: pytorch_side.py serve | first MODEL WORD...")


if __name__ == "__main__":
    main()
