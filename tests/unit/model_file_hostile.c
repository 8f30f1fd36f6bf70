/* Malicious model files are rejected. */
#include <fcntl.h>
#include <sys/stat.h>

#include "model_file.h"

#include "elman/version.h"

/* ---- defects ---- */

#define HIDDEN "\\\"hidden_size\\\":2"
#define CONFIG_WITH(hidden) "\\\"hidden_size\\\":" hidden
#define OUT_BIAS "\"decoder.out.bias\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[328,352]}"
#define IH_BIAS                                                                                    \
  "\"encoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]}"

#define EPOCHS(value) "\\\"epochs\\\":" value

static const struct {
  const char *find, *replacement, *message;
} hostile[] = {
    /* the history */
    {"elman.training", "elman.trained", "elman.training is missing from its metadata"},
    {"\"elman.training\":\"{", "\"elman.training\":\"[{", "elman.training is not valid JSON"},
    {EPOCHS("0,"), "", "elman.training lacks \"epochs\"; the file was changed, use the original"},
    {EPOCHS("0"), EPOCHS("-1"), "elman.training has a wrong value of \"epochs\": -1"},
    {EPOCHS("0"), EPOCHS("1.5"), "elman.training has a wrong value of \"epochs\": 1.5"},
    {EPOCHS("0"), EPOCHS("0,\\\"hours\\\":1"), "elman.training has the unknown entry \"hours\""},
    {"\\\"batch_size\\\":32,", "", "elman.training lacks \"batch_size\""},
    {"\\\"batch_size\\\":32", "\\\"batch_size\\\":0", "elman.training batch_size must be"},
    /* the configuration */
    {HIDDEN, CONFIG_WITH("0"), "elman.config hidden_size must be a whole number from 1 to"},
    {HIDDEN, CONFIG_WITH("-1"),
     "elman.config hidden_size must be a whole number from 1 to 16384, not -1"},
    {HIDDEN, CONFIG_WITH("1000000000000000000"), "hidden_size must be a whole number from 1 to"},
    {HIDDEN, CONFIG_WITH("-9223372036854775808"), "hidden_size must be a whole number from 1 to"},
    {HIDDEN, CONFIG_WITH("99999999999999999999"),
     "elman.config has a wrong value of \"hidden_size\": 1e20"},
    {HIDDEN, CONFIG_WITH("1e18"), "elman.config has a wrong value of \"hidden_size\": 1e18"},
    {HIDDEN, CONFIG_WITH("2.0"), "elman.config has a wrong value of \"hidden_size\": 2.0"},
    {HIDDEN, CONFIG_WITH("\\\"2\\\""), "elman.config has a wrong value of \"hidden_size\": \"2\""},
    {HIDDEN, CONFIG_WITH("null"), "elman.config has a wrong value of \"hidden_size\": null"},
    {HIDDEN, CONFIG_WITH("2,\\\"hidden_size\\\":2"), "elman.config is not valid JSON"},
    {HIDDEN, CONFIG_WITH("3"), "does not have the shape"},
    {HIDDEN, CONFIG_WITH("16384"), "does not have the shape"},
    {HIDDEN, CONFIG_WITH("2,\\\"dropout\\\":1"), "elman.config has the unknown entry \"dropout\""},
    {HIDDEN ",", "", "elman.config lacks \"hidden_size\""},
    {"embedding_size\\\":3", "embedding_size\\\":0",
     "embedding_size must be a whole number from 1 to"},
    {"embedding_size\\\":3", "embedding_size\\\":2", "encoder.embedding.weight does not have the"},
    {"source_vocabulary\\\":4", "source_vocabulary\\\":0", "the source vocabulary must be between"},
    {"source_vocabulary\\\":4", "source_vocabulary\\\":5", "does not have the shape"},
    {"target_vocabulary\\\":6", "target_vocabulary\\\":16777217",
     "the target vocabulary must be between"},
    {"\\\"scaled\\\"", "\\\"Scaled\\\"", "has a wrong value of \"attention\": \"Scaled\""},
    {"\\\"elman\\\"", "\\\"rnn\\\"", "has a wrong value of \"cell\": \"rnn\""},
    {"\\\"elman\\\"", "\\\"gru\\\"", "does not have the shape"},
    {"\\\"elman\\\"", "0", "has a wrong value of \"cell\": 0"},
    {"\\\"scaled\\\"", "1", "has a wrong value of \"attention\": 1"},
    {"\\\"space\\\"", "\\\"auto\\\"", "names an unknown token mode"},
    {"\\\"words\\\"", "\\\"syllables\\\"", "has a wrong value of \"target_tokens\": \"syllables\""},
    {"\\\"nfkc\\\"", "\\\"nfd\\\"", "_normalization\": \"nfd\""},
    {"\"elman.config\":\"{", "\"elman.config\":\"[{", "elman.config is not valid JSON"},
    {"\"elman.config\":\"{", "\"elman.config\":\"x{", "elman.config is not valid JSON"},
    {"embeddings\\\":false}", "embeddings\\\":false}}", "elman.config is not valid JSON"},
    {"layers\\\":1", "layers\\\":0", "layers must be a whole number from 1 to 8"},
    {"layers\\\":1", "layers\\\":9", "layers must be a whole number from 1 to 8"},
    {"layers\\\":1", "layers\\\":2", "is missing"},
    {"bidirectional\\\":false", "bidirectional\\\":true", "does not have the shape"},
    {"feeding\\\":false", "feeding\\\":true", "input_feeding needs attentional_layer"},
    {"embeddings\\\":false", "embeddings\\\":true", "tie_embeddings needs attentional_layer"},
    {"heads\\\":1", "heads\\\":0", "the number of heads must be between 1 and 64, not 0"},
    {"heads\\\":1", "heads\\\":-1", "attention_heads must be a whole number from 0 to 64"},
    {"heads\\\":1", "heads\\\":3", "attention_heads 3 needs attention multihead"},
    {"heads\\\":1", "heads\\\":2", "attention_heads 2 needs attention multihead"},
    {"window\\\":0", "window\\\":1",
     "attention_window 1 needs attention local or attention hierarchical"},
    {"\\\"scaled\\\"", "\\\"local\\\"", "the attention window must be between 1 and 1000"},
    {"\\\"scaled\\\"", "\\\"multihead\\\"", "decoder.attention.query.weight is missing"},
    {"decoder_self_attention\\\":0", "decoder_self_attention\\\":3", "heads (3) must divide size"},
    {"encoder_self_attention\\\":0", "encoder_self_attention\\\":-2",
     "encoder_self_attention must be a whole number"},
    {"encoder_self_attention\\\":0", "encoder_self_attention\\\":1",
     "encoder.self_attention.query.weight is missing"},
    {"plain_self_attention\\\":false", "plain_self_attention\\\":true",
     "plain_self_attention needs encoder_self_attention or"},
    /* the metadata */
    {"\"elman.config\"", "\"elman.Config\"", "elman.config is missing from its metadata"},
    {"\"elman.format\":\"1\"", "\"elman.format\":\"2\"", "has format 2 of elman"},
    {"\"elman.format\":\"1\",", "", "elman.format is missing from its metadata"},
    {"version\":\"" ELMAN_VERSION, "version\":\"\\u001b[2J",
     "elman.version is not a version number"},
    {"version\":\"" ELMAN_VERSION, "version\":\"1\\noutput = x",
     "elman.version is not a version number"},
    {"version\":\"" ELMAN_VERSION, "version\":\"0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.00",
     "elman.version is not a version number"},
    {"\"elman.source_vocab\"", "\"x\"", "elman.source_vocab is missing from its metadata"},
    {"\"elman.target_counts\"", "\"x\"", "elman.target_counts is missing from its metadata"},
    {"\"__metadata__\"", "\"metadata\"", "lacks dtype, shape or data_offsets"},
    {"\"format\":\"pt\"", "\"format\":1", "__metadata__ contains more than strings"},
    {"\"format\":\"pt\"", "\"format\":null", "__metadata__ contains more than strings"},
    {"\"format\":\"pt\"", "\"format\":[\"pt\"]", "__metadata__ contains more than strings"},
    {"\"format\":\"pt\"", "\"format\":\"pt\",\"format\":\"pt\"", "duplicate key"},
    {"\"__metadata__\":{", "\"__metadata__\":[],\"y\":{", "__metadata__ is not an object"},
    /* the vocabularies */
    {"\\\"<unk>\\\",", "", "elman.source_vocab does not have as many entries"},
    {",\\\"学习\\\"", "", "elman.source_vocab does not have as many entries"},
    {",\\\"学习\\\"", ",\\\"爱\\\"", "elman.source_vocab token 3 of the vocabulary is a duplicate"},
    {",\\\"学习\\\"", ",\\\"\\\"", "token 3 of the vocabulary is empty"},
    {",\\\"学习\\\"", ",\\\"</s>\\\"", "token 3 of the vocabulary must not be a special"},
    {",\\\"学习\\\"", ",7", "contains something other than words and counts"},
    {",\\\"学习\\\"", ",\\\"a\\\\u0000b\\\"", "elman.source_vocab is not valid JSON"},
    {",\\\"学习\\\"", ",\\\"a\\u0000b\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\\\\ud83d\\\"", "elman.source_vocab is not valid JSON"},
    {",\\\"学习\\\"", ",\\\"\xFF\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\xC0\x80\\\"", "header, byte"},
    {",\\\"学习\\\"", ",\\\"\xED\xA0\x80\\\"", "header, byte"},
    {"\\\"<unk>\\\"", "\\\"<UNK>\\\"", "token 0 of the vocabulary must be <unk>"},
    {"\\\"<s>\\\",\\\"</s>\\\"", "\\\"</s>\\\",\\\"<s>\\\"",
     "elman.target_vocab token 1 of the vocabulary must be <s>"},
    {"\"[0,1,4,9]\"", "\"[0,1,4]\"", "does not have as many entries"},
    {"\"[0,1,4,9]\"", "\"[0,1,4,-9]\"", "contains something other than words and counts"},
    {"\"[0,1,4,9]\"", "\"[0,1,4,0.5]\"", "contains something other than words and counts"},
    {"\"[0,1,4,9]\"", "\"{}\"", "does not have as many entries"},
    {"\"[0,1,4,9]\"", "\"\"", "elman.source_counts is not valid JSON"},
    {"[0,1,4,9]", "[0,-1,4,9]", "something other than words and counts"},
    /* the tensors */
    {OUT_BIAS, OUT_BIAS "," OUT_BIAS, "duplicate key"},
    {"," OUT_BIAS, "", "there is data after the last tensor"},
    {"decoder.out.bias", "decoder.out.b", "decoder.out.bias is missing"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[352,352]}",
     "it has more tensors than its configuration requires"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[352,356]}",
     "it is truncated"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}",
     "its tensors overlap or leave a gap"},
    {"[88,96]", "[84,92]", "its tensors overlap or leave a gap"},
    {"[88,96]", "[92,100]", "its tensors overlap or leave a gap"},
    {"[88,96]", "[96,104]", "its tensors overlap or leave a gap"},
    {"[0,48]", "[4,52]", "its tensors overlap or leave a gap"},
    {IH_BIAS ",", "", "its tensors overlap or leave a gap"},
    {"[88,96]", "[96,88]", "shape and data_offsets disagree"},
    {"[88,96]", "[88,95]", "shape and data_offsets disagree"},
    {"[88,96]", "[-8,0]", "shape and data_offsets disagree"},
    {"[88,96]", "[88.0,96.0]", "shape and data_offsets disagree"},
    {"[88,96]", "[88,96,104]", "lacks dtype, shape or data_offsets"},
    {"[88,96]", "[]", "lacks dtype, shape or data_offsets"},
    {"\"shape\":[4,3]", "\"shape\":[3,4]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[12]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[4,3,1]", "encoder.embedding.weight does not have the shape"},
    {"\"shape\":[4,3]", "\"shape\":[1,1,1,4,3]", "more than four dimensions"},
    {"\"shape\":[4,3]", "\"shape\":[-4,-3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4.0,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4611686018427387904,4,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":[4294967296,4294967296,3]", "a shape is impossible"},
    {"\"shape\":[4,3]", "\"shape\":12", "lacks dtype, shape or data_offsets"},
    {OUT_BIAS, OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[0,-1],\"data_offsets\":[352,352]}",
     "a shape is impossible"},
    /* 4 (2^62 - 2) is 344 - 352 in 64 bits. */
    {OUT_BIAS,
     OUT_BIAS ",\"x\":{\"dtype\":\"F32\",\"shape\":[4611686018427387902],"
              "\"data_offsets\":[352,344]}",
     "shape and data_offsets disagree"},
    {IH_BIAS, "\"encoder.rnn.bias_ih_l0\":[]", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\",", "", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":32", "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F32\",\"order\":\"C\"",
     "lacks dtype, shape or data_offsets"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F33\"", "a tensor has an unknown dtype"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"F16\"", "shape and data_offsets disagree"},
    {"\"dtype\":\"F32\"", "\"dtype\":\"I32\"",
     "encoder.embedding.weight is not stored as F32, BF16, F16 or I8"},
    /* the header as a whole */
    {"{\"__metadata__\"", " {\"__metadata__\"", "its header is not a JSON object"},
    {"{\"__metadata__\"", "[{\"__metadata__\"", "its header is not a JSON object"},
    {OUT_BIAS "}", OUT_BIAS "}x", "header, byte"},
    {OUT_BIAS "}", OUT_BIAS, "header, byte"},
};

