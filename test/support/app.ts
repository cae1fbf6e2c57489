import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

import { _electron } from 'playwright-core'
import type { ElectronApplication, Page } from 'playwright-core'

import type { SettingsChange } from '../../electron/contract/settings'
import { changeSettings } from '../../electron/engine/project/settings-file'
import { root } from './installation'
import type { TestCache } from './installation'
import type { OrdinaryUser } from './ordinary-user'
import './test-hook'

/** Milliseconds. Whoever waits shorter than this measures something, and says so. */
const patience = 90_000
/**
 * Whether tests write pictures of their windows into test-results, for people to look at. A run takes some two hundred,
 * each as long as a step of a test: so only where this variable is set.
 */
const wantsPictures = Boolean(process.env['OPSMITH_TEST_PICTURES'])

export async function electronExecutable(): Promise<string> {
  const script = pathToFileURL(path.join(root, 'scripts/setup/electron-runtime.mjs'))
  const { resolveElectron } = (await import(script.href)) as {
    resolveElectron(): { executable: string } | undefined
  }
  const runtime = resolveElectron()
  if (!runtime) throw new Error('set-up has not fetched an Electron runtime')
  return runtime.executable
}

interface StartOptions {
  /** The checkout, or the folder of a package, whose bundles are started. */
  checkout?: string
  onWindow?: (page: Page) => Promise<void>
  environment?: Readonly<Record<string, string>>
}

/** No spinner turns: painting one takes a quarter of a core where no GPU does it. Benchmarks measure it as users have it. */
const still = process.env['VITEST'] === undefined ? [] : ['--force-prefers-reduced-motion']

/** Tests run as root in containers, where Chromium's sandbox cannot; nothing else passes this. */
function startArguments(checkout: string, project: string | undefined): string[] {
  return ['--no-sandbox', ...still, checkout, ...(project === undefined ? [] : [project])]
}

function startEnvironment(cache: TestCache): Record<string, string> {
  return {
    ...(process.env as Record<string, string>),
    ...cache.environment,
    OPSMITH_TESTS: '1',
  }
}

/** Starts the app once more while one is open; its exit code comes back. */
export async function startOnceMore(cache: TestCache, project: string): Promise<number | null> {
  const child = spawn(await electronExecutable(), startArguments(root, project), {
    cwd: root,
    env: startEnvironment(cache),
    stdio: 'ignore',
  })
  return await new Promise((resolve) => child.once('exit', resolve))
}

/** The real app in a real window. Benchmarks use it too, where there is no vitest. */
export class App {
  /** Called before a window closes: the last moment to read what it shows. */
  static beforeClose: () => Promise<void> = () => Promise.resolve()
  private static readonly running = new Set<App>()

  private constructor(
    readonly electron: ElectronApplication,
    readonly page: Page,
  ) {
    App.running.add(this)
  }

  /** What the windows show, after a test that failed: where nobody can look at a picture, it is all there is. */
  static async tellRunning(test: string): Promise<void> {
    for (const { page } of App.running) {
      const text = await page
        .locator('body')
        .innerText({ timeout: 5_000 })
        .catch((error: unknown) => String(error))
      process.stderr.write(`\nThe window as "${test}" failed:\n${text}\n\n`)
    }
  }

