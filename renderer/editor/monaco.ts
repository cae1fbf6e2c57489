import type * as Monaco from 'monaco-editor/editor/editor.api.js'

type JsonDefaults = (typeof import('./monaco-parts'))['jsonDefaults']

/**
 * Monaco is four fifths of the window's code, and the first page needs none of it: loadMonaco() fetches it.
 * Until that resolves this is undefined: no model and no editor exists before.
 */
export let monaco: typeof Monaco
let jsonDefaults: JsonDefaults | undefined

/**
 * Fetches Monaco once.
 * @param services of ours in the place of Monaco's, by its names for them
 */
export async function loadMonaco(services: Record<string, unknown>): Promise<void> {
  const loaded = await import('./monaco-parts')
  if (jsonDefaults) return
  loaded.StandaloneServices.initialize(services)
  monaco = loaded.monaco
  jsonDefaults = loaded.jsonDefaults
  self.MonacoEnvironment = {
    // Workers are files of our own: nothing is fetched from elsewhere and no blob needs to be allowed.
    getWorker: (_id, label) =>
      label === 'json' ? new loaded.JsonWorker() : new loaded.EditorWorker(),
  }
}

export function isMonacoLoaded(): boolean {
  return jsonDefaults !== undefined
}

/** Completion and validation of opsmith.json. */
export function setManifestSchema(schema: string): void {
  let parsed: unknown
  try {
    parsed = JSON.parse(schema)
  } catch {
    return // the editor then validates JSON only; main says what is wrong with the manifest
  }
  jsonDefaults?.setDiagnosticsOptions({
    validate: true,
    allowComments: true,
    comments: 'ignore',
    trailingCommas: 'warning',
    enableSchemaRequest: false,
    schemaValidation: 'warning',
    schemas: [
      { uri: 'opsmith://schema/opsmith.json', fileMatch: ['opsmith.json'], schema: parsed },
    ],
  })
}

export type { Monaco }
