/** elman in JavaScript: the translator itself, compiled to WebAssembly. All calls are synchronous except where a
 * Promise is stated; in a page, run them in a Web Worker. Every failure is an ElmanError. An option that is
 * undefined counts as absent; null is refused. */

export class ElmanError extends Error {
  /** "invalid argument", "bad data", "no input", "no memory", "interrupted", "unsupported" or "internal error". */
  code: string
  /** The place of the fault, such as "pairs:12" (a line) or "model"; "" if there is none. */
  where: string
}

export interface Hyperparameter {
  name: string          // "hiddenSize": key of the options below
  option: string        // "hidden-size": option of the command
  label: string; group: string; help: string
  scope: "model" | "training"
  type: "size" | "seed" | "real" | "flag" | "choice"
  minimum: number; maximum: number
  choices: string[]     // for "choice"
  default: number | boolean | string
}

/** Hyperparameters by name, such as {hiddenSize: 128, attention: "scaled", cell: "gru"}. `hyperparameters` describes
 * them. Unknown names, and values of another type or out of range, are errors. */
export interface Settings {
  /* of models: createModel() uses them; train() refuses values that differ from the model */
  embeddingSize?: number
  hiddenSize?: number
  layers?: number
  cell?: "elman" | "relu" | "gru" | "lstm"
  layerNorm?: boolean
  residual?: boolean
  bidirectional?: boolean
  attention?: "dot" | "scaled" | "general" | "additive" | "projected"
    | "multihead" | "local" | "adaptive" | "sentinel" | "hierarchical"
  attentionHeads?: number
  attentionWindow?: number
  clauseSegments?: boolean
  encoderSelfAttention?: number
  decoderSelfAttention?: number
  plainSelfAttention?: boolean
  attentionalLayer?: boolean
  inputFeeding?: boolean
  arithmetic?: "fast" | "portable"
  tieEmbeddings?: boolean
  sourceTokens?: "space" | "words" | "chars" | "auto" | "bpe" | "auto-bpe"
  targetTokens?: "space" | "words" | "chars" | "auto" | "bpe" | "auto-bpe"
  normalization?: "nfc" | "nfkc"
  orthogonal?: boolean
  minCount?: number
  maxVocabulary?: number
  subwords?: number
  sourceSubwords?: number
  jointSubwords?: boolean
  /* of training: train() uses them; createModel() uses seed and maxLength, and stores all */
  batchSize?: number
  batchTokens?: number
  shards?: number
  precision?: "float32" | "bfloat16"
  learningRate?: number
  schedule?: "constant" | "plateau" | "inverse-sqrt" | "linear" | "late-linear"
  warmUp?: number
  dropout?: number
  attentionDropout?: number
  labelSmoothing?: number
  subwordDropout?: number
  guideWeight?: number
  average?: number
  clipNorm?: number
  maxLength?: number
  seed?: number
  validateEvery?: number
  validateBy?: "bleu" | "chrf" | "loss"
  patience?: number
}

export interface SkippedLine { line: number; fault: string; problem: string }
/** Lines count from 1. `skipped` has the first 1,000 skipped lines, `skippedCount` counts all. */
export interface PairsReport { count: number; skippedCount: number; skipped: SkippedLine[] }

export interface ModelInfo {
  settings: Settings            // of the model and of its last training
  parameters: number
  sourceVocabulary: number; targetVocabulary: number   // numbers of tokens
  sourceTokens: string; targetTokens: string           // token modes
  history: { epochs: number; updates: number; tokens: number }
  search: { beam: number; lengthPenalty: number } | null
}

/** Options of a search. Every option takes effect or is refused: unknown names, wrong types, values out of range, and
 * options that have no effect beside others are errors. */
export interface SearchOptions {
  beam?: number                 // 1 (default) to 1024
  lengthPenalty?: number        // 0 to 10, default 1
  lengthNorm?: "power" | "wu"   // default "power"
  coveragePenalty?: number      // 0 (default) to 10
  maxLength?: number            // maximum target tokens, 1 to 1000000
  maxRatio?: number             // maximum target tokens per source token, 0.01 to 1000
  replaceUnknown?: boolean      // source word with the largest attention weight in place of an unknown word
  overrides?: Override[]        // at most 64, applied in order
  seed?: number                 // of sampling and of the override "shuffle", 0 to 2^53 - 1, default 1
}

/** Rows and columns count tokens from 0; a weight is a number from 0 to 1. */
export type Override = { kind: "uniform" | "shuffle" } | { kind: "position"; column: number }
  | { kind: "cell"; row: number; column: number; weight: number }

