"""Calls that type checkers refuse: each line with "wrong" has an error."""

import elman

pairs = elman.Pairs([("我", "I")])
model = elman.Model.create(pairs, hiden_size=64)  # wrong
model = elman.Model.create(pairs, cell="sru")  # wrong
model.train(pairs, epochs="3")  # wrong
model.train(pairs, preset="tiny")  # wrong
model.translate("我", beem=5)  # wrong
number: int = model.translate("我").text  # wrong
print(model.translate(["我"]).text)  # wrong
model.save("m", dtype="half")  # wrong
print(model.info.hiden_size)  # wrong
