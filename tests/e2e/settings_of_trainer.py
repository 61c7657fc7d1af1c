"""Every setting of lockstep-train: its default as the program prints it, the rest as settings.h has it."""
import os
import re
import subprocess
from typing import NamedTuple

from kube import ROOT

PROGRAM = ROOT / "build" / "dev" / "trainer" / "lockstep-train"
SOURCE = ROOT / "trainer" / "config" / "settings.h"
UNBOUNDED = (None, None)


class Setting(NamedTuple):
    """`words`: the only texts permitted, none: any. `bounds` of numbers. `shapes`: another value breaks resume."""
    words: tuple
    bounds: tuple
    shapes: bool


def explain(*arguments):
    """lockstep-train explain, untouched by the variables of this process."""
    env = {name: value for name, value in os.environ.items() if name not in ("LOCKSTEP_CONFIG", "CHECKPOINT_DIR")}
    return subprocess.run([PROGRAM, "explain", *arguments], env=env, text=True, capture_output=True, timeout=120,
                          check=False)


def defaults():
    """Dotted name -> value as explain prints it, in its order. Indentation is the section."""
    printed = explain()
    assert printed.returncode == 0, printed.stderr
    found, path = {}, []
    for line in printed.stdout.splitlines():
        name, value = line.split(":", 1)
        path = path[:(len(name) - len(name.lstrip())) // 2] + [name.strip()]
        if value:
            found[".".join(path)] = value.strip()
    return found


def number(text):
    """A C++ literal."""
    text = text.replace("'", "")
    return float.fromhex(text) if text.startswith("0x") else float(text)


def rule(text, named):
    """(words, bounds) of `Rule{...}`, of what stands in its braces, or of a name for one."""
    text = named.get(text.removeprefix("setting_list::"), text)
    words = re.findall(r'"(\w*)"', text)
    bounds = re.fullmatch(r"(?:Rule)?\{([^,{}]+), ([^,{}]+)\}", text)
    limit = bounds and tuple(number(named.get(bound, bound)) for bound in bounds.groups())
    return tuple(word for word in words if word), limit or UNBOUNDED


def settings():
    """Dotted name -> Setting, in the order of settings.h."""
    source = SOURCE.read_text()
    named = dict(re.findall(r"\b(k\w+)(\{(?:[^{}]|\{[^{}]*\})*\})", source))
    named |= dict(re.findall(r"double (k\w+) = ([\d.]+);", source))
    change = r"(?:Change::)?(kIsFree|kBreaksResume|kFree|kShape|change)"
    visits = re.findall(rf'visit\((prefix \+ )?"([\w.]+)",\s*[\w.]+,\s*(.*?),\s*{change}\)', source, re.DOTALL)
    places = re.findall(r'source\("([\w.]+)", [\w.]+, (\w+), visit\)', source)
    found = {}
    for prefixed, name, text, change in visits:
        for place, own in places if prefixed else [("", change)]:
            breaks_resume = (own if change == "change" else change) in ("kShape", "kBreaksResume")
            found[place + name] = Setting(*rule(text, named), breaks_resume)
    return found


def values_text(setting, default):
    """What a table says of the permitted values."""
    if default in ("true", "false"):
        return "`true`, `false`"
    if setting.words:
        return ", ".join(f"`{word}`" for word in setting.words)
    if default.startswith('"'):
        return "text"
    low, high = (f"{bound:.16g}" for bound in setting.bounds)
    return ("each " if default.startswith("[") else "") + f"{low} to {high}"
