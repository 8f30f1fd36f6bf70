#include "translate/translator_item.h"

#include <inttypes.h>
#include <math.h>

elman_status encode_checked(struct encoding *encoding, const struct codec *codec, struct text text,
                            elman_error *error) {
  encoding->tokens.count = 0;
  const size_t good = text_valid_prefix(text);
  if (good < text.length)
    return fail(error, ELMAN_BAD_DATA, NULL, "byte %zu is %s", good + 1,
                text.bytes[good] == '\0'
                    ? "NUL, which is no text"
                    : "not valid UTF-8 text; iconv converts text in another encoding");
  const elman_status status = encode(encoding, codec, text, error);
  if (status == ELMAN_OK && encoding->tokens.count > MAX_SENTENCE_TOKENS)
    return fail(error, ELMAN_BAD_DATA, NULL,
                "the sentence has %zu tokens, more than the %d that can be translated; split it",
                encoding->tokens.count, MAX_SENTENCE_TOKENS);
  return status;
}

/* As elman_translate_batch says. */
static const char IN_REFERENCE[] = "reference";

static elman_status encode_reference(struct encoding *encoding, const struct model *model,
                                     const elman_sentence *sentence, elman_error *error) {
  const struct codec codec = model_target_codec(model);
  const struct text reference = {sentence->reference, sentence->reference_length};
  elman_status status = encode_checked(encoding, &codec, reference, error);
  if (status == ELMAN_OK && encoding->tokens.count == 0)
    status = fail(error, ELMAN_BAD_DATA, NULL, "the reference is empty");
  if (status == ELMAN_BAD_DATA) snprintf(error->where, sizeof error->where, "%s", IN_REFERENCE);
  return status;
}

static elman_status encode_source(struct encoding *encoding, const struct model *model,
                                  struct text source, size_t max_bytes, elman_error *error) {
  const struct codec codec = model_source_codec(model);
  if (max_bytes > 0 && source.length > max_bytes) {
    encoding->tokens.count = 0;
    return fail(
        error, ELMAN_BAD_DATA, NULL,
        "the sentence has more than the %zu byte%s that %s allowed; split it, or allow more",
        max_bytes, plural(max_bytes), max_bytes == 1 ? "is" : "are");
  }
  return encode_checked(encoding, &codec, source, error);
}

static size_t limit_of(const elman_translate_options *options, size_t S) {
  if (options->max_ratio == 0) return options->max_length == 0 ? 2 * S + 10 : options->max_length;
  const double product = ceil(options->max_ratio * (double)S);
  const size_t limit = product < 1 ? 1 : product > 1e9 ? (size_t)1000000000 : (size_t)product;
  return options->max_length != 0 && options->max_length < limit ? options->max_length : limit;
}

/* What the search is held to before it may choose. */
static elman_status add_prefix(struct search_request *request, const struct model *model,
                               const elman_sentence *sentence, elman_error *error) {
  const size_t count = sentence->prefix_count;
  const bool unknown = model->merges[ELMAN_TARGET] == NULL;
  for (size_t t = 0; t < count; t++) {
    const uint32_t id = sentence->prefix[t];
    if (id >= model->config.target_vocabulary || id == TOKEN_START || id == TOKEN_END ||
        (id == TOKEN_UNKNOWN && !unknown))
      return fail(error, ELMAN_INVALID_ARGUMENT, NULL,
                  "token %zu of the prefix, %" PRIu32 ", is no token of a translation", t + 1, id);
  }
  request->forced = sentence->prefix;
  request->forced_count = count;
  request->goes_on = true;
  if (request->limit <= count) request->limit = count + 1;
  return ELMAN_OK;
}

elman_status translator_item_encode(struct translator_item *item, const struct model *model,
                                    const elman_sentence *sentence, size_t max_bytes,
                                    elman_error *error) {
  item->given = (struct text){sentence->text, sentence->length};
  item->given_reference = (struct text){sentence->reference, sentence->reference_length};
  item->request = SIZE_MAX;
  item->error = (elman_error){0};
  item->status = encode_source(&item->source, model, item->given, max_bytes, &item->error);
  if (item->status == ELMAN_OK && item->source.tokens.count > 0 && sentence->reference != NULL)
    item->status = encode_reference(&item->reference, model, sentence, &item->error);
  return item->status == ELMAN_OK || item->status == ELMAN_BAD_DATA
             ? ELMAN_OK
             : fail_again(error, &item->error);
}

elman_status translator_item_request(struct search_request *request,
                                     const struct translator_item *item, const struct model *model,
                                     const elman_sentence *sentence,
                                     const elman_translate_options *options, elman_error *error) {
  const size_t S = item->source.tokens.count;
  *request = (struct search_request){.ids = item->source.ids,
                                     .count = S,
                                     .limit = limit_of(options, S),
                                     .number = sentence->number};
  if (sentence->reference != NULL) {
    request->forced = item->reference.ids;
    request->forced_count = item->reference.tokens.count;
  }
  return sentence->prefix_count > 0 ? add_prefix(request, model, sentence, error) : ELMAN_OK;
}