  /** Without a compile server and clangd, unless asked for: each takes a core for as long as most tests. */
  static async start(
    cache: TestCache,
    project?: string,
    settings: SettingsChange = { hotCompile: false, codeHelp: false },
    /** The checkout whose bundles are started. */
    checkout = root,
    /** Called as soon as there is a window, and awaited. */
    onWindow: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<App> {
    // Copies of samples and new projects go to the test's own folder.
    const projectsFolder = path.join(cache.home, 'projects')
    await changeSettings(cache.places.configFolder, { projectsFolder, ...settings })
    return await App.startAsItIs(cache, project, { checkout, onWindow })
  }

  /** With the files that are there: no setting is written first. */
  static async startAsItIs(
    cache: TestCache,
    project: string | undefined,
    { checkout = root, onWindow, environment = {} }: StartOptions = {},
  ): Promise<App> {
    return await App.launch(
      {
        executablePath: await electronExecutable(),
        args: startArguments(checkout, project),
        cwd: checkout,
        env: { ...startEnvironment(cache), ...environment },
      },
      onWindow,
    )
  }

  /** With Chromium's sandbox, as a user who is not root. */
  static async startSandboxed(
    cache: TestCache,
    project: string,
    { executable, environment }: OrdinaryUser,
  ): Promise<App> {
    return await App.launch({
      executablePath: executable,
      args: [root, project],
      cwd: root,
      env: { ...startEnvironment(cache), ...environment },
      chromiumSandbox: true,
    })
  }

  private static async launch(
    options: Parameters<typeof _electron.launch>[0],
    onWindow: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<App> {
    const electron = await _electron.launch({ ...options, timeout: 2 * patience })
    if (process.env['OPSMITH_TEST_LOG']) {
      electron.process().stderr?.pipe(process.stderr)
      electron.process().stdout?.pipe(process.stderr)
    }
    const page = await electron.firstWindow({ timeout: 2 * patience })
    page.setDefaultTimeout(patience)
    await onWindow(page)
    await page.waitForFunction(() => window.opsmithTest?.ready() === true, undefined, {
      timeout: 2 * patience,
    })
    return new App(electron, page)
  }

  /** Waits until its main process has ended. */
  async ended(): Promise<void> {
    App.running.delete(this)
    const main = this.electron.process()
    if (main.exitCode !== null || main.signalCode !== null) return
    await new Promise((resolve) => main.once('exit', resolve))
  }

  /** As a user closes it: by its window. */
  async close(): Promise<void> {
    await App.beforeClose()
    const gone = this.ended()
    await this.electron.evaluate(({ BrowserWindow }) => {
      for (const window of BrowserWindow.getAllWindows()) window.close()
    })
    await gone
  }

  /** With the caret at the line and column, where they are given. */
  async openFile(file: string, line = 0, column = 1): Promise<void> {
    await this.page.evaluate(
      ([name, ...at]) => window.opsmithTest?.openFile(String(name), Number(at[0]), Number(at[1])),
      [file, line, column],
    )
  }

  /** The keyboard is in the editor, at this place, once this resolves. */
  async caretAt(file: string, line: number, column = 1): Promise<void> {
    await this.openFile(file, line, column)
    await this.focused(file)
    const place = new RegExp(`^${line}:${column}$`)
    await this.testId('status-cursor').filter({ hasText: place }).waitFor()
  }

  /** Waits until the keyboard is in the editor of this file. */
  async focused(file: string): Promise<void> {
    await this.testId(`editor-${file}`).locator(':focus').waitFor({ state: 'attached' })
  }

  /** As large as that, or as the screen is: the system may take a pixel of a window that fills it. */
  async resize(width: number, height: number): Promise<void> {
    const possible = await this.electron.evaluate(
      ({ BrowserWindow, screen }, size) => {
        BrowserWindow.getAllWindows()[0]?.setSize(size[0], size[1])
        return Math.min(size[0], screen.getPrimaryDisplay().workAreaSize.width)
      },
      [width, height] as const,
    )
    await this.page.waitForFunction((wanted) => Math.abs(window.innerWidth - wanted) <= 2, possible)
  }

  async text(file: string): Promise<string> {
    return (await this.page.evaluate((name) => window.opsmithTest?.editorText(name), file)) ?? ''
  }

  /** Types over the whole text as one edit, as a paste would. */
  async setText(file: string, text: string): Promise<void> {
    await this.page.evaluate(
      ([name, value]) => window.opsmithTest?.setEditorText(name ?? '', value ?? ''),
      [file, text],
    )
  }

  async replace(file: string, from: string, to: string): Promise<void> {
    const before = await this.text(file)
    if (!before.includes(from)) throw new Error(`${file} does not contain ${from}`)
    await this.setText(file, before.replace(from, to))
  }

  async markers(file: string): Promise<{ line: number; message: string; severity: string }[]> {
    return (await this.page.evaluate((name) => window.opsmithTest?.markers(name), file)) ?? []
  }

  async save(): Promise<void> {
    await this.page.keyboard.press('Control+S')
  }

  /** Waits until no build runs and the last one was good. The text of the status bar says 0.3 s later that one runs. */
  async built(timeout = patience): Promise<void> {
    await this.page.locator('[data-testid="status-build"][data-state="good"]').waitFor({ timeout })
  }

  testId(id: string): ReturnType<Page['getByTestId']> {
    return this.page.getByTestId(id)
  }

  /** Of what a test saw, for people: only where they are wanted, as no test reads one. */
  async picture(name: string): Promise<void> {
    if (wantsPictures) await this.pictureOfFault(name)
  }

  /** The same in both themes. The theme is that of the system afterwards. */
  async pictures(name: string): Promise<void> {
    if (!wantsPictures) return
    for (const theme of ['dark', 'light'] as const) {
      await this.page.emulateMedia({ colorScheme: theme })
      await this.page.locator(`:root[data-theme=${theme}]`).waitFor({ state: 'attached' })
      await this.picture(`${name}-${theme}`)
    }
    await this.page.emulateMedia({ colorScheme: null })
  }

  /** Of what a test found wrong, in every run. It is kept outside the repository's history. */
  async pictureOfFault(name: string): Promise<void> {
    const folder = path.join(root, 'test-results')
    fs.mkdirSync(folder, { recursive: true })
    // A window that is drawn without a GPU gets its turn late on a busy machine.
    await this.page.screenshot({ path: path.join(folder, `${name}.png`), timeout: 120_000 })
  }
}
