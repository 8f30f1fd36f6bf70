/* Model files with weights in eight bits: their contents, and malicious ones. */
#include <math.h>

#include "model_file.h"
#include "tensor/eight_bits.h"

/* The sizes of all tensors of make_model are those of config_of; with `tied`, decoder.out.weight is
 * decoder.embedding.weight. */
static struct model *tied_model(void) {
  static const char *const source[] = {"<unk>", "我", "爱", "学习"};
  static const char *const target[] = {"<unk>", "<s>", "</s>", "love", "a", "b"};
  struct vocabulary_pair vocabularies = {.source_mode = ELMAN_TOKENS_SPACE,
                                         .target_mode = ELMAN_TOKENS_WORDS,
                                         .source = vocabulary_of(source, squares, 4, ELMAN_SOURCE),
                                         .target = vocabulary_of(target, squares, 6, ELMAN_TARGET)};
  struct model_config config = config_of(0, 0, E, H);
  config.attention = "additive";
  config.attentional_layer = config.tie_embeddings = true;
  struct model *model;
  succeeds(model_create(&model, vocabularies, config, &why));
  succeeds(parameters_initialize(model->block, &model->table, INITIAL_PYTORCH, 5, &why));
  return model;
}

static struct stored_tensor find(const struct safetensors *file, const char *name) {
  const struct stored_tensor *tensor = safetensors_find(file, name);
  cr_assert_not_null(tensor, "%s is missing", name);
  return *tensor;
}

static const char *data_of(const char *bytes, struct stored_tensor tensor) {
  return bytes + LENGTH_BYTES + header_length(bytes) + tensor.begin;
}

/* Check the levels and scales of a matrix in the file. */
static void check_matrix(const struct safetensors *file, const char *bytes, const real *weights,
                         const struct parameter *row) {
  char name[128];
  snprintf(name, sizeof name, "%s_scale", row->name);
  const struct stored_tensor levels = find(file, row->name), scales = find(file, name);
  cr_assert_str_eq(levels.type_name, "I8");
  cr_assert_str_eq(scales.type_name, "F32");
  cr_assert(safetensors_has_shape(&levels, 2, row->rows, row->columns));
  cr_assert(safetensors_has_shape(&scales, 2, row->rows, 1));
  for (size_t r = 0; r < row->rows; r++) {
    const real *x = weights + r * row->columns;
    float scale;
    memcpy(&scale, data_of(bytes, scales) + r * sizeof scale, sizeof scale);
    cr_assert_eq(scale, eight_bits_scale(x, row->columns));
    for (size_t c = 0; c < row->columns; c++) {
      const int level = (signed char)data_of(bytes, levels)[r * row->columns + c];
      cr_assert_leq(fabs((double)x[c] - (double)scale * level), 0.5001 * (double)scale);
    }
  }
}

Test(model_file, eight_bits_have_levels_and_scales) {
  owned_model *model = tied_model();
  struct safetensors file;
  size_t expected = 0, length, matrices = 0;
  cr_assert_eq(model_save_as(model, FILE_NAME, ELMAN_INT8, NULL), ELMAN_OK);
  owned char *bytes = get_bytes(FILE_NAME, &length);
  succeeds(safetensors_open(&file, FILE_NAME, &why));
  for (size_t i = 0; i < model->table.count; i++) {
    const struct parameter *row = &model->table.rows[i];
    if (row->alias) {
      cr_assert_null(safetensors_find(&file, row->name), "%s is stored twice", row->name);
    } else if (row->dimensions == 2 && row->rows > 1) {
      check_matrix(&file, bytes, model->block + row->offset, row);
      expected += 2;
      matrices++;
    } else {
      cr_assert_str_eq(find(&file, row->name).type_name, "F32", "%s", row->name);
      cr_assert_eq(find(&file, row->name).begin % sizeof(float), 0);
      expected++;
    }
  }
  cr_assert_eq(file.count, expected);
  cr_assert_gt(matrices, 5);
  cr_assert_str_eq(find(&file, "decoder.attention.score.weight").type_name, "F32", "one row");
  safetensors_close(&file);
}

