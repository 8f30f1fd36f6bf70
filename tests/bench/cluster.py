"""Estimate the time of an update on several machines from measurements on one machine.

Every process has one shard of the batch. The time of an update is the sum of the time of a shard, the
time that does not shrink with the shard (Adam, the norm), and the time to send the bytes of
docs/cluster.md, (93), at the full rate of the network in both directions, minus the time saved by
sending while computing: docs/cluster.md, (94)."""

NETWORKS = (10, 25, 100)  # Gb/s
NODES = (2, 4, 8, 16, 32, 64)
EXCHANGES = 6  # number of exchanges in an update
OUTPUT_EXCHANGES = 2  # number of these exchanges that belong to the output layer
LATENCY = 50e-6  # seconds for each
FASTER = 16  # speed of machines of today's clusters, relative to the measured one
SHARED_BATCH = 1024  # sentences of a batch of constant size
NUMBER, RESULT, STATUS = 4, 24, 4  # bytes


def output_numbers(vocabulary, hidden):
    return vocabulary * 2 * hidden + vocabulary


def numbers(vocabulary, hidden, words):
    """Return the gradient entries of the default network with E = H for a batch of `words` words per
    side, which are all different as far as the vocabulary allows."""
    rnn = 2 * hidden * hidden + 2 * hidden
    return 2 * min(words, vocabulary) * hidden + 2 * rnn + output_numbers(vocabulary, hidden)


def sent(n, nodes):
    """Return the bytes that one process sends in an update."""
    if nodes == 1:
        return 0
    slice_ = n / nodes
    return (NUMBER * ((n - slice_) + (nodes - 1) * slice_)
            + (nodes - 1) * (RESULT + STATUS))


def exchange(n, nodes, gigabits, exchanges=EXCHANGES):
    return 0 if nodes == 1 else sent(n, nodes) * 8 / (gigabits * 1e9) + exchanges * LATENCY


class Model:
    """A network whose update of `batch` sentences takes `whole` seconds, of which `rest` do not depend on
    the sentences, and `behind` pass after the output layer's gradient is complete."""

    def __init__(self, sizes, whole, rest, behind, batch, length):
        self.sizes, self.batch, self.length = sizes, batch, length
        self.learn, self.rest, self.behind = whole - rest, rest, behind
        self.name = f"V {sizes[0]:,}, H {sizes[1]}"

    def numbers(self, sentences):
        return numbers(*self.sizes, sentences * self.length)

    def faster(self, times):
        """Return the model for machines that compute `times` times as fast."""
        return Model(self.sizes, (self.learn + self.rest) / times, self.rest / times,
                     self.behind / times, self.batch, self.length)

    def hidden(self, nodes, gigabits, share=1):
        """Return the seconds of sending that overlap with computing, for a fraction `share` of `batch`."""
        seconds = exchange(output_numbers(*self.sizes), nodes, gigabits, OUTPUT_EXCHANGES)
        return min(seconds, self.behind * share)

    def update(self, nodes, gigabits):
        """Return the seconds of an update with `batch` sentences per node."""
        n = self.numbers(nodes * self.batch)
        return (self.learn + self.rest + exchange(n, nodes, gigabits)
                - self.hidden(nodes, gigabits))

    def efficiency(self, nodes, gigabits):
        """Return the efficiency against one node that processes the same batch."""
        alone = nodes * self.learn + self.rest
        return alone / (nodes * self.update(nodes, gigabits))

    def fastest(self, gigabits):
        """Return the number of nodes that process SHARED_BATCH sentences fastest, and their speed-up."""
        def seconds(nodes):
            share = SHARED_BATCH / self.batch / nodes
            n = self.numbers(SHARED_BATCH)
            return (self.learn * share + self.rest + exchange(n, nodes, gigabits)
                    - self.hidden(nodes, gigabits, share))
        best = min((1,) + NODES, key=seconds)
        return best, seconds(1) / seconds(best)


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.1f} ms"


def table(models):
    lines = ["| network, model | sent by each | " + " | ".join(f"{n} nodes" for n in NODES)
             + f" | {SHARED_BATCH:,} sentences in all |", "|" + "---|" * (len(NODES) + 3)]
    for gigabits in NETWORKS:
        for model in models:
            cells = [f"{milliseconds(model.update(n, gigabits))}, {model.efficiency(n, gigabits):.0%}"
                     for n in NODES]
            nodes, times = model.fastest(gigabits)
            low, high = (sent(model.numbers(n * model.batch), n) / 1e6
                         for n in (NODES[0], NODES[-1]))
            lines.append(f"| {gigabits} Gb/s, {model.name} | {low:.0f} to {high:.0f} MB | "
                         + " | ".join(cells) + f" | {nodes} nodes, {times:.1f} times |")
    return lines


def table_of_hidden(models):
    """Return a table of update times without sending while computing, and of the savings with it."""
    lines = ["| network, model | after the output layer | "
             + " | ".join(f"{n} nodes" for n in NODES) + " |", "|" + "---|" * (len(NODES) + 2)]
    for gigabits in NETWORKS:
        for model in models:
            cells = []
            for nodes in NODES:
                hidden = model.hidden(nodes, gigabits)
                without = model.update(nodes, gigabits) + hidden
                cells.append(f"{milliseconds(without)}, -{hidden / without:.0%}")
            lines.append(f"| {gigabits} Gb/s, {model.name} | {milliseconds(model.behind)} | "
                         + " | ".join(cells) + " |")
    return lines
