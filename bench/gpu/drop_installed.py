"""Removes from a folder the packages that this Python has itself: python3 bench/gpu/drop_installed.py FOLDER. It prints those that stay."""

import importlib.util
import os
import shutil
import sys

folder = sys.argv[1]
for name in os.listdir(folder):
    if "." not in name and importlib.util.find_spec(name):
        shutil.rmtree(os.path.join(folder, name))
print("packed packages in use:", *sorted(os.listdir(folder)))
