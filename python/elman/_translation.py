"""Translations."""

from __future__ import annotations

import base64
import ctypes
import dataclasses
import html
import os
import typing

import numpy
import numpy.typing

from elman._library import call, library, written
from elman._options import names_of, path_of, strings, text_of, without_nul, word_of
from elman.records import record_of

if typing.TYPE_CHECKING:
    from elman.records import Warning as TranslationWarning

Span = typing.Tuple[int, int]
Floats = numpy.typing.NDArray[numpy.float32]
Doubles = numpy.typing.NDArray[numpy.float64]


@dataclasses.dataclass
class Sentence:
    """A sentence that was translated by itself: elman_translated_sentence, with spans in characters."""

    source: Span  # characters of the source text
    text: Span  # characters of the translation
    first_source: int
    source_count: int
    first_target: int
    target_count: int
    log_probability: float
    score: float
    ended: bool


@dataclasses.dataclass(eq=False, repr=False)
class Translation:
    """A translation, as elman_translation in include/elman/translate.h describes it. Spans are (start, end) in
    characters: `source[start:end]` is a token. In notebooks, a translation is shown with a heat map."""

    text: str
    source: str
    log_probability: float
    score: float
    source_tokens: list[str]
    source_ids: list[int]
    source_known: list[bool]
    source_spans: list[Span]
    target_tokens: list[str]
    target_ids: list[int]
    target_spans: list[Span]
    log_probabilities: Doubles  # (T)
    ended: bool
    forced: bool
    attention: Floats  # (T,S): the average of the heads
    head_attention: Floats  # (K,T,S)
    sentinel: Floats | None  # (T)
    segment_ends: list[int]  # (G): end of each segment in source tokens; empty without segments
    segments: Floats | None  # (T,G)
    source_self_attention: Floats | None  # (heads,S,S); None without self_attention=True, or if
    target_self_attention: Floats | None  # (heads,T,T); the model has none on this side
    sentences: list[Sentence]
    source_subwords: bool  # tokens are subwords
    target_subwords: bool
    warning: TranslationWarning | None  # kind and message if the translation is probably wrong
    others: list[Translation]  # the next-best translations of the text (n_best)

    def __str__(self) -> str:
        return self.text

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)

    def __repr__(self) -> str:
        return f"<Translation: {self.source!r} → {self.text!r}>"

    def _repr_html_(self) -> str:
        lines = [f"<div>{html.escape(self.source)} → <b>{html.escape(self.text)}</b></div>"]
        if self.warning is not None:
            lines.append(f"<div>{html.escape(self.warning.message)}</div>")
        picture = base64.b64encode(self.export("svg")).decode()
        return "".join([*lines, f'<img alt="Attention weights" src="data:image/svg+xml;base64,{picture}">'])

    def export(self, format: str = "svg", title: str | None = None) -> bytes:
        """Return the attention weights in a format of `elman attention`: "text", "json", "tsv", "npy", "svg", "html",
        "pharaoh" or "softalignments". `title` is the text above the picture, in place of the sentences; "" for none."""
        name, style, (struct, kept) = _format(format), _style(format, title), _struct(self)
        return written(library.elman_attention_write, ctypes.byref(struct), name, style)

    def save(self, path: str | os.PathLike[str], format: str | None = None, title: str | None = None) -> None:
        """Write the attention weights to a file, whose suffix selects the format: .svg, .html, .npy, ..."""
        name = path_of("path", path)
        if format is None:
            found = library.elman_format_of_path(name)
            if found is None:
                remedy = "; save .svg, and convert the file with rsvg-convert" if name.endswith((b".png", b".pdf")) else ""
                raise ValueError(f"no format has the suffix of {os.fsdecode(name)!r}; there are "
                                 f"{', '.join(names_of('elman_format_suffix'))}, and the argument format{remedy}")
            format = found.decode()
        struct, kept = _struct(self)
        call(library.elman_attention_save, name, ctypes.byref(struct), _format(format), _style(format, title))


def _format(name):
    names = [*names_of("elman_format_name")]
    return word_of("format", name, dict(zip(names, names))).encode()


def _style(format, title):
    """Return a pointer to an elman_text_style; None for the default."""
    if title is None:
        return None
    if format != "svg":
        raise ValueError(f"title has an effect on svg only, not on {format}")
    return ctypes.byref(library.complete("elman_text_style")(title=without_nul("title", text_of("title", title))))


# ---- characters and bytes ----


def _starts(text):
    """Return the number of characters before each byte of a text; None if every character has one byte."""
    if text.isascii():
        return None
    leads = (numpy.frombuffer(text, numpy.uint8) & 0xC0) != 0x80
    return numpy.concatenate(([0], numpy.cumsum(leads))).tolist()


def _characters(starts, spans):
    """Return spans of bytes as spans of characters."""
    return [(start, end) if starts is None else (starts[start], starts[end]) for start, end in spans]


def _bytes(text, spans):
    """Return spans of characters as starts and ends in bytes."""
    ends = [0]
    for character in text:
        ends.append(ends[-1] + len(character.encode()))
    kind = ctypes.c_size_t * len(spans)
    return kind(*(ends[start] for start, _ in spans)), kind(*(ends[end] for _, end in spans))


# ---- from C ----


def _array(owner, pointer, *shape):
    """Return an array over memory of the library, which keeps the memory."""
    size = int(numpy.prod(shape))
    if not pointer or size == 0:
        return numpy.empty(shape, numpy.dtype(pointer._type_))
    view = (pointer._type_ * size).from_address(ctypes.addressof(pointer.contents))
    view.owner = owner
    return numpy.frombuffer(view, numpy.dtype(pointer._type_)).reshape(shape)


