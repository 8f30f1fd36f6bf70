"""What processes on several machines bring: times reckoned from what one machine measures.

Every process has one shard of the batch, so the shards are as many as the processes, and each has one
part to tell. An update takes what the shard takes, what does not get smaller with the shard (Adam,
the norm), and the sending of docs/cluster.md, (88), at the full rate of the network in both directions
at once, less what of it is hidden behind computing: docs/cluster.md, (89)."""

NETWORKS = (10, 25, 100)  # Gb/s
NODES = (2, 4, 8, 16, 32, 64)
EXCHANGES = 6  # of an update
OUTPUT_EXCHANGES = 2  # of them
LATENCY = 50e-6  # seconds for each
FASTER = 16  # machines of today's clusters, against the one that measures
SHARED_BATCH = 1024  # sentences, where a batch is kept and cut ever smaller
NUMBER, RESULT, STATUS = 4, 24, 4  # bytes


def output_numbers(vocabulary, hidden):
    return vocabulary * 2 * hidden + vocabulary


def numbers(vocabulary, hidden, words):
    """Of a gradient of the default network with E = H whose batch has so many words a side, each of
    them another one as long as there are others."""
    rnn = 2 * hidden * hidden + 2 * hidden
    return 2 * min(words, vocabulary) * hidden + 2 * rnn + output_numbers(vocabulary, hidden)


def sent(n, nodes):
    """Bytes that one process sends in an update."""
    if nodes == 1:
        return 0
    slice_ = n / nodes
    return (NUMBER * ((n - slice_) + (nodes - 1) * slice_)
            + (nodes - 1) * (RESULT + STATUS))


def exchange(n, nodes, gigabits, exchanges=EXCHANGES):
    return 0 if nodes == 1 else sent(n, nodes) * 8 / (gigabits * 1e9) + exchanges * LATENCY


class Model:
    """A network whose update of `batch` sentences takes `whole` seconds, and `rest` without any;
    `behind` of them pass behind the output layer's gradient, to the end of the others."""

    def __init__(self, sizes, whole, rest, behind, batch, length):
        self.sizes, self.batch, self.length = sizes, batch, length
        self.learn, self.rest, self.behind = whole - rest, rest, behind
        self.name = f"V {sizes[0]:,}, H {sizes[1]}"

    def numbers(self, sentences):
        return numbers(*self.sizes, sentences * self.length)

    def faster(self, times):
        """On machines that compute so many times as fast."""
        return Model(self.sizes, (self.learn + self.rest) / times, self.rest / times,
                     self.behind / times, self.batch, self.length)

    def hidden(self, nodes, gigabits, share=1):
        """Seconds in which something is sent while a node learns this share of `batch`."""
        seconds = exchange(output_numbers(*self.sizes), nodes, gigabits, OUTPUT_EXCHANGES)
        return min(seconds, self.behind * share)

    def update(self, nodes, gigabits):
        """`batch` sentences a node."""
        n = self.numbers(nodes * self.batch)
        return (self.learn + self.rest + exchange(n, nodes, gigabits)
                - self.hidden(nodes, gigabits))

    def efficiency(self, nodes, gigabits):
        """Against one node that learns the same batch."""
        alone = nodes * self.learn + self.rest
        return alone / (nodes * self.update(nodes, gigabits))

    def fastest(self, gigabits):
        """How many nodes learn one batch of SHARED_BATCH soonest, and how many times as soon."""
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
    """What an update would take if nothing were sent while something is computed, and how much less
    it takes."""
    lines = ["| network, model | behind the output layer | "
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
