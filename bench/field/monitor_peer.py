# A plain pass over a log with pandas: counts the alarms, and those that are labeled negative.
import sys

import pandas

log, labels = sys.argv[1:3]
negative = pandas.read_csv(labels).set_index("id")["negative"]
alarms = false_alarms = lines = 0
for part in pandas.read_json(log, lines=True, chunksize=100_000):
    lines += len(part)
    alarmed = part.loc[part["outcome"] == "alarm", "id"]
    alarms += len(alarmed)
    false_alarms += int(negative.reindex(alarmed).sum())
print(lines, alarms, false_alarms)
