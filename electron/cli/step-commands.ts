/** Steps a block by commands from stdin, and prints what it looks like. */
import path from 'node:path'
import readline from 'node:readline'

import type { SourcePlace } from '../contract/gpu-findings'
import type { Index3, StepView } from '../contract/gpu-stepping'
import { err, ok } from '../contract/outcome'
import type { Result } from '../contract/outcome'
import type { StepSession } from '../engine/virtual-gpu/stepping/step-session'
import { callerPath, printLines } from './print'
import { laneLines, placeText, sharedLines, stopLines } from './step-text'

/** For --help, and for the command `help`. */
export const stepCommands = [
  'step              lanes at the current line go to their next line',
  'next barrier      all lanes go past the next barrier',
  'continue          until lanes reach the chosen line again',
  'to FILE:LINE      choose another line and continue to it; LINE alone is a line of the same file',
  'lanes [WARP]      the variables of each lane of a warp; without WARP, of the current warp',
  'shared            shared memory, with races marked by "!"',
  'where             where the lanes are',
  'quit              end the program',
] as const

export const stepNotes = `Commands for stepping come from stdin; a program that is stepped has no input:\n${stepCommands.map((line) => `  ${line}`).join('\n')}`

/** "FILE:LINE" */
export function readPlace(text: string, folder = callerPath('.')): Result<SourcePlace> {
  const [, file = '', line = ''] = /^(.+):(\d+)$/.exec(text) ?? []
  if (file === '' || Number(line) < 1)
    return err('request.invalid', `"${text}" is not a line. Write FILE:LINE, such as reduce.cu:12.`)
  return ok({ file: path.resolve(folder, file), line: Number(line) })
}

/** "1,2" is block (1, 2, 0). */
export function readBlock(text: string): Result<Index3> {
  if (!/^\d+(,\d+){0,2}$/.test(text))
    return err(
      'request.invalid',
      `"${text}" is not the index of a thread block. Write x,y,z, such as 0,0,0.`,
    )
  const [x = 0, y = 0, z = 0] = text.split(',').map(Number)
  return ok([x, y, z])
}

/** Runs until the program has ended, or the user quits. */
export async function obeyCommands(session: StepSession): Promise<void> {
  const input = readline.createInterface({ input: process.stdin })
  const lines = input[Symbol.asyncIterator]()
  try {
    for (let event = await session.next(); event.kind === 'stopped'; event = await session.next()) {
      printLines(stopLines(event.view))
      if (!(await obeyUntilGo(session, event.view, lines))) return
    }
  } finally {
    input.close()
  }
}

/** @returns false if the program should end */
async function obeyUntilGo(
  session: StepSession,
  first: StepView,
  lines: AsyncIterator<string>,
): Promise<boolean> {
  let view = first
  while (true) {
    const line = await lines.next()
    if (line.done === true) return false
    const [word = '', ...rest] = line.value.trim().split(/\s+/)
    const argument = rest.join(' ')
    if (word === 'quit' || word === 'q') return false
    if (word === 'step' || word === 's') {
      session.go('step')
      return true
    }
    if (word === 'next' || word === 'n') {
      session.go('barrier')
      return true
    }
    if (word === 'continue' || word === 'c') {
      session.go('line')
      return true
    }
    if (word === 'to' && runTo(session, view, argument)) return true
    if (word === 'lanes' || word === 'l') {
      const warp = argument === '' ? view.warp : Number(argument)
      if (Number.isInteger(warp) && warp >= 0 && warp * 32 < view.lanes.length) {
        view = await session.view(warp)
        printLines(laneLines(view))
      } else
        printLines([
          `The block has no warp ${argument}. Its last warp is ${Math.ceil(view.lanes.length / 32) - 1}.`,
        ])
    } else if (word === 'shared') printLines(sharedLines(view))
    else if (word === 'where' || word === 'w') printLines(stopLines(view))
    else if (word !== '' && word !== 'to')
      printLines(word === 'help' ? stepCommands : [`"${line.value}" is not a command. Write help.`])
  }
}

function runTo(session: StepSession, { place, launched }: StepView, argument: string): boolean {
  const here = place ?? launched
  const target = readPlace(/^\d+$/.test(argument) ? `${here.file}:${argument}` : argument)
  if (!target.ok) {
    printLines([target.error.message])
    return false
  }
  session.runTo(target.value)
  session.go('line')
  return true
}

/** What is said where no thread has come to the line. */
export const neverStopped = ({ target, block }: { target: SourcePlace; block: Index3 }): string =>
  `opsmith: no thread of block (${block.join(', ')}) reached ${placeText(target)}. Choose another line, or another block with --block.`
