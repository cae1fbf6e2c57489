// CommonJS bundles have no import.meta; esbuild puts this where a package of ours asks for it.
import { pathToFileURL } from 'node:url'

export const importMetaUrl = /* @__PURE__ */ pathToFileURL(__filename).href
