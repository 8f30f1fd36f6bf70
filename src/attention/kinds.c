#include "attention/kinds.h"

#include <stdio.h>
#include <string.h>
#include <tgmath.h>

/* The parts in the order of the model file. */
enum weight {
  QUERY_WEIGHT = 1 << 0,
  QUERY_BIAS = 1 << 1,
  KEY_WEIGHT = 1 << 2,
  KEY_BIAS = 1 << 3,
  VALUE_WEIGHT = 1 << 4,
  VALUE_BIAS = 1 << 5,
  OUT_WEIGHT = 1 << 6,
  OUT_BIAS = 1 << 7,
  SCORE_WEIGHT = 1 << 8,
  CENTER_WEIGHT = 1 << 9,
  CENTER_SCORE_WEIGHT = 1 << 10
};
enum {
  PROJECTIONS = QUERY_WEIGHT | QUERY_BIAS | KEY_WEIGHT | KEY_BIAS | VALUE_WEIGHT | VALUE_BIAS
};

static const struct {
  const char *name;
  unsigned parts;
  bool scaled; /* the score is divided by the root of a head's size */
  score_forward *forward;
  score_backward *backward;
} kinds[] = {
    [ATTENTION_DOT] = {"dot", 0, false, score_product_forward, score_product_backward},
    [ATTENTION_SCALED] = {"scaled", 0, true, score_product_forward, score_product_backward},
    [ATTENTION_GENERAL] = {"general", QUERY_WEIGHT, false, score_product_forward,
                           score_product_backward},
    [ATTENTION_ADDITIVE] = {"additive", QUERY_WEIGHT | QUERY_BIAS | KEY_WEIGHT | SCORE_WEIGHT,
                            false, score_additive_forward, score_additive_backward},
    [ATTENTION_PROJECTED] = {"projected", PROJECTIONS, true, score_product_forward,
                             score_product_backward},
    [ATTENTION_MULTIHEAD] = {"multihead", PROJECTIONS | OUT_WEIGHT | OUT_BIAS, true,
                             score_product_forward, score_product_backward},
    [ATTENTION_LOCAL] = {"local", QUERY_WEIGHT | CENTER_WEIGHT | CENTER_SCORE_WEIGHT, false,
                         score_product_forward, score_product_backward},
};

const char *attention_name(enum attention_kind kind) {
  return kind < sizeof kinds / sizeof *kinds ? kinds[kind].name : NULL;
}

bool attention_parse(enum attention_kind *kind, const char *name) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(kinds[i].name, name) == 0) {
      *kind = (enum attention_kind)i;
      return true;
    }
  }
  return false;
}

/* "1, 2, 4, 8": the numbers of heads that divide the size. */
static void list_divisors(char *text, size_t capacity, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (size_t n = 1; n <= size && n <= MAX_HEADS; n++) {
    if (size % n != 0) continue;
    const int written = snprintf(text + used, capacity - used, "%s%zu", used == 0 ? "" : ", ", n);
    if (written < 0 || (size_t)written >= capacity - used) return;
    used += (size_t)written;
  }
}

/* Sizes and options that only the functions for plain matrices allow. */
static elman_status check_plain(const struct attention_config *config, elman_error *error) {
  const char *name = kinds[config->kind].name;
  const struct attention_needs needs = attention_needs(config->kind);
  const size_t width = attention_value_size(*config);
  if (config->heads > 1 && (needs.score || needs.center))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention has one head, not %zu; multihead, scaled or dot can have several",
                name, config->heads);
  if (width != config->size && needs.value)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention maps its values, which must be as wide as the queries: %zu, not %zu",
                name, config->size, width);
  if (width % config->heads != 0)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%zu heads do not divide values of a width of %zu", config->heads, width);
  if (!isfinite(config->scale))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "the scale must be a finite number");
  if (config->scale != 0 && needs.score)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL, "%s attention is no product and has no scale",
                name);
  if (config->divide_by_sum && needs.center)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "%s attention needs the softmax; it cannot divide by the sum", name);
  return ELMAN_OK;
}

elman_status attention_config_check(const struct attention_config *config, elman_error *error) {
  if (config->heads < 1 || config->heads > MAX_HEADS)
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the number of heads must lie between 1 and %d, not %zu", MAX_HEADS, config->heads);
  if (config->size % config->heads != 0) {
    char divisors[256];
    list_divisors(divisors, sizeof divisors, config->size);
    const size_t below = config->size / config->heads * config->heads;
    return fail(
        error, ELMAN_INVALID_ARGUMENT, NULL,
        "%zu heads do not divide a size of %zu: it can have %s heads, and %zu heads can have "
        "%zu or %zu units",
        config->heads, config->size, divisors, config->heads, below > 0 ? below : 2 * config->heads,
        below + config->heads);
  }
  const elman_status status = check_plain(config, error);
  if (status != ELMAN_OK) return status;
  const bool local = config->kind == ATTENTION_LOCAL;
  if (local && (config->window < 1 || config->window > MAX_WINDOW))
    return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                "the attention window must lie between 1 and %d, not %zu", MAX_WINDOW,
                config->window);
  return ELMAN_OK;
}

bool attention_part_at(struct attention_part *part, struct attention_parameters *p,
                       enum attention_kind kind, size_t index) {
  const struct attention_part all[] = {
      {"query.weight", 2, false, &p->query_weight},
      {"query.bias", 1, false, &p->query_bias},
      {"key.weight", 2, false, &p->key_weight},
      {"key.bias", 1, false, &p->key_bias},
      {"value.weight", 2, false, &p->value_weight},
      {"value.bias", 1, false, &p->value_bias},
      {"out.weight", 2, false, &p->out_weight},
      {"out.bias", 1, false, &p->out_bias},
      {"score.weight", 2, true, &p->score_weight},
      {"center.weight", 2, false, &p->center_weight},
      {"center_score.weight", 2, true, &p->center_score_weight},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    if ((kinds[kind].parts >> i & 1) == 0 || index-- > 0) continue;
    *part = all[i];
    return true;
  }
  return false;
}

size_t attention_part_size(const struct attention_part *part, size_t H) {
  return part->dimensions == 2 && !part->one_row ? H * H : H;
}

struct attention_needs attention_needs(enum attention_kind kind) {
  const unsigned parts = kinds[kind].parts;
  return (struct attention_needs){.query = parts & QUERY_WEIGHT,
                                  .key = parts & KEY_WEIGHT,
                                  .value = parts & VALUE_WEIGHT,
                                  .out = parts & OUT_WEIGHT,
                                  .score = parts & SCORE_WEIGHT,
                                  .center = parts & CENTER_WEIGHT};
}

size_t attention_value_size(struct attention_config config) {
  return config.value_size > 0 ? config.value_size : config.size;
}

real attention_scale(struct attention_config config) {
  if (config.scale != 0) return config.scale;
  return kinds[config.kind].scaled ? 1 / sqrt((real)(config.size / config.heads)) : 1;
}

score_forward *attention_score_forward(enum attention_kind kind) {
  return kinds[kind].forward;
}

score_backward *attention_score_backward(enum attention_kind kind) {
  return kinds[kind].backward;
}
