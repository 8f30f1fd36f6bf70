/// <reference lib="esnext.disposable" />

/** elman in JavaScript: the translator itself, compiled to WebAssembly. All calls are synchronous except where a
 * Promise is stated; in a page, run them in a Web Worker. Every failure is an ElmanError. An option that is
 * undefined counts as absent; null is refused. */

export class ElmanError extends Error {
  private constructor()
  readonly name: "ElmanError"
  readonly code: "invalid argument" | "bad data" | "no input" | "no memory" | "cannot create" | "input/output" | "interrupted"
    | "unsupported" | "internal error"
  /** The place of the fault, such as "pairs:12" (a line) or "model"; "" if there is none. */
  readonly where: string
  /** Of readPairs: the lines that are not pairs. */
  readonly result?: PairsReport
  /** The error of the system, or the reason of an AbortSignal. */
  readonly cause?: unknown
}

export interface Hyperparameter {
  name: keyof Settings  // "hiddenSize": key of the options below
  option: string        // "hidden-size": option of the command
  label: string; group: string; help: string
  scope: "model" | "training"
  type: "size" | "seed" | "real" | "flag" | "choice" | "language"
  minimum: number; maximum: number
  choices: string[]     // for "choice"
  default: number | boolean | string
}

/** Hyperparameters by name, such as {hiddenSize: 128, attention: "scaled", cell: "gru"}. `hyperparameters` describes
 * them. Unknown names, and values of another type or out of range, are errors. */
