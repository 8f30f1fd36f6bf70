"""Scores of text against references."""

from __future__ import annotations

import ctypes
import dataclasses
import typing

from elman._library import call, library
from elman._options import fill, list_of, texts_of, with_options
from elman._translation import Translation
from elman.records import record_of

if typing.TYPE_CHECKING:
    from elman.records import Compared, MetricScores, PValues

COMPARING = "resamples", "seed"
Texts = typing.Iterable[typing.Union[str, Translation]]


def _texts(name, values):
    """Return texts, or those of translations, as C has them."""
    return texts_of(name, [each.text if isinstance(each, Translation) else each for each in list_of(name, values, "texts")])


def _sets(references, count, options):
    """Return references as C has them."""
    if not references:
        raise TypeError("a list of references is needed")
    sets = []
    for each in references:
        if isinstance(each, (list, tuple)) and each and isinstance(each[0], (list, tuple)):
            raise TypeError("each list of references is an argument of its own: bleu(hypotheses, first, second), "
                            "or bleu(hypotheses, *references)")
        sets.append(_texts("references", each))
    if any(len(each) != count for each in sets):
        raise ValueError(f"there are not as many references as hypotheses: {', '.join(str(len(each)) for each in sets)} "
                         f"and {count}")
    pointer = ctypes.POINTER(ctypes.c_char_p)
    return (pointer * len(sets))(*(ctypes.cast(each, pointer) for each in sets)), sets


@with_options("elman_metric_options", without=COMPARING)
def metrics(hypotheses: Texts, *references: Texts, **options: typing.Any) -> MetricScores:
    """Return BLEU, chrF and, with ter=True, TER (the fields of elman_metric_scores) of texts against one or more lists
    of references."""
    _refuse(options)
    given, hypotheses = fill(library.elman_metric_options_default(), options), _texts("hypotheses", hypotheses)
    pointers, sets = _sets(references, len(hypotheses), options)
    scores = library.complete("elman_metric_scores")()
    call(library.elman_metrics, ctypes.byref(scores), hypotheses, pointers, len(sets), len(hypotheses), ctypes.byref(given))
    return record_of(scores)


def _refuse_ter(options):
    if "ter" in options:
        raise ValueError("ter has an effect on metrics() and compare() only")


def _refuse(options):
    for name in COMPARING:
        if name in options:
            raise ValueError(f"{name} has no effect on scores; compare() takes it")


@with_options("elman_metric_options", without=("chrf_lowercase", "ter", *COMPARING))
def bleu(hypotheses: Texts, *references: Texts, **options: typing.Any) -> float:
    """Return corpus BLEU, 0 to 100, of texts against one or more lists of references, as sacreBLEU computes it."""
    if "chrf_lowercase" in options:
        raise ValueError("chrf_lowercase has no effect on BLEU; lowercase has")
    _refuse_ter(options)
    return metrics(hypotheses, *references, **options).bleu


@with_options("elman_metric_options", without=("bleu_tokens", "lowercase", "ter", *COMPARING))
def chrf(hypotheses: Texts, *references: Texts, **options: typing.Any) -> float:
    """Return corpus chrF2, 0 to 100, of texts against one or more lists of references, as sacreBLEU computes it."""
    for name in "bleu_tokens", "lowercase":
        if name in options:
            raise ValueError(f"{name} has no effect on chrF; chrf_lowercase has")
    _refuse_ter(options)
    return metrics(hypotheses, *references, **options).chrf


@dataclasses.dataclass
class Comparison:
    """Scores and confidence intervals of each system, and the p-values of each pair of systems."""

    systems: tuple[Compared, ...]
    p_values: tuple[tuple[PValues, ...], ...]


@with_options("elman_metric_options")
def compare(systems: typing.Iterable[Texts], *references: Texts, **options: typing.Any) -> Comparison:
    """Compare the texts of 2 to 64 systems by paired bootstrap resampling. `p_values[0]` compares the first system
    with each."""
    given = fill(library.elman_metric_options_default(), options)
    outputs = [_texts(f"systems[{i}]", each) for i, each in enumerate(list_of("systems", systems, "lists of texts"))]
    most = library.header.sizes["ELMAN_MAX_SYSTEMS"]
    if not 2 <= len(outputs) <= most:
        raise ValueError(f"compare takes the texts of 2 to {most} systems, not {len(outputs)}")
    if len({len(each) for each in outputs}) > 1:
        raise ValueError(f"the systems have {', '.join(str(len(each)) for each in outputs)} texts; they need equally many")
    pointers, sets = _sets(references, len(outputs[0]), options)
    pointer, count = ctypes.POINTER(ctypes.c_char_p), len(outputs)
    compared = (library.complete("elman_compared") * count)()
    p_values = (library.complete("elman_p_values") * count**2)()
    call(library.elman_metrics_compare, compared, p_values, (pointer * count)(*(ctypes.cast(each, pointer) for each in outputs)),
         count, pointers, len(sets), len(outputs[0]), ctypes.byref(given))
    found = tuple(map(record_of, p_values))
    return Comparison(tuple(map(record_of, compared)), tuple(found[i : i + count] for i in range(0, count**2, count)))
