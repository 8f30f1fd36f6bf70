"""Train recurrent translators with attention, translate, and look at attention weights as NumPy arrays.

    import elman

    pairs = elman.Pairs([("我 爱 学习", "I love studying"), ("他 在 喝 茶", "He is drinking tea")])
    model = elman.Model.create(pairs, attention="scaled", hidden_size=64)
    model.train(pairs, epochs=100)
    translation = model.translate("我 爱 学习")
    print(translation.text, translation.attention)    # (T,S)
    model.save("toy.safetensors")

Options are the fields of the structs in elman/*.h, by name: `train` takes those of elman_train_options, and so on;
help(elman.Model.train) lists them. Values of enums are words such as "bpe". An option with a wrong value
raises ValueError, and so do most options without effect; an unknown option raises TypeError. Other errors of the
library raise Error with its message. The memory of an object is freed at the end of `with`, in close(), or when
nothing refers to it any more. A model processes one call at a time: other threads wait.

`elman.library` has every function of the C library by its name, and `elman.records` the classes of its results."""

import pathlib as _pathlib

from elman import records
from elman._library import Error, FileError, TranslationError, library
from elman._metrics import Comparison, bleu, chrf, compare, metrics
from elman._model import Model, train
from elman._pairs import Pair, Pairs
from elman._training import Epoch, Training
from elman._translation import Sentence, Translation

__all__ = ["Comparison", "Epoch", "Error", "FileError", "Model", "Pair", "Pairs", "Sentence", "Training", "Translation",
           "TranslationError", "bleu", "chrf", "compare", "data", "library", "metrics", "records", "train"]
__version__ = library.elman_version().decode()


def data(name: str) -> _pathlib.Path:
    """Return the path of a file that comes with elman: a model, such as "everyday.zh-en.safetensors", or sentence pairs,
    such as "toy.zh-en.tsv"."""
    here = _pathlib.Path(__file__).resolve().parent
    # In a wheel, in the source tree, or below the prefix of the modules or of the system's packages.
    folders = [here / "data", here.parent.parent / "data",
               *(parent / "share/elman/data" for parent in [*here.parents][1:4]), _pathlib.Path("/usr/share/elman/data")]
    found = [folder for folder in folders if (folder / "toy.zh-en.tsv").is_file()]
    if found and (found[0] / name).is_file():
        return found[0] / name
    names = ", ".join(sorted(path.name for path in found[0].iterdir() if path.is_file() and path.suffix != ".md")) if found \
        else "no files; on Debian, the package elman has them"
    raise FileNotFoundError(f"elman has no data file {name!r}; there are {names}")


for _name in __all__:
    if getattr(globals()[_name], "__module__", "").startswith("elman._") and _name != "library":
        globals()[_name].__module__ = "elman"
del _name