export interface Settings {
  /* of models: createModel() uses them; train() refuses values that differ from the model */
  /* options MODEL START */
  embeddingSize?: number        // embedding dimension (1 to 16384, default 128)
  hiddenSize?: number           // dimension of the hidden state (1 to 16384, default 128)
  layers?: number               // number of encoder layers, and of decoder layers (1 to 8, default 1)
  cell?: "elman" | "relu" | "gru" | "lstm"  // recurrent cell (default "elman")
  layerNorm?: boolean           // layer normalization of pre-activations (default false)
  residual?: boolean            // residual connections around every layer after the first (default false)
  bidirectional?: boolean       // bidirectional encoder, half the hidden size in each direction (default false)
  // attention mechanism (default "dot")
  attention?: "dot" | "scaled" | "general" | "additive" | "projected" | "multihead" | "local" | "adaptive" | "sentinel" | "hierarchical"
  attentionHeads?: number       // number of heads of multihead attention; 0 = 4 (0 to 64, default 0)
  // tokens on each side of the center (local) or per segment (hierarchical); 0 = 5 (0 to 1000, default 0)
  attentionWindow?: number
  clauseSegments?: boolean      // clauses, split at punctuation, as segments of hierarchical attention (default false)
  encoderSelfAttention?: number // heads of self-attention over encoder states; 0 disables (0 to 64, default 0)
  decoderSelfAttention?: number // heads of causal decoder self-attention; 0 disables (0 to 64, default 0)
  plainSelfAttention?: boolean  // self-attention without learned projections (default false)
  attentionalLayer?: boolean    // tanh layer over decoder state and context vector (default false)
  inputFeeding?: boolean        // previous attentional vector as additional decoder input (default false)
  // speed or reproducibility; portable is slower and gives the same bits on every processor (default "fast")
  arithmetic?: "fast" | "portable"
  tieEmbeddings?: boolean       // one matrix for target embedding and output layer (default false)
  sourceLanguage?: string       // language of the source text, as a code such as de, pt-BR or zh-Hans (default "")
  targetLanguage?: string       // language of the target text (default "")
  // tokenization of source text (default "auto")
  sourceTokens?: "space" | "words" | "chars" | "auto" | "bpe" | "auto-bpe"
  // tokenization of target text (default "auto")
  targetTokens?: "space" | "words" | "chars" | "auto" | "bpe" | "auto-bpe"
  // Unicode normalization; nfkc also unifies width and punctuation; auto: nfkc of the source, nfc of the target; auto-lower: also lower case of the source, except Chinese and Japanese (default "auto")
  normalization?: "nfc" | "nfkc" | "none" | "auto" | "auto-lower"
  orthogonal?: boolean          // orthogonal initial recurrent matrices, embeddings of norm about 1 (default false)
  // minimum count of a word; rarer words become unknown words (1 to 1000000000, default 1)
  minCount?: number
  maxVocabulary?: number        // maximum vocabulary size per side; 0 = no limit (0 to 1000000000, default 0)
  // BPE with N merge operations per side; 0 = 8000 on a side with bpe (0 to 1000000, default 0)
  subwords?: number
  sourceSubwords?: number       // merge operations of the source side; 0 = same as target (0 to 1000000, default 0)
  jointSubwords?: boolean       // merge operations learned from both sides together (default false)
  /* end of options */
  /* of training: train() uses them; createModel() uses seed and maxLength, and stores all */
  /* options TRAINING END */
  batchSize?: number            // sentence pairs per update (1 to 65536, default 32)
  // maximum tokens per batch, padding included; replaces the batch size; 0 disables (0 to 16777216, default 0)
  batchTokens?: number
  // parts of a batch whose gradients are computed separately and added (1 to 1024, default 1)
  shards?: number
  // operands of large matrix products; bfloat16 is faster on some processors (default "float32")
  precision?: "float32" | "bfloat16"
  learningRate?: number         // learning rate of the optimizer (1e-09 to 1e+30, default 0.001)
  optimizer?: "adam" | "muon"   // optimizer; muon needs fewer updates than adam (default "adam")
  // learning-rate schedule (default "constant")
  schedule?: "constant" | "plateau" | "inverse-sqrt" | "linear" | "late-linear"
  warmUp?: number               // updates of linear learning-rate warm-up (0 to 1000000000, default 0)
  dropout?: number              // dropout probability of embeddings and layer outputs (0 to 0.999999, default 0)
  attentionDropout?: number     // dropout probability of attention weights (0 to 0.999999, default 0)
  labelSmoothing?: number       // label smoothing: probability spread over the vocabulary (0 to 0.999999, default 0)
  // R-Drop: weight of the divergence between the outputs of two dropout masks; 0 disables (0 to 1000, default 0)
  rDrop?: number
  subwordDropout?: number       // BPE-dropout: probability of skipping a merge operation (0 to 0.999999, default 0)
  // probability that a pair loses the final punctuation marks of its source (0 to 1, default 0)
  dropSourceMark?: number
  // probability that a pair loses the final punctuation marks of both sides (0 to 1, default 0)
  dropMarks?: number
  upperCase?: number            // probability that a pair is written in capital letters (0 to 1, default 0)
  titleCase?: number            // probability that the words of a pair begin with capital letters (0 to 1, default 0)
  typos?: number                // probability of typing errors in the source of a pair (0 to 1, default 0)
  merge?: number                // probability that a pair is joined with the next 1 to 3 pairs (0 to 1, default 0)
  // probability that both sides of a pair get the same name, number or symbol (0 to 1, default 0)
  copyNoise?: number
  // probability that numbers on both sides of a pair become <unk> in the target, so that the model learns to copy them (0 to 1, default 0)
  copyNumbers?: number
  guideWeight?: number          // guided-alignment loss weight (0 to 1000, default 0)
  average?: number              // decay of a moving average of the parameters; 0 disables (0 to 0.999999, default 0)
  clipNorm?: number             // maximum gradient norm; 0 = no limit (0 to 1000000000, default 1)
  // maximum tokens per side; longer pairs are skipped; 0 = no limit (0 to 1000000, default 200)
  maxLength?: number
  seed?: number                 // random seed of initialization, shuffling, dropout and augmentation (default 1)
  validateEvery?: number        // updates between validations; 0 = after each epoch (0 to 1000000000, default 0)
  // metric that selects the best model; auto: bleu, or chrf if most references are shorter than 4 words (default "auto")
  validateBy?: "auto" | "bleu" | "chrf" | "loss"
  // tokenization for BLEU; auto follows the script of the target (default "auto")
  bleuTokens?: "auto" | "13a" | "intl" | "zh" | "char" | "none"
  // validations without improvement before training stops; 0 disables (0 to 1000000, default 0)
  patience?: number
  /* end of options */
}

