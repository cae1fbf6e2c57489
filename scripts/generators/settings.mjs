import { code, markdownPage, markdownTable } from '../lib/markdown.mjs'

export const file = 'docs/reference/settings.md'

/** A type of the JSON Schema in words. */
function typeText(schema) {
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(', ')
  if (schema.anyOf) return 'text'
  if (schema.type === 'array') return 'list of text'
  const words = { string: 'text', boolean: 'true or false', object: 'object with names as keys' }
  return words[schema.type] ?? schema.type
}

export async function write(load) {
  const { defaultSettings, settings } = await load('electron/contract/settings.ts')
  const { toJSONSchema } = await import('zod')
  /** @type {Record<string, any>} */
  const properties = toJSONSchema(settings, { io: 'input' }).properties ?? {}
  return markdownPage(
    '# Settings',
    'You can change most settings in the Settings panel, and `compiler` and `libtorch` in Doctor. Settings apply to all projects. Their file is `$XDG_CONFIG_HOME/opsmith/settings.json`, or `~/.config/opsmith/settings.json` if this variable is not set. The command line reads the same file. A project can set its own `compiler`, `libtorch` and `gpu` in `toolchain` of [opsmith.json](manifest.md).',
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
