"""Synthetic translations in the form that the attention page reads.

They contain data that small models do not give: heads, many hypotheses, hostile tokens,
thousands of sentences.
"""
import json
import math
import random

CHINESE = "我 你 他 她 喜欢 学习 中文 书 这 那 本 只 猫 看 过 了 老师 朋友 昨天 学校".split()
ENGLISH = "I you he she like study Chinese book this that cat read friend teacher school".split()

HOSTILE = (
    "<script>alert(1)</script>", "</script>", "<!--", "-->", "]]>", '"', "'", "&amp;",
    "<b>bold</b>", "=cmd|'/c'!A1", "\u202eright", "\u2066left", "a\u0001b", "\u2028", "\u2029",
    "\uffff", "\x7f", "\ufeff",
    "\\", "${1}", "`", "javascript:alert(1)", "<img/src=x/onerror=alert(1)>", "@STYLE@", "\u200d",
)


def matrix(rng, rows, columns):
    result = []
    for _ in range(rows):
        row = [rng.random() ** 6 for _ in range(columns)]
        total = sum(row)
        result.append([value / total for value in row])
    return result


def spans_of(tokens):
    """Return the spans of tokens, in bytes, in a text that joins them with spaces."""
    spans, start = [], 0
    for token in tokens:
        spans.append([start, start + len(token.encode())])
        start = spans[-1][1] + 1
    return spans


def record(rng, sentence, sources, targets, hypothesis=1, heads=1):
    source, text = " ".join(sources), " ".join(targets)
    target_spans = spans_of(targets) + [[len(text.encode())] * 2]
    targets = [*targets, "</s>"]
    each = [matrix(rng, len(targets), len(sources)) for _ in range(heads)]
    mean = [[sum(head[t][s] for head in each) / heads for s in range(len(sources))]
            for t in range(len(targets))]
    result = dict(
        sentence=sentence, hypothesis=hypothesis, source=source,
        text=text, source_tokens=sources, source_known=[True] * len(sources),
        source_spans=spans_of(sources), target_tokens=targets, target_spans=target_spans,
        ended=True, forced=False, log_probability=-1.5 * hypothesis, score=-0.5 * hypothesis,
        entropy=[-sum(w * math.log(w) for w in row if w > 0) for row in mean],
        coverage=[sum(column) for column in zip(*mean)], attention=mean)
    if heads > 1:
        result["head_attention"] = each
    return result


def translations(count, hypotheses=1, heads=1, length=8, seed=1):
    rng = random.Random(seed)
    for sentence in range(1, count + 1):
        sources = rng.choices(CHINESE, k=rng.randint(2, length))
        for hypothesis in range(1, hypotheses + 1):
            targets = rng.choices(ENGLISH, k=rng.randint(2, length))
            yield record(rng, sentence, sources, targets, hypothesis, heads)


def hostile():
    rng = random.Random(2)
    tokens = list(HOSTILE)
    return record(rng, 1, tokens, tokens[::-1])


def line(one):
    """Return one record as the program writes it, escaped so that it cannot end the script element."""
    text = json.dumps(one, separators=(",", ":"))
    return "".join(f"\\u{ord(character):04x}" if character in "<>&\x7f" else character for character in text)


def page(frame, records):
    """Return the page of a translation with its records replaced."""
    mark = '<script type="application/json" id="records">\n'
    head, rest = frame.split(mark, 1)
    tail = rest[rest.index("</script>"):]
    return head + mark + "".join(line(one) + "\n" for one in records) + tail
