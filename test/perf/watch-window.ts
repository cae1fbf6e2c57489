/** What a window shows after a save: "built" in the status bar, and panels that are of the new library. */
export type Watched =
  | 'built'
  | 'run'
  | 'schemas'
  | 'graph'
  /** All of opsmith.json's, with their verdicts. */
  | 'gradchecks'
  /** Nothing of what a build refreshes runs any more: every panel is fresh. */
  | 'fresh'

/** Milliseconds from Ctrl+S until the window showed it; -1 where it never did. */
export type SeenAfterSave = Record<Watched, number>

/** How long a watch goes on. */
export interface Patience {
  /** Milliseconds after which a watch ends, whatever was seen. */
  longest: number
  /** Milliseconds without work after which no more is expected. */
  calm: number
  /** What this project shows. */
  names: readonly Watched[]
}

/**
 * Waits for Ctrl+S and then for what the window shows of it. Runs in the page, as a whole: it may use nothing
 * from outside.
 * @throws Error where no Ctrl+S comes within `longest`
 */
export async function watchSave({ longest, calm, names }: Patience): Promise<SeenAfterSave> {
  const part = (id: string, within: Element | Document | null = document): Element | null =>
    within?.querySelector(`[data-testid="${id}"]`) ?? null
  const isBuilt = (): boolean => part('status-build')?.getAttribute('data-state') === 'good'
  const isFresh = (panel: Element | null): boolean =>
    isBuilt() && panel !== null && part('stale-bar', panel) === null
  const isTrue = {
    built: isBuilt,
    run: () => isFresh(part('run-panel')) && part('run-stop', part('run-panel')) === null,
    schemas: () => isFresh(part('schemas-panel')),
    graph: () =>
      isFresh(part('graph-panel')) && window.opsmithTest?.graph.state().working === false,
    gradchecks: () => {
      const entries = [...document.querySelectorAll('[data-testid^="gradcheck-entry-"]')]
      const isChecked = entries.every((entry) => entry.getAttribute('data-verdict') !== '')
      return isBuilt() && entries.length > 0 && isChecked
    },
    fresh: () => isBuilt() && part('toolbar-stop')?.getAttribute('data-busy') === 'false',
  }
  const seen: SeenAfterSave = {
    built: -1,
    run: -1,
    schemas: -1,
    graph: -1,
    gradchecks: -1,
    fresh: -1,
  }
  /** What was seen to be old: only that can become new. */
  const wasOld = new Set<string>()
  const began = await new Promise<number>((resolve, reject) => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.ctrlKey || event.key.toLowerCase() !== 's') return
      window.removeEventListener('keydown', onKey, { capture: true })
      resolve(event.timeStamp)
    }
    window.addEventListener('keydown', onKey, { capture: true })
    setTimeout(() => {
      reject(new Error('the window saw no Ctrl+S'))
    }, longest)
  })
  /** After the frame that shows it: a look is made before it is drawn. */
  const painted = (note: () => void): void => {
    setTimeout(note, 0)
  }
  let calmSince = performance.now()
  const look = (): void => {
    for (const name of names) {
      if (!isTrue[name]()) {
        wasOld.add(name)
        // A feature that runs again makes the panels old again.
        if (name === 'fresh') seen.fresh = -1
        calmSince = performance.now()
      } else if (wasOld.has(name) && seen[name] < 0) {
        seen[name] = 0
        painted(() => {
          if (seen[name] === 0) seen[name] = performance.now() - began
        })
      }
    }
  }
  // Once a frame: looking after each change would take time from what is watched.
  let isDue = false
  const observer = new MutationObserver(() => {
    if (isDue) return
    isDue = true
    requestAnimationFrame(() => {
      isDue = false
      look()
    })
  })
  const all = { subtree: true, childList: true, attributes: true, characterData: true }
  observer.observe(document.body, all)
  look()
  while (performance.now() - began < longest) {
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (names.every((name) => seen[name] > 0) && performance.now() - calmSince > calm) break
  }
  observer.disconnect()
  return seen
}

/**
 * Milliseconds from Ctrl+S until the editor marks an error in the file; -1 where it never does. Runs in the page.
 * @throws Error where no Ctrl+S comes within `longest`
 */
export async function watchError({
  file,
  longest,
}: {
  file: string
  longest: number
}): Promise<number> {
  const began = await new Promise<number>((resolve, reject) => {
    const onKey = (event: KeyboardEvent): void => {
      if (!event.ctrlKey || event.key.toLowerCase() !== 's') return
      window.removeEventListener('keydown', onKey, { capture: true })
      resolve(event.timeStamp)
    }
    window.addEventListener('keydown', onKey, { capture: true })
    setTimeout(() => {
      reject(new Error('the window saw no Ctrl+S'))
    }, longest)
  })
  const isMarked = (): boolean =>
    window.opsmithTest?.markers(file).some(({ severity }) => severity === 'error') === true
  while (performance.now() - began < longest) {
    const marked = isMarked()
    await new Promise((resolve) => requestAnimationFrame(resolve))
    if (marked) return performance.now() - began
  }
  return -1
}
