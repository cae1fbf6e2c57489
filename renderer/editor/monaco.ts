import type { MarkerList } from 'monaco-editor/editor/contrib/gotoError/browser/markerNavigationService.js'
import type * as Monaco from 'monaco-editor/editor/editor.api.js'

type Parts = typeof import('./monaco-parts')

/**
 * Monaco is four fifths of the window's code, and the first page needs none of it: loadMonaco() fetches it.
 * Until that resolves this is undefined: no model and no editor exists before.
 */
export let monaco: typeof Monaco
let parts: Parts | undefined

/** Fetches Monaco once. */
export async function loadMonaco(): Promise<void> {
  const loaded = await import('./monaco-parts')
  if (parts) return
  monaco = loaded.monaco
  parts = loaded
  self.MonacoEnvironment = {
    // Workers are files of our own: nothing is fetched from elsewhere and no blob needs to be allowed.
    getWorker: (_id, label) =>
      label === 'json' ? new loaded.JsonWorker() : new loaded.EditorWorker(),
  }
}

export function isMonacoLoaded(): boolean {
  return parts !== undefined
}

/** Completion and validation of opsmith.json. */
export function setManifestSchema(schema: string): void {
  let parsed: unknown
  try {
    parsed = JSON.parse(schema)
  } catch {
    return // the editor then validates JSON only; main says what is wrong with the manifest
  }
  parts?.jsonDefaults.setDiagnosticsOptions({
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

/** What walks through the markers of a file, in Monaco's widget that shows their messages. */
export function walkMarkersBy(list: (resource: Monaco.Uri) => MarkerList): void {
  if (!parts) return
  parts.StandaloneServices.get(parts.IMarkerNavigationService).registerProvider({
    getMarkerList: (resource) => resource && list(resource),
  })
}

export type { MarkerList, Monaco }
