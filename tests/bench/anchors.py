#!/usr/bin/python3
"""Train a network of PyTorch on the pairs and tokens of a model of elman, and score it on the dev pairs.

    anchors.py transformer MODEL TRAIN.tsv DEV.tsv --minutes 30
    anchors.py gru MODEL TRAIN.tsv DEV.tsv --minutes 30      or --epochs 30

MODEL gives vocabularies, subwords, batch size and seed. `transformer` has 3 + 3 layers of size 256 with 4 heads
and dropout 0.3. `gru` is the network of MODEL, whose cell must be `gru`, with MODEL's learning rate, warm-up and
dropout. Both have label smoothing 0.1, a moving average of the parameters of 0.999, and a learning rate that
falls linearly to 0 at the end of the run. Subwords are not dropped. The best of the searches in SEARCHES is
chosen on the dev pairs.

Minutes are processor time of the training, summed over all threads; they do not contain the search. The number
of threads is that of OMP_NUM_THREADS. Requires python3-torch, python3-numpy and libelman.so (docs/python.md);
without PyTorch, the exit code is 77."""

import argparse
import copy
import math
import os
import pathlib
import random
import sys
import time

sys.dont_write_bytecode = True

import measure  # noqa: E402

os.environ.update(measure.best_kernels())  # set before PyTorch loads OpenBLAS

try:
    import torch
    from torch import nn
except ImportError:
    print("anchors.py: no PyTorch", file=sys.stderr)
    sys.exit(77)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import elman  # noqa: E402: for tokens and BLEU

START, END = 1, 2
WINDOW = 64  # batches that are sorted by length together
SEARCHES = ((1, 1.0), (5, 0.6), (5, 1.0), (10, 1.0))  # beam size, length penalty
TOGETHER = 32  # sentences translated together


# ---- networks; `decode` returns the features (T,B,H) of the output layer `out`, for ids (S,B) and (T,B) ----


class Transformer(nn.Module):
    RATE, WARM_UP = 1e-3, 400

    def __init__(self, info, size=256, layers=3, heads=4, dropout=0.3):
        super().__init__()
        self.size, self.dropout = size, nn.Dropout(dropout)
        self.source = nn.Embedding(info.source_vocabulary, size)
        self.target = nn.Embedding(info.target_vocabulary, size)
        self.body = nn.Transformer(size, heads, layers, layers, 4 * size, dropout, norm_first=True)
        self.out = nn.Linear(size, info.target_vocabulary)
        for table in self.source, self.target:
            nn.init.normal_(table.weight, std=size ** -0.5)
        self.out.weight = self.target.weight

    def embed(self, table, ids):
        positions = torch.arange(len(ids))[:, None]
        rates = torch.exp(torch.arange(0, self.size, 2) * (-math.log(10000.0) / self.size))
        waves = torch.cat([torch.sin(positions * rates), torch.cos(positions * rates)], -1)
        return self.dropout(table(ids) * self.size ** 0.5 + waves[:, None])

    def encode(self, source, lengths):
        hidden = (torch.arange(len(source))[:, None] >= lengths).t()
        return self.body.encoder(self.embed(self.source, source), src_key_padding_mask=hidden), hidden

    def decode(self, memory, target):
        states, hidden = memory
        later = torch.full((len(target), len(target)), -math.inf).triu(1)
        return self.body.decoder(self.embed(self.target, target), states, later, memory_key_padding_mask=hidden)

    @staticmethod
    def select(memory, rows):
        return memory[0][:, rows], memory[1][rows]


