import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// The renderer is served from app://opsmith/ under a CSP without inline scripts and without the
// network: every worker, font and chunk must be a file of its own below dist/renderer.
export default defineConfig({
  root: 'renderer',
  base: './',
  plugins: [react()],
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
