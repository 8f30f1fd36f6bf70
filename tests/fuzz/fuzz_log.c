/* A log of a training run is refused with a message, or its curves are drawn as finite numbers. */
#include <string.h>

#include "elman/plot.h"
#include "fuzz.h"

bool fuzz_one(const uint8_t *bytes, size_t size) {
  elman_error error = {.message = ""};
  elman_plot_options options = elman_plot_options_default();
  const uint8_t choice = fuzz_take_byte(&bytes, &size);
  elman_run_log *log;
  elman_status status = elman_run_log_read(&log, fuzz_file(bytes, size), &error);
  if (status != ELMAN_OK) {
    REQUIRE(status == ELMAN_BAD_DATA && error.message[0] != '\0' && log == NULL);
    return false;
  }
  options.log_x = (choice & 1) != 0;
  options.log_y = (choice & 2) != 0;
  if ((choice & 4) != 0) options.x_axis = "epoch";
  char *written = NULL;
  size_t length = 0;
  FILE *stream = open_memstream(&written, &length);
  REQUIRE(stream != NULL);
  const elman_run_log *const both[] = {log, log};
  status = elman_plot_draw(stream, both, (choice & 8) != 0 ? 2 : 1, &options, &error);
  REQUIRE(fclose(stream) == 0);
  if (status == ELMAN_OK) {
    REQUIRE(strcmp(written + length - strlen("</svg>\n"), "</svg>\n") == 0);
    REQUIRE(strstr(written, "nan") == NULL && strstr(written, "inf") == NULL);
  } else {
    REQUIRE(status == ELMAN_INVALID_ARGUMENT && error.message[0] != '\0' && length == 0);
  }
  free(written);
  elman_run_log_free(log);
  return status == ELMAN_OK;
}
