"""find_package(lockstep-ddp): installed, found, compiled against and run by the example of a training loop of one's own."""
import gzip
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "dev"
MNIST = Path("/usr/share/datasets/fashion-mnist")
FILES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_a_loop_of_ones_own_trains_alike_on_all_ranks(tmp_path):
    run("cmake", "--install", BUILD, "--component", "ddp", "--prefix", tmp_path / "prefix")
    ccache = shutil.which("ccache")
    launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}"] if ccache else []
    # Sources in a folder of their own, as a user has them: nothing of this tree is in reach.
    shutil.copytree(ROOT / "examples" / "ddp", tmp_path / "own-loop")
    run("cmake", "-S", tmp_path / "own-loop", "-B", tmp_path / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}", *launcher)
    run("cmake", "--build", tmp_path / "build")
    data = tmp_path / "mnist"
    data.mkdir()
    for name in FILES:
        (data / name).write_bytes(gzip.decompress((MNIST / f"{name}.gz").read_bytes()))
    output = run(BUILD / "trainer/launch/lockstep-launch", "--standalone", "--nproc", "3", "--", tmp_path / "build/own-loop", data)
    losses = [float(loss) for loss in re.findall(r"loss ([0-9.]+)", output)]
    sums = re.findall(r"weights sum to (-?[0-9.]+)", output)
    assert losses[-1] < 1, output  # 2.3 before training
    assert len(sums) == 3 and len(set(sums)) == 1, output
