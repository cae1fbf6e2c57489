import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { proposedText } from '../../contract/project-import'
import type {
  ImportRemark,
  ImportSwitch,
  ProjectProposal,
  ProposedFile,
} from '../../contract/project-import'
import { filesToRun, proposeProject } from '../../engine/project-import/propose-project'
import { placeProposal, writeProposal } from '../../engine/project-import/write-proposal'
import type { Workbench } from '../../engine/workbench'
import { ask } from '../ask'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, parsedList, switchOff, text } from '../options'
import type { OptionValues } from '../options'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { defineVerb } from '../verb'

function definition(given: string, flagText: string): Result<string> {
  return /^\w[\w.-]*(:[A-Z]+)?=[^\n]*$/.test(given)
    ? ok(given)
    : err('request.invalid', `${flagText} must have the form NAME=VALUE, not "${given}".`)
}

const initOptions = {
  yes: flag('run the folder’s build files and write opsmith.json without asking'),
  python: text(
    '<path>',
    'the Python that runs setup.py and scripts; CMake uses the torch of this Python (default: the Python of the active environment, else of .venv or venv in the folder, else the first Python with torch)',
  ),
  run: switchOff('do not run code of the folder: only read setup.py and the C++ and CUDA files'),
  extension: text(
    '<name>',
    'if the folder builds several: the extension (of setup.py) or the CMake target that becomes the project',
  ),
  define: parsedList(
    '<name=value>',
    'a value for an environment variable that setup.py reads, or for a CMake variable; may be repeated',
    definition,
    {
      isRepeated: true,
    },
  ),
  out: text(
    '<folder>',
    'write opsmith.json to this folder and set "root" to the source folder; the source folder does not change',
  ),
  json: jsonFlag,
}

/** How the proposal was made, in a sentence. */
function madeFrom({ source, buildFile, python }: ProjectProposal): string {
  switch (source) {
    case 'run':
      return `${python} ran setup.py; Opsmith recorded the extensions and built nothing`
    case 'text':
      return 'Opsmith read the text of setup.py and did not run it'
    case 'cmake':
      return `CMake configured a copy of this folder with the torch of ${python}; nothing was built`
    case 'script':
      return `${python} imported ${buildFile}; Opsmith recorded its calls of load() and built nothing`
    case 'sources':
      return 'no build file defines a library, so Opsmith read the C++ and CUDA files'
  }
}

function remarkLines({ text: what, file, line, command }: ImportRemark): string[] {
  const place = file === '' ? '' : line > 0 ? `${file}:${line}: ` : `${file}: `
  return [`  ${place}${what}`, ...(command === '' ? [] : [`    → ${command}`])]
}

function fileLine({ path: name, text: content, origin }: ProposedFile): string {
  return `  ${name}, ${content.trimEnd().split('\n').length} lines  ← ${origin}`
}

function switchLine({ name, value, file, line }: ImportSwitch): string {
  const place = line > 0 ? `${file}:${line}` : file
  return `  ${name}${value === '' ? ' is not set' : `=${value}`}  ← ${place}`
}

function proposalLines(proposal: ProjectProposal): string[] {
  const { lines, files, switches, remarks, otherExtensions } = proposal
  // A very long line has its origin after it all the same.
  const width = Math.min(60, Math.max(...lines.map((line) => line.text.length)))
  return [
    ...lines.map((line) =>
      line.origin === '' ? line.text : `${line.text.padEnd(width)}  ← ${line.origin}`,
    ),
    ...(files.length > 0
      ? ['', 'Files that Opsmith will write in addition to opsmith.json:', ...files.map(fileLine)]
      : []),
    ...(switches.length > 0
      ? [
          '',
          'Variables that the build file reads, and that may change this proposal; --define NAME=VALUE sets one:',
          ...switches.map(switchLine),
        ]
      : []),
    ...(remarks.length > 0 ? ['', 'Remarks:', ...remarks.flatMap(remarkLines)] : []),
    ...(otherExtensions.length > 0
      ? [
          '',
          `This proposal leaves out these extensions or CMake targets: ${otherExtensions.join(', ')}. To make a project of one of them instead, use --extension NAME.`,
        ]
      : []),
  ]
}

