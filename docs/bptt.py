#!/usr/bin/python3
"""The equations of bptt.md in plain Python, one sentence at a time. A number in brackets is an equation there.

    python3 docs/bptt.py warmup      a network of one weight: its gradient as a sum of paths, and in one sweep
    python3 docs/bptt.py weights     the weights of the worked example
    python3 docs/bptt.py forward     the worked example, from the words to the loss
    python3 docs/bptt.py backward    the same example, from the loss to every weight
    python3 docs/bptt.py check       every gradient against central differences, there and on a larger random model
    python3 docs/bptt.py step        one update of W_o, and the loss that it predicts
    python3 docs/bptt.py train       learn the five pairs of data/toy.zh-en.tsv; takes about two seconds

Vectors are lists, matrices are lists of rows. Steps count from 1 as in the text, and index 0 is the start: e[s] is e_s.
Only the rows of attention (u, a, da, du) are plain lists over the source: a[t][s - 1] is a_ts.
"""
import math, os, random, sys

def dot(a, b): return sum(x * y for x, y in zip(a, b))
def mul(W, x): return [dot(row, x) for row in W]                            # W x
def mul_t(W, x): return [dot(column, x) for column in zip(*W)]              # W^T x
def zeros(rows, columns): return [[0.0] * columns for _ in range(rows)]
def like(w): return {name: [0.0] * len(x) if name[0] == "b" else zeros(len(x), len(x[0])) for name, x in w.items()}
def rows_of(w): return w if isinstance(w[0], list) else [w]                 # a bias is one row

def add_to(y, x, factor=1.0):                                               # y += factor x
    for i, value in enumerate(x): y[i] += factor * value

def add_outer(W, a, b):                                                     # W += a b^T
    for row, value in zip(W, a): add_to(row, b, value)

def softmax(u):                                                             # (7)
    exps = [math.exp(x - max(u)) for x in u]
    return [x / sum(exps) for x in exps]

def log_softmax(o):                                                         # (10)
    return [x - max(o) - math.log(sum(math.exp(y - max(o)) for y in o)) for x in o]

# ---- the Elman layer, used by both sides: prime is "" in the encoder and "'" in the decoder ----

def elman_forward(w, prime, table, tokens, h0):
    x, z, h = [None], [None], [h0]
    for token in tokens:
        x.append(w[table][token])                                           # (1) (4)
        z.append(mul(w[f"W{prime}_ih"], x[-1]))                             # (2) (5)
        for term in (w[f"b{prime}_ih"], mul(w[f"W{prime}_hh"], h[-1]), w[f"b{prime}_hh"]): add_to(z[-1], term)
        h.append([math.tanh(value) for value in z[-1]])                     # (2) (5)
    return x, z, h

def elman_backward(w, g, prime, table, tokens, h, dh):
    """dh[1..] come in with the gradient from above; dh[0] leaves as the gradient of the initial state."""
    dz = [None] * len(h)
    for t, token in reversed(list(enumerate(tokens, 1))):
        dz[t] = [dh_i * (1 - h_i * h_i) for dh_i, h_i in zip(dh[t], h[t])]  # (18) (22)
        add_to(dh[t - 1], mul_t(w[f"W{prime}_hh"], dz[t]))                  # (18) (22); at t = 1 in the decoder: (21)
        add_outer(g[f"W{prime}_ih"], dz[t], w[table][token])                # (19) (23)
        add_outer(g[f"W{prime}_hh"], dz[t], h[t - 1])                       # (19) (23)
        for name in (f"b{prime}_ih", f"b{prime}_hh"): add_to(g[name], dz[t])                    # (19) (23)
        add_to(g[table][token], mul_t(w[f"W{prime}_ih"], dz[t]))            # (20) (24)
    return dz

# ---- the model ----

def forward(w, source, target, start, alpha):
    S, T, H = len(source), len(target), len(w["b_ih"])
    x, z, e = elman_forward(w, "", "E_src", source, [0.0] * H)              # (1) (2)
    y, z_dec, d = elman_forward(w, "'", "E_tgt", [start] + target[:-1], e[S])                   # (4) (5), d_0 = e_S
    u, a, c, o, logp = ([None] for _ in range(5))
    for t in range(1, T + 1):
        u.append([alpha * dot(d[t], e[s]) for s in range(1, S + 1)])        # (6)
        a.append(softmax(u[t]))                                             # (7)
        c.append([0.0] * H)
        for s in range(1, S + 1): add_to(c[t], e[s], a[t][s - 1])           # (8)
        o.append(mul(w["W_o"], d[t] + c[t]))                                # (9), + joins lists: [d_t ; c_t]
        add_to(o[t], w["b_o"])                                              # (9)
        logp.append(log_softmax(o[t]))                                      # (10)
    loss = -sum(logp[t][target[t - 1]] for t in range(1, T + 1)) / T        # (11), N = T: one sentence
    return loss, {"x": x, "z": z, "e": e, "y": y, "z'": z_dec, "d": d, "u": u, "a": a, "c": c, "o": o, "logp": logp}

