// `npm run new -- KIND NAME`: writes the skeleton of something new, with its test, from scripts/templates/KIND.
//
// A template is a folder whose files lie as they will in the clone; `__name__` (my-thing), `__Name__` (MyThing),
// `__camel__` (myThing) and `__snake__` (my_thing) stand for the name, in paths and in texts. `_about.md` says in its
// first line what the kind is, and in the others what to do next; it is printed, not copied.
import fs from 'node:fs'
import path from 'node:path'

import { listFiles, writeWhole } from './lib/files.mjs'
import { root } from './lib/paths.mjs'
import { refuse } from './lib/refuse.mjs'

const templates = path.join(root, 'scripts', 'templates')
const about = '_about.md'

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
  const lines = kinds.map((kind) => `  ${kind.padEnd(14)} ${aboutOf(kind)[0]}`)
  return ['usage: npm run new -- KIND NAME', ...lines, '  NAME           words-with-dashes'].join(
    '\n',
  )
}

/** A text with the name in the place of its marks. */
function fill(text, name) {
  const words = name.split('-')
  const capitals = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return text
    .replaceAll('__name__', name)
    .replaceAll('__Name__', capitals)
    .replaceAll('__camel__', capitals.charAt(0).toLowerCase() + capitals.slice(1))
    .replaceAll('__snake__', words.join('_'))
}

const [kind = '', name = '', ...rest] = process.argv.slice(2)
if (kind === '' || kind === '--help' || kind === '-h') {
  console.log(usage())
} else if (!kinds.includes(kind) || rest.length > 0) {
  refuse(`no kind ${kind}\n${usage()}`)
} else if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
  refuse(`the name has to be words of small letters and digits, joined by dashes\n${usage()}`)
} else {
  const folder = path.join(templates, kind)
  const files = listFiles(folder, (file) => file === about).map((file) => ({
    target: fill(file, name),
    text: fill(fs.readFileSync(path.join(folder, file), 'utf8'), name),
  }))
  const present = files.filter(({ target }) => fs.existsSync(path.join(root, target)))
  if (present.length > 0)
    refuse(`nothing written: ${present.map(({ target }) => target).join(', ')} exists`)
  for (const { target, text } of files) {
    writeWhole(path.join(root, target), text)
    console.log(`wrote ${target}`)
  }
  console.log(
    [
      '',
      ...aboutOf(kind)
        .slice(1)
        .map((line) => fill(line, name)),
    ]
      .join('\n')
      .trimEnd(),
  )
}