export interface SkippedLine { line: number; fault: string; problem: string }
/** Lines count from 1. `skipped` has the first 1,000 skipped lines, `skippedCount` counts all. */
export interface PairsReport { count: number; skippedCount: number; skipped: SkippedLine[] }

export interface ModelInfo {
  settings: Required<Settings>  // of the model and of its last training
  parameters: number
  sourceVocabulary: number; targetVocabulary: number   // numbers of tokens
  sourceTokens: string; targetTokens: string           // token modes
  history: { epochs: number; updates: number; tokens: number }
  search: { beam: number; lengthPenalty: number } | null
  translatePrecision: "float32" | "int8"               // default of SearchOptions.precision: int8 for an int8 file
}

/** Options of a search. Unknown names, wrong types, values out of range, and most options that have no effect beside
 * others are errors. */
export interface SearchOptions {
  /* options SEARCH SCORE SEED PRECISION */
  beam?: number                 // beam size; 1 = greedy decoding (1 to 1024, default 1)
  // exponent A of the score log p / T^A for T tokens; 0 favors short outputs (0 to 10, default 1)
  lengthPenalty?: number
  lengthNorm?: "power" | "wu"   // base of the length penalty; T for power, (5 + T) / 6 for wu (default "power")
  coveragePenalty?: number      // coverage penalty weight (Wu et al. 2016); 0 disables (0 to 10, default 0)
  // maximum tokens per translation; 0 = 2 S + 10 for S source tokens (0 to 1000000, default 0)
  maxLength?: number
  maxRatio?: number             // maximum target tokens per source token; 0 = no limit (0 to 1000, default 0)
  seed?: number                 // random seed of sampling and of shuffled attention (default 1)
  precision?: "float32" | "int8"  // precision of matrix products; int8 is faster and rounds weights (default "float32")
  /* end of options */
  overrides?: readonly Override[]  // at most 64, applied in order
}

/** Rows and columns count tokens from 0; a weight is a number from 0 to 1. */
export type Override = { kind: "uniform" | "shuffle" } | { kind: "position"; column: number }
  | { kind: "cell"; row: number; column: number; weight: number }

export interface TranslateOptions extends SearchOptions {
  /* options LIST SAMPLING WEIGHTS TEXT */
  // number of best translations per sentence; also the default beam size (1 to 1024, default 1)
  nBest?: number
  equalTexts?: boolean          // n-best lists that may contain equal texts with different tokens (default false)
  // source word with the largest attention weight in place of an unknown word (default false)
  replaceUnknown?: boolean
  sample?: boolean              // random sampling of each token by its probability (default false)
  temperature?: number          // sampling temperature; below 1 favors likely tokens (0.01 to 100, default 1)
  topK?: number                 // number of most likely tokens to sample from; 0 = all (0 to 1024, default 0)
  selfAttention?: boolean       // self-attention weights of encoder and decoder (default false)
  // splitting into sentences; auto splits a typed text, but not the lines of a file (default "auto")
  splitSentences?: "auto" | "on" | "off"
  /* end of options */
  reference?: string            // forced decoding of this target; excludes the options of the search
  // ids of target tokens with which the translation starts; </s> ends the translation of each sentence but the last
  prefix?: ArrayLike<number>
}

/** The keys are keys of the command's JSON in the spelling of JavaScript. */
export interface Translation {
  source: string; text: string
  sourceTokens: string[]; sourceIds: number[]; sourceKnown: boolean[]
  sourceSpans: [number, number][]                      // start and end of each token: UTF-16 positions in `source`
  targetTokens: string[]; targetIds: number[]          // the last token is "</s>" if `ended`
  targetSpans: [number, number][]                      // UTF-16 positions in `text`
  ended: boolean; forced: boolean
  logProbability: number; score: number
  logProbabilities: number[]
  attention: number[][]         // (T,S), mean over the heads
  headAttention: number[][][]   // (heads,T,S)
  sentinel?: number[]           // (T), if the attention has a sentinel
  segmentEnds?: number[]; segments?: number[][]        // (G), (T,G), with hierarchical attention
  sourceSelfAttention?: number[][][]                   // (heads,S,S), with selfAttention if the model has it
  targetSelfAttention?: number[][][]                   // (heads,T,T)
  sentences?: TranslatedSentence[]                     // if the text was split into several
  warning?: Warning             // of the best translation, if it is probably wrong
}

