/**
 * In place of Monaco, which needs a layout and a canvas to start: component tests render panels, and the editor has
 * end-to-end tests. Features follow the editors that are made, and here none is. What else a panel imports of it is
 * undefined, so that a call of it fails its test.
 */
export const editor = { onDidCreateEditor: (): void => undefined }
export const StandaloneServices = { initialize: (): void => undefined }
