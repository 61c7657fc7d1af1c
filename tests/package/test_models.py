"""A model of one's own: what `lockstep-train new-plugin` writes is built against the installed package, trained and resumed."""
import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "dev"
LAUNCH = BUILD / "trainer/launch/lockstep-launch"
TRAIN = BUILD / "trainer/lockstep-train"
SCRIPT = ROOT / "tests/trainer/model/golden/scripted.pt"


def run(*command, cwd=None, code=0):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, cwd=cwd,
                          env=os.environ | {"OMP_NUM_THREADS": "1"})
    assert done.returncode == code, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout + done.stderr


def train(checkpoints, *settings, config=(), ranks=2, cwd=None, code=0):
    words = [word for setting in (f"checkpoint.directory={checkpoints}", "log.every_steps=8", *settings) for word in ("--set", setting)]
    return run(LAUNCH, "--standalone", "--nproc", ranks, "--", TRAIN, "run", *config, *words, cwd=cwd, code=code)


def losses(checkpoints):
    lines = map(json.loads, (checkpoints / "logs/metrics/metrics.jsonl").read_text().splitlines())
    return [line["loss"] for line in lines if line["kind"] == "train"]


def newest(checkpoints):
    return (checkpoints / (checkpoints / "LATEST").read_text().strip() / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def plugin(tmp_path_factory):
    """The template, built as its README says."""
    folder = tmp_path_factory.mktemp("plugin")
    run("cmake", "--install", BUILD, "--component", "model", "--prefix", folder / "prefix")
    run(TRAIN, "new-plugin", folder / "mine")
    ccache = shutil.which("ccache")
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}"] if ccache else []
    run("cmake", "-B", "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={folder / 'prefix'}", *launcher, cwd=folder / "mine")
    run("cmake", "--build", "build", cwd=folder / "mine")
    return folder / "mine"


def test_the_template_trains_on_two_ranks_and_resumes_to_the_same_bytes(plugin, tmp_path):
    def trained(checkpoints, *settings):
        return train(checkpoints, "schedule.name=constant", *settings, config=["--config", "config.yaml"], cwd=plugin)

    whole, parts = tmp_path / "whole", tmp_path / "parts"
    trained(whole)
    assert losses(whole)[-1] < losses(whole)[0] / 2, losses(whole)
    trained(parts, "train.epochs=1")
    assert "resumed from step 32" in trained(parts)
    assert newest(parts) == newest(whole)


def test_a_plugins_model_is_exported_where_its_library_is(plugin, tmp_path):
    settings = ["model.name=plugin", "model.file=build/libmy_model.so", "data.train.format=synthetic", "train.max_steps=2"]
    train(tmp_path / "run", *settings, ranks=1, cwd=plugin)
    export = TRAIN, "export", "--from", tmp_path / "run", "--to", tmp_path / "mine.torchscript.pt"
    assert "model.file build/libmy_model.so is no shared library that can be loaded" in run(*export, cwd=tmp_path, code=64)
    output = run(*export, "--set", f"model.file={plugin / 'build/libmy_model.so'}", cwd=tmp_path)
    assert "its forward takes inputs float32 [batch, 1, 28, 28]" in output
    assert zipfile.is_zipfile(tmp_path / "mine.torchscript.pt")
    output = run(TRAIN, "export", "--from", tmp_path / "run", "--to", tmp_path / "w.pt", "--set", "model.file=x", code=64)
    assert "--set model.file=x has no meaning for weights alone" in output


def test_an_exported_model_can_be_trained_on(tmp_path):
    """One program's export is another's model.file."""
    common = ["data.train.format=synthetic", "train.epochs=2", "optim.name=adam", "optim.lr=0.003"]
    train(tmp_path / "run", "model.name=mlp", *common)
    run(TRAIN, "export", "--from", tmp_path / "run", "--to", tmp_path / "mlp.torchscript")
    train(tmp_path / "more", "model.name=torchscript", f"model.file={tmp_path / 'mlp.torchscript'}", *common)
    assert losses(tmp_path / "more")[0] < losses(tmp_path / "run")[0] / 2


def test_options_reach_the_library_and_its_refusal_the_user(plugin, tmp_path):
    library = f"model.file={plugin / 'build/libmy_model.so'}"
    output = train(tmp_path / "bad", "model.name=plugin", library, "model.options=many", "data.train.format=synthetic", ranks=1, code=64)
    assert 'cannot make its model: model.options is "many": write a number of maps, 1 to 1024' in output
    output = train(tmp_path / "text", "model.name=plugin", library, "data.train.format=text", "data.train.path=" + str(ROOT / "LICENSE"),
                   "data.context=16", ranks=1, code=64)
    assert "takes pictures or rows of a table, but data.train holds windows of a long text" in output


def test_a_full_directory_is_left_as_it_is(tmp_path):
    (tmp_path / "my_model.cc").write_text("mine")
    output = run(TRAIN, "new-plugin", tmp_path, code=64)
    assert "exists and is no empty directory" in output
    assert [file.name for file in tmp_path.iterdir()] == ["my_model.cc"]


def test_a_script_trains_on_two_ranks_and_resumes_to_the_same_bytes(tmp_path):
    settings = ["model.name=torchscript", f"model.file={SCRIPT}", "data.train.format=synthetic", "data.train.samples=512",
                "train.batch_size=64", "train.epochs=6", "optim.name=adam", "optim.lr=0.02", "schedule.name=constant"]
    train(tmp_path / "whole", *settings)
    course = losses(tmp_path / "whole")
    assert course[-1] < course[0] * 0.9, course
    train(tmp_path / "parts", *settings, "train.max_steps=12")
    assert "resumed from step 12" in train(tmp_path / "parts", *settings)
    assert newest(tmp_path / "parts") == newest(tmp_path / "whole")
