import path from 'node:path'

import { modelRuns } from '../templates/cpp-application'
import { npmPackage } from '../templates/names'
import type { Proof } from './proof'
import { provePython } from './steps'

/** Compiles on import, then makes the tests; the single-file variant is compiled by itself. */
export async function proveJit(proof: Proof, files: readonly string[]): Promise<void> {
  const { python } = proof.tools
  if (!proof.has(python, 'compile and call in Python')) return
  const { name } = proof.project
  const compiled = await proof.run('compile with load', [
    [python.path, '-c', `import load_${name}`],
  ])
  if (!compiled) return
  await provePython(proof, python.path, files)
  if (!files.includes(`inline_${name}.py`)) return
  await proof.run(
    'compile with load_inline',
    [[python.path, '-c', `import torch, inline_${name}; print(torch.ops.${firstOperator(proof)})`]],
    { env: { TORCH_EXTENSIONS_DIR: proof.beside('inline') } },
  )
}

function firstOperator(proof: Proof): string {
  return (proof.project.operators[0]?.name ?? '').replace('::', '.')
}

/** Packs the package, installs it into another one, and makes its tests. */
export async function proveAddon(proof: Proof): Promise<void> {
  const { node, npm, libtorch } = proof.tools
  if (!proof.has(node, 'install and call in Node') || !proof.has(npm, 'install with npm')) return
  const named = npmPackage(proof.project.manifest)
  if (!named.ok) return
  const { manifest } = proof.project
  const archive = `${named.value.replace(/^@/, '').replace('/', '-')}-${manifest.version}.tgz`
  const env = { LD_LIBRARY_PATH: path.join(libtorch, 'lib') }
  const user = proof.beside('user')
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'warn']
  const installed = await proof.run('pack and install', [
    [npm.path, 'pack', ...quiet, '--pack-destination', proof.beside('tmp')],
    [npm.path, 'install', ...quiet, '--prefix', user, path.join(proof.beside('tmp'), archive)],
  ])
  if (!installed) return
  const load = `console.log(require(${JSON.stringify(path.join(user, 'node_modules', named.value))}).schemas.join('\\n'))`
  await proof.run('load the installed package', [[node.path, '-e', load]], { env })
  const calls = proof.project.calls.filter((call) => call.isOperator).length
  const name = calls === 0 ? 'its test in Node' : `calls in Node (${calls})`
  await proof.run(name, [[npm.path, 'test']], { env })
  if (calls === 0) proof.skip('calls in Node', 'opsmith.json calls functions of the program only')
}

const runCells = `
import ast, json, sys

namespace = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, cell["id"], "exec"), namespace)
    if last is not None:
        print(cell["id"], eval(compile(ast.Expression(last.value), cell["id"], "eval"), namespace))
`.trim()

/** As `jupyter execute` does, but by sockets of the file system: there is no network here, not even to itself. */
const runInJupyter = `
import sys

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
nbformat.validate(notebook)
kernel = AsyncKernelManager(kernel_name="python3", transport="ipc")
NotebookClient(notebook, km=kernel).execute()
for cell in notebook.cells:
    for output in cell.get("outputs", []):
        print(cell.id, output.get("text") or output.get("data", {}).get("text/plain", ""))
`.trim()

/** Runs the notebook in Jupyter where that is, else its cells in order as a kernel would. */
export async function proveNotebook(proof: Proof): Promise<void> {
  const { python, jupyter } = proof.tools
  if (!proof.has(python, 'run the cells')) return
  const file = `${proof.project.name}.ipynb`
  if (jupyter.problem === '') {
    await proof.run('run it in Jupyter', [[jupyter.path, '-c', runInJupyter, file]])
    return
  }
  await proof.run('run the cells in order', [[python.path, '-c', runCells, file]])
  proof.skip('run it in Jupyter', jupyter.problem)
}

/** An application that is linked by flags alone: by the Makefile's, and by pkg-config's. */
export async function proveMake(proof: Proof): Promise<void> {
  const { make, pkgConfig, libtorch } = proof.tools
  if (!proof.has(make, 'build and run with make')) return
  const example = path.join(proof.folder, 'example')
  const command = [make.path, '-C', example, `TORCH_DIR=${libtorch}`]
  if (!(await proof.run('build with the lines for make', [[...command, 'run_call']]))) return
  const runs = modelRuns(proof.project)
  if (runs.length === 0) {
    proof.skip('calls in C++', 'opsmith.json has no call that could be saved as a model')
  } else {
    await proof.run(`calls in C++ (${runs.length})`, [[...command, 'check']])
  }
  if (proof.has(pkgConfig, 'link with pkg-config')) {
    await proof.run('link with pkg-config, and call', [[...command, 'check-pkg-config']])
  }
}
