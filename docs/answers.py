#!/usr/bin/python3
"""Check the answers to exercises.md in numbers, with the program of the lesson. A number is that of the exercise.

    python3 docs/answers.py          exits 0 if every derived gradient agrees with central differences
"""
import math, sys
from bptt import (ARGS, EXAMPLE, WARM_UP, add_outer, add_to, backward, dot, forward, log_softmax, mul, mul_t, rows_of,
                  softmax, warm_up_states, zeros)

SOURCE, TARGET, START, ALPHA = ARGS
LOSS, CACHE = forward(EXAMPLE, *ARGS)
GRADIENT, STEPS = backward(EXAMPLE, *ARGS, CACHE)
RIGHT = []

def quotients(loss, rows, h=1e-5):
    """Return the central differences of loss() for each element of rows, as one list."""
    found = []
    for row in rows:
        for i, x in enumerate(row):
            row[i] = x + h
            above = loss()
            row[i] = x - h
            found.append((above - loss()) / (2 * h))
            row[i] = x
    return found

def tell(number, text, ours, numeric):
    error = max(abs(a - b) for a, b in zip(ours, numeric))
    RIGHT.append(error < 1e-8)
    print(f"{number:3}  {text}: {'agrees with' if RIGHT[-1] else 'DIFFERS FROM'} central differences")

print(f"  2  example: {sum(len(row) for name in EXAMPLE for row in rows_of(EXAMPLE[name]))} parameters")
sums = [abs(sum(STEPS[name][t])) for name in ("du", "do") for t in (1, 2)]
print(f"  5  sums of du_t: {sums[0]:.4f} {sums[1]:.4f}; of do_t: {sums[2]:.4f} {sums[3]:.4f}")
print(f"  6  0.9^20 = {0.9 ** 20:.4f}, and 0.9^n < 0.01 from n = {math.ceil(math.log(0.01) / math.log(0.9))}")

# 7: d alpha = sum of du_ts d_t·e_s
d_alpha = sum(STEPS["du"][t][s - 1] * dot(CACHE["d"][t], CACHE["e"][s]) for t in (1, 2) for s in (1, 2))
h = 1e-5
tell(7, f"d alpha = {d_alpha:.4f}", [d_alpha],
     [(forward(EXAMPLE, SOURCE, TARGET, START, ALPHA + h)[0] - forward(EXAMPLE, SOURCE, TARGET, START, ALPHA - h)[0]) / (2 * h)])

# 8: general, u_ts = (W_q d_t)·e_s
W_q = [[0.9, 0.1, -0.2], [0.3, 1.1, 0.2], [-0.1, 0.4, 0.8]]

def from_contexts(a, d, e, target):
    """Return the loss, the context vectors and p for given attention weights. Lists over t start at step 1."""
    c = [[sum(a_ts * e_s[i] for a_ts, e_s in zip(row, e[1:])) for i in range(len(e[0]))] for row in a]
    logp = [log_softmax([x + b for x, b in zip(mul(EXAMPLE["W_o"], d_t + c_t), EXAMPLE["b_o"])]) for d_t, c_t in zip(d[1:], c)]
    return -sum(row[k] for row, k in zip(logp, target)) / len(target), c, [[math.exp(x) for x in row] for row in logp]

def general():
    a = [softmax([dot(mul(W_q, d_t), e_s) for e_s in CACHE["e"][1:]]) for d_t in CACHE["d"][1:]]
    return a, *from_contexts(a, CACHE["d"], CACHE["e"], TARGET)

def rows_of_scores(a, p, e, target):
    """Return du of each step by (12), (14), (15) and (16)."""
    du = []
    for a_t, p_t, k in zip(a, p, target):
        do = [(x - (i == k)) / len(target) for i, x in enumerate(p_t)]
        dc = mul_t(EXAMPLE["W_o"], do)[len(e[0]):]
        da = [dot(dc, e_s) for e_s in e[1:]]
        du.append([x * (y - dot(a_t, da)) for x, y in zip(a_t, da)])
    return du