/** Build files are the code of others: they are run where the folder is trusted, or the user says so. */
async function mayRunCode(
  workbench: Workbench,
  folder: string,
  { run, yes, json }: OptionValues<typeof initOptions>,
): Promise<boolean> {
  if (!run || yes) return run
  const [first, ...others] = await filesToRun(folder)
  if (first === undefined) return true
  if ((await workbench.projects.trust.of(folder)) === 'trusted') return true
  const more =
    others.length > 0 ? ` (and, if this file builds no operators, ${others.join(', then ')})` : ''
  const question = `Run ${path.join(folder, first)}${more} to find out what the folder builds?`
  const answer = json ? undefined : await ask(question)
  if (answer === undefined)
    progress(
      `Opsmith did not run ${first}, because you have not trusted its authors. --yes runs the file, and writes opsmith.json without asking.`,
    )
  return answer === true
}

async function runInit(
  workbench: Workbench,
  target: string,
  options: OptionValues<typeof initOptions>,
): Promise<number> {
  const { json, yes } = options
  const folder = target === '' ? callerPath('.') : target
  const python = options.python ?? ''
  const proposal = await proposeProject(workbench.installation, {
    folder,
    runsCode: await mayRunCode(workbench, folder, options),
    python: python.includes(path.sep) ? callerPath(python) : python,
    extension: options.extension ?? '',
    definitions: options.define ?? [],
  })
  if (!proposal.ok) return printError(proposal.error, json)
  const out = options.out === undefined ? folder : callerPath(options.out)
  const placed = placeProposal(proposal.value, out)
  if (!placed.ok) return printError(placed.error, json)
  if (!json) {
    progress(madeFrom(placed.value))
    printLines(proposalLines(placed.value))
  }
  const file = path.join(out, 'opsmith.json')
  const writes = yes || (json ? undefined : await ask(`Write ${file}?`))
  if (writes !== true) {
    if (json) printJson({ ok: false, written: false, ...placed.value })
    progress(
      writes === undefined
        ? `nothing was written, because opsmith cannot ask ${json ? 'with --json' : 'without a terminal'}; --yes writes opsmith.json`
        : 'nothing was written',
    )
    return exitCodes.failed
  }
  const { files } = placed.value
  const written = await writeProposal(out, proposedText(placed.value), files)
  if (!written.ok) return printError(written.error, json)
  if (json) printJson({ ok: true, written: true, ...placed.value })
  else progress(`${file} was written. Next: opsmith build ${out}`)
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'init',
  order: 0,
  description:
    'propose an opsmith.json for a folder with setup.py, CMake, load() or C++ and CUDA sources, and write the file',
  argument: {
    name: 'folder',
    description: 'the folder of the sources (default: the current folder)',
    isOptional: true,
  },
  options: initOptions,
  makesProject: true,
  notes: [
    'Your Python runs setup.py. Opsmith replaces setuptools.setup and the extension classes, and records their\narguments: nothing is compiled or installed. In a folder that is not trusted, Opsmith asks first. Opsmith lists the\nenvironment variables that setup.py reads; --define sets a variable. With --no-run, Opsmith reads the text of setup.py\nand does not run it.',
    'If setup.py defines no extensions, Opsmith copies the folder and lets CMake configure the copy (also for\nscikit-build-core). Opsmith then reads the libraries that link torch. --define sets an option of CMake.',
    'If no CMake library links torch, your Python imports the scripts that call load() or load_inline(), and Opsmith records\nthese calls. Opsmith writes sources that a script contains as text to files next to the script.',
  ],
  run: runInit,
})