Test(model_file, hostile_headers_are_rejected) {
  owned_by(free_good) struct good_file good = good_file();
  put_replaced(&good, "love", "hate"); /* a harmless replacement: the method itself works */
  cr_assert(refused_or_usable("another word", 0));
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    put_replaced(&good, hostile[i].find, hostile[i].replacement);
    check_refused(ELMAN_BAD_DATA, hostile[i].message, hostile[i].replacement);
  }
}

/* Other writers sort the entries by name; only their offsets matter. */
Test(model_file, header_order_does_not_matter) {
  owned_by(free_good) struct good_file good = good_file();
  owned char *first = strdup(good.header);
  free(good.header);
  const char *entry = strstr(first, IH_BIAS ","), *end = strrchr(first, '}');
  const size_t length = strlen(IH_BIAS ",");
  cr_assert_not_null(entry);
  const int size = asprintf(&good.header, "%.*s%.*s," IH_BIAS "}", (int)(entry - first), first,
                            (int)(end - entry - (ptrdiff_t)length), entry + length);
  put_file(good.header, (uint64_t)size, good.data, good.data_size);
  cr_assert(refused_or_usable("another order", 0));
}

Test(model_file, missing_metadata_is_rejected) {
  owned_by(free_good) struct good_file good = good_file();
  const char *tensors = strstr(good.header, "\"encoder.embedding");
  owned char *header;
  const int size = asprintf(&header, "{%s", tensors);
  put_file(header, (uint64_t)size, good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "elman.format is missing from its metadata", "no metadata");
}

