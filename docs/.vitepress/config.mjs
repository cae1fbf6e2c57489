import { defineConfig } from 'vitepress'
export default defineConfig({ title: 'Opsmith', ignoreDeadLinks: true, outDir: '/tmp/docs/try/site', cacheDir: '/tmp/docs/try/cache' })
