import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/settings.md'

/** A type of the JSON Schema in words. */
function typeText(schema) {
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(', ')
  if (schema.anyOf) return 'text'
  if (schema.type === 'array') return 'list of text'
  const words = { string: 'text', boolean: 'true or false', object: 'object by names' }
  return words[schema.type] ?? schema.type
}

export async function write(load) {
  const { defaultSettings, settings } = await load('electron/contract/settings.ts')
  const { toJSONSchema } = await import('zod')
  /** @type {Record<string, any>} */
  const properties = toJSONSchema(settings, { io: 'input' }).properties ?? {}
  return markdownPage(
    '# Settings',
    'The Settings panel changes these. They hold for all projects, and are kept in `$XDG_CACHE_HOME/opsmith/settings.json` (`~/.cache/opsmith/settings.json` where that variable is not set). The command line reads the same file. `compiler` and `libtorch` of a project’s own are in `toolchain` of [opsmith.json](manifest.md).',
    markdownTable(
      ['setting', 'type', 'default', 'meaning'],
      Object.entries(properties).map(([name, property]) => [
        code(name),
        typeText(property),
        code(JSON.stringify(defaultSettings[name])),
        property.description ?? '',
      ]),
    ),
  )
}
