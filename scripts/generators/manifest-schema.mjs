export const file = 'docs/opsmith.schema.json'

export async function write(load) {
  const { manifestJsonSchema } = await load('electron/engine/project/manifest-schema.ts')
  return `${JSON.stringify(manifestJsonSchema(), null, 2)}\n`
}