Test(model_file, impossible_header_lengths_are_rejected) {
  owned_by(free_good) struct good_file good = good_file();
  const uint64_t whole = strlen(good.header) + good.data_size;
  const uint64_t lengths[] = {whole + 8,         100000001,  UINT64_C(1) << 32,
                              UINT64_C(1) << 63, UINT64_MAX, UINT64_MAX - 7};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    memcpy(good.bytes, &lengths[i], sizeof *lengths);
    put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
    check_refused(ELMAN_BAD_DATA,
                  i == 0 ? "it is truncated to" : "the length of its header is impossible",
                  "length");
  }
  /* The limit also applies to a file that is large enough; a sparse file costs nothing. */
  memcpy(good.bytes, &lengths[1], sizeof *lengths);
  put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
  cr_assert_eq(truncate(FILE_NAME, 300000000), 0);
  check_refused(ELMAN_BAD_DATA, "the length of its header is impossible", "over the limit");
  /* An empty header, and a header that extends into the data. */
  const uint64_t short_lengths[] = {0, 1, whole};
  for (size_t i = 0; i < sizeof short_lengths / sizeof *short_lengths; i++) {
    memcpy(good.bytes, &short_lengths[i], sizeof *short_lengths);
    put_bytes(FILE_NAME, good.bytes, LENGTH_BYTES + whole);
    check_refused(ELMAN_BAD_DATA, "header", "length");
  }
}