def backward(w, source, target, start, alpha, cache):
    e, d, a, c, logp = (cache[name] for name in ("e", "d", "a", "c", "logp"))
    S, T, H = len(source), len(target), len(w["b_ih"])
    g = like(w)
    de_value, de_key, dd = zeros(S + 1, H), zeros(S + 1, H), zeros(T + 1, H)
    do, dc, da, du = ([None] for _ in range(4))
    for t in range(1, T + 1):
        do.append([math.exp(value) / T for value in logp[t]])               # (12)
        do[t][target[t - 1]] -= 1 / T                                       # (12)
        add_outer(g["W_o"], do[t], d[t] + c[t])                             # (13)
        add_to(g["b_o"], do[t])                                             # (13)
        both = mul_t(w["W_o"], do[t])                                       # (14)
        add_to(dd[t], both[:H])
        dc.append(both[H:])
        da.append([dot(dc[t], e[s]) for s in range(1, S + 1)])              # (15)
        mean = dot(a[t], da[t])
        du.append([x * (y - mean) for x, y in zip(a[t], da[t])])            # (16)
        for s in range(1, S + 1):
            add_to(de_value[s], dc[t], a[t][s - 1])                         # (15)
            add_to(de_key[s], d[t], alpha * du[t][s - 1])                   # (17)
            add_to(dd[t], e[s], alpha * du[t][s - 1])                       # (17)
    dz_dec = elman_backward(w, g, "'", "E_tgt", [start] + target[:-1], d, dd)                   # (18) to (20)
    de = [list(row) for row in de_value]
    for s in range(1, S + 1): add_to(de[s], de_key[s])
    add_to(de[S], dd[0])                                                    # (21)
    dz_enc = elman_backward(w, g, "", "E_src", source, e, de)                                   # (22) to (24)
    return g, {"do": do, "dc": dc, "da": da, "du": du, "dd": dd, "dz'": dz_dec,
               "de as value": de_value, "de as key": de_key, "de": de, "dz": dz_enc}

# ---- the worked example: source ids 1 2, target ids 3 2 (2 is </s>), start id 1 (<s>), alpha 1 ----

ARGS = ([1, 2], [3, 2], 1, 1.0)
EXAMPLE = {"E_src": [[0.3, -0.1], [-0.5, 0.4], [1.0, 0.2]],
           "W_ih": [[0.8, -0.3], [0.1, 0.6], [-0.4, 0.5]],
           "W_hh": [[0.5, 0.2, -0.1], [-0.3, 0.4, 0.1], [0.2, -0.2, 0.6]],
           "b_ih": [0.1, 0.0, -0.1], "b_hh": [0.1, -0.2, 0.1],
           "E_tgt": [[0.2, 0.1], [-0.5, 0.3], [0.4, -0.6], [1.0, 0.5]],
           "W'_ih": [[0.6, 0.2], [-0.2, 0.7], [0.3, -0.5]],
           "W'_hh": [[0.7, -0.1, 0.2], [0.2, 0.5, -0.3], [-0.1, 0.3, 0.4]],
           "b'_ih": [0.2, 0.0, 0.1], "b'_hh": [-0.1, 0.1, 0.0],
           "W_o": [[0.1, -0.4, 0.3, -0.2, 0.5, 0.1], [0.2, 0.3, -0.1, 0.1, -0.3, 0.4],
                   [-0.6, 0.1, 0.2, 0.5, 0.2, -0.4], [0.7, 0.2, -0.5, 0.4, -0.1, 0.3]],
           "b_o": [0.0, -0.1, 0.1, 0.2]}

def show(name, steps):
    line = f"{name:13}"
    for i, step in enumerate(steps):
        cell = f" [{i}]" + "".join(f" {x:7.4f}" for x in step or [])
        if step is None: continue
        if len(line + cell) > 100:
            print(line.rstrip())
            line = " " * 13
        line += cell + " "
    print(line.rstrip())

