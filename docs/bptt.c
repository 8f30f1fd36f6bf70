/* The network of bptt.md in one file of C. It trains the initial model of `elman train` on sentence
 * pairs, with the same losses, but in double and one vector at a time. The unit tests compare the
 * fast code in src with these functions. Numbers in brackets are equations.
 *
 *   elman train -q --epochs 0 -o initial.safetensors data/toy.zh-en.tsv
 *   cc -O2 -o bptt docs/bptt.c -lm && ./bptt initial.safetensors data/toy.zh-en.tsv 60 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double *numbers(size_t n) {
  double *values = calloc(n, sizeof *values);
  if (values == NULL) abort();
  return values;
}

/* Replace row by exp(row - max) / Σ exp(row - max), (7) and (10). */
static void softmax(double *row, size_t n) {
  double largest = row[0], sum = 0;
  for (size_t i = 1; i < n; i++) largest = fmax(largest, row[i]);
  for (size_t i = 0; i < n; i++) sum += row[i] = exp(row[i] - largest);
  for (size_t i = 0; i < n; i++) row[i] /= sum;
}

/* A linear map with its accumulated gradients; W is (out,in). */
struct plain_map {
  const double *W, *b;
  double *dW, *db;
  size_t out, in;
};

/* A product of two numbers in a linear map; a test rounds them. */
#ifndef PRODUCT
#define PRODUCT(a, b) ((a) * (b))
#endif

/* Compute y = W x + b. */
static void plain_linear(double *y, const struct plain_map *map, const double *x) {
  for (size_t i = 0; i < map->out; i++) {
    y[i] = map->b[i];
    for (size_t j = 0; j < map->in; j++) y[i] += PRODUCT(map->W[i * map->in + j], x[j]);
  }
}

/* Compute dx += Wᵀ dy, dW += dy xᵀ and db += dy. */
static void plain_linear_backward(double *dx, const struct plain_map *map, const double *dy,
                                  const double *x) {
  for (size_t i = 0; i < map->out; i++) {
    map->db[i] += dy[i];
    for (size_t j = 0; j < map->in; j++) {
      map->dW[i * map->in + j] += PRODUCT(dy[i], x[j]);
      dx[j] += PRODUCT(map->W[i * map->in + j], dy[i]);
    }
  }
}

struct plain_attention {
  size_t T, S, H;
  double alpha;
  const double *d, *e; /* (T,H), (S,H) */
  double *a, *c;       /* (T,S), (T,H) */
};

static void plain_attention(const struct plain_attention *p) {
  for (size_t t = 0; t < p->T; t++) {
    double *a = p->a + t * p->S, *c = p->c + t * p->H;
    for (size_t s = 0; s < p->S; s++) {
      a[s] = 0;
      for (size_t i = 0; i < p->H; i++)
        a[s] += p->alpha * p->d[t * p->H + i] * p->e[s * p->H + i]; /* (6) */
    }
    softmax(a, p->S); /* (7) */
    for (size_t i = 0; i < p->H; i++) {
      c[i] = 0;
      for (size_t s = 0; s < p->S; s++) c[i] += a[s] * p->e[s * p->H + i]; /* (8) */
    }
  }
}

/* Add the gradients to dd (T,H) and de (S,H). */
static void plain_attention_backward(double *dd, double *de, const struct plain_attention *p,
                                     const double *dc) {
  double *da = numbers(p->S);
  for (size_t t = 0; t < p->T; t++) {
    const double *a = p->a + t * p->S;
    double mean = 0;
    for (size_t s = 0; s < p->S; s++) {
      da[s] = 0;
      for (size_t i = 0; i < p->H; i++) {
        da[s] += dc[t * p->H + i] * p->e[s * p->H + i]; /* (15) */
        de[s * p->H + i] += a[s] * dc[t * p->H + i];
      }
      mean += a[s] * da[s];
    }
    for (size_t s = 0; s < p->S; s++) {
      const double du = a[s] * (da[s] - mean); /* (16) */
      for (size_t i = 0; i < p->H; i++) {
        dd[t * p->H + i] += p->alpha * du * p->e[s * p->H + i]; /* (17) */
        de[s * p->H + i] += p->alpha * du * p->d[t * p->H + i];
      }
    }
  }
  free(da);
}

/* Compute (9) to (14) for one of N tokens with the features x = [d ; c]. Return its loss, add its
 * gradients to those of the map, and set dx. Label smoothing: training.md, (73). */
static double plain_output(double *dx, const struct plain_map *map, const double *x, size_t target,
                           double smoothing, size_t N) {
  const size_t V = map->out;
  double *p = numbers(V), loss = 0;
  plain_linear(p, map, x); /* (9) */
  softmax(p, V);           /* (10) */
  for (size_t v = 0; v < V; v++) {
    const double q = smoothing / (double)V + (v == target ? 1 - smoothing : 0); /* (73) */
    loss -= q > 0 ? q * log(p[v]) : 0;                                          /* (11) */
    p[v] = (p[v] - q) / (double)N;                                              /* (12) */
  }
  memset(dx, 0, map->in * sizeof *dx);
  plain_linear_backward(dx, map, p, x); /* (13), (14) */
  free(p);
  return loss;
}

