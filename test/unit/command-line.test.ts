import { describe, expect, it } from 'vitest'

import {
  callArguments,
  flag,
  names,
  number,
  numbers,
  optionalText,
  optionalTexts,
  parsedList,
  readOptions,
  switchOff,
  text,
  texts,
} from '../../electron/cli/options'
import type { GivenValue, OptionTable, OptionValues } from '../../electron/cli/options'
import { forTerminal } from '../../electron/cli/print'
import { makeProgram } from '../../electron/cli/program'
import { verbs } from '../../electron/cli/all-verbs'
import { ok } from '../../electron/contract/outcome'
import { collectFiles } from '../../electron/engine/collect-files'

const options = {
  cold: flag('a flag'),
  backward: switchOff('a switch'),
  op: text('<name>', 'a text'),
  timeTrace: optionalText('[file]', 'a text that may be left out'),
  build: texts('<names...>', 'texts'),
  keep: optionalTexts('[files...]', 'texts that may be left out'),
  seconds: number('<number>', 'a number', { least: 0, isAbove: true, most: 600 }),
  threads: numbers('<numbers...>', 'numbers', { least: 1, isWhole: true }),
  direction: names('<names...>', 'names', ['forward', 'backward', 'both']),
  args: callArguments('arguments'),
  pass: parsedList('<names>', 'given several times', (given) => ok(given.length), {
    isRepeated: true,
  }),
}

/** What a command line gives a verb with these options: from the words, through commander. */
async function given(...words: string[]): Promise<Record<string, GivenValue>> {
  let last: Record<string, GivenValue> = {}
  const verb = {
    name: 'try',
    order: 1,
    description: 'a verb',
    argument: undefined,
    options: options as OptionTable,
    execute: (_target: string, values: Record<string, GivenValue>) => {
      last = values
      return Promise.resolve(0)
    },
  }
  await makeProgram([verb], '1.0.0').parseAsync(['node', 'opsmith', 'try', ...words])
  return last
}

async function valuesOf(...words: string[]): Promise<OptionValues<typeof options>> {
  const read = readOptions(options, await given(...words))
  if (!read.ok) throw new Error(read.error.message)
  return read.value
}

async function problemOf(...words: string[]): Promise<string> {
  const read = readOptions(options, await given(...words))
  return read.ok ? '' : read.error.message
}

describe('the values of declared options', () => {
  it('options that are not given have their declared defaults', async () => {
    expect(await valuesOf()).toEqual({ cold: false, backward: true })
  })

  it('options are read in each way of writing them', async () => {
    const line =
      '--cold --no-backward --op a::b --time-trace --build last main --keep x --seconds 0.5 ' +
      '--threads 1,2 4 --direction both --args ["x",2] --pass ab --pass c'
    const values = await valuesOf(...line.split(' '))
    expect(values).toEqual({
      cold: true,
      backward: false,
      op: 'a::b',
      timeTrace: true,
      build: ['last', 'main'],
      keep: ['x'],
      seconds: 0.5,
      threads: [1, 2, 4],
      direction: ['both'],
      args: ['x', 2],
      pass: [2, 1],
    })
    expect(await valuesOf('--keep', '--time-trace', 'f')).toMatchObject({
      keep: true,
      timeTrace: 'f',
    })
  })

  it.each([
    [['--seconds', 'x'], '--seconds must be a number above 0, not "x".'],
    [['--seconds', '601'], '--seconds must be a number up to 600, not "601".'],
    [['--threads', '2', '0'], '--threads must be an integer of at least 1, not "0".'],
    [['--direction', 'up'], '"up" is not a possible value of --direction.'],
    [['--args', '{}'], '--args must be a JSON list'],
    [['--args', '['.repeat(20_000) + ']'.repeat(20_000)], '--args must be a JSON list'],
  ])(
    'wrong values in %j get an error that names the option and what it takes',
    async (words, message) => {
      expect(await problemOf(...words)).toContain(message)
    },
  )
})

describe('the verbs of the command line', () => {
  it('the verbs have the order of their declarations, and each is described in one line', () => {
    expect(verbs.map(({ name }) => name).slice(0, 4)).toEqual(['new', 'init', 'build', 'run'])
    expect(new Set(verbs.map(({ order }) => order)).size).toBe(verbs.length)
    for (const { name, description, options: table } of verbs) {
      expect(description, name).toMatch(/^[a-z].*[^.]$/)
      for (const option of Object.values(table)) expect(option.description, name).toMatch(/[^.]$/)
    }
  })
})

describe('files that declare something', () => {
  const kind = {
    example: 'export const thing = …',
    nameOf: (thing: { name: string; order: number }) => thing.name,
    orderOf: (thing: { order: number }) => thing.order,
  }

  it('declarations are listed by order, then by name', () => {
    const files = {
      './things/b.ts': { name: 'b', order: 2 },
      './things/a/index.ts': { name: 'a', order: 2 },
      './things/c.ts': { name: 'c', order: 1 },
    }
    expect(collectFiles(files, kind).map(({ name }) => name)).toEqual(['c', 'a', 'b'])
  })

  it('a file must declare its thing under its own name', () => {
    expect(() => collectFiles({ './things/a.ts': undefined }, kind)).toThrow(
      './things/a.ts exports nothing: add export const thing = …',
    )
    expect(() => collectFiles({ './things/a.ts': { name: 'b', order: 1 } }, kind)).toThrow(
      './things/a.ts declares "b": the file must have the same name',
    )
  })
})

describe('what user code prints', () => {
  it('keeps its colours on a terminal and gives it no other order', () => {
    const escape = String.fromCharCode(27)
    const colour = `${escape}[1;31mred${escape}[0m`
    const clipboard = `${escape}]52;c;cm0gLXJm${String.fromCharCode(7)}`
    const given = `a\tb\n${colour}${clipboard}${escape}[2J`
    expect(forTerminal(given, true)).toBe(`a\tb\n${colour}\uFFFD]52;c;cm0gLXJm\uFFFD\uFFFD[2J`)
    expect(forTerminal(given, false)).toBe(given)
  })
})
