// A window that opens a project needs the editor at once: its code is fetched while the window's own still runs.
// Who waits for it hears of a failure.
if (location.search === '?project') import('./monaco-parts').catch(() => undefined)