def show_forward():
    loss, cache = forward(EXAMPLE, *ARGS)
    cache["p"] = [step and [math.exp(x) for x in step] for step in cache.pop("logp")]
    for name in cache: show(name, cache[name])
    print(f"L             {loss:.4f}")
    return True

def show_backward():
    g, steps = backward(EXAMPLE, *ARGS, forward(EXAMPLE, *ARGS)[1])
    for name in steps: show(name, steps[name])
    for name in g: show("d" + name, rows_of(g[name]))
    return True

def show_weights():
    for name in EXAMPLE: show(name, rows_of(EXAMPLE[name]))
    return True

def show_step(rate=0.1):
    """Change W_o alone, by (28) without Adam: w - rate dw."""
    before, cache = forward(EXAMPLE, *ARGS)
    g, _ = backward(EXAMPLE, *ARGS, cache)
    after = dict(EXAMPLE, W_o=[[x - rate * dx for x, dx in zip(*rows)] for rows in zip(EXAMPLE["W_o"], g["W_o"])])
    loss, squares = forward(after, *ARGS)[0], sum(dx * dx for row in g["W_o"] for dx in row)
    show("W_o after", after["W_o"][:1])
    print(f"L before      {before:.4f}, sum of squares {squares:.4f}, predicted change {-rate * squares:.4f}")
    print(f"L after       {loss:.4f}, change {loss - before:.4f}")
    return loss < before

# ---- one weight: e_s = tanh(w e_{s-1} + x_s) for s = 1, 2, 3, and L = (e_3 - 1)^2 / 2 ----

WARM_UP = {"w": 0.8, "x": [None, 0.5, -0.3, 0.2], "e_0": 0.5}

def warm_up_states(w, x, e_0):
    e = [e_0]
    for s in (1, 2, 3): e.append(math.tanh(w * e[s - 1] + x[s]))
    return e, (e[3] - 1) ** 2 / 2

def warm_up():
    w, (e, loss) = WARM_UP["w"], warm_up_states(**WARM_UP)
    slope = [None] + [1 - value * value for value in e[1:]]
    print("e      " + "".join(f"  [{s}] {value:7.4f}" for s, value in enumerate(e)))
    print("slope  " + " " * 13 + "".join(f"  [{s}] {slope[s]:7.4f}" for s in (1, 2, 3)))
    print(f"L        {loss:.4f}")
    total = 0.0
    for s in (3, 2, 1):                                                     # each use of w, with its way to the loss
        factors = [e[3] - 1, slope[3]]
        for later in range(3, s, -1): factors += [w, slope[later - 1]]
        factors.append(e[s - 1])
        total += math.prod(factors)
        print(f"path {s}  {math.prod(factors):8.4f} = " + " · ".join(f"{x:.4f}" for x in factors))
    print(f"sum     {total:8.4f}")
    de, dw = e[3] - 1, 0.0
    for s in (3, 2, 1):                                                     # one sweep
        dz = de * slope[s]
        dw += dz * e[s - 1]
        print(f"step {s}   de {de:7.4f}  dz {dz:7.4f}  dw {dw:7.4f}")
        de = w * dz
    above, below = (warm_up_states(w + h, WARM_UP["x"], e[0])[1] for h in (1e-5, -1e-5))
    print(f"check   {(above - below) / 2e-5:8.4f}")
    return abs(dw - total) < 1e-12

# ---- the check ----

def check(title, w, *args):
    def loss(): return forward(w, *args)[0]
    print(f"Gradient check: {title}")
    g, _ = backward(w, *args, forward(w, *args)[1])
    good, h = True, 1e-5
    for name in w:
        ours, numeric = [], []
        for row, grad_row in zip(rows_of(w[name]), rows_of(g[name])):
            for i, x in enumerate(row):
                row[i] = x + h
                above = loss()
                row[i] = x - h
                below = loss()
                row[i] = x
                numeric.append((above - below) / ((x + h) - (x - h)))       # divided by the step really made
                ours.append(grad_row[i])
        size = math.hypot(*ours) + math.hypot(*numeric)
        error = math.dist(ours, numeric) / size if size else 0.0
        good = good and error <= 1e-7                                       # a NaN fails too
        print(f"  d{name:6} {error:.1e}{'' if error <= 1e-7 else '  WRONG'}")
    return good

