#!/usr/bin/python3
"""The worked example of bptt.md in PyTorch: loss.backward() against the hand-derived gradients of bptt.py.

    python3 docs/autograd.py         prints the loss and the largest difference of any gradient

Exits 0 if the gradients agree, 77 if PyTorch is not installed (Debian: python3-torch)."""
import sys
try:
    import torch
except ImportError:
    sys.exit(77)
from bptt import ARGS, EXAMPLE, backward, forward

# ---- what bptt.md shows: begin ----
w = {name: torch.tensor(x, dtype=torch.float64, requires_grad=True) for name, x in EXAMPLE.items()}
def states(prime, x, h):
    out = []
    for x_t in x:
        h = torch.tanh(w[f"W{prime}_ih"] @ x_t + w[f"b{prime}_ih"] + w[f"W{prime}_hh"] @ h + w[f"b{prime}_hh"])
        out.append(h)
    return torch.stack(out)
e = states("", w["E_src"][[1, 2]], torch.zeros(3, dtype=torch.float64))     # (1) (2)
d = states("'", w["E_tgt"][[1, 3]], e[-1])                                  # (4) (5)
a = torch.softmax(d @ e.T, dim=1)                                           # (6) (7)
o = torch.cat([d, a @ e], dim=1) @ w["W_o"].T + w["b_o"]                    # (8) (9)
loss = torch.nn.functional.cross_entropy(o, torch.tensor([3, 2]))           # (10) (11)
loss.backward()                                                             # (12) to (24)
# ---- end ----

by_hand = backward(EXAMPLE, *ARGS, forward(EXAMPLE, *ARGS)[1])[0]
worst = max((w[name].grad - torch.tensor(g, dtype=torch.float64)).abs().max().item() for name, g in by_hand.items())
print(f"loss {loss.item():.4f}, {len(w)} gradients, largest difference {'below' if worst < 1e-15 else 'above'} 1e-15")
sys.exit(0 if worst < 1e-15 else 1)
