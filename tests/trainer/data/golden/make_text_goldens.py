#!/usr/bin/env python3
"""Writes fortunes.json beside itself: what Python's re and Counter make of Debian's fortunes (package fortunes).

Run it by hand, the result is checked in.
"""
import json
import re
import zlib
from collections import Counter
from pathlib import Path

FOLDER = Path("/usr/share/games/fortunes")


def records(content):
    parts = re.split(rb"^%\n", content + b"\n", flags=re.MULTILINE)
    return [part for part in (part.strip(b"\n") for part in parts) if part.strip()]


def words(text):
    return re.findall(rb"[a-z0-9'\x80-\xff]+|[^\s]", text.lower())


def main():
    names = sorted(path.name for path in FOLDER.iterdir() if "." not in path.name)
    texts = {name: records((FOLDER / name).read_bytes()) for name in names}
    counts = Counter(word for name in names for text in texts[name] for word in words(text))
    order = sorted((word for word in counts if counts[word] >= 2), key=lambda word: (-counts[word], word))[:8000]
    ids = {word: number + 2 for number, word in enumerate(order)}
    encoded = [[ids.get(word, 1) for word in words(text)][:200] for name in names for text in texts[name]]
    flat = b"".join(number.to_bytes(4, "little") for text in encoded for number in text)
    golden = {
        "records": {name: len(texts[name]) for name in names},
        "least_count": 2, "most": 8000, "longest": 200,
        "vocabulary": len(ids) + 2, "frequent": [word.decode() for word in order[:30]],
        "pieces": sum(map(len, encoded)), "crc32": zlib.crc32(flat),
    }
    (Path(__file__).resolve().parent / "fortunes.json").write_text(json.dumps(golden, indent=1) + "\n")


if __name__ == "__main__":
    main()
