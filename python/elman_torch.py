"""Load and save models of elman as PyTorch modules.

    model = elman_torch.load("model.safetensors")
    logits, weights = model(source, source_lengths, target)    # ids, (S,B) and (T,B)
    best = model.translate([4, 7, 2])[0]                       # ids of one sentence
    best.tokens, best.log_probability, best.weights            # weights: (K,T,S)

docs/model-file.md documents the file, docs/python.md shows examples, and docs/notation.md lists the
symbols. Shapes: S source tokens, T target tokens, B sentences, K heads, H hidden size. Requires only
PyTorch 1.13 or newer (Debian: python3-torch)."""

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import struct
import threading
import unicodedata

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

UNKNOWN, START, END = 0, 1, 2  # ids; a source vocabulary contains only the first

# The keys of config, with their values in files that lack them; None: every file has the key.
FORMAT = "1"  # of the model file
SETTINGS = {
    "arithmetic", "attention", "attention_heads", "attention_window", "attentional_layer", "bidirectional", "cell",
    "clause_segments", "decoder_self_attention", "embedding_size", "encoder_self_attention", "hidden_size",
    "input_feeding", "layer_norm", "layers", "plain_self_attention", "residual", "source_language",
    "source_normalization", "source_tokens", "source_vocabulary", "target_language", "target_normalization",
    "target_tokens", "target_vocabulary", "tie_embeddings",
}
SPECIALS, MARKS = ("<unk>",), "\uFFED\u2581"
CLAUSE_ENDS = ".,:;?!…‥、。，：；？！．｡､"
MECHANISMS = ("dot", "scaled", "general", "additive", "projected", "multihead", "local", "adaptive",
              "sentinel", "hierarchical")
CELLS = ("elman", "relu", "gru", "lstm")
TYPES = {"F32": torch.float32, "F64": torch.float64, "I64": torch.int64, "BF16": torch.bfloat16,
         "F16": torch.float16, "I8": torch.int8}


def read_safetensors(path):
    """Return the metadata (strings by name) and the tensors of a file."""
    data = pathlib.Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    if not 8 + length <= len(data):
        raise ValueError(f"{path}: not a safetensors file")
    header = json.loads(data[8 : 8 + length])
    tensors = {}
    metadata = header.pop("__metadata__", {})
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        numbers = torch.frombuffer(bytearray(data[begin:end]), dtype=TYPES[entry["dtype"]])
        tensors[name] = numbers.reshape(entry["shape"])
    return metadata, tensors