/* Apply (26) to (28): update n of a weight w. The options are the learning rate, β₁, β₂ and ε. */
static void plain_adam(double *w, double *m, double *v, double g, const double options[4],
                       size_t n) {
  const double rate = options[0], beta1 = options[1], beta2 = options[2], epsilon = options[3];
  *m = beta1 * *m + (1 - beta1) * g;     /* (26) */
  *v = beta2 * *v + (1 - beta2) * g * g; /* (27) */
  const double m_hat = *m / (1 - pow(beta1, (double)n)), v_hat = *v / (1 - pow(beta2, (double)n));
  *w -= rate * m_hat / (sqrt(v_hat) + epsilon); /* (28) */
}

/* Side 0 is the encoder, side 1 the decoder. */
struct plain_network {
  size_t H, size;        /* size of states and embeddings; number of weights */
  double *w, *g, *m, *v; /* weights, their gradients, and the means of Adam */
  size_t table[2];       /* place of the embeddings */
  struct plain_map ih[2], hh[2], out;
};

static struct plain_map map_at(const struct plain_network *net, size_t W, size_t b, size_t out,
                               size_t in) {
  return (struct plain_map){net->w + W, net->w + b, net->g + W, net->g + b, out, in};
}

/* Allocate a network whose weights are in the order of the model file. */
static void plain_create(struct plain_network *net, size_t H, size_t V_src, size_t V_tgt) {
  const size_t HH = H * H, size = (V_src + V_tgt) * H + 4 * (HH + H) + V_tgt * (2 * H + 1);
  *net = (struct plain_network){.H = H, .size = size};
  net->w = numbers(size), net->g = numbers(size), net->m = numbers(size), net->v = numbers(size);
  size_t at = 0;
  for (int side = 0; side < 2; side++) {
    net->table[side] = at;
    at += (side == 0 ? V_src : V_tgt) * H;
    net->ih[side] = map_at(net, at, at + 2 * HH, H, H);
    net->hh[side] = map_at(net, at + HH, at + 2 * HH + H, H, H);
    at += 2 * (HH + H);
  }
  net->out = map_at(net, at, at + V_tgt * 2 * H, V_tgt, 2 * H);
}

/* Clip the gradients to a norm of 1, apply Adam to all weights, and clear the gradients. */
static void plain_update(const struct plain_network *net, size_t n) {
  static const double adam[] = {0.001, 0.9, 0.999, 1e-8};
  double squares = 0;
  for (size_t i = 0; i < net->size; i++) squares += net->g[i] * net->g[i];
  const double norm = sqrt(squares), scale = norm > 1 ? 1 / (norm + 1e-6) : 1; /* (25) */
  for (size_t i = 0; i < net->size; i++)
    plain_adam(&net->w[i], &net->m[i], &net->v[i], scale * net->g[i], adam, n);
  memset(net->g, 0, net->size * sizeof *net->g);
}

/* Compute h_t, after the token ids[t - 1], from h_{t-1}. */
static void layer_step(double *h, const struct plain_network *net, int side, const uint32_t *ids,
                       size_t t) {
  const size_t H = net->H;
  double *z = numbers(H), *h_t = h + t * H;
  plain_linear(z, &net->hh[side], h + (t - 1) * H);
  plain_linear(h_t, &net->ih[side], net->w + net->table[side] + ids[t - 1] * H); /* (1), (4) */
  for (size_t i = 0; i < H; i++) h_t[i] = tanh(h_t[i] + z[i]);                   /* (2), (5) */
  free(z);
}

/* On entry dh (T+1,H) is the gradient of the states from above; on return dh_0 is complete. */
static void layer_backward(double *dh, const struct plain_network *net, int side,
                           const uint32_t *ids, size_t T, const double *h) {
  const size_t H = net->H;
  for (size_t t = T; t > 0; t--) {
    const size_t row = net->table[side] + ids[t - 1] * H;
    double *dz = dh + t * H;
    for (size_t i = 0; i < H; i++) dz[i] *= 1 - h[t * H + i] * h[t * H + i];      /* (18), (22) */
    plain_linear_backward(dh + (t - 1) * H, &net->hh[side], dz, h + (t - 1) * H); /* (18), (22) */
    plain_linear_backward(net->g + row, &net->ih[side], dz, net->w + row);        /* (19) to (24) */
  }
}

enum { UNKNOWN, START, END, WORDS = 64 /* most words of a sentence */ };

struct plain_pair {
  uint32_t source[WORDS], inputs[WORDS + 1], labels[WORDS + 1]; /* <s> y_1 .. ; y_1 .. </s> */
  size_t S, T;                                                  /* T counts </s> */
};

/* Add the gradients of the mean loss of N tokens, to which the pair contributes. Return the sum of
 * the pair's losses. */
