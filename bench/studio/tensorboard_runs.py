"""Writes RUNS runs of EPOCHS epochs as TensorBoard event files: the eight numbers an epoch that Studio's run folders have as curves.

python3 tensorboard_runs.py FOLDER RUNS EPOCHS
"""

import math
import os
import sys

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.summary.writer.event_file_writer import EventFileWriter

folder, runs, epochs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
names = ["loss", "validation/loss", "validation/mAP", "validation/macroF1", "validation/f1Neg", "validation/falseAlarmRate", "rate", "imagesPerSecond"]
for run in range(runs):
    writer = EventFileWriter(os.path.join(folder, f"run-{run:04}"))
    for epoch in range(1, epochs + 1):
        values = [Summary.Value(tag=name, simple_value=math.exp(-epoch / 30) + 0.001 * run) for name in names]
        writer.add_event(Event(wall_time=1e9 + epoch, step=epoch, summary=Summary(value=values)))
    writer.close()
