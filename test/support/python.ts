import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { readSetupEnvironment } from '../../electron/engine/installation'
import { root } from './installation'

const run = promisify(execFile)

/** Python with the same torch that the op host uses, as set-up found or made it. */
export const python = process.env['OPSMITH_PYTHON'] ?? readSetupEnvironment(root).python ?? ''

/** Where CI is set, PyTorch takes some warnings for errors: the verdicts wanted here are those that its users see. */
function usersEnvironment(): NodeJS.ProcessEnv {
  const { CI: _ci, ...environment } = process.env
  return environment
}

/** Python that takes torch's modules apart needs half a second for it. */
const endAtOnce = 'import os, sys; sys.stdout.flush(); os._exit(0)'

/** Runs a script and gives the JSON it printed last. */
export async function askPython(script: string, args: readonly string[] = []): Promise<unknown> {
  const { stdout } = await run(python, ['-c', `${script}\n${endAtOnce}`, ...args], {
    maxBuffer: 256 << 20,
    env: usersEnvironment(),
  })
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as unknown
}

/**
 * Python that defines `make_inputs(specs)`: named inputs as opsmith.json writes them, made as
 * `torch.manual_seed` makes them.
 */
export const makeInputsInPython = `
import torch
def make_input(position, spec):
    torch.manual_seed(spec.get("seed", position))
    tensor = make_layout(spec) if "layout" in spec else make_strided(spec)
    return tensor.requires_grad_(spec.get("requires_grad", False))
def make_layout(spec):
    if "indices" in spec:
        listed = {**spec, "shape": [len(spec["indices"][0])]}
        tensor = torch.sparse_coo_tensor(spec["indices"], make_strided(listed), spec["shape"])
    else:
        dense = make_strided(spec)
        if "density" in spec:
            chosen = torch.rand(dense.shape, dtype=torch.float64) < spec["density"]
        else:
            chosen = dense != 0
        tensor = torch.sparse_coo_tensor(chosen.nonzero().t(), dense[chosen], dense.shape).coalesce()
    if spec["layout"] == "sparse_coo":
        return tensor
    return tensor.to_sparse(layout=getattr(torch, spec["layout"]), blocksize=spec.get("blocksize"))
def make_strided(spec):
    dtype = getattr(torch, spec.get("dtype", "float32"))
    kind = spec.get("distribution", "randn")
    if "values" in spec:
        tensor = torch.tensor(spec["values"], dtype=dtype)
    elif kind == "randn":
        tensor = torch.randn(spec["shape"], dtype=dtype) * spec.get("std", 1.0) + spec.get("mean", 0.0)
    elif kind == "rand":
        low, high = spec.get("low", 0.0), spec.get("high", 1.0)
        tensor = torch.rand(spec["shape"], dtype=dtype)
        tensor = tensor if (low, high) == (0.0, 1.0) else tensor * (high - low) + low
    elif kind == "randint":
        tensor = torch.randint(int(spec.get("low", 0)), int(spec["high"]), spec["shape"], dtype=dtype)
    elif kind == "eye":
        tensor = torch.eye(*spec["shape"], dtype=dtype)
    elif kind == "arange":
        count = torch.Size(spec["shape"]).numel()
        tensor = (torch.arange(count, dtype=dtype) + spec.get("low", 0)).reshape(spec["shape"])
    elif kind == "linspace":
        count = torch.Size(spec["shape"]).numel()
        tensor = torch.linspace(spec["low"], spec["high"], count, dtype=dtype).reshape(spec["shape"])
    elif kind == "full":
        tensor = torch.full(spec["shape"], spec["low"], dtype=dtype)
    elif kind in ("zeros", "ones"):
        tensor = getattr(torch, kind)(spec["shape"], dtype=dtype)
    else:
        raise SystemExit("this parity test does not know " + kind)
    return tensor
def make_inputs(specs):
    return {name: make_input(i, spec) for i, (name, spec) in enumerate(specs.items())}
`
