import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/manifest.md'

/** A type of the JSON Schema in words: "list of text". */
function typeText(schema) {
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(', ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const variants = schema.anyOf ?? schema.oneOf
  if (variants) return [...new Set(variants.map(typeText))].join(' or ')
  if (schema.type === 'array') {
    return `list of ${schema.items && Object.keys(schema.items).length > 0 ? typeText(schema.items) : 'values'}`
  }
  if (schema.type === 'object')
    return schema.additionalProperties ? 'object with names as keys' : 'object'
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeText({ type })).join(' or ')
  const words = { string: 'text', integer: 'integer', null: 'null' }
  return words[schema.type] ?? schema.type ?? 'any value'
}

function rows(schema, describe) {
  const required = new Set(schema.required ?? [])
  return Object.entries(schema.properties).map(([key, property]) => [
    code(key),
    typeText(property),
    required.has(key) ? 'required' : code(JSON.stringify(property.default) ?? ''),
    ...(describe ? [property.description ?? ''] : []),
  ])
}

/** The object that a key holds: itself, each of its list, or each of its names. */
function entryOf(property) {
  const candidates = [property, property.items, property.additionalProperties]
  return candidates.find((one) => one?.properties)
}

export async function write(load) {
  const { manifestJsonSchema } = await load('electron/engine/project/manifest-schema.ts')
  const schema = manifestJsonSchema()
  const nested = Object.entries(schema.properties).flatMap(([key, property]) => {
    const entry = entryOf(property)
    if (!entry) return []
    return [`## ${key}`, markdownTable(['key', 'type', 'default'], rows(entry, false))]
  })
  return markdownPage(
    '# opsmith.json',
    'An operator project is a folder with this file. The file is JSON with comments and trailing commas. [opsmith.schema.json](../opsmith.schema.json) is its JSON Schema. Editors use the schema for completion if the key `"$schema"` names it.',
    markdownTable(['key', 'type', 'default', 'meaning'], rows(schema, true)),
    ...nested,
  )
}
