"""The sentence pairs of the measurements: synthetic ones with an exact vocabulary, and real ones.

Single spaces separate their words, so that all programs read equal tokens."""

import itertools
import pathlib
import random
import re
import unicodedata

SOURCE_SPECIALS = 1  # <unk>
TARGET_SPECIALS = 3  # <unk>, <s>, </s>


def numbered_words(count, total, rng):
    """Return `total` words out of `count` in random order, each about equally often."""
    words = []
    while len(words) < total:
        words += rng.sample(range(count), count)
    return words[:total]


def made(path, vocabulary, length, least_pairs):
    """Write pairs of `length` words per side, enough for every word to occur at least once.

    All words are equally frequent, so a batch contains as many different words as possible. This is
    the worst case for a program that skips the words that a batch lacks."""
    pairs = max(least_pairs, -(-vocabulary // length))
    rng = random.Random(1)
    sides = [numbered_words(vocabulary - specials, pairs * length, rng)
             for specials in (SOURCE_SPECIALS, TARGET_SPECIALS)]
    with open(path, "w", encoding="utf-8") as file:
        for at in range(0, pairs * length, length):
            file.write("\t".join(" ".join(f"w{word}" for word in side[at : at + length])
                                 for side in sides) + "\n")
    return path


def syllables(path, count, types=30000, length=10):
    """Write `count` pairs of words that consist of syllables and have the frequencies of a language
    (Zipf), so that training and merge operations find structure."""
    rng = random.Random(1)
    parts = [c + v + e for c in "bdfgklmnprst" for v in "aeiou" for e in ("", "n", "r", "s")]
    words = list(dict.fromkeys("".join(rng.choices(parts, k=rng.randint(1, 4)))
                               for _ in range(types)))
    sums = list(itertools.accumulate(1 / rank for rank in range(1, len(words) + 1)))
    with open(path, "w", encoding="utf-8") as file:
        for _ in range(count):
            file.write("\t".join(" ".join(rng.choices(words, cum_weights=sums, k=length))
                                 for _ in range(2)) + "\n")
    return path


def lines(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def tokens(text):
    """Split text into Chinese characters (Han), words of letters and digits, and other characters."""
    text = unicodedata.normalize("NFC", text)
    return re.findall(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+|[^\w\s]", text)


def real(folder, path, most_pairs):
    """Write the pairs of FOLDER/train.tsv with spaces between tokens; `most_pairs` None = all."""
    written = 0
    with open(pathlib.Path(folder) / "train.tsv", encoding="utf-8") as lines, \
            open(path, "w", encoding="utf-8") as file:
        for line in lines:
            sides = [" ".join(tokens(side)) for side in line.rstrip("\n").split("\t")[:2]]
            if len(sides) == 2 and all(sides):
                file.write("\t".join(sides) + "\n")
                written += 1
            if written == most_pairs:
                break
    return path
