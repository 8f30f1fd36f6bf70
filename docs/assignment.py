#!/usr/bin/python3
"""An assignment on bptt.md: write six functions of the backward pass. 70 points; teaching.md has the other 30.

    cp docs/assignment.py mine.py    # then replace every None in the six functions
    python3 mine.py                  # prints the points of mine.py
    python3 docs/assignment.py mine.py    # the same with the original checks, for the teacher

Vectors are lists, matrices are lists of rows. A number in brackets is an equation of bptt.md.
"""
import importlib.util, math, random, sys

def d_logits(p, target, N):
    """(12) Return do_t from the probabilities p, the id of the target, and the number N of tokens."""
    return None

def d_output(W_o, d_o, features):
    """(13), (14) Return dW_o, db_o and the gradient of the features [d ; c], for one step."""
    return None, None, None

def d_values(d_c, a, e):
    """(15) Return da (one number for each source word) and the list of de (one vector for each source word), for one step."""
    return None, None

def d_scores(a, d_a):
    """(16) Return du, for one step."""
    return None

def d_query_and_keys(d_u, d, e, alpha):
    """(17) Return the part of dd_t, and the list of de, for one step."""
    return None, None

def d_recurrence(d_d, d_z_next, W_hh, d):
    """(18) Return dz_t. d_d has the terms from output and scores; d is the state d_t."""
    return None

# ---- the checks: every result is compared with central differences of the forward pass ----

def dot(a, b): return sum(x * y for x, y in zip(a, b))
def mul(W, x): return [dot(row, x) for row in W]

def softmax(u):
    exps = [math.exp(x - max(u)) for x in u]
    return [x / sum(exps) for x in exps]

def slopes(f, *arguments, h=1e-5):
    """Return the central differences of f by every number of the arguments, as one list."""
    found = []
    for rows in arguments:
        for row in rows if isinstance(rows[0], list) else [rows]:
            for i, x in enumerate(row):
                row[i] = x + h
                above = f()
                row[i] = x - h
                found.append((above - f()) / (2 * h))
                row[i] = x
    return found

def flat(x): return [y for part in x for y in flat(part)] if isinstance(x, (list, tuple)) else [x]

def cases(rng):
    """Yield the function's name, its points, its arguments, and the gradient that it must return."""
    def vec(n): return [rng.uniform(-1, 1) for _ in range(n)]
    def mat(rows, columns): return [vec(columns) for _ in range(rows)]
    H, S, V = 3, 4, 5
    o, target, N = vec(V), rng.randrange(V), 7
    yield "d_logits", 10, (softmax(o), target, N), slopes(lambda: -math.log(softmax(o)[target]) / N, o)
    W_o, b_o, features, d_o = mat(V, 2 * H), vec(V), vec(2 * H), vec(V)
    yield ("d_output", 10, (W_o, d_o, features),
           slopes(lambda: dot(d_o, [x + y for x, y in zip(mul(W_o, features), b_o)]), W_o, b_o, features))
    d_c, a, e = vec(H), softmax(vec(S)), mat(S, H)
    yield "d_values", 10, (d_c, a, e), slopes(lambda: sum(x * dot(d_c, e_s) for x, e_s in zip(a, e)), a, e)
    u, d_a = vec(S), vec(S)
    yield "d_scores", 15, (softmax(u), d_a), slopes(lambda: dot(d_a, softmax(u)), u)
    d_u, d, alpha = vec(S), vec(H), 0.7
    yield "d_query_and_keys", 10, (d_u, d, e, alpha), slopes(lambda: alpha * dot(d_u, [dot(d, e_s) for e_s in e]), d, e)
    z, d_d, d_z_next, W_hh = vec(H), vec(H), vec(H), mat(H, H)
    def state(): return [math.tanh(x) for x in z]
    yield ("d_recurrence", 15, (d_d, d_z_next, W_hh, state()),
           slopes(lambda: dot(d_d, state()) + dot(d_z_next, mul(W_hh, state())), z))

def grade(functions):
    total = 0
    for name, points, arguments, wanted in cases(random.Random(1)):
        try:
            found = flat(functions[name](*arguments))
            if None in found: verdict = "not done"
            elif len(found) != len(wanted): verdict = f"{len(found)} numbers instead of {len(wanted)}"
            else: verdict = "right" if max(abs(x - y) for x, y in zip(found, wanted)) < 1e-7 else "wrong"
        except Exception as error:                                          # a fault of one function costs its points only
            verdict = f"{type(error).__name__}: {error}"
        total += points if verdict == "right" else 0
        print(f"{name:17} {points if verdict == 'right' else 0:3} of {points}  {verdict}")
    print(f"{'sum':17} {total:3} of 70")
    return total

if __name__ == "__main__":
    functions = globals()
    if len(sys.argv) > 1:
        spec = importlib.util.spec_from_file_location("mine", sys.argv[1])
        mine = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(mine)
        functions = vars(mine)
    grade(functions)
