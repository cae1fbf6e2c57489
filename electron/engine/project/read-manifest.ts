import fs from 'node:fs/promises'
import path from 'node:path'

import { findNodeAtLocation, parse, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { ParseError } from 'jsonc-parser'
import type { z } from 'zod'

import { manifestFileName } from '../../contract/manifest'
import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { knownManifest } from './known-manifest'

/** 1-based line and column of a character offset. */
export function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: offset - (before.lastIndexOf('\n') + 1) + 1 }
}

/** `inputs.x.shape[1]`, as a user would write it. */
export function fieldPath(keys: readonly PropertyKey[]): string {
  return keys
    .map((key, index) =>
      typeof key === 'number' ? `[${key}]` : index === 0 ? String(key) : `.${String(key)}`,
    )
    .join('')
}

/** What breaks JSON, to be read after "opsmith.json is not JSON". */
const syntaxErrors: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is no value; texts stand in double quotes',
  InvalidNumberFormat: 'this is no number',
  PropertyNameExpected: 'a key in double quotes belongs here',
  ValueExpected: 'a value belongs here',
  ColonExpected: 'a colon belongs between a key and its value',
  CommaExpected: 'a comma is missing before this',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'something follows after its end',
  InvalidCommentToken: 'this comment is not allowed',
  UnexpectedEndOfComment: 'a comment does not end',
  UnexpectedEndOfString: 'a text does not end on its line',
  UnexpectedEndOfNumber: 'a number breaks off',
  InvalidUnicode: '\\u takes four hexadecimal digits',
  InvalidEscapeCharacter: 'there is no such escape after \\',
  InvalidCharacter: 'a text holds a control character',
}

function explainIssue(issue: z.core.$ZodIssue): { message: string; keys: PropertyKey[] } {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return {
      message: `"${key}" is not a key that opsmith.json knows here`,
      keys: [...issue.path, key],
    }
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest = issue.errors.flat().sort((a, b) => b.path.length - a.path.length)[0]
    if (deepest && deepest.path.length > 0) {
      const inner = explainIssue(deepest)
      return { message: inner.message, keys: [...issue.path, ...inner.keys] }
    }
  }
  const message = issue.message.replace(/^Invalid input: /, '')
  const missing = /^expected (.*), received undefined$/.exec(message)
  return {
    message: missing ? `missing, ${missing[1] ?? ''} expected` : message,
    keys: issue.path,
  }
}

/** Comments and trailing commas are allowed; a wrong field is an error naming its path and its line. */
export function parseManifest(text: string, file: string): Result<Manifest> {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const code = printParseErrorCode(first.error)
    return err('project.invalid', `opsmith.json is not JSON: ${syntaxErrors[code] ?? code}.`, {
      file,
      ...placeOf(text, first.offset),
    })
  }
  const parsed = knownManifest.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  // A key that was mistyped is why another is missing.
  const { issues } = parsed.error
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0]
  if (!issue) return err('project.invalid', 'opsmith.json does not fit its shape.', { file })
  const { message, keys } = explainIssue(issue)
  const tree = parseTree(text, [], { allowTrailingComma: true })
  // A missing field has no node of its own: its parent's place serves.
  let node = undefined
  for (let length = keys.length; tree && length >= 0 && !node; length -= 1) {
    node = findNodeAtLocation(tree, keys.slice(0, length) as (string | number)[])
  }
  const field = fieldPath(keys)
  return err(
    'project.invalid',
    field === '' ? `opsmith.json: ${message}.` : `opsmith.json, ${field}: ${message}.`,
    {
      path: field,
      file,
      ...(node ? placeOf(text, node.offset) : {}),
    },
  )
}

/** The text of a project's opsmith.json. */
export async function readManifestText(folder: string): Promise<Result<string>> {
  try {
    return ok(await fs.readFile(path.join(folder, manifestFileName), 'utf8'))
  } catch {
    const stat = await fs.stat(folder).catch(() => undefined)
    if (!stat) return err('project.missing', `There is no folder ${folder}.`)
    if (!stat.isDirectory()) {
      return err('project.missing', `${folder} is a file, not the folder of an operator project.`, {
        hint: 'Name the folder that has its opsmith.json.',
      })
    }
    return err('project.missing', `${folder} is not an operator project: it has no opsmith.json.`, {
      hint: 'Open a folder that has one, or start from a copy of a sample.',
    })
  }
}

export async function readManifest(folder: string): Promise<Result<Manifest>> {
  const text = await readManifestText(folder)
  return text.ok ? parseManifest(text.value, path.join(folder, manifestFileName)) : text
}

/** 1-based lines on which the entries of a list begin, in a text of opsmith.json. */
export function entryLinesIn(text: string, key: string): number[] {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const list = tree && findNodeAtLocation(tree, [key])
  return (list?.children ?? []).map((entry) => placeOf(text, entry.offset).line)
}
