#include "elman/suggestion.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { LONGEST_NAME = 32 };

/* ---- names in other programs ---- */

/* A name here, and its names in other programs, separated by spaces. A name of other programs may
 * occur in several rows. */
static const struct {
  const char *here, *elsewhere;
} synonyms[] = {
    /* options and fields */
    {"learning-rate", "step-size eta"},
    {"optimizer", "optimiser optim optimizer-type opt"},
    {"schedule", "scheduler lr-scheduler lr-decay learning-rate-decay decay-schedule"},
    {"warm-up", "warmup warmup-steps warmup-updates lr-warmup lr-warmup-steps num-warmup-steps"},
    {"embedding-size", "embed-dim embedding-dim emb-dim dim-emb emb-size embed-size emsize "
                       "word-vec-size word-vector-size embedding-dimension dim-embedding"},
    {"hidden-size", "hid-dim hidden-dim dim-hidden dim-rnn nhid rnn-size num-units hidden-units "
                    "rnn-hidden-size state-size d-model units"},
    {"layers", "nlayers depth enc-layers dec-layers encoder-layers decoder-layers"},
    {"epochs", "nepochs nepoch"},
    {"layer-norm", "layer-normalization layernorm"},
    {"attention-heads", "nhead nheads num-attention-heads"},
    {"cell", "rnn-type cell-type rnn-cell rnn unit-type rnn-cell-type"},
    {"attention", "attention-type attn-type attention-mechanism global-attention "
                  "attention-function attention-method"},
    {"batch-size", "batch bs mini-batch minibatch mini-batch-size max-sentences"},
    {"batch-tokens", "max-tokens tokens-per-batch mini-batch-words"},
    {"dev", "valid validation val eval valid-set dev-set validation-set validation-data eval-data "
            "valid-sets valid-file validpref"},
    {"model", "checkpoint ckpt weights load load-model model-file model-path model-name"},
    {"output", "model model-file model-path model-name save save-model save-to save-path out dest "
               "destination outfile out-file outputs "
               "save-dir output-dir"},
    {"input", "infile in-file inputs src src-file source source-file file text-file"},
    {"source", "src src-file train-src srcs source-lines"},
    {"target", "tgt tgt-file train-tgt trg tgts target-lines"},
    {"beam", "beam-size beam-width num-beams n-beams beams width"},
    {"n-best", "nbest num-return-sequences num-hypotheses alternatives"},
    {"length-penalty", "lenpen alpha len-alpha length-alpha"},
    {"coverage-penalty", "beta cov-penalty"},
    {"max-length", "max-len max-seq-len max-seq-length max-sentence-length max-sequence-length "
                   "max-decode-length max-new-tokens seq-len"},
    {"temperature", "temp sampling-temperature"},
    {"top-k", "topk sampling-topk"},
    {"sample", "sampling do-sample"},
    {"seed", "random-seed rng-seed random-state manual-seed"},
    {"threads", "workers num-workers cpu-threads cpus cores jobs nproc parallel"},
    {"dropout", "drop drop-prob rnn-dropout"},
    {"clip-norm", "clip clipping grad-clip clip-grad gradient-clip gradient-clipping max-grad-norm "
                  "grad-norm clip-grad-norm max-norm"},
    {"average", "ema ema-decay moving-average exponential-smoothing"},
    {"patience", "early-stopping early-stop early-stopping-patience"},
    {"validate-every", "valid-freq validation-frequency eval-every eval-steps valid-steps "
                       "eval-interval validation-interval"},
    {"validate-by", "metric validation-metric best-metric valid-metrics early-stopping-metric"},
    {"save-every", "save-interval checkpoint-every checkpoint-interval"},
    {"keep-last", "keep-checkpoints keep-checkpoint save-total-limit keep-last-epochs"},
    {"resume", "restore continue restart load-checkpoint train-from"},
    {"init-from", "pretrained finetune fine-tune from-pretrained initial-model load-model"},
    {"bleu-tokens", "tokenize tokenizer"},
    {"source-tokens", "tokenizer tokenization tokenize source-tokenizer src-tokenizer"},
    {"target-tokens", "target-tokenizer tgt-tokenizer"},
    {"subwords", "bpe merges num-merges bpe-merges num-operations bpe-operations"},
    {"merges", "num-operations symbols operations bpe-size"},
    {"max-vocabulary", "vocab-size vocabulary-size vocab vocabulary max-vocab-size num-words"},
    {"min-count",
     "min-word-freq word-min-freq min-freq min-frequency min-word-count vocab-min-frequency"},
    {"bidirectional", "bi birnn brnn bidir bi-directional"},
    {"tie-embeddings", "tied tied-embeddings weight-tying tie-weights share-embeddings "
                       "share-decoder-embeddings share-decoder-input-output-embed"},
    {"joint-subwords", "joint-bpe joined-dictionary share-vocab shared-vocab shared-vocabulary"},
    {"guide", "guided-alignment"},
    {"listen", "port http-port bind address addr"},
    {"token", "api-key api-keys key"},
    {"quiet", "silent"},
    {"replace-unknown", "replace-unk unk-replace"},
    {"hypothesis", "hyp hyps hypotheses"},
    {"reference", "ref refs references"},
    {"force", "overwrite"},
    {"hours", "time-limit max-time max-hours"},
    {"precision", "fp16 bf16 half amp mixed-precision int8"},
    {"dtype", "precision type quantize quantization"},
    /* operands */
    {"pairs", "input data corpus bitext file files train-data training-data train-file data-file"},
    {"text", "sentence sentences"},
    {"model", "inputs models"},
    /* commands */
    {"train", "fit"},
    {"translate", "predict infer decode generate"},
    {"evaluate", "eval test validate bleu"},
    {"repl", "interactive shell"},
    {"serve", "server"},
    {"convert", "quantize quantise"},
    {"learn", "train fit"},
    {"apply", "encode segment"},
    {"inspect", "info show"},
    {"quit", "exit bye"},
    /* choices */
    {"elman", "rnn rnn-tanh vanilla simple simple-rnn tanh srn"},
    {"relu", "rnn-relu irnn"},
    {"additive", "bahdanau mlp concat"},
    {"general", "luong multiplicative bilinear"},
    {"scaled", "scaled-dot scaled-dot-product"},
    {"dot", "dot-product"},
    {"multihead", "multi-head mha transformer"},
    {"local", "local-p"},
    {"bpe", "subword sentencepiece spm wordpiece"},
    {"chars", "char character characters"},
    {"space", "whitespace white-space spaces"},
    {"inverse-sqrt", "noam rsqrt isqrt inverse-square-root"},
    {"plateau", "reduce-on-plateau reduce-lr-on-plateau"},
    {"constant", "fixed"},
    {"float32", "fp32 f32 float single full"},
    {"bfloat16", "bf16"},
    {"float16", "fp16 f16 half"},
    {"int8", "i8 8bit eight-bit q8"},
    {"loss", "cross-entropy nll perplexity ppl"},
};

