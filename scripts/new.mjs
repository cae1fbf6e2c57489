// `npm run new -- KIND NAME`: writes the skeleton of something new, with its test, from scripts/templates/KIND.
// A skeleton works as it is: its test passes before a line is changed (but for unit-test, which has nothing to test
// yet).
//
// A template is a folder whose files lie as they will in the clone. In paths and in texts these marks are replaced:
//   __name__   my-thing      __Name__   MyThing      __title__   My thing
//   __camel__  myThing       __snake__  my_thing     __call__    my.thing (only of calls)
// `_about.md` says in its first line what the kind is, and in the others what to do next; it is printed, not copied.
// `FILE.insert` adds lines to FILE: its first line is a line that FILE has once, and the others are put before it.
import fs from 'node:fs'
import path from 'node:path'

import { listFiles, writeWhole } from './lib/files.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'

const templates = path.join(root, 'scripts', 'templates')
const about = '_about.md'
const insertion = '.insert'

const kinds = fs
  .readdirSync(templates, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)
  .sort()

const aboutOf = (kind) =>
  fs
    .readFileSync(path.join(templates, kind, about), 'utf8')
    .trim()
    .split('\n')

function usage() {
  const lines = kinds.map((kind) => `  ${kind.padEnd(10)} ${aboutOf(kind)[0]}`)
  return [
    'usage: npm run new -- KIND NAME',
    ...lines,
    '  NAME       lower-case words and digits, joined by dashes: my-thing; for a call GROUP.NAME: tensor.maxValue',
  ].join('\n')
}

/** @returns {never} */
function refuseUse(message) {
  return refuse(`${message}\n${usage()}`)
}

/** The words of a name; the group of a call is the first. */
function wordsOf(kind, name) {
  if (kind !== 'call') {
    if (/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) return name.split('-')
    return refuseUse(`"${name}" is not a valid name for a ${kind}: write it like my-thing`)
  }
  if (!/^[a-z][a-zA-Z]*\.[a-z][a-zA-Z]*$/.test(name))
    return refuseUse(
      `"${name}" is not a valid name for a call to the op host: write a group, a dot and a name, such as tensor.maxValue`,
    )
  return name
    .replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace('.', '-')
    .split('-')
}

const capital = (word) => word.charAt(0).toUpperCase() + word.slice(1)

/** A text with the name instead of its marks. */
function fill(text, name, words) {
  const capitals = words.map(capital).join('')
  const marks = {
    __name__: words.join('-'),
    __Name__: capitals,
    __title__: capital(words.join(' ')),
    __camel__: capitals.charAt(0).toLowerCase() + capitals.slice(1),
    __snake__: words.join('_'),
    __call__: name,
  }
  return Object.entries(marks).reduce(
    (filled, [mark, value]) => filled.replaceAll(mark, value),
    text,
  )
}

/** The text of a file with the lines of a template in it. */
function inserted(file, addition, name) {
  const [before = '', ...added] = addition.trimEnd().split('\n')
  const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n')
  if (lines.includes(added.find((line) => !/^\s*\/[/*]/.test(line)) ?? ''))
    refuse(`nothing written: ${file} has ${name} already`)
  const place = lines.indexOf(before)
  if (place < 0 || place !== lines.lastIndexOf(before))
    refuse(
      `nothing written: ${file} must have the line "${before}" exactly once. Add these lines by hand:\n${added.join('\n')}`,
    )
  return lines.toSpliced(place, 0, ...added).join('\n')
}

/** What is instead of a new file: verbs/build.ts would be the same verb as verbs/build/. */
function presentOf(file) {
  const { dir, name } = path.parse(file)
  return [file, path.join(dir, name)].filter((one) => fs.existsSync(path.join(root, one)))
}

function write(kind, name) {
  const folder = path.join(templates, kind)
  const words = wordsOf(kind, name)
  const filled = listFiles(folder, (file) => file === about).map((file) => ({
    target: fill(file, name, words),
    text: fill(fs.readFileSync(path.join(folder, file), 'utf8'), name, words),
  }))
  const created = filled.filter(({ target }) => !target.endsWith(insertion))
  const present = created.flatMap(({ target }) => presentOf(target))
  if (present.length > 0) refuse(`nothing written: ${present.join(', ')} exists already`)
  const changed = filled
    .filter(({ target }) => target.endsWith(insertion))
    .map(({ target, text }) => {
      const file = target.slice(0, -insertion.length)
      return { target: file, text: inserted(file, text, name) }
    })
  for (const { target, text } of [...created, ...changed]) writeWhole(path.join(root, target), text)
  for (const { target } of created) console.log(`wrote ${target}`)
  for (const { target } of changed) console.log(`added to ${target}`)
  const next = aboutOf(kind).slice(1)
  console.log(`\n${next.map((line) => fill(line, name, words)).join('\n')}`.trimEnd())
}

const [kind = '', name = '', ...rest] = process.argv.slice(2)
if (kind === '' || kind === '--help' || kind === '-h') console.log(usage())
else if (!kinds.includes(kind)) refuseUse(`unknown kind "${kind}"`)
else if (rest.length > 0) refuseUse(`one name at a time: "${[name, ...rest].join(' ')}"`)
else write(kind, name)
