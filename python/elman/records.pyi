# Written by tools/python-stubs from the annotations of the module, the table of options and the headers.

import dataclasses
import typing

from elman import Error

@dataclasses.dataclass(frozen=True)
class TextStyle:
    color: bool
    numbers: bool
    width: int
    alignment: typing.Literal["argmax", "threshold", "intersection"]
    threshold: float
    units: typing.Literal["auto", "words", "tokens", "subwords"]
    numbered: bool
    title: str | None

@dataclasses.dataclass(frozen=True)
class AttentionPlace:
    sentence: int
    hypothesis: int
    model: str | None

@dataclasses.dataclass(frozen=True)
class CheckPart:
    name: str | None
    pairs: int
    leaking: int
    source_tokens: int
    target_tokens: int
    unknown_source: int
    unknown_target: int

@dataclasses.dataclass(frozen=True)
class CheckTokens:
    source_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"]
    target_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"]
    source_vocabulary: int
    target_vocabulary: int
    source_script: str | None
    target_script: str | None

@dataclasses.dataclass(frozen=True)
class CheckExample:
    finding: typing.Literal["not_utf8", "lacks_column", "empty", "carriage_return", "bad_alignment", "shifted", "swapped", "id", "copy", "wrong_language", "mixed_scripts", "wrong_encoding", "markup", "token_marks", "quoted", "invisible", "duplicate", "near_duplicate", "other_target", "other_source", "length_ratio", "too_long", "same_pair", "same_source", "same_target", "like_pair", "like_source", "like_target"]
    part: int
    line: int
    other_part: int
    other_line: int
    source: str | None
    target: str | None
    problem: str | None
    source_length: int
    target_length: int

@dataclasses.dataclass(frozen=True)
class Encoding:
    text: str | None
    count: int
    ids: int | None
    tokens: str | None
    joined: bool | None

@dataclasses.dataclass(frozen=True)
class Scores:
    loss: float
    perplexity: float
    tokens: int
    sentences: int
    left_out: int
    unknown_source: int
    unknown_target: int
    exact_match: float
    aligned_words: int
    alignment_agreement: float
    metrics: MetricScores

@dataclasses.dataclass(frozen=True)
class Evaluated:
    number: int
    translation: str | None
    reference: str | None
    scores: SentenceMetrics

@dataclasses.dataclass(frozen=True)
class SearchTrial:
    search: Search
    bleu: float
    chrf: float
    by_chrf: bool

@dataclasses.dataclass(frozen=True)
class CheckedTensor:
    name: str | None
    tied_to: str | None
    rows: int
    columns: int
    dimensions: int
    checked: int
    kinks: int
    step: float
    analytic: float
    numerical: float
    error: float
    verdict: typing.Literal["passed", "too small", "failed", "tied", "kink"]

@dataclasses.dataclass(frozen=True)
class GradientReport:
    loss: float
    tokens: int
    guide_loss: float
    linked: int
    unknown_source: int
    unknown_target: int
    tensor_count: int
    tensors: dict[str, CheckedTensor]
    worst: CheckedTensor | None
    passed: bool
    failed: bool

@dataclasses.dataclass(frozen=True)
class TracedLayer:
    side: typing.Literal["source", "target"]
    layer: int
    reverse: bool
    steps: int
    units: int
    states: float | None
    inputs: float | None
    saturated: float | None
    hidden: float | None

@dataclasses.dataclass(frozen=True)
class GradientTrace:
    loss: float
    target_step: int
    source_count: int
    target_count: int
    source_tokens: str | None
    source_known: bool | None
    target_tokens: str | None
    target_known: bool | None
    losses: float | None
    layer_count: int
    layers: TracedLayer | None

@dataclasses.dataclass(frozen=True)
class Bytes:
    data: typing.Any
    count: int

@dataclasses.dataclass(frozen=True)
class Group:
    rank: int
    size: int
    exchange: typing.Literal["ok", "invalid_argument", "bad_data", "no_input", "no_memory", "cannot_create", "io", "interrupted"]
    context: typing.Any
    single_thread: bool

@dataclasses.dataclass(frozen=True)
class ImportInfo:
    format: str | None
    separator: str | None
    has_header: bool
    columns: tuple[int, ...]
    names: tuple[str, ...]
    others: str

@dataclasses.dataclass(frozen=True)
class Machine:
    blas: str | None
    kernels: str | None
    original_kernels: str | None
    choice: typing.Literal["blas", "user", "processor"]
    processor: str | None
    compiled: str | None
    products: str | None
    bfloat16: str | None
    screen: str | None
    threads: int

@dataclasses.dataclass(frozen=True)
class Matrix:
    rows: int
    columns: int
    values: float | None