a, _, _, p = general()
dW_q = zeros(3, 3)
for t, du in enumerate(rows_of_scores(a, p, CACHE["e"], TARGET), 1):
    for s in (1, 2): add_outer(dW_q, [du[s - 1] * x for x in CACHE["e"][s]], CACHE["d"][t])
tell(8, "dW_q of `general`", sum(dW_q, []), quotients(lambda: general()[1], W_q))

# 9: truncated
e, _ = warm_up_states(**WARM_UP)
slope = [None] + [1 - x * x for x in e[1:]]
dz, kept = (e[3] - 1) * slope[3], []
for s in (3, 2, 1):
    kept.append((kept or [0])[-1] + dz * e[s - 1])
    if s > 1: dz *= WARM_UP["w"] * slope[s - 1]
print("  9  dw of the warm-up with 1, 2 and 3 steps: " + ", ".join(f"{x:.4f}" for x in kept))

# 11: a source of one word
_, one = backward(EXAMPLE, [2], TARGET, START, ALPHA, forward(EXAMPLE, [2], TARGET, START, ALPHA)[1])
print(" 11  one word: du " + " ".join(f"{abs(row[0]):.4f}" for row in one["du"][1:]) +
      "; da " + " ".join(f"{row[0]:.4f}" for row in one["da"][1:]))

# 12: label smoothing, 0.9 for the target and 0.1 divided among all words
V = len(EXAMPLE["b_o"])
def wanted(k): return [0.1 / V + 0.9 * (i == k) for i in range(V)]
b_o = EXAMPLE["b_o"]
def smoothed():
    logp = forward(EXAMPLE, *ARGS)[1]["logp"]
    return -sum(dot(wanted(k), logp[t]) for t, k in enumerate(TARGET, 1)) / len(TARGET)
db_o = [sum((math.exp(CACHE["logp"][t][i]) - wanted(k)[i]) / len(TARGET) for t, k in enumerate(TARGET, 1)) for i in range(V)]
tell(12, "do_t = (p_t - l_t) / N", db_o, quotients(smoothed, [b_o]))

# 13: the query is d_{t-1}, and W c_t enters z'_t
W = [[0.4, -0.3, 0.2], [0.1, 0.5, -0.2], [-0.3, 0.2, 0.6]]

def bahdanau():
    e = CACHE["e"]
    d, a, c = [e[-1]], [], []
    for token in [START, *TARGET[:-1]]:
        a.append(softmax([dot(d[-1], e_s) for e_s in e[1:]]))               # from d_{t-1}
        c.append([sum(x * e_s[i] for x, e_s in zip(a[-1], e[1:])) for i in range(3)])
        z = mul(W, c[-1])
        for term in (mul(EXAMPLE["W'_ih"], EXAMPLE["E_tgt"][token]), mul(EXAMPLE["W'_hh"], d[-1])): add_to(z, term)
        for name in ("b'_ih", "b'_hh"): add_to(z, EXAMPLE[name])
        d.append([math.tanh(x) for x in z])
    loss, _, p = from_contexts(a, d, e, TARGET)
    return loss, d, a, c, p

_, d, a, c, p = bahdanau()
e, dW, dd = CACHE["e"], zeros(3, 3), zeros(3, 3)
for t in (2, 1):
    both = mul_t(EXAMPLE["W_o"], [(x - (i == TARGET[t - 1])) / 2 for i, x in enumerate(p[t - 1])])
    add_to(dd[t], both[:3])
    dz = [x * (1 - y * y) for x, y in zip(dd[t], d[t])]
    add_outer(dW, dz, c[t - 1])
    dc = [x + y for x, y in zip(both[3:], mul_t(W, dz))]                    # output and next state
    da = [dot(dc, e_s) for e_s in e[1:]]
    du = [x * (y - dot(a[t - 1], da)) for x, y in zip(a[t - 1], da)]
    for s in (1, 2): add_to(dd[t - 1], e[s], du[s - 1])                     # the query of step t is d_{t-1}
    add_to(dd[t - 1], mul_t(EXAMPLE["W'_hh"], dz))
tell(13, "dW of attention before the state", sum(dW, []), quotients(lambda: bahdanau()[0], W))

sys.exit(0 if all(RIGHT) else 1)
