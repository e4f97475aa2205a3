"""The cluster profile works, on a one-node SLURM cluster that the test starts and ends."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pandas as pd
import pytest
from integration.conftest import ROOT, STUDY, prepare, snakemake_command

DAEMONS = ("munged", "slurmctld", "slurmd")

#: Where a job's own `srun` looks: Snakemake's plugin hands it no SLURM variables.
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")

CONF = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={slurmd_port}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
ReturnToService=2
MailProg=/bin/true
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(command, environment, text, seconds=30):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if text in done.stdout:
            return
        time.sleep(0.3)
    pytest.fail(f"{command} did not say {text!r}: {done.stdout}{done.stderr}")


@pytest.fixture
def cluster(tmp_path_factory):
    """A SLURM cluster of this machine; yields the environment that reaches it."""
    search = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
    absent = [name for name in DAEMONS if not shutil.which(name, path=search)]
    if absent:
        pytest.skip(f"SLURM is not installed ({', '.join(absent)}): slurm-wlm and munge are needed")
    if os.geteuid() != 0:
        pytest.skip("a SLURM cluster can be started by root only")
    if SYSTEM_CONF.exists():
        pytest.skip(f"this machine has a SLURM of its own: {SYSTEM_CONF}")
    folder = tmp_path_factory.mktemp("slurm")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(128))
    (folder / "munge.key").chmod(0o400)
    ports = {"ctld_port": free_port(), "slurmd_port": free_port()}
    SYSTEM_CONF.parent.mkdir(exist_ok=True)
    SYSTEM_CONF.write_text(
        CONF.format(
            host=socket.gethostname().partition(".")[0],
            user=getpass.getuser(),
            folder=folder,
            cpus=os.cpu_count(),
            **ports,
        )
    )
    environment = {**os.environ, "PATH": search}
    commands = [
        [
            *("munged", "--foreground", "--force", f"--key-file={folder}/munge.key"),
            *(f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid"),
            *(f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"),
        ],
        ["slurmctld", "-D"],
        ["slurmd", "-D"],
    ]
    daemons = []
    with (folder / "daemons.txt").open("w") as out:
        for command in commands:
            daemons.append(
                subprocess.Popen(command, env=environment, stdout=out, stderr=out, cwd=folder)
            )
            time.sleep(1)
        try:
            wait_for(["sinfo", "-h", "-o", "%t"], environment, "idle")
            yield environment
        finally:
            for daemon in reversed(daemons):
                daemon.terminate()
            for daemon in daemons:
                daemon.wait(timeout=20)
            SYSTEM_CONF.unlink()


@pytest.mark.slurm
def test_a_study_runs_on_a_cluster(cluster, tmp_path):
    study = {**STUDY, "folds": {"2-fold": {"splits": 2}}}
    study["studies"] = {
        "tiny": {
            "title": "A tiny study",
            "datasets": ["wine"],
            "classifiers": ["nb"],
            "folds": ["2-fold"],
            "diagnostics": False,
        }
    }
    folder = prepare(tmp_path / "work", study)
    command = snakemake_command(folder, "--profile", str(ROOT / "config/profiles/slurm"))
    command += ["--slurm-status-command", "squeue"]
    command += ["--slurm-init-seconds-before-status-checks", "1"]
    command += ["--seconds-between-status-checks", "1", "--latency-wait", "5"]
    command += ["--default-resources", "mem_mb=1000", "mem_mb_per_cpu=0", "runtime=5"]
    done = subprocess.run(
        command, env=cluster, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "submitted with SLURM jobid" in done.stdout + done.stderr
    metrics = pd.read_parquet(folder / "results/studies/tiny/metrics.parquet")
    assert len(metrics) == 2