/** A sentence of a text: UTF-16 positions in `source` and `text`, and positions in their lists of tokens. */
export interface TranslatedSentence {
  sourceSpan: [number, number]; textSpan: [number, number]
  sourceTokens: [number, number]; targetTokens: [number, number]
  ended: boolean; logProbability: number; score: number
}

/** Why a translation is probably wrong, and what to do. */
export interface Warning { kind: "script" | "variants" | "unknown" | "number" | "improbable"; message: string }

export interface Alternative { token: string; id: number; probability: number }

export interface TrainReport {
  epoch: number; epochs: number; update: number; updates: number; updatesSoFar: number
  loss: number                  // mean per target token of the epoch so far
  updateLoss: number; gradientNorm: number; learningRate: number
  tokens: number; skipped: number
  unknownSource: number; unknownTarget: number
}
export interface Validation {
  epoch: number; update: number; loss: number; perplexity: number; exactMatch: number
  bleu: number; chrf: number
  bleuSignature: string                                // settings of this BLEU
  measure: "bleu" | "chrf" | "loss"                    // metric that selects the best model
  best: boolean                                        // better than all previous validations, by this metric
}
export interface Scores { loss: number; perplexity: number; sentences: number; exactMatch: number; bleu: number; chrf: number }

export interface GradientTrace {
  loss: number; targetStep: number                     // target token whose loss is `loss`; 0 = the mean over all
  sourceTokens: string[]; sourceKnown: boolean[]; targetTokens: string[]; targetKnown: boolean[]; losses: number[]
  saturatedAbove: number
  layers: { side: "source" | "target"; layer: number; reverse: boolean; units: number
            states: number[]; inputs: number[]; saturated: number[]       // one number per token
            hidden: number[][] }[]                                        // (tokens, units): hidden states
}
/** Encoder-decoder attention of a pair in numbers. The target is given, so each step gets its previous word. */
export interface AttentionNumbers {
  sourceTokens: string[]; targetTokens: string[]       // the last target token is "</s>"
  keys: number[][]; queries: number[][]                // encoder states (S,H), decoder states (T,H)
  scores: (number | null)[][][]                        // (heads,T,S), before the softmax; null where masked
  weights: number[][][]                                // (heads,T,S)
  contexts: number[][]                                 // (T,H)
}
export interface GradientCheck {
  loss: number; passed: boolean; failed: boolean
  tensors: { name: string; rows: number; columns: number; checked: number; analytic: number; numerical: number
             error: number; verdict: string }[]
}

/** Settings on the base of a preset. */
export interface PresetSettings extends Settings {
  /** Named settings for a real corpus, those of `elman train --preset`. They set the options that are not given, and train()
   * fits them to the length of the run; `notes` says what changed. The search is not tuned: pass beam to translate(). */
  preset?: "plain" | "quick" | "small" | "base" | "strong"
}

export interface TrainOptions {
  settings?: PresetSettings
  epochs?: number               // 0 to 1000000; default: at least 10 epochs and 400 updates
  dev?: Pairs                   // pairs for validation; the best model is kept
  /** State of a training from checkpoint(), to resume it. The pairs, the other options and the model must be those of
   * that training. The model is the one with which it began, or the one that save() returned with the checkpoint. */
  checkpoint?: Bytes
}

/** Any bytes: Uint8Array, Buffer of Node, DataView, ArrayBuffer and so on. */
export type Bytes = ArrayBufferLike | ArrayBufferView