/* Exactly as float32, and back to the same file. */
Test(model_file, eight_bits_survive_float32) {
  struct model *const models[] = {make_model(), tied_model()};
  for (size_t m = 0; m < 2; m++) {
    owned_model *narrow, *wide;
    cr_assert_eq(model_save_as(models[m], "narrow", ELMAN_INT8, NULL), ELMAN_OK);
    succeeds(model_load(&narrow, "narrow", &why));
    cr_assert_eq(model_precision(narrow), ELMAN_PRECISION_INT8);
    cr_assert_eq(model_save(narrow, "wide", NULL), ELMAN_OK);
    succeeds(model_load(&wide, "wide", &why));
    cr_assert_eq(model_precision(wide), ELMAN_PRECISION_FLOAT32);
    cr_assert_arr_eq(wide->block, narrow->block, wide->table.block * sizeof(real));
    cr_assert_eq(model_save_as(wide, "again", ELMAN_INT8, NULL), ELMAN_OK);
    check_equal_files("narrow", "again");
    for (size_t i = 0; i < narrow->table.count; i++) {
      const struct parameter *row = &narrow->table.rows[i];
      cr_assert_eq(row->stored, row->dimensions == 2 && row->rows > 1 ? ELMAN_INT8 : ELMAN_FLOAT32);
      for (size_t k = 0; row->dimensions == 1 && k < row->rows; k++)
        cr_assert_eq((float)narrow->block[row->offset + k],
                     (float)models[m]->block[row->offset + k]);
    }
    model_free(models[m]);
  }
}

Test(model_file, every_finite_row_has_a_scale) {
  owned_model *model = make_model();
  model->block[1] = (real)NAN;
  fails(model_save_as(model, "narrow", ELMAN_INT8, &why), ELMAN_INVALID_ARGUMENT,
        "encoder.embedding.weight contains a value that is not finite");
  cr_assert_eq(access("narrow", F_OK), -1);
  for (size_t i = 0; i < 3; i++) model->block[i] = 0;
  for (size_t i = 3; i < 6; i++) model->block[i] = (real)3.4028234e38f; /* the largest float */
  succeeds(model_save_as(model, "narrow", ELMAN_INT8, &why));
  owned_model *loaded;
  succeeds(model_load(&loaded, "narrow", &why));
  for (size_t i = 0; i < 3; i++) cr_assert_eq(loaded->block[i], 0);
  for (size_t i = 3; i < 6; i++) cr_assert_float_eq(loaded->block[i], 3.4028234e38, 1e34);
}

/* Another program may store a tied matrix under both names. */
Test(model_file, tied_matrices_may_be_stored_once) {
  owned_model *model = tied_model(), *twice, *once;
  cr_assert_eq(model_save(model, FILE_NAME, NULL), ELMAN_OK);
  succeeds(model_load(&twice, FILE_NAME, &why));
  size_t length;
  owned char *bytes = get_bytes(FILE_NAME, &length);
  owned char *header = strndup(bytes + LENGTH_BYTES, header_length(bytes));
  char *name = strstr(header, "\"decoder.out.weight\"");
  cr_assert_not_null(name);
  char *end = strchr(name, '}') + 2; /* the matrix is not the last tensor: move the bias forward */
  memmove(name, end, strlen(end) + 1);
  remove_checksum(header);
  char *offsets = strrchr(header, '[');
  const unsigned long begin = strtoul(offsets + 1, NULL, 10), size = 6 * E * sizeof(float);
  char moved[64];
  snprintf(moved, sizeof moved, "[%lu,%lu]}}", begin - size, begin - size + 6 * sizeof(float));
  strcpy(offsets, moved);
  char *data = bytes + LENGTH_BYTES + header_length(bytes);
  memmove(data + begin - size, data + begin, 6 * sizeof(float));
  put_file(header, strlen(header), data, begin - size + 6 * sizeof(float));
  succeeds(model_load(&once, FILE_NAME, &why));
  cr_assert_arr_eq(once->block, twice->block, model->table.block * sizeof(real));
}

/* ---- malicious files ---- */

/* The file of make_model in eight bits, without a checksum. */
static struct good_file good_eight_bits(void) {
  struct good_file good;
  size_t length;
  owned_model *model = make_model();
  cr_assert_eq(model_save_as(model, FILE_NAME, ELMAN_INT8, NULL), ELMAN_OK);
  good.bytes = get_bytes(FILE_NAME, &length);
  const uint64_t size = header_length(good.bytes);
  good.header = strndup(good.bytes + LENGTH_BYTES, size);
  good.data = good.bytes + LENGTH_BYTES + size;
  good.data_size = length - LENGTH_BYTES - size;
  remove_checksum(good.header);
  return good;
}

#define NEEDS_SCALES                                                                               \
  "so encoder.embedding.weight_scale must be an F32 tensor with one scale for each row"