export interface TranslateOptions extends SearchOptions {
  nBest?: number                // 1 (default) to 1024: translations of different texts; beam defaults to it
  equalTexts?: boolean          // the list may have translations of equal text and different tokens
  reference?: string            // forced decoding of this target; excludes the options of the search
  prefix?: ArrayLike<number>    // ids of target tokens with which the translation starts
  selfAttention?: boolean       // return self-attention weights
  sample?: boolean              // draw each token at random by its probability; excludes beam, nBest and penalties
  temperature?: number; topK?: number                  // of sampling: 0.01 to 100, default 1; 0 (default, all) to 1024
}

/** A translation has the keys of the command's JSON in the spelling of JavaScript. */
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
}

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
  bleu: number; chrf: number; best: boolean
}
export interface Scores { loss: number; perplexity: number; sentences: number; exactMatch: number; bleu: number; chrf: number }

export interface GradientTrace {
  loss: number; targetStep: number                     // token whose loss it is; 0 = the mean of all
  sourceTokens: string[]; sourceKnown: boolean[]; targetTokens: string[]; targetKnown: boolean[]; losses: number[]
  saturatedAbove: number
  layers: { side: "source" | "target"; layer: number; reverse: boolean; units: number
            states: number[]; inputs: number[]; saturated: number[]       // one number per token
            hidden: number[][] }[]                                        // (tokens, units): hidden states
}
export interface GradientCheck {
  loss: number; passed: boolean; failed: boolean
  tensors: { name: string; rows: number; columns: number; checked: number; analytic: number; numerical: number
             error: number; verdict: string }[]
}

export interface TrainOptions {
  settings?: Settings
  epochs?: number               // 0 to 1000000; default: at least 10 epochs and 400 updates
  dev?: Pairs                   // pairs for validation; the best model is kept
  /** State of a training from checkpoint(), to resume it. The pairs, the other options and the model must be those of
   * that training. The model is the one with which it began, or the one that save() returned with the checkpoint. */
  checkpoint?: Bytes
}

/** Any bytes: Uint8Array, Buffer of Node, DataView, ArrayBuffer and so on. */
export type Bytes = ArrayBufferLike | ArrayBufferView

export class Pairs {           // from Elman.readPairs
  readonly report: PairsReport
  free(): void                  // refused while a training validates on the pairs
}

export class Model {
  readonly info: ModelInfo
  translate(text: string, options?: TranslateOptions): Translation[]       // nBest translations, the best first
  /** The most probable tokens at position `position` (from 0) after the tokens before it. */
  alternatives(text: string, targetIds: ArrayLike<number>, position: number, count: number): Alternative[]
  evaluate(pairs: Pairs, options?: SearchOptions): Scores
  /** Begin to train. The model can translate between calls of advance(). */
  train(pairs: Pairs, options?: TrainOptions): Training
  trace(source: string, target: string, step?: number): GradientTrace
  gradientCheck(source: string, target: string, options?: { samples?: number }): GradientCheck
  save(): Uint8Array            // a safetensors file
  free(): void                  // refused while a training uses the model; free the training first
}

export class Training {
  readonly finished: boolean
  readonly last: TrainReport | null
  /** Do updates until `limit` of them are done, `milliseconds` have passed or the training ends. Returns the reports
   * of the updates, and the validations. At least one update is done. */
  advance(limit: number, milliseconds?: number): { reports: TrainReport[]; validations: Validation[]; finished: boolean }
  /** Run to the end; onUpdate may return false to stop. Gives other tasks time between updates. */
  run(onUpdate?: (report: TrainReport) => boolean | void): Promise<void>
  /** The state after the last update, as a file: parameters, moments of Adam, epoch and so on. train() resumes from it. */
  checkpoint(): Uint8Array
  /** End: the model keeps what it learned (the best validated parameters if there are dev pairs). */
  finish(): void
  free(): void
}

export class Elman {
  /** Start the module elman.wasm: from its bytes, from an address relative to the page (in Node: to the working
   * folder), or, without an argument, from the file beside elman.mjs. */
  static load(wasm?: Bytes | WebAssembly.Module | URL | string): Promise<Elman>
  readonly version: string
  readonly hyperparameters: Hyperparameter[]
  /** Read text with one pair per line: source, tab, target. An error has the skipped lines in `result`. */
  readPairs(text: string | Bytes): Pairs
  createModel(pairs: Pairs, settings?: Settings): Model
  loadModel(bytes: Bytes): Model
  /** Bytes of memory in use by the module. */
  readonly memory: number
}
