"""Scores of text against references."""

from __future__ import annotations

import ctypes
import typing

from elman._library import call, library
from elman._options import fill, texts_of, with_options
from elman.records import record_of

if typing.TYPE_CHECKING:
    from elman.records import Comparison, MetricScores

COMPARING = "resamples", "seed"
Texts = typing.Iterable[str]


def _sets(references, count, options):
    """Return references as C has them."""
    if not references:
        raise TypeError("a list of references is needed")
    sets = []
    for each in references:
        if isinstance(each, (list, tuple)) and each and isinstance(each[0], (list, tuple)):
            raise TypeError("each list of references is an argument of its own: bleu(hypotheses, first, second), "
                            "or bleu(hypotheses, *references)")
        sets.append(texts_of("references", each))
    if any(len(each) != count for each in sets):
        raise ValueError(f"there are not as many references as hypotheses: {', '.join(str(len(each)) for each in sets)} "
                         f"and {count}")
    pointer = ctypes.POINTER(ctypes.c_char_p)
    return (pointer * len(sets))(*(ctypes.cast(each, pointer) for each in sets)), sets


@with_options("elman_metric_options", without=COMPARING)
def metrics(hypotheses: Texts, *references: Texts, **options: typing.Any) -> MetricScores:
    """Return BLEU and chrF (the fields of elman_metric_scores) of texts against one or more lists of references."""
    _refuse(options)
    given, hypotheses = fill(library.elman_metric_options_default(), options), texts_of("hypotheses", hypotheses)
    pointers, sets = _sets(references, len(hypotheses), options)
    scores = library.complete("elman_metric_scores")()
    call(library.elman_metrics, ctypes.byref(scores), hypotheses, pointers, len(sets), len(hypotheses), ctypes.byref(given))
    return record_of(scores)


def _refuse(options):
    for name in COMPARING:
        if name in options:
            raise ValueError(f"{name} has no effect on scores; compare() takes it")


@with_options("elman_metric_options", without=("chrf_lowercase", *COMPARING))
def bleu(hypotheses: Texts, *references: Texts, **options: typing.Any) -> float:
    """Return corpus BLEU, 0 to 100, of texts against one or more lists of references, as sacreBLEU computes it."""
    if "chrf_lowercase" in options:
        raise ValueError("chrf_lowercase has no effect on BLEU; lowercase has")
    return metrics(hypotheses, *references, **options).bleu


@with_options("elman_metric_options", without=("bleu_tokens", "lowercase", *COMPARING))
def chrf(hypotheses: Texts, *references: Texts, **options: typing.Any) -> float:
    """Return corpus chrF2, 0 to 100, of texts against one or more lists of references, as sacreBLEU computes it."""
    for name in "bleu_tokens", "lowercase":
        if name in options:
            raise ValueError(f"{name} has no effect on chrF; chrf_lowercase has")
    return metrics(hypotheses, *references, **options).chrf


@with_options("elman_metric_options")
def compare(first: Texts, second: Texts, *references: Texts, **options: typing.Any) -> Comparison:
    """Compare two systems by paired bootstrap resampling: the fields of elman_comparison, with scores, confidence
    intervals and p-values."""
    given = fill(library.elman_metric_options_default(), options)
    outputs = [texts_of(name, each) for name, each in (("first", first), ("second", second))]
    if len(outputs[0]) != len(outputs[1]):
        raise ValueError(f"the systems have {len(outputs[0])} and {len(outputs[1])} texts")
    pointers, sets = _sets(references, len(outputs[0]), options)
    pointer = ctypes.POINTER(ctypes.c_char_p)
    comparison = library.complete("elman_comparison")()
    call(library.elman_metrics_compare, ctypes.byref(comparison),
         (pointer * 2)(*(ctypes.cast(each, pointer) for each in outputs)), pointers, len(sets), len(outputs[0]),
         ctypes.byref(given))
    return record_of(comparison)
