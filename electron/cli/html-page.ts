import { escapeMarkup } from './markup'

const style = `
:root { color-scheme: light dark; --back: #ffffff; --text: #1c2024; --soft: #5b6570; --line: #d5dade;
  --good: #146c2e; --bad: #b3261e; --panel: #f5f7f8; --c0: #0b62c4; --c1: #b4500a; --c2: #7b3fa0; --c3: #35740f; }
@media (prefers-color-scheme: dark) {
  :root { --back: #16191d; --text: #e4e8ec; --soft: #9aa5b0; --line: #39414a; --good: #6fd08c; --bad: #ff8a80;
    --panel: #1f242a; --c0: #7db8ff; --c1: #ffb27a; --c2: #d3a5f5; --c3: #a5d67f; } }
body { background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto;
  max-width: 62rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: 1rem; margin-bottom: .3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .3rem .7rem .3rem 0;
  border-bottom: 1px solid var(--line); vertical-align: top; } th { color: var(--soft); font-weight: 600; }
code, .number { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em; overflow-wrap: anywhere; }
.passed, .ok { color: var(--good); } .failed { color: var(--bad); } .soft { color: var(--soft); }
pre { background: var(--panel); padding: .8rem; overflow-x: auto; white-space: pre-wrap; }
figure { margin: 1rem 1.5rem 1rem 0; display: inline-block; vertical-align: top; max-width: 100%; } figcaption { font-size: .85rem; color: var(--soft); max-width: 340px; }
svg { max-width: 100%; height: auto; } svg text { fill: var(--soft); font: 11px ui-monospace, monospace; }
.none { fill: var(--panel); } .frame { fill: none; stroke: var(--line); } .worst { fill: none; stroke: #ff2d55; stroke-width: 2.5; }
.grid { stroke: var(--line); stroke-width: 1; } .line { fill: none; stroke: currentColor; stroke-width: 1.5; }
.passes { fill: currentColor; } .fails { fill: var(--back); stroke: currentColor; stroke-width: 1.5; }
.best { fill: none; stroke: currentColor; stroke-width: 2; }
.curve-0 { color: var(--c0); } .curve-1 { color: var(--c1); } .curve-2 { color: var(--c2); } .curve-3 { color: var(--c3); }
.scale { font-size: .8rem; color: var(--soft); margin: .2rem 0; } .ramp { display: inline-block; width: 8rem; height: .7rem; vertical-align: middle; }
`

/** A page of its own, without scripts and without anything to load; it follows the reader's colour scheme. */
export function htmlPage(title: string, facts: readonly string[], body: readonly string[]): string {
  return [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeMarkup(title)}</title><style>${style}</style></head><body>`,
    `<h1>${escapeMarkup(title)}</h1>`,
    `<p class="soft">${facts.map(escapeMarkup).join('<br>')}</p>`,
    ...body,
    '</body></html>',
    '',
  ].join('\n')
}