@dataclasses.dataclass(frozen=True)
class Tensor:
    name: str | None
    rows: int
    columns: int
    values: float | None

@dataclasses.dataclass(frozen=True)
class AttentionInput:
    query_count: int
    key_count: int
    width: int
    value_width: int
    queries: float | None
    keys: float | None
    values: float | None
    parameters: Tensor | None
    parameter_count: int

@dataclasses.dataclass(frozen=True)
class AttentionOutput:
    heads: int
    query_count: int
    key_count: int
    value_width: int
    scores: float | None
    weights: float | None
    sentinel: float | None
    segment_count: int
    segments: float | None
    context: float | None

@dataclasses.dataclass(frozen=True)
class AttentionGradients:
    queries: float | None
    keys: float | None
    values: float | None
    parameters: Tensor | None
    parameter_count: int

@dataclasses.dataclass(frozen=True)
class MetricScores:
    bleu: float
    precisions: tuple[float, ...]
    brevity_penalty: float
    hypothesis_length: int
    reference_length: int
    short_references: int
    chrf: float
    ter: float
    bleu_signature: str
    chrf_signature: str
    ter_signature: str

@dataclasses.dataclass(frozen=True)
class SentenceMetrics:
    bleu: float
    chrf: float
    ter: float

@dataclasses.dataclass(frozen=True)
class Estimate:
    mean: float
    interval: float

@dataclasses.dataclass(frozen=True)
class Compared:
    scores: MetricScores
    bleu: Estimate
    chrf: Estimate
    ter: Estimate

@dataclasses.dataclass(frozen=True)
class PValues:
    bleu: float
    chrf: float
    ter: float

@dataclasses.dataclass(frozen=True)
class History:
    epochs: int
    updates: int
    tokens: int
    work: float

@dataclasses.dataclass(frozen=True)
class SideCounts:
    spaced: int
    unspaced: int
    tokens: int
    distinct: int
    once: int

@dataclasses.dataclass(frozen=True)
class TrainSettings:
    batch_size: int
    batch_tokens: int
    shards: int
    precision: typing.Literal["float32", "bfloat16"]
    learning_rate: float
    optimizer: str
    schedule: str
    warm_up: int
    dropout: float
    attention_dropout: float
    label_smoothing: float
    r_drop: float
    subword_dropout: float
    drop_source_mark: float
    drop_marks: float
    upper_case: float
    title_case: float
    typos: float
    merge: float
    copy_noise: float
    copy_numbers: float
    guide_weight: float
    average: float
    clip_norm: float
    max_length: int
    seed: int
    validate_every: int
    validate_by: str
    bleu_tokens: str
    patience: int

@dataclasses.dataclass(frozen=True)
class Search:
    beam: int
    length_penalty: float

@dataclasses.dataclass(frozen=True)
class ModelInfo:
    embedding_size: int
    hidden_size: int
    layers: int
    cell: str
    layer_norm: bool
    residual: bool
    bidirectional: bool
    attention: str
    attention_heads: int
    attention_window: int
    clause_segments: bool
    encoder_self_attention: int
    decoder_self_attention: int
    plain_self_attention: bool
    attentional_layer: bool
    input_feeding: bool
    arithmetic: str
    tie_embeddings: bool
    source_language: str
    target_language: str
    source_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"]
    target_tokens: typing.Literal["space", "words", "chars", "auto", "bpe", "auto-bpe"]
    normalization: typing.Literal["nfc", "nfkc", "none", "auto", "auto-lower"]
    orthogonal: bool
    min_count: int
    max_vocabulary: int
    subwords: int
    source_subwords: int
    joint_subwords: bool
    training: TrainSettings
    history: History
    version: str | None
    source_vocabulary: int
    target_vocabulary: int
    source_merges: int
    target_merges: int
    source_normalization: typing.Literal["nfc", "nfkc", "none", "auto", "auto-lower", "nfkc-wide", "nfkc-lower"]
    target_normalization: typing.Literal["nfc", "nfkc", "none", "auto", "auto-lower", "nfkc-wide", "nfkc-lower"]
    source_script: str | None
    target_script: str | None
    source_counts: SideCounts
    target_counts: SideCounts
    search: Search
    translate_precision: typing.Literal["float32", "bfloat16", "int8"]
    writes_unknown: bool
    parameters: int
    tensors: int

@dataclasses.dataclass(frozen=True)
class TensorInfo:
    name: str | None
    rows: int
    columns: int
    dimensions: int
    type: typing.Literal["float32", "bfloat16", "float16", "int8"]
    minimum: float
    maximum: float
    mean: float
    deviation: float