/* Options of other programs that have no counterpart here. */
static const struct {
  const char *reason, *elsewhere;
} reasons[] = {
    {"elman computes on the processor",
     "gpu gpus n-gpu num-gpus gpu-id gpuid gpu-ids gpu-ranks use-gpu cuda use-cuda no-cuda device "
     "devices cuda-device accelerator"},
    {"the optimizers are adam and muon", "sgd adamw"},
    {"the other settings of Adam are fixed: 0.9, 0.999, 1e-8",
     "momentum adam-betas adam-beta1 adam-beta2 adam-eps adam-epsilon beta1 beta2 epsilon betas"},
    {"there is no weight decay", "weight-decay l2 l2-reg wd"},
    {"the length of training is given in epochs",
     "steps train-steps max-steps max-update max-updates updates num-steps num-train-steps "
     "iterations max-iter n-iters"},
    {"every update uses the given target words (teacher forcing)",
     "teacher-forcing teacher-forcing-ratio scheduled-sampling"},
    {"samples are limited by top-k only", "top-p topp nucleus sampling-topp"},
};

/* ---- comparison ---- */

/* A name in lower case, with '-' for '_'. */
struct name {
  char text[LONGEST_NAME + 1];
  size_t length; /* 0 = empty or too long */
};

static struct name name_of(const char *text) {
  struct name name = {.length = strlen(text)};
  if (name.length > LONGEST_NAME) name.length = 0;
  for (size_t i = 0; i < name.length; i++) {
    const char letter = text[i];
    name.text[i] = letter == '_'                    ? '-'
                   : letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a')
                                                    : letter;
  }
  return name;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

/* Return the edit distance: the number of letters to insert, delete, replace, or swap with a
 * neighbor. */
static size_t edit_distance(const struct name *a, const struct name *b) {
  size_t d[LONGEST_NAME + 1][LONGEST_NAME + 1];
  for (size_t i = 0; i <= a->length; i++) d[i][0] = i;
  for (size_t j = 0; j <= b->length; j++) d[0][j] = j;
  for (size_t i = 1; i <= a->length; i++) {
    for (size_t j = 1; j <= b->length; j++) {
      const char *x = a->text + i - 1, *y = b->text + j - 1;
      d[i][j] = smaller(d[i - 1][j] + 1, d[i][j - 1] + 1);
      d[i][j] = smaller(d[i][j], d[i - 1][j - 1] + (*x != *y));
      if (i > 1 && j > 1 && *x == y[-1] && x[-1] == *y)
        d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a->length][b->length];
}

/* Return whether `word` and `name` are equal, apart from hyphens. `word` ends at a space or NUL. */
static bool is_same(const char *word, const char *name) {
  for (;; word++, name++) {
    word += strspn(word, "-");
    name += strspn(name, "-");
    if (*name == '\0' || *word != *name) return *name == '\0' && (*word == '\0' || *word == ' ');
  }
}

/* Return whether `list` contains the name. */
static bool lists(const char *list, const struct name *name) {
  for (size_t length; *list != '\0'; list += length + (list[length] == ' ')) {
    length = strcspn(list, " ");
    if (is_same(list, name->text)) return true;
  }
  return false;
}

static bool is_synonym(const struct name *typed, const struct name *candidate) {
  for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
    if (strcmp(synonyms[i].here, candidate->text) == 0 && lists(synonyms[i].elsewhere, typed))
      return true;
  return false;
}

/* Return whether `typed` abbreviates `candidate` word by word, for example "attn" and "attention"
 * or "len-pen" and "length-penalty". A word and its abbreviation start with the same letter, and
 * the letters of the abbreviation occur in the word in the same order. */
static bool abbreviates(const char *typed, const char *candidate) {
  enum { FEWEST = 3 };
  if (strlen(typed) < FEWEST) return false;
  while (*typed != '\0') {
    if (*typed != *candidate) return false;
    for (; *candidate != '\0' && *candidate != '-'; candidate++)
      if (*typed == *candidate) typed++;
    if (*typed != *candidate) return false;
    if (*typed == '-') typed++, candidate++;
  }
  return true;
}

/* Return whether `typed` is a beginning or an abbreviation of `candidate`, for example "hidden" for
 * "hidden-size". The edit distance of such a good guess may be large. */
static bool shortens(const struct name *typed, const struct name *candidate) {
  const bool begins =
      typed->length > 1 && strncmp(typed->text, candidate->text, typed->length) == 0;
  return begins || abbreviates(typed->text, candidate->text);
}

/* Remove a word at the start or the end that does not change which option is meant. Return
 * whether there was one. */
static bool remove_filler(struct name *name) {
  static const char first[] =
      "n num nr number max total after use enable with set train training rnn "
      "lstm gru encoder decoder enc dec model word global cross initial init",
                    last[] = "file path name num number count prob probability rate value";
  struct name start = {.length = strcspn(name->text, "-")};
  if (start.length == name->length) return false;
  memcpy(start.text, name->text, start.length);
  if (lists(first, &start)) {
    *name = name_of(name->text + start.length + 1);
    return true;
  }
  char *hyphen = strrchr(name->text, '-');
  const struct name end = name_of(hyphen + 1);
  if (!lists(last, &end)) return false;
  *hyphen = '\0';
  *name = name_of(name->text);
  return true;
}

/* Return whether the names have the same digits: "int4" is no typing error of "int8". */
static bool have_same_digits(const char *a, const char *b) {
  static const char digits[] = "0123456789";
  for (;; a++, b++) {
    a += strcspn(a, digits);
    b += strcspn(b, digits);
    if (*a != *b || *a == '\0') return *a == *b;
  }
}

/* Return whether the names begin alike, or with two letters swapped. */
static bool begin_alike(const struct name *a, const struct name *b) {
  return a->text[0] == b->text[0] || (a->text[0] == b->text[1] && a->text[1] == b->text[0]);
}

/* Return the number of typing errors that a name of this length may have. A short name in which one
 * letter differs is another name: "pos" is not "pot". */
static size_t errors_allowed(size_t length) {
  return length < 4 ? 0 : length < 7 ? 1 : (length + 1) / 4;
}

/* Return whether each word of a name may be a misspelling of the word in the other name:
 * "min-length" is not "max-length". In a short word, one letter may be missing or superfluous.
 * Names with different numbers of words are compared as a whole. */
static bool have_similar_words(const char *a, const char *b) {
  for (;;) {
    const size_t length_a = strcspn(a, "-"), length_b = strcspn(b, "-");
    struct name word_a = {.length = length_a}, word_b = {.length = length_b};
    memcpy(word_a.text, a, length_a);
    memcpy(word_b.text, b, length_b);
    if ((a[length_a] == '\0') != (b[length_b] == '\0')) return true;
    const size_t allowed = errors_allowed(length_a), errors = edit_distance(&word_a, &word_b);
    if (errors > allowed && (errors > 1 || length_a == length_b)) return false;
    if (a[length_a] == '\0') return true;
    a += length_a + 1;
    b += length_b + 1;
  }
}

/* Return the distance from `typed` to `candidate`, or SIZE_MAX if they are not similar. */
static size_t distance(struct name typed, const struct name *candidate) {
  static const char no[] = "no-"; /* the opposite of a candidate is no suggestion */
  if (is_same(candidate->text, typed.text) || is_synonym(&typed, candidate)) return 0;
  if (strncmp(typed.text, no, sizeof no - 1) == 0) return SIZE_MAX;
  if (shortens(&typed, candidate)) return 1;
  const size_t errors = edit_distance(&typed, candidate);
  if (errors <= errors_allowed(typed.length) && begin_alike(&typed, candidate) &&
      have_same_digits(typed.text, candidate->text) &&
      have_similar_words(typed.text, candidate->text))
    return errors;
  while (remove_filler(&typed))
    if (is_same(candidate->text, typed.text) || is_synonym(&typed, candidate) ||
        (typed.length > 2 && shortens(&typed, candidate)) ||
        (typed.length > 4 && edit_distance(&typed, candidate) <= 1))
      return 2;
  return SIZE_MAX;
}

const char *elman_suggestion_reason(const char *typed) {
  const struct name name = name_of(typed);
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons && name.length > 0; i++)
    if (lists(reasons[i].elsewhere, &name)) return reasons[i].reason;
  return NULL;
}

void elman_suggestion_offer(elman_suggestion *suggestion, const char *typed,
                            const char *candidate) {
  const struct name unknown = name_of(typed), known = name_of(candidate);
  if (unknown.length == 0 || known.length == 0) return;
  const size_t found = distance(unknown, &known);
  if (found == SIZE_MAX || (found > 0 && elman_suggestion_reason(typed) != NULL)) return;
  if (suggestion->best != NULL && found >= suggestion->distance) return;
  suggestion->best = candidate;
  suggestion->distance = found;
}