/** Bytes that must be waited for: a Blob, a File or a Response, or a promise of one, such as fetch(address). */
export type Pending = HasBytes | PromiseLike<Bytes | HasBytes>
interface HasBytes { arrayBuffer(): Promise<ArrayBufferLike> }

/** Options of calls that take long. After an abort, the promise is rejected with an ElmanError whose code is
 * "interrupted" and whose cause is the reason of the signal. */
export interface Abortable { signal?: AbortSignal }

/** An object in the memory of the module, until free() or the end of the block of `using`. */
declare class Handle {
  protected constructor()
  private readonly connection: unknown
  free(): void
  [Symbol.dispose](): void
}

/** From Elman.readPairs. free() is refused while a training validates on the pairs. */
export class Pairs extends Handle {
  private constructor()
  readonly report: PairsReport
}

/** From Elman.createModel or Elman.loadModel. free() is refused while a training uses the model. */
export class Model extends Handle {
  private constructor()
  readonly info: ModelInfo
  readonly notes: string[]   // what createModel() changed in the preset
  /** Translate a text, by default each of its sentences by itself. */
  translate(text: string, options?: TranslateOptions): Translation[]       // nBest translations, the best first
  /** Translate each text by itself, and give other tasks time between texts. */
  translateAll(texts: readonly string[], options?: TranslateOptions & Abortable): Promise<Translation[][]>
  /** The most probable tokens of the translation of a sentence at position `position` (from 0) after the tokens before it. */
  alternatives(text: string, targetIds: ArrayLike<number>, position: number, count: number): Alternative[]
  evaluate(pairs: Pairs, options?: SearchOptions): Scores
  /** Begin to train. The model can translate between calls of advance(). */
  train(pairs: Pairs, options?: TrainOptions): Training
  trace(source: string, target: string, step?: number): GradientTrace
  /** Refused for a model with self-attention or clause segments. */
  attend(source: string, target: string): AttentionNumbers
  gradientCheck(source: string, target: string, options?: { samples?: number }): GradientCheck
  save(): Uint8Array                      // a safetensors file
}

/** From Model.train. Free it before its model. */
export class Training extends Handle {
  private constructor()
  readonly finished: boolean
  readonly last: TrainReport | null
  readonly notes: string[]   // what train() changed in the preset
  /** Do updates until `limit` of them are done, `milliseconds` have passed or the training ends. Returns the reports
   * of the updates, and the validations. At least one update is done. */
  advance(limit: number, milliseconds?: number): { reports: TrainReport[]; validations: Validation[]; finished: boolean }
  /** Run to the end; onUpdate may return false to stop. Gives other tasks time between updates. After an abort, the
   * training is as after its last update: run() continues it, finish() ends it. */
  run(onUpdate?: (report: TrainReport) => boolean | void, options?: Abortable): Promise<void>
  /** The state after the last update, as a file: parameters, moments of the optimizer, epoch and so on. train() resumes from it. */
  checkpoint(): Uint8Array
  /** End: the model keeps what it learned (the best validated parameters if there are dev pairs). */
  finish(): void
}

export class Elman {
  private constructor()
  /** Start the module elman.wasm: from its bytes, from an address relative to the page (in Node: the name of a file), or,
   * without an argument, from the file of the package. */
  static load(wasm?: Bytes | Pending | URL | string | (object & WebAssembly.Module)): Promise<Elman>
  readonly version: string
  readonly hyperparameters: readonly Hyperparameter[]
  /** Read text with one pair per line: source, tab, target. An error has the skipped lines in `result`. */
  readPairs(text: string | Bytes): Pairs
  readPairs(text: Pending): Promise<Pairs>
  readPairs(text: string | Bytes | Pending): Pairs | Promise<Pairs>
  createModel(pairs: Pairs, settings?: PresetSettings): Model
  /** Read a safetensors file. */
  loadModel(file: Bytes): Model
  loadModel(file: Pending): Promise<Model>
  loadModel(file: Bytes | Pending): Model | Promise<Model>
  /** Bytes of memory in use by the module. */
  readonly memory: number
}

export {} // nothing but what is marked