static double plain_gradient(const struct plain_network *net, const struct plain_pair *pair,
                             size_t N) {
  const size_t H = net->H, S = pair->S, T = pair->T;
  double *e = numbers((S + 1) * H), *d = numbers((T + 1) * H), *a = numbers(T * S);
  double *c = numbers(T * H), *de = numbers((S + 1) * H), *dd = numbers((T + 1) * H);
  double *dc = numbers(T * H), *x = numbers(2 * H), *dx = numbers(2 * H), loss = 0;
  const struct plain_attention attention = {T, S, H, 1, d + H, e + H, a, c};
  for (size_t s = 1; s <= S; s++) layer_step(e, net, 0, pair->source, s);
  memcpy(d, e + S * H, H * sizeof *d); /* (5) */
  for (size_t t = 1; t <= T; t++) layer_step(d, net, 1, pair->inputs, t);
  plain_attention(&attention);
  for (size_t t = 1; t <= T; t++) {
    memcpy(x, d + t * H, H * sizeof *x);
    memcpy(x + H, c + (t - 1) * H, H * sizeof *x);
    loss += plain_output(dx, &net->out, x, pair->labels[t - 1], 0, N);
    memcpy(dd + t * H, dx, H * sizeof *dx);
    memcpy(dc + (t - 1) * H, dx + H, H * sizeof *dx);
  }
  plain_attention_backward(dd + H, de + H, &attention, dc);
  layer_backward(dd, net, 1, pair->inputs, T, d);
  for (size_t i = 0; i < H; i++) de[S * H + i] += dd[i]; /* (21) */
  layer_backward(de, net, 0, pair->source, S, e);
  free(e), free(d), free(a), free(c), free(de), free(dd), free(dc), free(x), free(dx);
  return loss;
}

#define QUOTE "\\\"" /* of a string in a string of JSON */
static size_t number_in(const char *header, const char *key) {
  return strtoul(strstr(header, key) + strlen(key) + strlen(QUOTE ":"), NULL, 10);
}

/* Return the position of a word in a JSON list. */
static uint32_t id_of(const char *list, const char *word) {
  const size_t n = strlen(word);
  for (uint32_t id = 0; *list != ']'; id++) {
    const char *start = strstr(list, QUOTE) + strlen(QUOTE);
    if (strncmp(start, word, n) == 0 && strncmp(start + n, QUOTE, strlen(QUOTE)) == 0) return id;
    list = strstr(start, QUOTE) + strlen(QUOTE);
  }
  return UNKNOWN;
}

/* Read a model: the length of its header, the header, and the weights. Return the header. */
static char *read_model(struct plain_network *net, FILE *file) {
  uint64_t length = 0;
  if (file == NULL || fread(&length, sizeof length, 1, file) != 1) exit(1);
  char *header = calloc(length + 1, 1);
  if (header == NULL || fread(header, length, 1, file) != 1) exit(1);
  plain_create(net, number_in(header, "hidden_size"), number_in(header, "source_vocabulary"),
               number_in(header, "target_vocabulary"));
  float weight;
  for (size_t i = 0; i < net->size && fread(&weight, sizeof weight, 1, file) == 1; i++)
    net->w[i] = (double)weight;
  return header;
}

/* Read a line: the words of the source, a tab, and the words of the target. */
static bool read_pair(struct plain_pair *pair, const char *header, FILE *file) {
  char line[4096], *tab;
  if (fgets(line, sizeof line, file) == NULL || (tab = strchr(line, '\t')) == NULL) return false;
  *tab = '\0';
  const char *list = strchr(strstr(header, "elman.source_vocab"), '[');
  for (char *word = strtok(line, " "); word && pair->S < WORDS; word = strtok(NULL, " "))
    pair->source[pair->S++] = id_of(list, word);
  list = strchr(strstr(header, "elman.target_vocab"), '[');
  pair->inputs[0] = START;
  for (char *word = strtok(tab + 1, " \n"); word && pair->T < WORDS; word = strtok(NULL, " \n"))
    pair->labels[pair->T++] = id_of(list, word);
  memcpy(pair->inputs + 1, pair->labels, pair->T * sizeof *pair->labels);
  pair->labels[pair->T++] = END;
  return true;
}

int main(int argc, char **argv) {
  static struct plain_pair pairs[32]; /* one batch */
  static struct plain_network net;
  if (argc != 4) return 1;
  const char *header = read_model(&net, fopen(argv[1], "rb"));
  FILE *file = fopen(argv[2], "r");
  if (file == NULL) return 1;
  size_t N = 0, count = 0;
  while (count < 32 && read_pair(&pairs[count], header, file)) N += pairs[count++].T;
  for (size_t epoch = 1; epoch <= strtoul(argv[3], NULL, 10); epoch++) {
    double loss = 0;
    for (size_t i = 0; i < count; i++) loss += plain_gradient(&net, &pairs[i], N);
    plain_update(&net, epoch);
    if (epoch == 1 || epoch % 20 == 0) printf("epoch %zu  loss %.4f\n", epoch, loss / (double)N);
  }
  return 0;
}
