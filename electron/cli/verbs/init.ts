import fs from 'node:fs'
import path from 'node:path'
import readline from 'node:readline/promises'

import { proposedText } from '../../contract/project-import'
import type { ImportRemark, ProjectProposal } from '../../contract/project-import'
import { proposeProject } from '../../engine/project-import/propose-project'
import { writeProposal } from '../../engine/project-import/write-proposal'
import type { Workbench } from '../../engine/workbench'
import { exitCodes } from '../exit-codes'
import { flag, jsonFlag, switchOff, text } from '../options'
import type { OptionValues } from '../options'
import { callerPath, printError, printJson, printLines, progress } from '../print'
import { defineVerb } from '../verb'

const initOptions = {
  yes: flag('run setup.py and write opsmith.json without asking'),
  python: text(
    '<path>',
    'the Python that runs setup.py (default: the active environment’s, or the first with torch)',
  ),
  run: switchOff('read the text of setup.py instead of running it'),
  extension: text('<name>', 'the extension of setup.py that becomes the project'),
  json: jsonFlag,
}

/** How the proposal was made, in a sentence. */
function madeFrom({ source, python }: ProjectProposal): string {
  if (source === 'run')
    return `setup.py was run by ${python}; its extensions were recorded, not built`
  return source === 'text'
    ? 'the text of setup.py was read'
    : 'C++ and CUDA files were looked at: no extension of a setup.py was found'
}

function remarkLines({ text: what, file, line, command }: ImportRemark): string[] {
  const place = file === '' ? '' : line > 0 ? `${file}:${line}: ` : `${file}: `
  return [`  ${place}${what}`, ...(command === '' ? [] : [`    → ${command}`])]
}

function proposalLines(proposal: ProjectProposal): string[] {
  const { lines, remarks, otherExtensions } = proposal
  // A very long line has its origin after it all the same.
  const width = Math.min(60, Math.max(...lines.map((line) => line.text.length)))
  return [
    ...lines.map((line) =>
      line.origin === '' ? line.text : `${line.text.padEnd(width)}  ← ${line.origin}`,
    ),
    ...(remarks.length > 0 ? ['', 'Remarks:', ...remarks.flatMap(remarkLines)] : []),
    ...(otherExtensions.length > 0
      ? [
          '',
          `Not in this project: ${otherExtensions.join(', ')}. Each can be a project: --extension NAME.`,
        ]
      : []),
  ]
}

/** Asks on the terminal; undefined where there is none. */
async function ask(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const terminal = readline.createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

/** setup.py is the code of others: it is run where the folder is trusted, or the user says so. */
async function mayRunSetup(
  workbench: Workbench,
  folder: string,
  { run, yes, json }: OptionValues<typeof initOptions>,
): Promise<boolean> {
  const file = path.join(folder, 'setup.py')
  if (!run || yes || !fs.existsSync(file)) return run
  if ((await workbench.projects.trust.of(folder)) === 'trusted') return true
  const answer = json ? undefined : await ask(`Run ${file} to see which extensions it makes?`)
  if (answer === undefined)
    progress('setup.py was not run: its authors are not trusted; --yes runs it')
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
    runsCode: await mayRunSetup(workbench, folder, options),
    python: python.includes(path.sep) ? callerPath(python) : python,
    extension: options.extension ?? '',
  })
  if (!proposal.ok) return printError(proposal.error, json)
  if (!json) {
    progress(madeFrom(proposal.value))
    printLines(proposalLines(proposal.value))
  }
  const file = path.join(folder, 'opsmith.json')
  const writes = yes || (json ? undefined : await ask(`Write ${file}?`))
  if (writes !== true) {
    if (json) printJson({ ok: false, written: false, ...proposal.value })
    progress(
      writes === undefined
        ? 'nothing was written: there is no terminal to ask on; --yes writes opsmith.json'
        : 'nothing was written',
    )
    return exitCodes.failed
  }
  const written = await writeProposal(folder, proposedText(proposal.value))
  if (!written.ok) return printError(written.error, json)
  if (json) printJson({ ok: true, written: true, ...proposal.value })
  else progress(`${file} was written. Next: opsmith build ${folder}`)
  return exitCodes.good
}

export const verb = defineVerb({
  name: 'init',
  order: 0,
  description:
    'propose opsmith.json for a folder with setup.py or C++ and CUDA sources, and write it',
  argument: {
    name: 'folder',
    description: 'the folder of the sources (default: this one)',
    isOptional: true,
  },
  options: initOptions,
  notes: [
    'setup.py is run by your Python, with setuptools.setup and the extension classes recorded: nothing is compiled or installed. In a folder that is not trusted you are asked first. --no-run reads its text instead.',
  ],
  run: runInit,
})
