# With --clause-segments, segments end after punctuation, in training, beam search and batches.

cat >pairs.tsv <<'END'
我爱茶，他爱水。	I love tea, he loves water.
你好！	Hello!
他说：“我来。”然后走了。	He said: "I am coming." Then he left.
这是三。五元，很好	This is three. Five yuan, good
END
train=(train -q --attention hierarchical --clause-segments --epochs 2 --hidden-size 16 --embedding-size 8)
expect_exit 0 "$ELMAN" "${train[@]}" -o model pairs.tsv
expect_output '^clause segments +yes$' inspect -m model
expect_stdout_match '^attention window +none$'
expect_exit 0 "$ELMAN" gradcheck -m model '我爱茶，他爱水。' 'I love tea, he loves water.'

expect_output ' tokens 1-3 tokens 4-8 tokens 9-13$' attention -m model '他说：“我来。”然后走了。'
expect_output ' tokens 1-2$' attention -m model 你好

# A sentence gives the same result alone, in a batch, and with several hypotheses.
cut -f 1 pairs.tsv >sources
for beam in 1 3; do
  output_to together attention -m model --beam $beam --format json -i sources
  while IFS= read -r line; do
    "$ELMAN" attention -m model --beam $beam --format json "$line" || fail "$line"
  done <sources >alone
  expect_exit 0 python3 - together alone <<'END'
import json, sys
together, alone = ([json.loads(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
for a, b in zip(together, alone, strict=True):
    assert a["text"] == b["text"] and a["segment_ends"] == b["segment_ends"], (a, b)
    assert a["segment_ends"][-1] == len(a["source_tokens"])
    for row, segments in zip(a["attention"], a["segments"], strict=True):
        sums, first = [], 0
        for end in a["segment_ends"]:
            sums.append(sum(row[first:end]))
            first = end
        assert all(abs(x - y) < 1e-6 for x, y in zip(sums, segments, strict=True)), (sums, segments)
    for x, y in zip(sum(a["attention"], []), sum(b["attention"], []), strict=True):
        assert abs(x - y) < 1e-5, (x, y)
END
done

# Training gives the same bytes with one or two threads, and after stop and resume.
expect_exit 0 "$ELMAN" "${train[@]}" --shards 2 -t 1 -o one pairs.tsv
expect_exit 0 "$ELMAN" "${train[@]}" --shards 2 -t 2 -o two pairs.tsv
cmp one two || fail 'two threads train a different model'

