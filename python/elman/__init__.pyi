# Written by tools/python-stubs from the annotations of the module, the table of options and the headers.

import dataclasses
import os
import pathlib
import typing

import numpy
import numpy.typing
import typing_extensions

from elman import records as records

__all__: list[str]
__version__: str
library: typing.Any

Path = typing.Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Span = typing.Tuple[int, int]
Floats = numpy.typing.NDArray[numpy.float32]
Doubles = numpy.typing.NDArray[numpy.float64]
Side = typing.Literal["source", "target"]
NumberType = typing.Literal["float32", "bfloat16", "float16", "int8"]
Preset = typing.Literal["plain", "quick", "small", "base", "strong"]
Prefix = typing.Union[str, typing.Sequence[int], None]
Reported = typing.Optional[typing.Callable[[records.TrainReport], object]]
Validated = typing.Optional[typing.Callable[[records.Validation], object]]
CheckpointWritten = typing.Optional[typing.Callable[[typing.Optional[Error]], object]]
SnapshotWritten = typing.Optional[typing.Callable[[records.Snapshot], object]]
EpochEnded = typing.Optional[typing.Callable[[Epoch], object]]
Progress = typing.Optional[typing.Callable[[int, int], object]]
Options = typing.Mapping[str, typing.Any]
Texts = typing.Iterable[typing.Union[str, Translation]]

class _Handle:
    def close(self) -> None: ...
    def __enter__(self) -> typing_extensions.Self: ...
    def __exit__(self, *_: object) -> None: ...

class Error(Exception):
    status: str
    message: str
    where: str
    def __init__(self, status: str, message: str, where: str = ...) -> None: ...

class FileError(Error, OSError):
    def __init__(self, status: str, message: str, where: str = ...) -> None: ...

class TranslationError(Error):
    translations: list[typing.Any]
    errors: dict[int, Error]
    def __init__(self, translations: list[typing.Any], errors: dict[int, Error]) -> None: ...

