/** elman in JavaScript: the translator itself, compiled to WebAssembly. All calls are synchronous except where a
 * Promise is stated; in a page, run them in a Web Worker. Every failure is an ElmanError. */

export class ElmanError extends Error {
  /** "invalid argument", "bad data", "no input", "no memory", "interrupted", "unsupported" or "internal error". */
  code: string
  /** The place of the fault, such as "pairs:12" (a line) or "model"; "" if there is none. */
  where: string
}

export interface Hyperparameter {
  name: string          // "hidden_size": key of the options below
  option: string        // "hidden-size": option of the command
  label: string; group: string; help: string
  scope: "model" | "training"
  type: "size" | "seed" | "real" | "flag" | "choice"
  minimum: number; maximum: number
  choices: string[]     // for "choice"
  default: number | boolean | string
}

/** Hyperparameters by name, such as {hidden_size: 128, attention: "scaled", cell: "gru"}. Unknown names are errors. */
export type Settings = Record<string, number | boolean | string>

export interface SkippedLine { line: number; fault: string; problem: string }
/** Lines count from 1. `skipped` has the first 1,000 skipped lines, `skippedCount` counts all. */
export interface PairsReport { count: number; skippedCount: number; skipped: SkippedLine[] }

export interface ModelInfo {
  settings: Settings            // model settings, and those of the training if known
  parameters: number
  sourceVocabulary: number; targetVocabulary: number   // numbers of tokens
  sourceTokens: string; targetTokens: string           // token modes
  history: { epochs: number; updates: number; tokens: number }
  search: { beam: number; lengthPenalty: number } | null
}

export interface TranslateOptions {
  beam?: number                 // 1 (default) to 1024
  nBest?: number                // 1 (default) to beam
  lengthPenalty?: number; maxLength?: number
  reference?: string            // forced decoding of this target
  prefix?: number[]             // ids of target tokens with which the translation starts
  overrides?: { kind: "uniform" | "shuffle" | "position" | "cell"; row?: number; column?: number; weight?: number }[]
  selfAttention?: boolean
  sample?: boolean; temperature?: number; topK?: number; seed?: number
}

export interface Translation {
  text: string; source: string
  logProbability: number; score: number
  sourceTokens: string[]; sourceIds: number[]; sourceKnown: boolean[]
  sourceStarts: number[]; sourceEnds: number[]         // UTF-16 positions in `source`
  targetTokens: string[]; targetIds: number[]          // the last token is "</s>" if `ended`
  targetStarts: number[]; targetEnds: number[]         // UTF-16 positions in `text`
  logProbabilities: number[]
  ended: boolean; forced: boolean
  attention: number[][]         // (T,S), mean over the heads
  headAttention: number[][][]   // (heads,T,S)
  sentinel: number[] | null     // (T)
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
  loss: number; sourceTokens: string[]; targetTokens: string[]; losses: number[]
  layers: { side: "source" | "target"; layer: number; reverse: boolean; units: number
            states: number[]; inputs: number[]; saturated: number[]       // one number per token
            hidden: number[][] }[]                                        // (tokens, units): hidden states
}
export interface GradientCheck {
  loss: number; passed: boolean; failed: boolean
  tensors: { name: string; rows: number; columns: number; checked: number; analytic: number; numerical: number
             error: number; verdict: string }[]
}

export class Pairs {           // from Elman.readPairs
  readonly report: PairsReport
  free(): void                  // refused while a training validates on the pairs
}

export class Model {
  readonly info: ModelInfo
  translate(text: string, options?: TranslateOptions): Translation[]       // nBest translations, the best first
  /** The most probable tokens at position `position` (from 0) after the tokens before it. */
  alternatives(text: string, targetIds: number[], position: number, count: number): Alternative[]
  evaluate(pairs: Pairs, options?: TranslateOptions): Scores
  /** Begin to train. The model can translate between calls of advance(). */
  train(pairs: Pairs, options?: { settings?: Settings; epochs?: number; dev?: Pairs }): Training
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
  /** End: the model keeps what it learned (the best validated parameters if there are dev pairs). */
  finish(): void
  free(): void
}

export class Elman {
  static load(wasm?: BufferSource | WebAssembly.Module | URL | string): Promise<Elman>
  readonly version: string
  readonly hyperparameters: Hyperparameter[]
  /** Read text with one pair per line: source, tab, target. An error has the skipped lines in `result`. */
  readPairs(text: string | Uint8Array): Pairs
  createModel(pairs: Pairs, settings?: Settings): Model
  loadModel(bytes: Uint8Array): Model
  /** Bytes of memory in use by the module. */
  readonly memory: number
}
