import type { Argument } from '../../../contract/manifest'
import { summaryOf } from '../exported-project'
import type { ExportedProject, RecordedCall } from '../exported-project'
import { treeOf } from '../file-tree'
import type { FileTree } from '../file-tree'
import { pythonTargets } from '../templates/python-format'
import { codeBlock, readmeOf } from '../templates/readme'
import { ok } from '../../../contract/outcome'
import type { Form } from '../form'
import type { Proof } from '../proof/proof'

interface Cell {
  cell_type: 'markdown' | 'code'
  source: string[]
}

const lines = (text: string): string[] =>
  text.split('\n').map((line, index, all) => (index === all.length - 1 ? line : `${line}\n`))

const markdownCell = (text: string): Cell => ({ cell_type: 'markdown', source: lines(text) })
const codeCell = (...text: string[]): Cell => ({
  cell_type: 'code',
  source: lines(text.join('\n')),
})

/** Names for the arguments of a call: the inputs' own, where each stands for one argument. */
function argumentNames(call: RecordedCall, inputs: ReadonlySet<string>): string[] | undefined {
  const named = (value: Argument): value is string => typeof value === 'string' && inputs.has(value)
  const { args } = call.call
  return args.every(named) && new Set(args).size === args.length ? args : undefined
}

function callCells(project: ExportedProject, call: RecordedCall): Cell[] {
  const inputs = new Set(Object.keys(project.manifest.inputs))
  const [namespace = '', name = ''] = call.call.op.split('::')
  const callee = call.isOperator ? `torch.ops.${namespace}.${name}` : `program.${call.call.op}`
  const names = argumentNames(call, inputs)
  const { rtol, atol } = call.call
  const tolerance =
    rtol === undefined && atol === undefined ? '' : `, rtol=${rtol ?? 0}, atol=${atol ?? 0}`
  // An operator that returns nothing writes to its arguments.
  const made = call.written
    ? [
        'arguments = call.arguments',
        `${callee}(*arguments)`,
        `result = [${call.written.map((place) => `arguments[${place}]`).join(', ')}]`,
      ]
    : [`result = ${callee}(*call.arguments)`]
  return [
    markdownCell(`\`${call.text}\``),
    codeCell(
      `call = torch.jit.load("data/${call.name}.pt")`,
      ...(names && names.length > 0
        ? [`${pythonTargets(names)} = call.arguments[:${names.length}]`]
        : []),
      ...made,
      `check(result, call.results${tolerance})`,
      'result',
    ),
  ]
}

const check = [
  'def flatten(value):',
  '    """The values of nested tuples and lists, in order."""',
  '    if isinstance(value, (tuple, list)):',
  '        return [part for one in value for part in flatten(one)]',
  '    return [value]',
  '',
  '',
  'def check(result, recorded, rtol=None, atol=None):',
  '    """Compares the result of a call with the result at the export."""',
  '    for actual, expected in zip(flatten(result), flatten(recorded), strict=True):',
  '        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)',
]

function notebook(project: ExportedProject): string {
  const { name, manifest } = project
  const cells = [
    markdownCell(`# ${name}\n\n${summaryOf(manifest)}.`),
    markdownCell(
      'Loading the library registers its operators. A Jupyter kernel can do this only once. If you replace the library, restart the kernel before you run the next cell again.',
    ),
    codeCell(
      'import torch',
      '',
      `torch.ops.load_library("lib${name}.so")`,
      ...(project.program === '' ? [] : ['', 'import program']),
    ),
    codeCell(...check),
    ...(project.calls.length > 0 ? [markdownCell('## Calls')] : []),
    ...project.calls.flatMap((call) => callCells(project, call)),
  ]
  const whole = {
    cells: cells.map((cell, index) => ({
      id: `cell-${index + 1}`,
      ...(cell.cell_type === 'code' ? { execution_count: null, outputs: [] } : {}),
      metadata: {},
      ...cell,
    })),
    metadata: {
      kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
      language_info: { name: 'python' },
    },
    nbformat: 4,
    nbformat_minor: 5,
  }
  return JSON.stringify(whole, null, 1)
}

/** A Jupyter notebook next to the library: it loads it, makes the calls, and shows what they give. */
function notebookFiles(project: ExportedProject): FileTree {
  const { name } = project
  return treeOf({
    [`${name}.ipynb`]: notebook(project),
    [`lib${name}.so`]: project.library,
    ...(project.program === '' ? {} : { 'program.py': Buffer.from(project.program) }),
    ...Object.fromEntries(project.calls.map((call) => [`data/${call.name}.pt`, call.archive])),
    'README.md': readmeOf(project, `${name}, a notebook`, [
      codeBlock('shell', `jupyter notebook ${name}.ipynb`),
      `The Jupyter kernel needs torch. The notebook loads \`lib${name}.so\` from its own folder and makes the calls in \`data/\` again.`,
    ]),
  })
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
async function proveNotebook(proof: Proof): Promise<void> {
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

export const form: Form = {
  id: 'notebook',
  order: 8,
  purpose: 'A Jupyter notebook that runs the calls of opsmith.json and shows the results',
  needs: '',
  tools: ['python', 'jupyter'],
  files: (project) => ok(notebookFiles(project)),
  prove: proveNotebook,
}