class Gru(nn.Module):
    def __init__(self, info):
        super().__init__()
        embedding, size = info.embedding_size, info.hidden_size
        self.dropout = nn.Dropout(info.training.dropout)
        self.source = nn.Embedding(info.source_vocabulary, embedding)
        self.target = nn.Embedding(info.target_vocabulary, embedding)
        self.encoder = nn.GRU(embedding, size // 2, bidirectional=True)
        self.bridge, self.decoder = nn.Linear(size, size), nn.GRU(embedding, size)
        self.query, self.key = nn.Linear(size, size), nn.Linear(size, size, bias=False)
        self.score = nn.Linear(size, 1, bias=False)
        features = embedding if info.tie_embeddings else size
        self.attentional, self.out = nn.Linear(2 * size, features), nn.Linear(features, info.target_vocabulary)
        for name, weight in self.named_parameters():
            if "weight_hh" in name:
                for gate in weight.data.split(weight.shape[1]):
                    nn.init.orthogonal_(gate)
        for table in self.source, self.target:
            nn.init.normal_(table.weight, std=embedding ** -0.5)
        if info.tie_embeddings:
            self.out.weight = self.target.weight

    def encode(self, source, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(self.dropout(self.source(source)), lengths,
                                                   enforce_sorted=False)
        states, last = self.encoder(packed)
        states = self.dropout(nn.utils.rnn.pad_packed_sequence(states)[0])
        hidden = (torch.arange(len(states))[:, None] >= lengths).t()
        return states, self.key(states), torch.tanh(self.bridge(torch.cat([last[0], last[1]], -1))), hidden

    def decode(self, memory, target):
        states, keys, start, hidden = memory
        outputs = self.dropout(self.decoder(self.dropout(self.target(target)), start[None])[0])
        scores = self.score(torch.tanh(self.query(outputs)[:, None] + keys[None])).squeeze(-1)  # (T,S,B)
        weights = scores.masked_fill(hidden.t()[None], -math.inf).softmax(1)
        context = torch.einsum("tsb,sbh->tbh", weights, states)
        return self.dropout(torch.tanh(self.attentional(torch.cat([outputs, context], -1))))

    @staticmethod
    def select(memory, rows):
        return memory[0][:, rows], memory[1][:, rows], memory[2][rows], memory[3][rows]


def network_of(name, info):
    """Return a new network, its highest learning rate and its warm-up."""
    if name == "transformer":
        return Transformer(info), Transformer.RATE, Transformer.WARM_UP
    if info.cell != "gru" or info.training is None:
        sys.exit("anchors.py: gru needs a trained model with GRU cells")
    return Gru(info), info.training.learning_rate, info.training.warm_up


# ---- pairs ----


def read_pairs(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return [line.split("\t")[:2] for line in lines]


def encode_pairs(model, pairs):
    return [(model.encode("source", source), model.encode("target", target)) for source, target in pairs]


def pad(sentences):
    return nn.utils.rnn.pad_sequence([torch.tensor(ids, dtype=torch.long) for ids in sentences])


def batches(pairs, size, generator):
    """Return batches of similar lengths, in random order."""
    order = list(range(len(pairs)))
    generator.shuffle(order)
    found = []
    for at in range(0, len(order), WINDOW * size):
        window = sorted(order[at : at + WINDOW * size], key=lambda i: (len(pairs[i][1]), len(pairs[i][0])))
        found += [window[i : i + size] for i in range(0, len(window), size)]
    generator.shuffle(found)
    return [[pairs[i] for i in batch] for batch in found]


# ---- training ----


def loss_of(network, batch, smoothing):
    """Return the sum of the losses of a batch, and its number of target tokens."""
    sources, targets = zip(*batch)
    lengths = torch.tensor([len(ids) for ids in sources])
    inputs, outputs = pad([[START, *ids] for ids in targets]), pad([[*ids, END] for ids in targets])
    real = torch.arange(len(outputs))[:, None] <= torch.tensor([len(ids) for ids in targets])
    features = network.decode(network.encode(pad(sources), lengths), inputs)[real]
    loss = nn.functional.cross_entropy(network.out(features), outputs[real], reduction="sum",
                                       label_smoothing=smoothing)
    return loss, len(features)


def train(network, pairs, options, batch_size, rate, warm_up):
    """Return the average of the parameters as a network."""
    generator = random.Random(options.seed)
    optimizer = torch.optim.Adam(network.parameters())
    average = copy.deepcopy(network)
    seconds, update, epoch, progress = 0.0, 0, 0, 0.0
    while progress < 1:
        found, epoch = batches(pairs, batch_size, generator), epoch + 1
        tokens, total = 0, 0.0
        for number, batch in enumerate(found):
            started = time.process_time()
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (update + 1) / max(warm_up, 1)) * (1 - progress)
            optimizer.zero_grad(set_to_none=True)
            loss, count = loss_of(network, batch, 0.1)
            (loss / count).backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            update += 1
            decay = min(0.999, (1 + update) / (10 + update))
            with torch.no_grad():
                for mean, value in zip(average.parameters(), network.parameters()):
                    mean.lerp_(value, 1 - decay)
            tokens, total = tokens + count, total + loss.item()
            seconds += time.process_time() - started
            progress = (seconds / (60 * options.minutes) if options.minutes is not None
                        else (epoch - 1 + (number + 1) / len(found)) / options.epochs)
            if progress >= 1:
                break
        print(f"epoch {epoch}: {seconds / 60:.2f} min of processor time  training loss {total / tokens:.4f}", flush=True)
    return average.eval()


# ---- search ----


@torch.no_grad()
def search(network, sources, beam, penalty):
    """Return the ids of the best translation of each sentence."""
    memory = network.encode(pad(sources), torch.tensor([len(source) for source in sources]))
    hypotheses = {at: [(0.0, [START])] for at in range(len(sources))}  # of unfinished sentences
    finished = [[] for _ in sources]
    best = [None] * len(sources)
    for length in range(1, 2 * max(map(len, sources)) + 11):
        owners = [at for at, found in hypotheses.items() for _ in found]
        target = torch.tensor([ids for found in hypotheses.values() for _, ids in found]).t()
        features = network.decode(network.select(memory, torch.tensor(owners)), target)[-1]
        top = network.out(features).log_softmax(-1).topk(2 * beam)
        values, ids_of, row = top.values.tolist(), top.indices.tolist(), 0
        for at, found in list(hypotheses.items()):
            candidates = sorted(((score + value, ids + [token]) for i, (score, ids) in enumerate(found)
                                 for value, token in zip(values[row + i], ids_of[row + i])), reverse=True)
            row += len(found)
            finished[at] += [(score / length ** penalty, ids) for score, ids in candidates[:beam] if ids[-1] == END]
            hypotheses[at] = [each for each in candidates if each[1][-1] != END][:beam]
            if len(finished[at]) >= beam or length >= 2 * len(sources[at]) + 10:
                best[at] = max(finished[at])[1][1:-1] if finished[at] else hypotheses[at][0][1][1:]
                del hypotheses[at]
        if not hypotheses:
            break
    return best


def score(network, model, encoded, pairs, beam, penalty):
    order = sorted(range(len(encoded)), key=lambda i: len(encoded[i][0]))
    texts = [""] * len(encoded)
    for at in range(0, len(order), TOGETHER):
        rows = [i for i in order[at : at + TOGETHER] if encoded[i][0]]
        found = search(network, [encoded[i][0] for i in rows], beam, penalty) if rows else []
        for i, ids in zip(rows, found):
            texts[i] = model.decode("target", ids)
    return elman.metrics(texts, [target for _, target in pairs])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", choices=("transformer", "gru"))
    parser.add_argument("model")
    parser.add_argument("train")
    parser.add_argument("dev")
    parser.add_argument("--test", help="pairs that are scored once, with the search that is best on dev")
    length = parser.add_mutually_exclusive_group(required=True)
    length.add_argument("--minutes", type=float, help="processor time of the training")
    length.add_argument("--epochs", type=int)
    parser.add_argument("--sentences", type=int, help="use only the first pairs of each file, for tests")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_flush_denormal(True)
    with elman.Model.load(options.model) as model:
        files = {name: read_pairs(path)[: options.sentences]
                 for name, path in (("train", options.train), ("dev", options.dev), ("test", options.test)) if path}
        encoded = {name: encode_pairs(model, pairs) for name, pairs in files.items()}
        pairs = [pair for pair in encoded["train"] if all(pair)]
        info = model.info
        network, rate, warm_up = network_of(options.network, info)
        parameters = sum(p.numel() for p in network.parameters())
        print(f"{options.network}: {parameters} parameters, {torch.get_num_threads()} threads", flush=True)
        network = train(network, pairs, options, info.training.batch_size if info.training else 64, rate, warm_up)
        trials = []
        for beam, penalty in SEARCHES:
            scores = score(network, model, encoded["dev"], files["dev"], beam, penalty)
            trials.append((scores.bleu, beam, penalty))
            print(f"dev: beam {beam}, length penalty {penalty:g}: BLEU {scores.bleu:.2f}  chrF2 {scores.chrf:.2f}", flush=True)
        if options.test:
            _, beam, penalty = max(trials)
            scores = score(network, model, encoded["test"], files["test"], beam, penalty)
            print(f"test: beam {beam}, length penalty {penalty:g}: BLEU {scores.bleu:.2f}  chrF2 {scores.chrf:.2f}")


if __name__ == "__main__":
    main()
