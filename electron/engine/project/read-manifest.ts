import fs from 'node:fs'

import { findNodeAtLocation, parse, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import type { z } from 'zod'

import type { Manifest } from '../../contract/manifest'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { systemCode } from './file-errors'
import { ioError, statOf } from './files'
import { knownManifest } from './known-manifest'
import { isUtf16 } from './text-encoding'
import { manifestFileOf } from './manifest-place'

/** A larger opsmith.json, in bytes, is not read. */
const largestManifest = 8 << 20
/** No value of opsmith.json needs lists and objects this deep. */
const deepestNesting = 100

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

/** What breaks JSON, to be read after "opsmith.json is not valid JSON". */
const syntaxErrors: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this word is not a value; put strings in double quotes',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'a key in double quotes is expected at this place',
  ValueExpected: 'a value is expected at this place',
  ColonExpected: 'a colon is missing between a key and its value',
  CommaExpected: 'a comma is missing before this place',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'there is text after the end of the object',
  InvalidCommentToken: 'comments are not allowed in opsmith.json: remove this comment',
  UnexpectedEndOfComment: 'a comment is not closed',
  UnexpectedEndOfString: 'a string is not closed on its line',
  UnexpectedEndOfNumber: 'a number is incomplete: a digit is missing after “.” or “e”',
  InvalidUnicode: '\\u needs four hexadecimal digits',
  InvalidEscapeCharacter: 'unknown escape after \\',
  InvalidCharacter: 'a string contains a control character',
}

function explainIssue(issue: z.core.$ZodIssue): { message: string; keys: PropertyKey[] } {
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys
    return {
      message: `"${key}" is not a key that opsmith.json allows at this place; check the spelling`,
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
  const missing = /^expected (.*), received undefined$/.exec(message)?.[1]
  return {
    message:
      missing === undefined
        ? message
        : `this key is missing; the value must be ${/^[aeio]/.test(missing) ? 'an' : 'a'} ${missing}`,
    keys: issue.path,
  }
}

/** Texts and comments, whose brackets do not count, and brackets. */
const nesting = /"(?:[^"\\\n]+|\\.)*"?|\/\/[^\n]*|\/\*[^]*?\*\/|[[\]{}]/g

/** The offset of the first bracket that is nested too deeply; undefined where none is. */
function tooDeep(text: string): number | undefined {
  let depth = 0
  for (const { 0: token, index } of text.matchAll(nesting)) {
    if (token === '{' || token === '[') depth += 1
    if (token === '}' || token === ']') depth -= 1
    if (depth > deepestNesting) return index
  }
  return undefined
}

/** A key that JSON allows and opsmith.json does not: it appears again, or it would change every object. */
function wrongKey(node: Node, keys: readonly PropertyKey[]): WrongKey | undefined {
  const known = new Set<string>()
  for (const [index, child] of (node.children ?? []).entries()) {
    if (node.type === 'array') {
      const found = wrongKey(child, [...keys, index])
      if (found) return found
      continue
    }
    const [key, value] = child.children ?? []
    if (!key) continue
    const name = String(key.value)
    const field = [...keys, name]
    if (name === '__proto__') {
      return { offset: key.offset, keys: field, message: 'this name is not allowed as a key' }
    }
    if (known.has(name)) {
      return {
        offset: key.offset,
        keys: field,
        message: 'this key is given twice; keep one of them',
      }
    }
    known.add(name)
    const found = value && wrongKey(value, field)
    if (found) return found
  }
  return undefined
}

interface WrongKey {
  offset: number
  keys: PropertyKey[]
  message: string
}

/**
 * Comments, trailing commas and a byte order mark are allowed; a wrong field is an error naming its path and
 * its line.
 */
export function parseManifest(marked: string, file: string): Result<Manifest> {
  const text = marked.replace(/^\uFEFF/, '')
  const deep = tooDeep(text)
  if (deep !== undefined) {
    const message = `opsmith.json: lists and objects are nested more than ${deepestNesting} levels deep.`
    return err('project.invalid', message, { file, ...placeOf(text, deep) })
  }
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const code = printParseErrorCode(first.error)
    return err(
      'project.invalid',
      `opsmith.json is not valid JSON: ${syntaxErrors[code] ?? code}.`,
      {
        file,
        ...placeOf(text, first.offset),
      },
    )
  }
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const wrong = tree && wrongKey(tree, [])
  if (wrong) {
    const field = fieldPath(wrong.keys)
    return err('project.invalid', `opsmith.json, ${field}: ${wrong.message}.`, {
      path: field,
      file,
      ...placeOf(text, wrong.offset),
    })
  }
  const parsed = knownManifest.safeParse(value)
  if (parsed.success) return ok(parsed.data)
  // A key that was mistyped is why another is missing.
  const { issues } = parsed.error
  const issue = issues.find((one) => one.code === 'unrecognized_keys') ?? issues[0]
  if (!issue)
    return err('project.invalid', 'opsmith.json does not match opsmith.schema.json.', { file })
  const { message, keys } = explainIssue(issue)
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

/** The text of a project's opsmith.json, without a byte order mark. Errors: it is missing, too large, or not UTF-8. */
export async function readManifestText(folder: string): Promise<Result<string>> {
  const file = manifestFileOf(folder)
  try {
    const stat = fs.statSync(file)
    // Reading a named pipe would wait for a writer.
    if (!stat.isFile())
      return err('project.invalid', 'opsmith.json is not a regular file.', { file })
    if (stat.size > largestManifest) {
      const limit = `${largestManifest >> 20} MiB`
      return err(
        'project.invalid',
        `opsmith.json is ${Math.ceil(stat.size / 2 ** 20)} MiB; the limit is ${limit}.`,
        { file },
      )
    }
    const bytes = fs.readFileSync(file)
    if (isUtf16(bytes)) {
      return err('project.invalid', 'opsmith.json is written in UTF-16, but must be UTF-8.', {
        file,
        hint: 'Save the file again with the encoding UTF-8.',
      })
    }
    return ok(bytes.toString('utf8').replace(/^\uFEFF/, ''))
  } catch (error) {
    const code = systemCode(error)
    if (code !== 'ENOENT' && code !== 'ENOTDIR') return ioError(error, `read ${file}`)
    const stat = statOf(folder)
    if (!stat) return err('project.missing', `There is no folder ${folder}.`)
    if (!stat.isDirectory()) {
      return err('project.missing', `${folder} is a file, not the folder of an operator project.`, {
        hint: 'Choose the folder that contains opsmith.json.',
      })
    }
    return err(
      'project.missing',
      `${folder} is not an operator project, because the folder contains no opsmith.json.`,
      {
        hint: 'Open a folder that contains an opsmith.json. To make one for existing sources: opsmith init FOLDER.',
      },
    )
  }
}

export async function readManifest(folder: string): Promise<Result<Manifest>> {
  const text = await readManifestText(folder)
  return text.ok ? parseManifest(text.value, manifestFileOf(folder)) : text
}

/** 1-based lines on which the entries of a list begin, in a text of opsmith.json. */
export function entryLinesIn(text: string, key: string): number[] {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const list = tree && findNodeAtLocation(tree, [key])
  return (list?.children ?? []).map((entry) => placeOf(text, entry.offset).line)
}
