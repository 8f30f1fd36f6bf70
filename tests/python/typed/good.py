"""A program that type checkers accept: all of the module elman that docs/python.md shows."""

import pathlib

import elman
from elman.records import ModelInfo, TrainReport


def stop(report: TrainReport) -> bool:
    return report.loss > 0.1


pairs = elman.Pairs([("我 爱 学习", "I love studying"), ("他 在 喝 茶", "He is drinking tea")])
more = elman.Pairs("a.tsv", pathlib.Path("b.tsv"), source_column=2, target_column=1, strict=True)
source, target = pairs[0]
texts: list[str] = [pair.source for pair in more[:10]]
model = elman.Model.create(pairs, cell="gru", attention="scaled", hidden_size=64, seed=1)
finished: bool = model.train(pairs, dev=more, epochs=3, learning_rate=0.01, report=stop, epoch_ended=print,
                             checkpoint=pathlib.Path("checkpoint"))
translator: elman.Model = elman.train(pairs, dev=more, preset="small", hours=0.5, cell="gru", dropout=0.3, epoch_ended=print)
model.train(pairs, dev=more, preset="quick", hours=1, tune_search=False)
for epoch in model.training(pairs, epochs=20, schedule="inverse-sqrt"):
    if epoch.validation is not None:
        print(epoch.validation.bleu + epoch.loss)
translation = model.translate("我 爱 学习", beam=5, length_norm="wu", prefix=[3, 4])
best: str = translation.text
weights: float = float(translation.attention[0, 0]) + translation.log_probabilities[0]
for each in model.translate(texts, n_best=3, reference=["I", None]):
    print(each.text, [other.score for other in each.others], each.source[slice(*each.source_spans[0])])
    if each.warning is not None:
        print(each.warning.kind)
translation.save("x.svg")
data: bytes = model.to_bytes("bfloat16") + translation.export("json")
info: ModelInfo = elman.Model.from_bytes(data).info
print(info.cell, info.history.updates, info.training.learning_rate, model.tensors()["decoder.out.weight"].shape)
scores = model.evaluate(pairs, translate={"beam": 2})
if scores is not None:
    print(scores.metrics.bleu)
print(elman.bleu(texts, texts, lowercase=True), elman.compare([texts, texts], texts).p_values[0][1].bleu)
with elman.Model.load(elman.data("everyday.zh-en.safetensors")) as loaded:
    loaded.save("m.safetensors", dtype="int8")
try:
    elman.Model.load("none")
except FileNotFoundError as missing:
    print(missing.filename)
except elman.Error as error:
    print(error.status, error.where)