/* The message states what the file is, when it is no safetensors file. */
Test(model_file, other_kinds_of_files_are_recognized) {
  static const struct {
    const char *bytes;
    size_t length;
    const char *problem;
  } kinds[] = {
#define KIND(bytes, problem) {bytes, sizeof bytes - 1, problem}
      KIND("", "it is empty"),
      KIND("我\t", "it is shorter than 8 bytes"),
      KIND("我爱你。\tI love you.\n", "it is a text file, for example of sentence pairs"),
      KIND("\xCE\xD2\xB0\xAE\xC4\xE3\tI love you.\n", "the length of its header is impossible"),
      KIND("version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
      KIND("\r\n<!doctype HTML><html>", "is a web page (HTML)"),
      KIND("\x1F\x8B\b\0\0\0\0\0\2\3", "is compressed by gzip; decompress it: gzip -d"),
      KIND("PK\3\4\0\0\b\b\0\0best/data.pkl",
           "not a valid safetensors file: it is a PyTorch file; elman reads"),
      KIND("PK\3\4\0\0\b\b\0\0model.safetensors", "is a zip file"),
      KIND("\x80\2\x8A\nl\xFC\x9C\x46\xF9 j\xA8P",
           "is a Python pickle, perhaps an old PyTorch file"),
      KIND("\x93NUMPY\1\0v\0", "is a NumPy array"),
#undef KIND
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    put_bytes(FILE_NAME, kinds[i].bytes, kinds[i].length);
    check_refused(ELMAN_BAD_DATA, kinds[i].problem, kinds[i].problem);
  }
}

Test(model_file, data_of_wrong_size_is_rejected) {
  owned_by(free_good) struct good_file good = good_file();
  const uint64_t header = strlen(good.header);
  owned char *longer = calloc(1, good.data_size + 1);
  memcpy(longer, good.data, good.data_size);
  put_file(good.header, header, longer, good.data_size + 1);
  check_refused(ELMAN_BAD_DATA, "there is data after the last tensor", "trailing byte");
  put_file(good.header, header, longer, 0);
  check_refused(ELMAN_BAD_DATA, "it is truncated", "no data");
}

Test(model_file, weights_must_be_float) {
  owned_by(free_good) struct good_file good = good_file();
  owned char *wider = calloc(1, good.data_size + 6 * sizeof(float));
  memcpy(wider, good.data, good.data_size);
  good.data = wider; /* the six values of the last tensor are now doubles */
  good.data_size += 6 * sizeof(float);
  put_replaced(&good, OUT_BIAS,
               "\"decoder.out.bias\":{\"dtype\":\"F64\",\"shape\":[6],\"data_offsets\":[328,376]}");
  check_refused(ELMAN_BAD_DATA, "decoder.out.bias is not stored as F32, BF16, F16 or I8", "double");
}

/* Tensors of one file may have different types. Infinity and NaN are refused in every type. */
Test(model_file, weights_may_have_half_the_size) {
  static const char *const types[] = {"BF16", "F16"};
  static const uint16_t infinite[] = {0x7F80, 0xFC00}, one[] = {0x3F80, 0x3C00};
  for (size_t t = 0; t < 2; t++) {
    owned_by(free_good) struct good_file good = good_file();
    char header[128];
    uint16_t *last = (uint16_t *)(good.data + 328);
    owned_model *model;
    for (size_t i = 0; i < 6; i++) last[i] = one[t];
    good.data_size = 340;
    snprintf(header, sizeof header,
             "\"decoder.out.bias\":{\"dtype\":\"%s\",\"shape\":[6],\"data_offsets\":[328,340]}",
             types[t]);
    put_replaced(&good, OUT_BIAS, header);
    cr_assert_eq(model_load(&model, FILE_NAME, NULL), ELMAN_OK);
    const struct parameter *bias = &model->table.rows[model->table.count - 1];
    cr_assert_str_eq(bias->name, "decoder.out.bias");
    for (size_t i = 0; i < 6; i++) cr_assert_eq(model->block[bias->offset + i], (real)1);
    last[3] = infinite[t];
    put_replaced(&good, OUT_BIAS, header);
    check_refused(ELMAN_BAD_DATA, "decoder.out.bias contains a value that is not finite", types[t]);
  }
}

Test(model_file, weights_must_be_finite) {
  owned_by(free_good) struct good_file good = good_file();
  const float bad[] = {NAN, -NAN, INFINITY, -INFINITY};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    for (size_t at = 0; at < good.data_size; at += good.data_size / sizeof bad[0] - 1) {
      float kept;
      at -= at % sizeof kept;
      memcpy(&kept, good.data + at, sizeof kept);
      memcpy(good.data + at, &bad[i], sizeof kept);
      put_file(good.header, strlen(good.header), good.data, good.data_size);
      check_refused(ELMAN_BAD_DATA, "contains a value that is not finite", "weights");
      memcpy(good.data + at, &kept, sizeof kept);
    }
  }
  /* The last value of the file. */
  memcpy(good.data + good.data_size - sizeof *bad, &bad[0], sizeof *bad);
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "decoder.out.bias contains a value that is not finite", "last");
}