@dataclasses.dataclass(frozen=True)
class Option:
    name: str | None
    also: str | None
    label: str | None
    group: str | None
    help: str | None
    argument: str | None
    value: typing.Literal["size", "seed", "real", "flag", "name", "enum", "language"]
    minimum: float
    maximum: float
    choice: typing.Any
    scope: typing.Literal["model", "start", "training", "end", "search", "score", "list", "sampling", "seed", "weights", "limit", "precision", "machine", "text"]
    offset: int
    index: int

@dataclasses.dataclass(frozen=True)
class Pair:
    source: str | None
    target: str | None
    alignment: str | None
    source_length: int
    target_length: int
    alignment_length: int
    file: str | None
    line: int

@dataclasses.dataclass(frozen=True)
class Preset:
    name: str | None
    given: bool | None
    note: typing.Any
    context: typing.Any

@dataclasses.dataclass(frozen=True)
class PartSize:
    pairs: int
    share: float

@dataclasses.dataclass(frozen=True)
class SplitInfo:
    pairs: tuple[int, ...]
    wanted: tuple[int, ...]
    groups: int
    largest: int

@dataclasses.dataclass(frozen=True)
class Suggestion:
    best: str | None
    distance: int

@dataclasses.dataclass(frozen=True)
class AttentionMeasures:
    translations: int
    empty: int
    source_words: bool
    target_words: bool
    source_mixed: bool
    target_mixed: bool
    source_tokens: int
    target_tokens: int
    entropy: float
    entropy_share: float
    covered: float
    coverage_distance: float
    sentinel: float
    end_on_last: float
    words_on_last: float
    diagonality: float
    aligned: int
    links: int
    gold_links: int
    shared_links: int
    alignment_error_rate: float

@dataclasses.dataclass(frozen=True)
class Table:
    title: str | None
    columns: str | None
    column_count: int
    cells: str | None
    row_count: int

@dataclasses.dataclass(frozen=True)
class TrainReport:
    epoch: int
    epochs: int
    update: int
    updates: int
    updates_so_far: int
    tokens: int
    pairs: int
    left_out: int
    unaligned: int
    first_unaligned: Error | None
    unknown_source: float
    unknown_target: float
    marked_source: float
    idle: int
    loss: float
    update_loss: float
    guide_loss: float
    linked: int
    unguided: int
    gradient_norm: float
    learning_rate: float
    skipped: int

@dataclasses.dataclass(frozen=True)
class Validation:
    epoch: int
    update: int
    loss: float
    perplexity: float
    exact_match: float
    bleu: float
    chrf: float
    bleu_signature: str | None
    measure: str | None
    best: bool

@dataclasses.dataclass(frozen=True)
class Snapshot:
    update: int
    removed: int
    others: int
    own: int
    problem: Error | None

@dataclasses.dataclass(frozen=True)
class TranslatedSentence:
    source: tuple[int, int]
    text: tuple[int, int]
    first_source: int
    source_count: int
    first_target: int
    target_count: int
    log_probability: float
    score: float
    ended: bool

@dataclasses.dataclass(frozen=True)
class Translation:
    text: str | None
    source: str | None
    log_probability: float
    score: float
    source_count: int
    target_count: int
    heads: int
    source_tokens: str | None
    source_ids: int | None
    source_known: bool | None
    source_starts: int | None
    source_ends: int | None
    target_tokens: str | None
    target_ids: int | None
    log_probabilities: float | None
    target_starts: int | None
    target_ends: int | None
    ended: bool
    forced: bool
    attention: float | None
    head_attention: float | None
    sentinel: float | None
    segment_count: int
    segment_ends: int | None
    segments: float | None
    source_self_heads: int
    target_self_heads: int
    source_self_attention: float | None
    target_self_attention: float | None
    sentence_count: int
    sentences: TranslatedSentence | None
    source_subwords: bool
    target_subwords: bool
    next: Translation | None

@dataclasses.dataclass(frozen=True)
class Override:
    kind: typing.Literal["uniform", "shuffle", "position", "cell"]
    row: int
    column: int
    weight: float

@dataclasses.dataclass(frozen=True)
class Partial:
    number: int
    part: int
    count: int
    ids: int | None

@dataclasses.dataclass(frozen=True)
class OverrideReach:
    any: bool
    reached: int
    most_targets: int
    most_sources: int

@dataclasses.dataclass(frozen=True)
class Sentence:
    text: str | None
    length: int
    reference: str | None
    reference_length: int
    number: int
    prefix: int | None
    prefix_count: int
    is_text: bool
    part: int
    whole_prefix: bool

@dataclasses.dataclass(frozen=True)
class Warning:
    kind: typing.Literal["none", "script", "variants", "unknown", "number", "improbable"]
    message: str
