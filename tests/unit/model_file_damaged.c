/* Accidentally damaged model files are rejected or harmless. */
#include <fcntl.h>

#include "model_file.h"

Test(model_file, every_truncation_is_rejected) {
  save_model(FILE_NAME);
  size_t length;
  free(get_bytes(FILE_NAME, &length));
  while (length-- > 0) {
    cr_assert_eq(truncate(FILE_NAME, (off_t)length), 0);
    check_refused(ELMAN_BAD_DATA, "not a valid safetensors file", "cut short");
  }
}

/* Flip bits of every byte of the file in turn. Return how many of these files are accepted; all of
 * them differ within bytes [start, end). */
static size_t flip_every_byte(size_t start, size_t end) {
  static const unsigned char patterns[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xFF};
  size_t length, accepted = 0;
  owned char *bytes = get_bytes(FILE_NAME, &length);
  const int descriptor = open(FILE_NAME, O_WRONLY);
  cr_assert_geq(descriptor, 0);
  for (size_t i = 0; i < length; i++) {
    for (size_t p = 0; p < sizeof patterns; p++) {
      const char flipped = (char)((unsigned char)bytes[i] ^ patterns[p]);
      cr_assert_eq(pwrite(descriptor, &flipped, 1, (off_t)i), 1);
      const bool usable = refused_or_usable("flipped", i);
      accepted += usable;
      if (i < start || i >= end) cr_assert_not(usable, "byte %zu of %zu was changed", i, length);
    }
    cr_assert_eq(pwrite(descriptor, &bytes[i], 1, (off_t)i), 1);
  }
  close(descriptor);
  return accepted;
}

/* Only the checksum's own key is exempt: under another key it is ignored. */
Test(model_file, every_flipped_byte_is_rejected, .timeout = 120) {
  static const char key[] = "elman.checksum";
  save_model(FILE_NAME);
  size_t length;
  owned char *bytes = get_bytes(FILE_NAME, &length);
  const char *found = memmem(bytes, length, key, strlen(key));
  cr_assert_not_null(found);
  flip_every_byte((size_t)(found - bytes), (size_t)(found - bytes) + strlen(key));
}

Test(model_file, flipped_bytes_are_rejected_or_harmless, .timeout = 120) {
  owned_by(free_good) struct good_file good = good_file();
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  const size_t header_end = LENGTH_BYTES + strlen(good.header);
  const size_t accepted = flip_every_byte(LENGTH_BYTES, SIZE_MAX);
  cr_assert_gt(accepted, 0);
  cr_assert_lt(accepted, good.data_size * 9 + header_end);
}

/* ---- the checksum ---- */

Test(model_file, checksum_covers_the_contents) {
  owned_by(free_good) struct good_file good = good_file_with_checksum();
  put_replaced(&good, "\"format\":\"pt\",", "\"format\" : \"\\u0070t\" ,\n");
  cr_assert(refused_or_usable("the same, written in another way", 0));
  put_replaced(&good, "\"format\":\"pt\"", "\"format\":\"np\"");
  check_refused(ELMAN_BAD_DATA, "is damaged or was altered after it was written", "a value");
  put_replaced(&good, "\"format\":\"pt\"", "\"format\":\"pt\",\"more\":\"\"");
  check_refused(ELMAN_BAD_DATA, "its checksum does not match", "an entry more");
  put_replaced(&good, "love", "hate");
  check_refused(ELMAN_BAD_DATA, "its checksum does not match", "a word");
  put_replaced(&good, "xxh64:", "xxh32:");
  check_refused(ELMAN_BAD_DATA, "its checksum does not match", "another sum");
  /* Two tensors of equal shape exchange their positions. */
  put_replaced(
      &good,
      "\"encoder.rnn.bias_ih_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]},"
      "\"encoder.rnn.bias_hh_l0\"",
      "\"encoder.rnn.bias_hh_l0\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[88,96]},"
      "\"encoder.rnn.bias_ih_l0\"");
  check_refused(ELMAN_BAD_DATA, "its checksum does not match", "names");
  good.data[0] ^= 1;
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  check_refused(ELMAN_BAD_DATA, "remove elman.checksum", "a bit");
  remove_checksum(good.header);
  put_file(good.header, strlen(good.header), good.data, good.data_size);
  cr_assert(refused_or_usable("without a checksum", 0));
}