/* A tensor is read in pieces: a non-finite value must be found in any piece and at any offset. */
Test(model_file, large_tensors_must_be_finite) {
  enum { COUNT = 200001 };
  static const size_t places[] = {0, 4095, 4096, 65535, 65536, 131071, 131072, COUNT - 1};
  owned real *values = calloc(COUNT, sizeof *values), *found = calloc(COUNT, sizeof *found);
  json_t *metadata = json_object();
  cr_assert(values != NULL && found != NULL && metadata != NULL);
  for (size_t i = 0; i < COUNT; i++) values[i] = (real)i;
  const struct tensor_source source = {
      .name = "x", .values = values, .shape = {COUNT}, .dimensions = 1};
  for (size_t i = 0; i <= sizeof places / sizeof *places; i++) {
    const bool good = i == sizeof places / sizeof *places;
    const float bad = i % 2 == 0 ? NAN : -INFINITY;
    FILE *stream = fopen(FILE_NAME, "wb");
    cr_assert_not_null(stream);
    cr_assert_eq(safetensors_write(stream, metadata, &source, 1, NULL), ELMAN_OK);
    if (!good) { /* position from the end, because the tensor is the last of the file */
      cr_assert_eq(fseek(stream, -(long)((COUNT - places[i]) * sizeof bad), SEEK_CUR), 0);
      cr_assert_eq(fwrite(&bad, sizeof bad, 1, stream), 1);
    }
    cr_assert_eq(fclose(stream), 0);
    struct safetensors file;
    cr_assert_eq(safetensors_open(&file, FILE_NAME, NULL), ELMAN_OK);
    const elman_status status = safetensors_read(found, &file, safetensors_find(&file, "x"), &why);
    cr_assert_eq(status, good ? ELMAN_OK : ELMAN_BAD_DATA, "place %zu: %s", i, why.message);
    safetensors_close(&file);
  }
  cr_assert_arr_eq(found, values, COUNT * sizeof *values);
  json_decref(metadata);
}