def write_safetensors(path, tensors, metadata=None):
    """Write tensors of the types in TYPES."""
    header, blobs, at = {}, [], 0
    if metadata is not None:
        header["__metadata__"] = metadata
    names = {value: name for name, value in TYPES.items()}
    for name, tensor in tensors.items():
        plain = tensor.detach().cpu().contiguous()
        if plain.dtype == torch.bfloat16:  # NumPy has no such type
            plain = plain.view(torch.int16)
        blob = plain.numpy().tobytes()
        header[name] = {
            "dtype": names[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [at, at + len(blob)],
        }
        at += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    replace_file(path, [struct.pack("<Q", len(text)), text, *blobs])


def replace_file(path, parts):
    """Write a file atomically: if writing fails, the old file stays."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):  # such as a pipe
        with open(path, "wb") as file:
            file.writelines(parts)
        return
    written = f"{path}.{os.getpid()}.{threading.get_ident()}.tmp"
    try:
        with open(written, "xb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        if os.path.exists(path):
            shutil.copymode(path, written)
        os.replace(written, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(written)
        raise


def check(config):
    """Check that the config of a model has every key and no other, and that this module has its parts."""
    for problem, names in ("lacks", SETTINGS - set(config)), ("has the unknown", set(config) - SETTINGS):
        if names:
            raise ValueError(f"the config of the model {problem} {', '.join(sorted(names))}")
    for what, known in ("attention", MECHANISMS), ("cell", CELLS):
        if config[what] not in known:
            raise ValueError(f"unknown {what}: {config[what]}")


def load(path):
    """Return the model of a file as a Translator, in float and in evaluation mode. A file of another type
    (bfloat16, float16 or int8) is converted."""
    metadata, tensors = read_safetensors(path)
    if "elman.config" not in metadata:
        raise ValueError(f"{path}: not a model of elman")
    if metadata.get("elman.format") != FORMAT:
        raise ValueError(f"{path}: not a model of format {FORMAT}")
    model = Translator(json.loads(metadata["elman.config"]), metadata)
    model.load_state_dict(dequantized(model.config, tensors), strict=True)
    return model.eval()


def dequantized(config, tensors):
    """Return the tensors of a file with int8 as floats: each matrix times the scales of its rows, and a tied
    matrix under both names. Other tensors stay as they are."""
    floats = {name: tensor for name, tensor in tensors.items() if f"{name.removesuffix('_scale')}_scale" not in tensors}
    for name, levels in tensors.items():
        if f"{name}_scale" in tensors:
            floats[name] = levels.float() * tensors[f"{name}_scale"]
    if config["tie_embeddings"]:
        floats.setdefault("decoder.out.weight", floats["decoder.embedding.weight"])
    return floats


def save(model, path):
    """Write a model that elman can read, with the metadata of the file from which it was loaded.
    Leave out the checksum and the mark of a snapshot, which do not hold for changed parameters.
    elman treats a file without a checksum as the work of another program."""
    stale = "elman.checksum", "elman.snapshot"
    metadata = {key: value for key, value in model.metadata.items() if key not in stale}
    tensors = {name: tensor.float() for name, tensor in model.state_dict().items()}
    for name, tensor in tensors.items():
        if not tensor.isfinite().all():
            raise ValueError(f"{path}: not written: {name} holds a number that is not finite")
    write_safetensors(path, tensors, metadata)


def recurrent(config, *sizes, **options):
    """Return PyTorch's layer of this cell, or a Stack."""
    cell = config["cell"]
    if config["layer_norm"] or config["residual"]:
        return Stack(config, *sizes, **options)
    if cell in ("gru", "lstm"):
        return {"gru": nn.GRU, "lstm": nn.LSTM}[cell](*sizes, **options)
    return nn.RNN(*sizes, nonlinearity={"elman": "tanh", "relu": "relu"}[cell], **options)


class Stack(nn.Module):
    """A recurrent layer computed step by step, with layer normalization and residual connections
    (`docs/beyond.md`, sections 6 and 5), which PyTorch's layers lack.

    The interface is that of PyTorch's layers, except that it takes lengths instead of packed sequences."""

    def __init__(self, config, input_size, size, layers, bidirectional=False):
        super().__init__()
        self.cell, self.layer_norm, self.residual = (config[k] for k in ("cell", "layer_norm", "residual"))
        self.size, self.layers = size, layers
        self.directions = ("", "_reverse") if bidirectional else ("",)
        gates = {"elman": 1, "relu": 1, "gru": 3, "lstm": 4}[self.cell]
        for layer in range(layers):
            for direction in self.directions:
                width = input_size if layer == 0 else size * len(self.directions)
                shapes = {"weight_ih": (gates * size, width), "weight_hh": (gates * size, size),
                          "bias_ih": (gates * size,), "bias_hh": (gates * size,)}
                if self.layer_norm:
                    shapes["layer_norm_weight"] = ((gates + (self.cell == "gru")) * size,)
                for name, shape in shapes.items():
                    self.register_parameter(f"{name}_l{layer}{direction}", nn.Parameter(torch.zeros(shape)))

    def step(self, x, state, suffix):
        """Return the parts of the state (B,H) after an input (B,E)."""
        w_ih, w_hh, b_ih, b_hh = (getattr(self, f"{name}_{suffix}")
                                  for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        h = state[0]
        shares = (x @ w_ih.t()).split(self.size, 1), (h @ w_hh.t()).split(self.size, 1)
        blocks = [a + b for a, b in zip(*shares)]
        if self.cell == "gru":  # the reset gate comes between the last two
            blocks[2:] = shares[1][2], shares[0][2]
        if self.layer_norm:
            gains = getattr(self, f"layer_norm_weight_{suffix}").split(self.size)
            blocks = [nn.functional.layer_norm(block, (self.size,), gain)
                      for block, gain in zip(blocks, gains)]
        if self.cell == "gru":
            b, c = b_ih.split(self.size), b_hh.split(self.size)
            r, z = (torch.sigmoid(blocks[i] + b[i] + c[i]) for i in range(2))
            n = torch.tanh(blocks[3] + b[2] + r * (blocks[2] + c[2]))
            return ((1 - z) * n + z * h,)
        gates = [block + b for block, b in zip(blocks, (b_ih + b_hh).split(self.size))]
        if self.cell == "lstm":
            i, f, g, o = gates
            c = torch.sigmoid(f) * state[1] + torch.sigmoid(i) * torch.tanh(g)
            return torch.sigmoid(o) * torch.tanh(c), c
        return ({"elman": torch.tanh, "relu": torch.relu}[self.cell](gates[0]),)

    def forward(self, inputs, initial=None, lengths=None):
        steps, batch, _ = inputs.shape
        parts = 2 if self.cell == "lstm" else 1
        if initial is None:
            zero = inputs.new_zeros(self.layers * len(self.directions), batch, self.size)
            initial = (zero,) * parts
        initial, finals = initial if isinstance(initial, tuple) else (initial,), []
        for layer in range(self.layers):
            sides = []
            for direction in self.directions:
                state, outputs = tuple(part[len(finals)] for part in initial), [None] * steps
                for t in reversed(range(steps)) if direction else range(steps):
                    new = self.step(inputs[t], state, f"l{layer}{direction}")
                    if lengths is not None:  # keep the state after the end of a sentence
                        new = tuple(torch.where((t < lengths)[:, None], a, b) for a, b in zip(new, state))
                    state, outputs[t] = new, new[0]
                sides.append(torch.stack(outputs))
                finals.append(state)
            outputs = torch.cat(sides, -1)
            inputs = outputs + inputs if self.residual and layer > 0 else outputs
        finals = tuple(torch.stack(part) for part in zip(*finals))
        return inputs, finals if parts > 1 else finals[0]


class Encoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        directions = 2 if config["bidirectional"] else 1
        self.embedding = nn.Embedding(config["source_vocabulary"], config["embedding_size"])
        self.rnn = recurrent(config, config["embedding_size"], config["hidden_size"] // directions,
                             config["layers"], bidirectional=config["bidirectional"])
        self.layers = config["layers"]
        self.self_attention = self_attention(config, config["encoder_self_attention"])

    def forward(self, ids, lengths):
        if isinstance(self.rnn, Stack):
            outputs, last = self.rnn(self.embedding(ids), lengths=lengths)
        else:
            packed = pack_padded_sequence(self.embedding(ids), lengths, enforce_sorted=False)
            outputs, last = self.rnn(packed)
            outputs = pad_packed_sequence(outputs)[0]
        # (layers,B,H) for each part of the state: both directions of a layer are concatenated
        parts = last if isinstance(last, tuple) else (last,)
        finals = [part.reshape(self.layers, -1, *part.shape[1:]).transpose(1, 2).flatten(2)
                  for part in parts]
        if self.self_attention is not None:
            padding = torch.arange(len(outputs)) >= lengths[:, None]
            outputs = outputs + self.self_attention(outputs, outputs,
                                                    padding.expand(len(outputs), -1, -1))[0]
        return outputs, finals


def clauses(tokens):
    """Return the number of each token's clause, from 0. A clause ends after punctuation that ends one, and
    after closing brackets and quotation marks there; a sign between two digits does not end a clause."""
    words = ["" if token in SPECIALS else token[1:] if token[0] in MARKS else token for token in tokens]

    def ends(i):
        around = words[i - 1][-1:] + words[i + 1][:1] if 0 < i < len(words) - 1 else ""
        decimal = len(around) == 2 and around.isascii() and around.isdigit() and words[i].isascii()
        return words[i] != "" and set(words[i]) <= set(CLAUSE_ENDS) and not (decimal and len(words[i]) == 1)

    numbers, behind_end = [], False
    for i, word in enumerate(words):
        closing = word != "" and all(unicodedata.category(c) in ("Pe", "Pf") for c in word)
        begins = i > 0 and behind_end and not ends(i) and not closing
        numbers.append(numbers[-1] + begins if numbers else 0)
        behind_end = ends(i) or (behind_end and closing)
    return numbers


class Attention(nn.Module):
    """Compute contexts (T,B,H) and weights (T,B,K,S) for queries (T,B,H), keys and values (S,B,H).

    `hidden` (T,B,S) is true at masked keys. `clause` (B,S) is the number of each token's clause, from 0,
    if segments are clauses."""

    clause = None

    def __init__(self, kind, size, heads=1, window=0):
        super().__init__()
        self.kind, self.heads, self.window = kind, heads, window
        projected = kind in ("projected", "multihead")
        if projected or kind in ("general", "additive", "local", "adaptive", "sentinel", "hierarchical"):
            self.query = nn.Linear(size, size, bias=projected or kind in ("additive", "sentinel"))
        if projected or kind in ("additive", "sentinel"):
            self.key = nn.Linear(size, size, bias=projected)
        if projected:
            self.value = nn.Linear(size, size)
        if kind == "multihead":
            self.out = nn.Linear(size, size)
        if kind in ("additive", "sentinel"):
            self.score = nn.Linear(size, 1, bias=False)
        if kind == "sentinel":
            self.gate = nn.Linear(size, size, bias=False)
            self.sentinel = nn.Linear(size, size, bias=False)
        if kind == "adaptive":
            self.span = nn.Linear(size, size, bias=False)
            self.center_score, self.width_score, self.gate_score = (
                nn.Linear(size, 1, bias=False) for _ in range(3))
        if kind == "hierarchical":
            self.segment_query = nn.Linear(size, size, bias=False)
        if kind == "local":
            self.center = nn.Linear(size, size, bias=False)
            self.center_score = nn.Linear(size, 1, bias=False)

    def forward(self, queries, states, hidden):
        steps, batch, size = queries.shape
        if self.kind == "multihead":
            # The function behind nn.MultiheadAttention; the three projections have separate names here.
            maps = (self.query, self.key, self.value)
            context, weights = nn.functional.multi_head_attention_forward(
                queries, states, states, size, self.heads, torch.cat([m.weight for m in maps]),
                torch.cat([m.bias for m in maps]), None, None, False, 0.0, self.out.weight,
                self.out.bias, training=True, average_attn_weights=False,
                attn_mask=hidden.transpose(0, 1).repeat_interleave(self.heads, 0))
            return context, weights.permute(2, 0, 1, 3)
        if self.kind in ("additive", "sentinel"):
            summed = self.query(queries)[:, None] + self.key(states)[None]
            scores = self.score(torch.tanh(summed)).squeeze(-1).transpose(1, 2)[:, :, None]
            keys = values = states
        else:
            q = self.query(queries) if hasattr(self, "query") else queries
            keys = self.key(states) if hasattr(self, "key") else states
            values = self.value(states) if hasattr(self, "value") else states
            q, k = (x.unflatten(-1, (self.heads, -1)) for x in (q, keys))
            scores = torch.einsum("tbnd,sbnd->tbns", q, k)
            if self.kind in ("scaled", "projected"):
                scores = scores / (size // self.heads) ** 0.5
        hidden = hidden[:, :, None]
        if self.kind == "sentinel":
            # The sentinel is one more key and value, after all others.
            own = torch.sigmoid(self.gate(queries)) * queries
            score = self.score(torch.tanh(self.query(queries) + self.sentinel(own)))
            weights = torch.cat([scores.masked_fill(hidden, -torch.inf), score[:, :, None]], -1).softmax(-1)
            contexts = torch.einsum("tbns,sbh->tbh", weights[..., :-1], values)
            return contexts + weights[:, :, 0, -1:] * own, weights[..., :-1]
        if self.kind == "local":
            lengths = (~hidden).sum(-1)
            centers = lengths * torch.sigmoid(self.center_score(torch.tanh(self.center(queries))))
            positions = torch.arange(1, len(states) + 1)
            distances = positions - centers[:, :, :, None]
            hidden = hidden | (distances.abs() > self.window)
        if self.kind == "hierarchical":
            segment = self.clause if self.clause is not None else torch.arange(len(states))[None] // self.window
            segments = []  # for each: weights within it, its vector, whether it is all masked
            for g in range(int(segment.max()) + 1):
                out = hidden | (segment != g)[:, None]
                gone = out.all(-1, keepdim=True)
                # A segment of padding only has no softmax; its weights are not used.
                within = scores.masked_fill(out & ~gone, -torch.inf).softmax(-1)
                vector = torch.einsum("tbns,sbh->tbnh", within, states)
                segments.append((within, vector, gone.squeeze(-1)))
            vectors, gone = (torch.stack([s[i] for s in segments], -1) for i in (1, 2))
            over = torch.einsum("tbh,tbnhg->tbng", self.segment_query(queries), vectors)
            over = over.masked_fill(gone, -torch.inf).softmax(-1)
            weights = sum(s[0] * over[..., g : g + 1] for g, s in enumerate(segments))
            return torch.einsum("tbns,sbh->tbh", weights, states), weights
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1)
        if self.kind == "adaptive":
            lengths = (~hidden).sum(-1, keepdim=True)
            center, width, gate = (torch.sigmoid(score(torch.tanh(self.span(queries))))[:, :, None]
                                   for score in (self.center_score, self.width_score, self.gate_score))
            distances = torch.arange(1, len(states) + 1) - lengths * center
            weights = weights * (1 - gate + gate * torch.exp(-2 * (distances / (1 + lengths * width))**2))
            weights = weights / weights.sum(-1, keepdim=True)
        if self.kind == "local":
            self.log_gaussian = -distances**2 / (2 * (self.window / 2) ** 2)
            weights = weights * torch.exp(self.log_gaussian)
        contexts = torch.einsum("tbns,sbnd->tbnd", weights,
                                values.unflatten(-1, (self.heads, -1)))
        return contexts.flatten(2), weights


def self_attention(config, heads):
    kind = "scaled" if config["plain_self_attention"] else "multihead"
    return Attention(kind, config["hidden_size"], heads) if heads > 0 else None


@dataclasses.dataclass
class DecoderState:
    """The state of the decoder after the tokens so far."""

    rnn: object  # in the form of PyTorch's layers: (layers,B,H), or a pair of these
    outputs: torch.Tensor  # (T,B,H): outputs of the top layer, for self-attention
    fed: torch.Tensor  # (1,B,A): the latest features, for input feeding

    def of(self, rows):
        """Return the state of the given sentences of the batch, in the given order."""
        rnn = tuple(part[:, rows] for part in self.rnn) if isinstance(self.rnn, tuple) else self.rnn[:, rows]
        return DecoderState(rnn, self.outputs[:, rows], self.fed[:, rows])


@dataclasses.dataclass
class Path:
    """A hypothesis during search: its ids, including </s>, and the weights (K,S) of each."""

    ids: list
    log_probability: float
    weights: list

    def score(self, length_penalty):
        return self.log_probability / len(self.ids) ** length_penalty

    def bound(self, limit, length_penalty):
        """Return an upper bound of the scores of its continuations."""
        return self.log_probability / limit**length_penalty


class Decoder(nn.Module):
    def __init__(self, config):
        super().__init__()
        vocabulary, e, h = (config[k] for k in ("target_vocabulary", "embedding_size", "hidden_size"))
        layered, self.feeding = config["attentional_layer"], config["input_feeding"]
        a = e if config["tie_embeddings"] else h
        self.embedding = nn.Embedding(vocabulary, e)
        self.rnn = recurrent(config, e + (a if self.feeding else 0), h, config["layers"])
        bridges = config["layers"] if config["bidirectional"] else 0
        self.bridge = nn.ModuleList(nn.Linear(h, h) for _ in range(bridges))
        self.cell_bridge = nn.ModuleList(
            nn.Linear(h, h) for _ in range(bridges if config["cell"] == "lstm" else 0))
        self.self_attention = self_attention(config, config["decoder_self_attention"])
        self.attention = Attention(config["attention"], h, config["attention_heads"],
                                   config["attention_window"])
        self.attentional = nn.Linear(2 * h, a) if layered else None
        self.feature_size = a if layered else 2 * h
        self.out = nn.Linear(self.feature_size, vocabulary)
        if config["tie_embeddings"]:
            self.out.weight = self.embedding.weight

    def own(self, states):
        """Return the states after self-attention of each over the states up to it."""
        if self.self_attention is None:
            return states
        steps, batch, _ = states.shape
        later = torch.ones(steps, steps, dtype=torch.bool).triu(1)
        return states + self.self_attention(states, states, later[:, None].expand(-1, batch, -1))[0]

    def features(self, outputs, source, padding):
        context, weights = self.attention(outputs, source, padding.expand(len(outputs), -1, -1))
        joined = torch.cat([outputs, context], -1)
        return (joined if self.attentional is None else torch.tanh(self.attentional(joined))), weights

    def start(self, finals):
        """Return the state before the first token, from the encoder's last states."""
        if len(self.bridge) > 0:
            finals[0] = torch.stack([torch.tanh(b(f)) for b, f in zip(self.bridge, finals[0])])
        if len(self.cell_bridge) > 0:
            finals[1] = torch.stack([b(f) for b, f in zip(self.cell_bridge, finals[1])])
        batch = finals[0].shape[1]
        return DecoderState(tuple(finals) if len(finals) > 1 else finals[0],
                            finals[0].new_zeros(0, batch, finals[0].shape[2]),
                            finals[0].new_zeros(1, batch, self.feature_size))

    def advance(self, inputs, state, source, padding):
        """Return features and weights of the next embedded tokens (T,B,E), and the state after them; T is
        1 with input feeding."""
        if self.feeding:
            inputs = torch.cat([inputs, state.fed], -1)
        outputs, rnn = self.rnn(inputs, state.rnn)
        outputs = torch.cat([state.outputs, outputs])
        features, weights = self.features(self.own(outputs)[-len(inputs) :], source, padding)
        return features, weights, DecoderState(rnn, outputs, features[-1:])

    def forward(self, ids, finals, source, padding):
        state, steps = self.start(finals), []
        for part in self.embedding(ids).split(1 if self.feeding else len(ids)):
            features, weights, state = self.advance(part, state, source, padding)
            steps.append((features, weights))
        features, weights = (torch.cat(part) for part in zip(*steps))
        return self.out(features), weights


@dataclasses.dataclass
class Hypothesis:
    """A translation of one sentence."""

    ids: list  # of target tokens; the last is END unless the limit ended the translation
    tokens: list  # the tokens of these ids
    log_probability: float  # sum over all tokens
    score: float  # log_probability / T^length_penalty
    weights: torch.Tensor  # attention (K,T,S)


class Translator(nn.Module):
    """The whole model. docs/model-file.md documents `config` and `metadata`."""

    def __init__(self, config, metadata=None):
        super().__init__()
        check(config)
        self.config, self.metadata = config, metadata or {}
        self.encoder = Encoder(self.config)
        self.decoder = Decoder(self.config)
        self.source_vocabulary, self.target_vocabulary = (
            json.loads(self.metadata.get(f"elman.{side}_vocab", "[]")) for side in ("source", "target"))

    def forward(self, source, source_lengths, target):
        """Return logits (T,B,V) and attention weights (T,B,K,S) for a batch of ids: source (S,B), padded
        with any id, and target (T,B), which begins with START."""
        states, finals = self.encoder(source, source_lengths)
        self.note_clauses(source)
        padding = torch.arange(len(source)) >= source_lengths[:, None]
        return self.decoder(target, finals, states, padding)

    def note_clauses(self, source):
        """Set the clause of each token of ids (S,B) in the attention, if segments are clauses."""
        if self.config["clause_segments"]:
            self.decoder.attention.clause = torch.tensor(
                [clauses([self.source_vocabulary[i] for i in sentence]) for sentence in source.t()])

    def source_ids(self, tokens):
        """Return the ids of tokens; UNKNOWN for tokens not in the vocabulary."""
        ids = {token: i for i, token in enumerate(self.source_vocabulary)}
        return [ids.get(token, UNKNOWN) for token in tokens]

    @torch.no_grad()
    def translate(self, source, beam=1, n_best=1, length_penalty=1.0, max_length=0):
        """Return the n_best hypotheses for the ids of one sentence, best first; beam 1 is greedy search.

        The rules are those of `elman translate`: a finished hypothesis reduces the beam size by one; the
        score is log p / T^length_penalty, where T includes </s>; the limit is 2 S + 10 tokens if
        max_length is 0; the search ends when no open hypothesis can become one of the n best. Hypotheses are
        compared by their tokens, as with equal_texts=True in elman."""
        if not 1 <= n_best <= beam:
            raise ValueError(f"n_best is {n_best}; it goes from 1 to the beam, {beam}")
        if len(source) == 0:  # like elman for an empty text
            return [Hypothesis([], [], 0.0, 0.0, torch.zeros(self.config["attention_heads"], 0, 0))]
        limit = max_length or 2 * len(source) + 10
        states, finals = self.encoder(torch.tensor(source)[:, None], torch.tensor([len(source)]))
        self.note_clauses(torch.tensor(source)[:, None])
        padding = torch.zeros(1, len(source), dtype=torch.bool)
        state, paths, ended = self.decoder.start(finals), [Path([], 0.0, [])], []
        while paths:
            last = torch.tensor([[path.ids[-1] if path.ids else START for path in paths]])
            features, weights, state = self.decoder.advance(
                self.decoder.embedding(last), state, states.expand(-1, len(paths), -1),
                padding.expand(len(paths), -1))
            logs = self.decoder.out(features)[0].double().log_softmax(-1)
            logs[:, self.never()] = -torch.inf
            logs += torch.tensor([[path.log_probability] for path in paths])
            likeliest, places = logs.flatten().topk(min(beam - len(ended), logs.isfinite().sum()))
            rows, grown = [], []
            for log, place in zip(likeliest.tolist(), places.tolist()):
                row, id_ = divmod(place, logs.shape[1])
                path = Path(paths[row].ids + [id_], log, paths[row].weights + [weights[0, row]])
                if id_ == END or len(path.ids) == limit:
                    ended.append(path)
                else:
                    rows.append(row)
                    grown.append(path)
            ended.sort(key=lambda path: -path.score(length_penalty))
            if len(ended) >= n_best and grown:
                if grown[0].bound(limit, length_penalty) <= ended[n_best - 1].score(length_penalty):
                    break
            paths, state = grown, state.of(rows)
        return [self.hypothesis(path, length_penalty) for path in ended[:n_best]]

    def never(self):
        """Return the ids that no translation contains. Subword vocabularies need no <unk>."""
        return [START, UNKNOWN] if self.config["target_tokens"] == "bpe" else [START]

    def hypothesis(self, path, length_penalty):
        tokens = [self.target_vocabulary[i] for i in path.ids]
        return Hypothesis(path.ids, tokens, path.log_probability, path.score(length_penalty),
                          torch.stack(path.weights, 1))