class Pair(typing.NamedTuple):
    source: str
    target: str
    @property
    def alignment(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def line(self) -> int: ...

class Pairs(_Handle, typing.Sequence[Pair]):
    def __init__(
        self,
        *files: typing.Any,
        skipped: typing.Callable[[str, int, str, str], object] | None = ...,
        source_file: str | os.PathLike[str] | None = ...,
        target_file: str | os.PathLike[str] | None = ...,
        source_column: int = ...,
        target_column: int = ...,
        alignment_column: int = ...,
        alignment_file: str | os.PathLike[str] | None = ...,
        check_alignments: bool = ...,
        strict: bool = ...,
        max_bytes: int = ...,
        max_unpacked: int = ...,
    ) -> None: ...
    def __len__(self) -> int: ...
    @typing.overload
    def __getitem__(self, index: int) -> Pair: ...
    @typing.overload
    def __getitem__(self, index: slice) -> list[Pair]: ...
    def __iter__(self) -> typing.Iterator[Pair]: ...
    @property
    def skipped(self) -> int: ...
    def doubts(self, training: Pairs | None = ...) -> list[tuple[str, float, str]]: ...

@dataclasses.dataclass
class Epoch:
    epoch: int
    epochs: int
    updates: int
    loss: float
    learning_rate: float
    seconds: float
    validation: records.Validation | None

class Training:
    @property
    def finished(self) -> bool: ...
    def advance(self, updates: int = ...) -> bool: ...
    def save(self) -> None: ...
    def finish(self) -> bool: ...
    def __enter__(self) -> typing_extensions.Self: ...
    def __exit__(self, kind: object, raised: BaseException | None, trace: object) -> None: ...
    def __iter__(self) -> typing.Iterator[Epoch]: ...

@dataclasses.dataclass
class Sentence:
    source: Span
    text: Span
    first_source: int
    source_count: int
    first_target: int
    target_count: int
    log_probability: float
    score: float
    ended: bool

@dataclasses.dataclass
class Translation:
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
    log_probabilities: Doubles
    ended: bool
    forced: bool
    attention: Floats
    head_attention: Floats
    sentinel: Floats | None
    segment_ends: list[int]
    segments: Floats | None
    source_self_attention: Floats | None
    target_self_attention: Floats | None
    sentences: list[Sentence]
    source_subwords: bool
    target_subwords: bool
    warning: records.Warning | None
    others: list[Translation]
    def export(self, format: str = ..., title: str | None = ...) -> bytes: ...
    def save(self, path: str | os.PathLike[str], format: str | None = ..., title: str | None = ...) -> None: ...

class Model(_Handle):
    @classmethod
    def create(
        cls,
        pairs: Pairs,
        preset: Preset = ...,
        *,
        embedding_size: int = ...,
        hidden_size: int = ...,
        layers: int = ...,
        cell: typing.Literal["elman", "relu", "gru", "lstm"] = ...,
        layer_norm: bool = ...,
        residual: bool = ...,
        bidirectional: bool = ...,
        attention: typing.Literal["dot", "scaled", "general", "additive", "projected", "multihead", "local", "adaptive", "sentinel", "hierarchical"] = ...,
        attention_heads: int = ...,
        attention_window: int = ...,
        clause_segments: bool = ...,
        encoder_self_attention: int = ...,
        decoder_self_attention: int = ...,
        plain_self_attention: bool = ...,
        attentional_layer: bool = ...,
        input_feeding: bool = ...,
        arithmetic: typing.Literal["fast", "portable"] = ...,
        tie_embeddings: bool = ...,
        source_language: str = ...,
        target_language: str = ...,
        source_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"] = ...,
        target_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"] = ...,
        normalization: typing.Literal["nfc", "nfkc", "none", "auto", "auto-lower"] = ...,
        orthogonal: bool = ...,
        max_vocabulary: int = ...,
        subwords: int = ...,
        source_subwords: int = ...,
        joint_subwords: bool = ...,
        max_length: int = ...,
        seed: int = ...,
        threads: int = ...,
    ) -> Model: ...
    @classmethod
    def load(cls, path: Path) -> Model: ...
    @classmethod
    def from_bytes(cls, data: bytes | bytearray | memoryview) -> Model: ...
    @classmethod
    def average(cls, *paths: Path) -> Model: ...
    def save(self, path: Path, dtype: NumberType = ...) -> None: ...
    def to_bytes(self, dtype: NumberType = ...) -> bytes: ...
    def tensors(self) -> dict[str, Floats]: ...
    @property
    def info(self) -> records.ModelInfo: ...
    def vocabulary(self, side: Side) -> list[str]: ...
    def encode(self, side: Side, text: str) -> list[int]: ...
    def decode(self, side: Side, ids: typing.Iterable[int]) -> str: ...
    def train(
        self,
        pairs: Pairs,
        dev: Pairs | None = ...,
        epoch_ended: EpochEnded = ...,
        report: Reported = ...,
        validated: Validated = ...,
        checkpoint_written: CheckpointWritten = ...,
        snapshot_written: SnapshotWritten = ...,
        preset: Preset = ...,
        hours: float = ...,
        tune_search: bool | None = ...,
        *,
        batch_size: int = ...,
        batch_tokens: int = ...,
        shards: int = ...,
        precision: typing.Literal["float32", "bfloat16"] = ...,
        learning_rate: float = ...,
        optimizer: typing.Literal["adam", "muon"] = ...,
        schedule: typing.Literal["constant", "plateau", "inverse-sqrt", "linear", "late-linear"] = ...,
        warm_up: int = ...,
        dropout: float = ...,
        attention_dropout: float = ...,
        label_smoothing: float = ...,
        r_drop: float = ...,
        subword_dropout: float = ...,
        drop_source_mark: float = ...,
        drop_marks: float = ...,
        upper_case: float = ...,
        title_case: float = ...,
        typos: float = ...,
        merge: float = ...,
        copy_noise: float = ...,
        copy_numbers: float = ...,
        guide_weight: float = ...,
        average: float = ...,
        clip_norm: float = ...,
        max_length: int = ...,
        seed: int = ...,
        validate_every: int = ...,
        validate_by: typing.Literal["auto", "bleu", "chrf", "loss"] = ...,
        bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
        patience: int = ...,
        epochs: int = ...,
        threads: int = ...,
        pairs_name: str = ...,
        dev_name: str = ...,
        guide_name: str = ...,
        checkpoint: str | os.PathLike[str] | None = ...,
        output: str | os.PathLike[str] | None = ...,
        keep_last: int = ...,
        save_every: float = ...,
        save_best: bool = ...,
        resume: bool = ...,
    ) -> bool: ...
    def training(
        self,
        pairs: Pairs,
        dev: Pairs | None = ...,
        report: Reported = ...,
        validated: Validated = ...,
        checkpoint_written: CheckpointWritten = ...,
        snapshot_written: SnapshotWritten = ...,
        preset: Preset = ...,
        hours: float = ...,
        tune_search: bool | None = ...,
        *,
        batch_size: int = ...,
        batch_tokens: int = ...,
        shards: int = ...,
        precision: typing.Literal["float32", "bfloat16"] = ...,
        learning_rate: float = ...,
        optimizer: typing.Literal["adam", "muon"] = ...,
        schedule: typing.Literal["constant", "plateau", "inverse-sqrt", "linear", "late-linear"] = ...,
        warm_up: int = ...,
        dropout: float = ...,
        attention_dropout: float = ...,
        label_smoothing: float = ...,
        r_drop: float = ...,
        subword_dropout: float = ...,
        drop_source_mark: float = ...,
        drop_marks: float = ...,
        upper_case: float = ...,
        title_case: float = ...,
        typos: float = ...,
        merge: float = ...,
        copy_noise: float = ...,
        copy_numbers: float = ...,
        guide_weight: float = ...,
        average: float = ...,
        clip_norm: float = ...,
        max_length: int = ...,
        seed: int = ...,
        validate_every: int = ...,
        validate_by: typing.Literal["auto", "bleu", "chrf", "loss"] = ...,
        bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
        patience: int = ...,
        epochs: int = ...,
        threads: int = ...,
        pairs_name: str = ...,
        dev_name: str = ...,
        guide_name: str = ...,
        checkpoint: str | os.PathLike[str] | None = ...,
        output: str | os.PathLike[str] | None = ...,
        keep_last: int = ...,
        save_every: float = ...,
        save_best: bool = ...,
        resume: bool = ...,
    ) -> Training: ...
    @typing.overload
    def translate(  # type: ignore
        self,
        text: str,
        reference: str | None = ...,
        prefix: Prefix = ...,
        ensemble: typing.Iterable[Model] = ...,
        overrides: typing.Iterable[Options] = ...,
        *,
        beam: int = ...,
        length_penalty: float = ...,
        length_norm: typing.Literal["power", "wu"] = ...,
        coverage_penalty: float = ...,
        max_length: int = ...,
        max_ratio: float = ...,
        n_best: int = ...,
        equal_texts: bool = ...,
        replace_unknown: bool = ...,
        sample: bool = ...,
        temperature: float = ...,
        top_k: int = ...,
        seed: int = ...,
        self_attention: bool = ...,
        max_bytes: int = ...,
        max_tokens: int = ...,
        max_output: int = ...,
        precision: typing.Literal["float32", "int8"] = ...,
        threads: int = ...,
        split_sentences: typing.Literal["auto", "on", "off"] = ...,
        without_scores: bool = ...,
    ) -> Translation: ...
    @typing.overload
    def translate(
        self,
        text: typing.Iterable[str],
        reference: typing.Iterable[str | None] | None = ...,
        prefix: typing.Iterable[Prefix] | None = ...,
        ensemble: typing.Iterable[Model] = ...,
        overrides: typing.Iterable[Options] = ...,
        *,
        beam: int = ...,
        length_penalty: float = ...,
        length_norm: typing.Literal["power", "wu"] = ...,
        coverage_penalty: float = ...,
        max_length: int = ...,
        max_ratio: float = ...,
        n_best: int = ...,
        equal_texts: bool = ...,
        replace_unknown: bool = ...,
        sample: bool = ...,
        temperature: float = ...,
        top_k: int = ...,
        seed: int = ...,
        self_attention: bool = ...,
        max_bytes: int = ...,
        max_tokens: int = ...,
        max_output: int = ...,
        precision: typing.Literal["float32", "int8"] = ...,
        threads: int = ...,
        split_sentences: typing.Literal["auto", "on", "off"] = ...,
        without_scores: bool = ...,
    ) -> list[Translation]: ...
    def tune_search(
        self,
        pairs: Pairs,
        progress: Progress = ...,
        *,
        batch_size: int = ...,
        translate: dict[str, typing.Any] = ...,
        metric: dict[str, typing.Any] = ...,
        threads: int = ...,
    ) -> list[records.SearchTrial] | None: ...
    def evaluate(
        self,
        pairs: Pairs,
        progress: Progress = ...,
        *,
        batch_size: int = ...,
        translate: dict[str, typing.Any] = ...,
        metric: dict[str, typing.Any] = ...,
        threads: int = ...,
    ) -> records.Scores | None: ...
    def check_gradients(
        self,
        sources: typing.Iterable[str],
        targets: typing.Iterable[str],
        alignments: typing.Iterable[str] | None = ...,
        progress: Progress = ...,
        *,
        step: float = ...,
        tolerance: float = ...,
        samples: int = ...,
        dropout: float = ...,
        attention_dropout: float = ...,
        label_smoothing: float = ...,
        guide_weight: float = ...,
        seed: int = ...,
    ) -> records.GradientReport | None: ...

@dataclasses.dataclass
class Comparison:
    systems: tuple[records.Compared, ...]
    p_values: tuple[tuple[records.PValues, ...], ...]

def metrics(
    hypotheses: Texts,
    *references: Texts,
    bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
    lowercase: bool = ...,
    chrf_lowercase: bool = ...,
    ter: bool = ...,
) -> records.MetricScores: ...
def bleu(
    hypotheses: Texts,
    *references: Texts,
    bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
    lowercase: bool = ...,
) -> float: ...
def chrf(hypotheses: Texts, *references: Texts, chrf_lowercase: bool = ...) -> float: ...
def compare(
    systems: typing.Iterable[Texts],
    *references: Texts,
    bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
    lowercase: bool = ...,
    chrf_lowercase: bool = ...,
    ter: bool = ...,
    resamples: int = ...,
    seed: int = ...,
) -> Comparison: ...
def data(name: str) -> Path: ...
def train(
    pairs: Pairs,
    dev: Pairs | None = ...,
    preset: Preset = ...,
    hours: float = ...,
    tune_search: bool | None = ...,
    epoch_ended: EpochEnded = ...,
    *,
    embedding_size: int = ...,
    hidden_size: int = ...,
    layers: int = ...,
    cell: typing.Literal["elman", "relu", "gru", "lstm"] = ...,
    layer_norm: bool = ...,
    residual: bool = ...,
    bidirectional: bool = ...,
    attention: typing.Literal["dot", "scaled", "general", "additive", "projected", "multihead", "local", "adaptive", "sentinel", "hierarchical"] = ...,
    attention_heads: int = ...,
    attention_window: int = ...,
    clause_segments: bool = ...,
    encoder_self_attention: int = ...,
    decoder_self_attention: int = ...,
    plain_self_attention: bool = ...,
    attentional_layer: bool = ...,
    input_feeding: bool = ...,
    arithmetic: typing.Literal["fast", "portable"] = ...,
    tie_embeddings: bool = ...,
    source_language: str = ...,
    target_language: str = ...,
    source_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"] = ...,
    target_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"] = ...,
    normalization: typing.Literal["nfc", "nfkc", "none", "auto", "auto-lower"] = ...,
    orthogonal: bool = ...,
    max_vocabulary: int = ...,
    subwords: int = ...,
    source_subwords: int = ...,
    joint_subwords: bool = ...,
    batch_size: int = ...,
    batch_tokens: int = ...,
    shards: int = ...,
    precision: typing.Literal["float32", "bfloat16"] = ...,
    learning_rate: float = ...,
    optimizer: typing.Literal["adam", "muon"] = ...,
    schedule: typing.Literal["constant", "plateau", "inverse-sqrt", "linear", "late-linear"] = ...,
    warm_up: int = ...,
    dropout: float = ...,
    attention_dropout: float = ...,
    label_smoothing: float = ...,
    r_drop: float = ...,
    subword_dropout: float = ...,
    drop_source_mark: float = ...,
    drop_marks: float = ...,
    upper_case: float = ...,
    title_case: float = ...,
    typos: float = ...,
    merge: float = ...,
    copy_noise: float = ...,
    copy_numbers: float = ...,
    guide_weight: float = ...,
    average: float = ...,
    clip_norm: float = ...,
    max_length: int = ...,
    seed: int = ...,
    validate_every: int = ...,
    validate_by: typing.Literal["auto", "bleu", "chrf", "loss"] = ...,
    bleu_tokens: typing.Literal["auto", "13a", "intl", "zh", "char", "none"] = ...,
    patience: int = ...,
    epochs: int = ...,
    threads: int = ...,
    pairs_name: str = ...,
    dev_name: str = ...,
    guide_name: str = ...,
    checkpoint: str | os.PathLike[str] | None = ...,
    output: str | os.PathLike[str] | None = ...,
    keep_last: int = ...,
    save_every: float = ...,
    save_best: bool = ...,
    resume: bool = ...,
) -> Model: ...