/* Another process rewrites the file while it is read. */
Test(model_file, file_truncated_during_reading_is_rejected) {
  static const char name[] = "decoder.out.weight";
  for (uint64_t kept = 0; kept < 96; kept += 5) {
    struct safetensors file;
    real values[24];
    save_model(FILE_NAME);
    cr_assert_eq(safetensors_open(&file, FILE_NAME, NULL), ELMAN_OK);
    const struct stored_tensor *tensor = safetensors_find(&file, name);
    cr_assert_not_null(tensor);
    cr_assert_eq(truncate(FILE_NAME, (off_t)(file.data_start + tensor->begin + kept)), 0);
    fails(safetensors_read(values, &file, tensor, &why), ELMAN_IO,
          "cannot read all of decoder.out.weight");
    cr_assert_str_eq(why.where, FILE_NAME);
    safetensors_close(&file);
  }
}

/* Finite weights can still overflow in products. */
Test(model_file, overflowing_weights_are_an_error) {
  owned_model *model = make_model();
  for (size_t i = 0; i < model->table.block; i++) model->block[i] = (real)3e38;
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  cr_assert(refused_or_usable("huge weights", 0));
}

static char *repeated(const char *piece, size_t times, const char *before, const char *after) {
  const size_t length = strlen(piece);
  char *text = malloc(strlen(before) + length * times + strlen(after) + 1);
  cr_assert_not_null(text);
  char *at = stpcpy(text, before);
  for (size_t i = 0; i < times; i++) at = stpcpy(at, piece);
  strcpy(at, after);
  return text;
}

