/* Shared by the parts of the glue: the objects of JavaScript, and the methods that a request can
 * name. */
#ifndef ELMAN_JAVASCRIPT_GLUE_H
#define ELMAN_JAVASCRIPT_GLUE_H

#include <jansson.h>

#include "elman.h"
#include "request.h"

/* Objects of JavaScript are numbers here: 1 + index in this list. */
enum kind { FREE, MODEL, PAIRS, TRAINING };

struct object {
  enum kind kind;
  elman_model *model;
  elman_translator *translator; /* of a model */
  elman_tensor *attention;      /* of a model: parameters that attend() has read, or NULL */
  size_t attention_count;
  elman_pairs *pairs;
  elman_training *training;
  struct training_log *log; /* of a training */
  struct object *trained;   /* of a training: the model */
  const struct object *dev; /* and the dev pairs, or NULL */
};

enum { MAX_OBJECTS = 4096 };

/* Give the object a number. */
elman_status object_add(size_t *number, struct object object, elman_error *error);

/* Get the object with a number. `name` is its name in messages. */
elman_status object_get(struct object **object, size_t number, enum kind kind, const char *name,
                        elman_error *error);

/* Forget what was read from the parameters of a model: call before they change. */
void forget_parameters(struct object *model);

/* The field for the number of an object that a request must name. */
#define OBJECT_FIELD(key, number)                                                                  \
  { .name = (key), .needed = true, .count = &(number), .least = 1, .most = MAX_OBJECTS }

/* Read a request that names nothing but an object. */
elman_status read_object(struct object **object, const json_t *request, const char *name,
                         enum kind kind, elman_error *error);

/* ---- settings.c ---- */

/* Read the options of the scopes that the object has; given[row->index] states which. */
elman_status read_options(unsigned scopes, void *fields, bool given[ELMAN_MAX_OPTIONS],
                          const json_t *object, elman_error *error);

/* Settings of a request. One object may set options of models and of training. */
struct settings {
  elman_model_options model;
  elman_train_options training;
  bool given[ELMAN_MAX_OPTIONS];
  elman_preset preset; /* points to `given`; its notes are appended to the array `context` */
};

/* Read settings, without the preset and without the rules between options. `notes` is an array. */
elman_status read_settings(struct settings *settings, const json_t *object, json_t *notes,
                           elman_error *error);

/* Refuse settings of the model that differ from the model: training cannot change them. A value of
 * 0 or "auto" leaves the choice to the library. */
elman_status check_settings(const elman_model *model, const struct settings *settings,
                            elman_error *error);

/* Return the value of a row as JSON; `fields` are options or properties of a model. */
json_t *value_of(const elman_option *row, const void *fields);

/* Set the values of all rows of the scopes in an object. */
void put_settings(json_t *into, unsigned scopes, const void *fields);

/* ---- search.c ---- */

/* Options of a translation, and the memory to which they point. */
struct search {
  elman_translate_options options;
  elman_override overrides[ELMAN_MAX_OVERRIDES];
  uint32_t *prefix;
  elman_sentence sentence;
};

/* Read the options of a search with this model; defaults are those of elman_translate, with the
 * precision and `replace_unknown` of the model. Options of one text, such as its reference, are
 * refused if `of_text` is false. The caller frees the search, also after an error. */
elman_status read_search(struct search *search, const elman_model *model, const json_t *given,
                         bool of_text, elman_error *error);

/* Read `count` ids of tokens; the translation begins with them. */
elman_status read_prefix(struct search *search, const json_t *list, size_t count,
                         elman_error *error);
void search_options_free(struct search *search);

/* ---- methods. Each reads its request and sets *result. ---- */

typedef elman_status method(json_t **result, const json_t *request, elman_error *error);
method method_alternatives, method_evaluate; /* translate.c */
method method_gradient_check;                /* gradients.c */
method method_create_training, method_advance, method_finish, method_save_training; /* training.c */

/* Methods that write the whole answer themselves; they write nothing after an error. */
typedef elman_status writing_method(FILE *answer, const json_t *request, elman_error *error);
writing_method write_translations, write_trace,
    write_attend; /* translate.c, gradients.c, attend.c */

enum { DIGITS = 17 }; /* significant digits of numbers in answers; they preserve doubles */

/* A number of a result; null if it is not finite. */
json_t *number_json(double value);

#endif