Test(model_file, hostile_scales_are_rejected) {
  static const struct {
    const char *find, *replacement, *message;
  } hostile[] = {
      {"encoder.embedding.weight_scale", "encoder.embedding.weight_scales", NEEDS_SCALES},
      {"encoder.embedding.weight_scale", "encoder.embedding.weight_scal", NEEDS_SCALES},
      {"encoder.embedding.weight_scale", "_scale", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"I32\",\"shape\":[4,1]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"BF16\",\"shape\":[8,1]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"F32\",\"shape\":[4]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"F32\",\"shape\":[1,4]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"F32\",\"shape\":[2,2]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"F32\",\"shape\":[4,1,1]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[4,1]", "\"dtype\":\"I8\",\"shape\":[16,1]", NEEDS_SCALES},
      {"\"dtype\":\"F32\",\"shape\":[6]", "\"dtype\":\"I8\",\"shape\":[24]",
       "decoder.out.bias does not have the shape"},
      {"\"dtype\":\"I8\",\"shape\":[4,3]", "\"dtype\":\"I8\",\"shape\":[3,4]",
       "encoder.embedding.weight does not have the shape"},
      {"\"dtype\":\"I8\",\"shape\":[4,3]", "\"dtype\":\"U8\",\"shape\":[4,3]",
       "encoder.embedding.weight is not stored as F32, BF16, F16 or I8"},
      {"\"dtype\":\"I8\",\"shape\":[4,3]", "\"dtype\":\"F16\",\"shape\":[4,3]",
       "shape and data_offsets disagree"}};
  owned_by(free_good) struct good_file good = good_eight_bits();
  put_replaced(&good, "love", "hate");
  cr_assert(refused_or_usable("another word", 0));
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
    put_replaced(&good, hostile[i].find, hostile[i].replacement);
    check_refused(ELMAN_BAD_DATA, hostile[i].message, hostile[i].replacement);
  }
}

/* A vector in eight bits, and a superfluous scale of a matrix of floats. */
Test(model_file, only_matrices_have_scales) {
  owned_by(free_good) struct good_file good = good_file();
  static const char bias[] =
      "\"decoder.out.bias\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[328,352]}";
  put_replaced(
      &good, bias,
      "\"decoder.out.bias\":{\"dtype\":\"I8\",\"shape\":[6],\"data_offsets\":[328,334]},"
      "\"decoder.out.bias_scale\":{\"dtype\":\"U8\",\"shape\":[18],\"data_offsets\":[334,352]}");
  check_refused(ELMAN_BAD_DATA, "decoder.out.bias has type I8, so decoder.out.bias_scale must be",
                "a vector");
  put_replaced(&good, "{\"dtype\":\"F32\",\"shape\":[6,4],\"data_offsets\":[232,328]}",
               "{\"dtype\":\"F32\",\"shape\":[6,4],\"data_offsets\":[232,328]},"
               "\"decoder.out.weight_scale\":{\"dtype\":\"F32\",\"shape\":[6,0],\"data_offsets\":["
               "328,328]}");
  check_refused(ELMAN_BAD_DATA, "it has more tensors than its configuration requires", "a scale");
}

/* Write the file with one number of a tensor replaced. */
static void put_number(const struct good_file *good, size_t at, const void *number, size_t size) {
  char kept[8];
  memcpy(kept, good->data + at, size);
  memcpy(good->data + at, number, size);
  put_file(good->header, strlen(good->header), good->data, good->data_size);
  memcpy(good->data + at, kept, size);
}

Test(model_file, hostile_numbers_in_eight_bits_are_rejected) {
  static const struct {
    float scale;
    const char *message;
  } hostile[] = {{NAN, "encoder.embedding.weight_scale contains a value that is not finite"},
                 {INFINITY, "encoder.embedding.weight_scale contains a value that is not finite"},
                 {-1e-3f, "encoder.embedding.weight has the scale -0.001, which is negative"},
                 {2.7e36f, "encoder.embedding.weight has the scale 2.7e+36, which is too large"}};
  owned_by(free_good) struct good_file good = good_eight_bits();
  struct safetensors file;
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  succeeds(safetensors_open(&file, FILE_NAME, &why));
  const size_t scales = find(&file, "encoder.embedding.weight_scale").begin;
  const size_t levels = find(&file, "encoder.embedding.weight").begin;
  safetensors_close(&file);
  for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
    for (size_t row = 0; row < 4; row++) {
      put_number(&good, scales + row * sizeof(float), &hostile[i].scale, sizeof(float));
      check_refused(ELMAN_BAD_DATA, hostile[i].message, hostile[i].message);
    }
  for (size_t at = 0; at < 12; at++) {
    put_number(&good, levels + at, "\x80", 1);
    check_refused(ELMAN_BAD_DATA, "encoder.embedding.weight contains the level -128", "level");
    put_number(&good, levels + at, "\x81", 1);
    cr_assert(refused_or_usable("level -127", at));
  }
  /* Scales that another program may write: zero, subnormal, not rounded to 17 bits. */
  const float usable[] = {0, 1e-40f, 1.0f / 3};
  for (size_t i = 0; i < sizeof usable / sizeof *usable; i++) {
    put_number(&good, scales, &usable[i], sizeof(float));
    cr_assert(refused_or_usable("scale", i));
  }
}