def random_model(rng, E=2, H=3, V_src=7, V_tgt=8):
    def vec(n): return [rng.uniform(-0.8, 0.8) for _ in range(n)]
    def mat(rows, columns): return [vec(columns) for _ in range(rows)]
    return {"E_src": mat(V_src, E), "W_ih": mat(H, E), "W_hh": mat(H, H), "b_ih": vec(H), "b_hh": vec(H),
            "E_tgt": mat(V_tgt, E), "W'_ih": mat(H, E), "W'_hh": mat(H, H), "b'_ih": vec(H), "b'_hh": vec(H),
            "W_o": mat(V_tgt, 2 * H), "b_o": vec(V_tgt)}

def check_all():
    model, source, target = random_model(random.Random(1)), [3, 1, 1, 4, 6], [5, 3, 5, 2]  # words occur twice
    results = [check("worked example", EXAMPLE, *ARGS),
               check("E = 2, H = 3, S = 5, T = 4, dot", model, source, target, 1, 1.0),
               check("E = 2, H = 3, S = 5, T = 4, scaled", model, source, target, 1, 1 / math.sqrt(3))]
    return all(results)

# ---- learning ----

def read_pairs(path):
    """Return the pairs as words, as ids, and the words of both vocabularies."""
    with open(path, encoding="utf-8") as file:
        pairs = [[side.split() for side in line.split("\t")[:2]] for line in file]
    words = [["<unk>"], ["<unk>", "<s>", "</s>"]]
    for pair in pairs:
        for side in (0, 1): words[side] += [word for word in dict.fromkeys(pair[side]) if word not in words[side]]
    ids = [([words[0].index(word) for word in source], [words[1].index(word) for word in [*target, "</s>"]])
           for source, target in pairs]
    return pairs, ids, words

def greedy(w, source, start, end, most=7):
    """Return the most probable token at each step, each being the input of the next, and the attention weights."""
    target = []
    while len(target) < most and end not in target:
        cache = forward(w, source, [*target, end], start, 1.0)[1]           # the last token given is not an input
        target.append(max(range(len(w["b_o"])), key=cache["o"][-1].__getitem__))
    return target, cache["a"]

def update(w, g, m, v, n, rate=0.01, beta1=0.9, beta2=0.999, epsilon=1e-8, g_max=1.0):
    norm = math.sqrt(sum(x * x for name in g for row in rows_of(g[name]) for x in row))
    scale = g_max / (norm + 1e-6) if norm > g_max else 1.0                  # (25)
    for name in w:
        for w_row, g_row, m_row, v_row in zip(*(rows_of(part[name]) for part in (w, g, m, v))):
            for i, x in enumerate(g_row):
                m_row[i] = beta1 * m_row[i] + (1 - beta1) * scale * x       # (26)
                v_row[i] = beta2 * v_row[i] + (1 - beta2) * (scale * x) ** 2                    # (27)
                m_hat, v_hat = m_row[i] / (1 - beta1 ** n), v_row[i] / (1 - beta2 ** n)
                w_row[i] -= rate * m_hat / (math.sqrt(v_hat) + epsilon)     # (28)

def train(updates=100, seen=1):
    pairs, ids, words = read_pairs(os.path.join(os.path.dirname(__file__), "..", "data", "toy.zh-en.tsv"))
    w = random_model(random.Random(3), 8, 8, len(words[0]), len(words[1]))
    m, v, N, correct = like(w), like(w), sum(len(target) for _, target in ids), 0
    for n in range(updates + 1):
        losses, g = [], like(w)
        for source, target in ids:
            loss, cache = forward(w, source, target, 1, 1.0)
            losses.append(loss * len(target))
            for name, part in backward(w, source, target, 1, 1.0, cache)[0].items():
                for row, more in zip(rows_of(g[name]), rows_of(part)): add_to(row, more, len(target) / N)    # (11)
        if n % 20 == 0:
            outputs = [greedy(w, source, 1, 2) for source, _ in ids]
            correct = sum(output == target for (output, _), (_, target) in zip(outputs, ids))
            output, a = outputs[seen]
            print(f"update {n:3}  loss {sum(losses) / N:.4f}  {correct} of {len(ids)} right")
            print("  " + "  ".join(f"{words[1][i]} ({pairs[seen][0][a[t].index(max(a[t]))]} {max(a[t]):.2f})"
                                   for t, i in enumerate(output, 1)))
        update(w, g, m, v, n + 1)
    return correct == len(ids)

if __name__ == "__main__":
    PARTS = {"warmup": warm_up, "weights": show_weights, "forward": show_forward, "backward": show_backward,
             "check": check_all, "step": show_step, "train": train}
    if sys.argv[1:] and sys.argv[1] not in PARTS: sys.exit(__doc__)
    sys.exit(0 if all([PARTS[name]() for name in sys.argv[1:] or PARTS]) else 1)
