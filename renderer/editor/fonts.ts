/** The one monospace family, as shell/styles/tokens.css names it. */
export const monoFont =
  "ui-monospace, 'Cascadia Mono', 'JetBrains Mono', 'SF Mono', Menlo, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
