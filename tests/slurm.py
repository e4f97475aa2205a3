"""A SLURM cluster of two nodes on this machine, for tests."""

import getpass
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil

DAEMONS = ("munged", "slurmctld", "slurmd")
NODES = ("node1", "node2")
#: CPUs of each node.
CPUS = 2
#: Its memory in MB.
MEMORY = 6000

#: Where a job's own `srun` looks: Snakemake's plugin hands it no SLURM variables.
SYSTEM_CONF = Path("/etc/slurm/slurm.conf")

CONF = Path(__file__).with_name("slurm.conf").read_text()
NODE = (
    "NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
    "CPUs={cpus} RealMemory={memory} State=UNKNOWN\n"
)


def why_not():
    """Return why no cluster can be started on this machine; None if one can."""
    search = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
    if absent := [name for name in DAEMONS if not shutil.which(name, path=search)]:
        return f"SLURM is not installed ({', '.join(absent)}): slurm-wlm and munge are needed"
    if os.geteuid() != 0:
        return "a SLURM cluster can be started by root only"
    if SYSTEM_CONF.exists() and not is_left_over(SYSTEM_CONF.read_text()):
        return f"this machine has a SLURM of its own: {SYSTEM_CONF}"
    return None


def is_left_over(configuration):
    """Return whether a configuration is that of a `Cluster` whose process was killed."""
    name = re.search(r"^ClusterName=xnbflow(\d+)$", configuration, re.MULTILINE)
    return name is not None and not psutil.pid_exists(int(name[1]))


def free_ports(count):
    """Return ports of 127.0.0.1 that nobody listens at; all are held until the last is found."""
    listeners = [socket.socket() for _ in range(count)]
    for listener in listeners:
        listener.bind(("127.0.0.1", 0))
    ports = [listener.getsockname()[1] for listener in listeners]
    for listener in listeners:
        listener.close()
    return ports


class Cluster:
    """SLURM's daemons in a folder: a context, which ends them and all of their jobs.

    The two nodes are processes of this machine with ports of their own. Commands of SLURM find the
    cluster by `SYSTEM_CONF`, which is removed at the end.
    """

    def __init__(self, folder):
        self.folder = folder
        self.name = f"xnbflow{os.getpid()}"
        search = os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])
        self.environment = {**os.environ, "PATH": search}
        if self.environment.get("SLURM_CONF") == os.devnull:  # as tests without a cluster have it
            del self.environment["SLURM_CONF"]
        self._daemons = {}

    def __enter__(self):
        for name in ("state", *(f"spool/{node}" for node in NODES)):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "munge.key").write_bytes(os.urandom(128))
        (self.folder / "munge.key").chmod(0o400)
        port, *node_ports = free_ports(1 + len(NODES))
        host = socket.gethostname().partition(".")[0]
        fields = {"name": self.name, "host": host, "user": getpass.getuser(), "folder": self.folder}
        conf = CONF.format(**fields, port=port)
        for node, node_port in zip(NODES, node_ports, strict=True):
            conf += NODE.format(node=node, host=host, port=node_port, cpus=CPUS, memory=MEMORY)
        conf += f"PartitionName=main Nodes={','.join(NODES)} Default=YES MaxTime=600 State=UP\n"
        SYSTEM_CONF.parent.mkdir(exist_ok=True)
        SYSTEM_CONF.write_text(conf)
        try:
            self._start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start_all(self):
        folder = self.folder
        self.start(
            *("munged", "--foreground", "--force", f"--key-file={folder}/munge.key"),
            *(f"--socket={folder}/munge.socket", f"--pid-file={folder}/munged.pid"),
            *(f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed"),
        )
        time.sleep(1)
        self.start("slurmctld", "-D")
        time.sleep(1)
        for node in NODES:
            self.start(*_node_daemon(node))
        self.wait_for(lambda: self.run("sinfo", "-h", "-o", "%D %t").split() == ["2", "idle"])

    def start(self, *command):
        """Start a daemon, whose output goes to ``daemons.txt``."""
        with (self.folder / "daemons.txt").open("a") as out:
            daemon = subprocess.Popen(
                command, env=self.environment, stdout=out, stderr=out, cwd=self.folder
            )
        self._daemons[command] = daemon

    def fail_node(self, node):
        """End a node as if its power failed: its daemon, and all processes of its jobs."""
        daemon = self._daemons.pop(_node_daemon(node))
        daemon.kill()
        daemon.wait()
        self._end_processes(SLURMD_NODENAME=node)

    def end_time_of(self, job):
        """Let the time of a running job be over; SLURM counts it in minutes."""
        step = {"SLURM_JOB_ID": job, "SLURM_STEP_ID": "0"}
        for process in self.wait_for(lambda: self._processes(**step)):
            with suppress(psutil.Error):  # it must not end before SLURM looks at its time
                process.send_signal(signal.SIGSTOP)
        now = time.strftime("%FT%T")
        self.run("scontrol", "update", f"JobId={job}", f"EndTime={now}")

    def _processes(self, **variables):
        """Return the processes of this cluster's jobs with these environment variables."""
        wanted = variables | {"SLURM_CLUSTER_NAME": self.name}
        processes = []
        for process in psutil.process_iter():
            with suppress(psutil.Error):
                if wanted.items() <= process.environ().items():
                    processes.append(process)
        return processes

    def _end_processes(self, **variables):
        """Kill processes of this cluster's jobs, and SLURM's own above them."""
        for process in self._processes(**variables):
            with suppress(psutil.Error):
                for parent in process.parents():
                    if "slurmstepd" in parent.name():
                        parent.kill()
                process.kill()

    def run(self, *command):
        """Return what one of SLURM's commands prints."""
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False, timeout=60
        )
        return done.stdout

    def jobs(self):
        """Return id, rule, state, CPUs, memory and node of each job, ended ones included."""
        rows = self.run("squeue", "-a", "-h", "-t", "all", "-o", "%i|%k|%T|%C|%m|%N")
        keys = ("id", "rule", "state", "cpus", "memory", "node")
        jobs = [dict(zip(keys, row.split("|"), strict=True)) for row in rows.splitlines()]
        for job in jobs:
            job["rule"] = job["rule"].removeprefix("rule_").partition("_wildcards_")[0]
        return sorted(jobs, key=lambda job: int(job["id"]))

    def jobs_of(self, rule):
        """Return the jobs of a rule, as `jobs` does."""
        return [job for job in self.jobs() if job["rule"] == rule]

    def wait_for(self, condition, seconds=400):
        """Wait until a function returns what counts as true, and return it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if value := condition():
                return value
            time.sleep(0.3)
        msg = f"waited {seconds} s in vain; jobs: {self.jobs()}"
        raise TimeoutError(msg)

    def wait_for_job(self, rule):
        """Wait for a job of a rule to run; return it."""
        running = self.wait_for(
            lambda: [job for job in self.jobs_of(rule) if job["state"] == "RUNNING"]
        )
        return running[0]

    def cancel_all(self):
        """Cancel what runs or waits, each job by its id."""
        active = {"RUNNING", "PENDING", "COMPLETING", "CONFIGURING"}
        if ids := [job["id"] for job in self.jobs() if job["state"] in active]:
            self.run("scancel", *ids)

    def __exit__(self, *_):
        with suppress(subprocess.SubprocessError):
            self.cancel_all()
        self._end_processes()
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
        for daemon in self._daemons.values():
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        SYSTEM_CONF.unlink(missing_ok=True)


def _node_daemon(node):
    return ("slurmd", "-D", "-N", node)