/* A recursive parser would overflow the stack. */
Test(model_file, deep_nesting_is_rejected) {
  owned_by(free_good) struct good_file good = good_file();
  owned char *open = repeated("[", 1000000, "{\"x\":", "");
  put_file(open, strlen(open), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "header, byte", "arrays");
  owned char *objects = repeated("{\"x\":", 1000000, "", "");
  put_file(objects, strlen(objects), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "header, byte", "objects");
  owned char *vocabulary = repeated("[", 1000000, "\"elman.source_vocab\":\"", "\"");
  put_replaced(&good,
               "\"elman.source_vocab\":\"[\\\"<unk>\\\",\\\"我\\\",\\\"爱\\\",\\\"学习\\\"]\"",
               vocabulary);
  check_refused(ELMAN_BAD_DATA, "elman.source_vocab is not valid JSON", "metadata");
}

static void check_no_input(const char *path, const char *message) {
  struct model *model;
  cr_assert_eq(model_load(&model, path, &why), ELMAN_NO_INPUT, "%s", path);
  cr_assert_null(model);
  cr_assert_str_eq(why.where, path);
  cr_assert_not_null(strstr(why.message, message), "%s", why.message);
}

Test(model_file, non_files_are_rejected) {
  check_no_input("missing", "No such file");
  check_no_input(".", "is a directory");
  check_no_input("/dev/null", "is a pipe or a device");
  check_no_input("", "No such file");
  /* Opening a FIFO must not wait for a writer. */
  cr_assert_eq(mkfifo("pipe", 0600), 0);
  check_no_input("pipe", "is a pipe or a device");
}

Test(model_file, unreadable_file_is_reported) {
  if (geteuid() == 0) SKIP_IN_FOLDER("root reads everything");
  save_model(FILE_NAME);
  cr_assert_eq(chmod(FILE_NAME, 0), 0);
  check_no_input(FILE_NAME, "Permission denied");
}
