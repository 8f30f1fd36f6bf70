#!/usr/bin/python3
"""The equations of bptt.md in plain Python, one sentence at a time. A number in brackets is an equation there.

    python3 docs/bptt.py forward     the worked example, from the words to the loss
    python3 docs/bptt.py backward    the same example, from the loss to every weight
    python3 docs/bptt.py check       every gradient against central differences, there and on larger random models

Vectors are lists, matrices are lists of rows. Steps count from 1 as in the text, and index 0 is the start: e[s] is e_s.
Only the rows of attention (u, a, da, du) are plain lists over the source: a[t][s - 1] is a_ts.
"""
import math, random, sys

def dot(a, b): return sum(x * y for x, y in zip(a, b))
def mul(W, x): return [dot(row, x) for row in W]                            # W x
def mul_t(W, x): return [dot(column, x) for column in zip(*W)]              # W^T x
def zeros(rows, columns): return [[0.0] * columns for _ in range(rows)]
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
    h = [h0]
    for token in tokens:
        x = w[table][token]                                                 # (1) (4)
        z = mul(w[f"W{prime}_ih"], x)                                       # (2) (5)
        for term in (w[f"b{prime}_ih"], mul(w[f"W{prime}_hh"], h[-1]), w[f"b{prime}_hh"]): add_to(z, term)
        h.append([math.tanh(value) for value in z])                         # (2) (5)
    return h

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
    e = elman_forward(w, "", "E_src", source, [0.0] * H)                    # (1) (2)
    d = elman_forward(w, "'", "E_tgt", [start] + target[:-1], e[S])         # (4) (5), d_0 = e_S
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
    return loss, dict(e=e, d=d, u=u, a=a, c=c, o=o, logp=logp)

def backward(w, source, target, start, alpha, cache):
    e, d, a, c, logp = (cache[name] for name in ("e", "d", "a", "c", "logp"))
    S, T, H = len(source), len(target), len(w["b_ih"])
    g = {name: [0.0] * len(v) if name[0] == "b" else zeros(len(v), len(v[0])) for name, v in w.items()}
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

if __name__ == "__main__":
    PARTS = {"forward": show_forward, "backward": show_backward, "check": check_all}
    if sys.argv[1:] and sys.argv[1] not in PARTS: sys.exit(__doc__)
    sys.exit(0 if all([PARTS[name]() for name in sys.argv[1:] or PARTS]) else 1)
