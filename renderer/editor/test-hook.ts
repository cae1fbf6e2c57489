import { layoutStore, openFile } from '../store/layout'
import { loadModel, modelOf, replaceText, textOf } from './models'
import { monaco, type Monaco } from './monaco'

type Marker = { severity: string; line: number; column: number; message: string }

/** What end-to-end tests do faster and surer than by the keyboard; only where main says that tests run. */
export type OpsmithTest = {
  editorText(path: string): string | null
  setEditorText(path: string, text: string): Promise<void>
  markers(path: string): Marker[]
  openFile(path: string, line?: number, column?: number): Promise<void>
  ready(): boolean
}

/**
 * @param features what features offer, by the name of the feature; tests declare the type of the whole in
 * test/support/test-hook.ts
 */
export function exposeTestHook(features: Readonly<Record<string, unknown>>): void {
  const hook: OpsmithTest = {
    editorText: (path) => {
      const model = modelOf(path)
      return model ? textOf(model) : null
    },
    setEditorText: async (path, text) => {
      openFile(path)
      const model = await loadModel(path)
      if (model) replaceText(model, text)
    },
    markers: (path) => {
      const model = modelOf(path)
      if (!model) return []
      return monaco.editor.getModelMarkers({ resource: model.uri }).map((marker) => ({
        severity: severityName(marker.severity),
        line: marker.startLineNumber,
        column: marker.startColumn,
        message: marker.message,
      }))
    },
    openFile: async (path, line = 0, column = 1) => {
      openFile(path, line, column)
      await loadModel(path)
    },
    ready: () => {
      const { page, dock } = layoutStore.getState()
      return page === 'workbench' ? dock !== null : page !== 'starting'
    },
  }
  Object.assign(window, { opsmithTest: { ...features, ...hook } })
}

function severityName(severity: Monaco.MarkerSeverity): string {
  if (severity === monaco.MarkerSeverity.Error) return 'error'
  return severity === monaco.MarkerSeverity.Warning ? 'warning' : 'note'
}
