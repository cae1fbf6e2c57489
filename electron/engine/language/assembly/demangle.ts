import { askTool, findTool } from './tools'

/** Texts with the names in them as people write them; as they are without a demangler. */
export async function demangled(texts: readonly string[]): Promise<string[]> {
  const tool = findTool('c++filt') ?? findTool('cxxfilt')
  if (tool === undefined || texts.length === 0) return [...texts]
  const said = await askTool(tool, [], { input: `${texts.join('\n')}\n` })
  const names = said.ok ? said.value.split('\n') : []
  return texts.map((text, index) => (names[index] ?? '') || text)
}
