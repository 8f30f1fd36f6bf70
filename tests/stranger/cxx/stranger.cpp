// Load a model and translate with it, in C++. Usage: stranger MODEL TEXT
#include <elman.h>

#include <cstdio>
#include <cstring>

int main(int argc, char **argv) {
  if (argc != 3) return 64;
  elman_error error;
  elman_model *model = nullptr;
  elman_translator *translator = nullptr;
  elman_translation *translation = nullptr;
  bool good = elman_model_load(&model, argv[1], &error) == ELMAN_OK &&
              elman_translator_create(&translator, model, &error) == ELMAN_OK &&
              elman_translate(&translation, translator, argv[2], std::strlen(argv[2]), nullptr,
                              &error) == ELMAN_OK;
  if (good)
    std::puts(translation->text);
  else
    std::fprintf(stderr, "%s: %s\n", error.where, error.message);
  elman_translation_free(translation);
  elman_translator_free(translator);
  elman_model_free(model);
  return good ? 0 : 1;
}
