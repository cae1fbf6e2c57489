import fs from 'node:fs'
import { fileURLToPath } from 'node:url'

import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import type { HtmlTagDescriptor, Plugin } from 'vite'

const stylesOfFirstPicture = ['tokens', 'first-picture'].map((name) =>
  fileURLToPath(new URL(`renderer/shell/styles/${name}.css`, import.meta.url)),
)

/** The style of the first picture is in the page. What its script imports is fetched with the page. */
const firstPicture: Plugin = {
  name: 'first-picture',
  transformIndexHtml: (_html, { bundle }) => {
    const styles = stylesOfFirstPicture.map((file) => fs.readFileSync(file, 'utf8'))
    const style: HtmlTagDescriptor = { tag: 'style', children: styles.join('\n'), injectTo: 'head' }
    // Vite's server has no bundle.
    if (!bundle) return [style]
    // electron/main/window.ts knows it by this name, too.
    const main = Object.values(bundle).find(({ fileName }) =>
      /^assets\/main-.*\.js$/.test(fileName),
    )
    if (main?.type !== 'chunk') throw new Error('the bundle has no assets/main-*.js')
    const isEntry = (name: string): boolean => {
      const chunk = bundle[name]
      return chunk?.type === 'chunk' && chunk.isEntry
    }
    const scripts = [main.fileName, ...main.imports.filter((name) => !isEntry(name))]
    const sheets = [...(main.viteMetadata?.importedCss ?? [])]
    const preload = (as: string, fileName: string): HtmlTagDescriptor => ({
      tag: 'link',
      attrs: { rel: 'preload', as, href: `./${fileName}`, crossorigin: '' },
      injectTo: 'head',
    })
    return [
      style,
      ...scripts.map((script) => preload('script', script)),
      ...sheets.map((sheet) => preload('style', sheet)),
    ]
  },
}

// The renderer is served from app://opsmith/ under a CSP without inline scripts and without the
// network: every worker, font and chunk must be a file of its own below dist/renderer.
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react(), firstPicture],
  worker: { format: 'es' },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    // Electron 25, the oldest runtime the app supports, is Chromium 114.
    target: 'chrome114',
    cssTarget: 'chrome114',
    sourcemap: true,
    // data: URIs would need holes in the CSP; a local file costs nothing.
    assetsInlineLimit: 0,
    // The polyfill for preloading is an inline script.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Monaco is one large chunk by nature; it is read from the local disk.
    chunkSizeWarningLimit: 5000,
  },
})