def _sentence(it, starts, text_starts):
    values = vars(record_of(it))
    values["source"], = _characters(starts, [values["source"]])
    values["text"], = _characters(text_starts, [values["text"]])
    return Sentence(**values)


def _translation(it, owner, model):
    S, T, K, G = it.source_count, it.target_count, it.heads, it.segment_count
    starts, text_starts = _starts(it.source), _starts(it.text)
    warning = record_of(library.elman_translation_warning(model, ctypes.byref(it)))
    return Translation(
        text=it.text.decode(), source=it.source.decode(), log_probability=it.log_probability,
        score=it.score, source_tokens=[token.decode() for token in it.source_tokens[:S]],
        source_ids=it.source_ids[:S], source_known=it.source_known[:S],
        source_spans=_characters(starts, zip(it.source_starts[:S], it.source_ends[:S])),
        target_tokens=[token.decode() for token in it.target_tokens[:T]],
        target_ids=it.target_ids[:T],
        target_spans=_characters(text_starts, zip(it.target_starts[:T], it.target_ends[:T])),
        log_probabilities=_array(owner, it.log_probabilities, T), ended=it.ended, forced=it.forced,
        attention=_array(owner, it.attention, T, S), head_attention=_array(owner, it.head_attention, K, T, S),
        sentinel=_array(owner, it.sentinel, T) if it.sentinel else None, segment_ends=it.segment_ends[:G],
        segments=_array(owner, it.segments, T, G) if it.segments else None,
        source_self_attention=_self_attention(owner, it.source_self_attention, it.source_self_heads, S),
        target_self_attention=_self_attention(owner, it.target_self_attention, it.target_self_heads, T),
        sentences=[_sentence(each, starts, text_starts) for each in it.sentences[: it.sentence_count]],
        source_subwords=it.source_subwords, target_subwords=it.target_subwords,
        warning=None if warning.kind == "none" else warning, others=[])


def _self_attention(owner, pointer, heads, tokens):
    return _array(owner, pointer, heads, tokens, tokens) if heads > 0 else None


def translations_of(owner, model):
    """Return the best translation of a text, with the others in `others`. They keep the Memory `owner`."""
    pointer, found = owner.pointer, []
    while pointer:
        found.append(_translation(pointer.contents, owner, model))
        pointer = pointer.contents.next
    found[0].others = found[1:]
    return found[0]


# ---- to C ----


def _floats(array, shape, kept, kind=ctypes.c_float):
    """Return a pointer to the values of an array of this shape."""
    values = numpy.ascontiguousarray(array, numpy.dtype(kind))
    if values.shape != shape:
        raise ValueError(f"an array of the translation has the shape {values.shape} instead of {shape}")
    kept.append(values)
    return values.ctypes.data_as(ctypes.POINTER(kind))


def _struct(it):
    """Return the elman_translation of a translation, and what it refers to."""
    S, T, kept = len(it.source_tokens), len(it.target_tokens), []
    K, G = len(it.head_attention), len(it.segment_ends)
    source_starts, source_ends = _bytes(it.source, it.source_spans)
    target_starts, target_ends = _bytes(it.text, it.target_spans)
    sentences = (library.complete("elman_translated_sentence") * len(it.sentences))()
    for sentence, each in zip(sentences, it.sentences):
        for field, _ in library.fields("elman_translated_sentence"):
            if field not in ("source", "text"):
                setattr(sentence, field, getattr(each, field))
        for span, text, place in (sentence.source, it.source, each.source), (sentence.text, it.text, each.text):
            starts, ends = _bytes(text, [place])
            span.start, span.end = starts[0], ends[0]
    struct = library.complete("elman_translation")(
        text=it.text.encode(), source=it.source.encode(), log_probability=it.log_probability, score=it.score,
        source_count=S, target_count=T, heads=K, source_tokens=strings(each.encode() for each in it.source_tokens),
        source_ids=(ctypes.c_uint32 * S)(*it.source_ids), source_known=(ctypes.c_bool * S)(*it.source_known),
        source_starts=source_starts, source_ends=source_ends,
        target_tokens=strings(each.encode() for each in it.target_tokens),
        target_ids=(ctypes.c_uint32 * T)(*it.target_ids), target_starts=target_starts, target_ends=target_ends,
        log_probabilities=_floats(it.log_probabilities, (T,), kept, ctypes.c_double), ended=it.ended, forced=it.forced,
        attention=_floats(it.attention, (T, S), kept), head_attention=_floats(it.head_attention, (K, T, S), kept),
        segment_count=G, sentence_count=len(sentences), sentences=sentences,
        source_subwords=it.source_subwords, target_subwords=it.target_subwords)
    if it.sentinel is not None:
        struct.sentinel = _floats(it.sentinel, (T,), kept)
    if it.segments is not None:
        struct.segments, struct.segment_ends = _floats(it.segments, (T, G), kept), (ctypes.c_size_t * G)(*it.segment_ends)
    for side, tokens in ("source", S), ("target", T):
        weights = getattr(it, f"{side}_self_attention")
        if weights is not None:
            setattr(struct, f"{side}_self_heads", len(weights))
            setattr(struct, f"{side}_self_attention", _floats(weights, (len(weights), tokens, tokens), kept))
    return struct, kept
