/**
 * Turns CUDA C++ into C++ that clang compiles for the CPU: launches, shared memory, variables of the
 * device, and functions that differ on host and device. Lines keep their numbers.
 */
import { checkCast, checkIndex, checkOldCast } from './checked-values.js'
import { readDeclaration, textOf, untilDirectiveEnds } from './declarators.js'
import { rewriteAssembly } from './inline-ptx.js'
import { readKernelHead } from './kernel-names.js'
import { beginOfCallee, endOfLaunch } from './launches.js'
import { keepInStep, keepMacroInStep, volatileNames } from './lanes-in-step.js'
import type { Insertion } from './lanes-in-step.js'
import { markLocals } from './local-values.js'
import { shownShared } from './shown-shared.js'
import { readForSwap } from './swap-reads.js'
import type { Edit } from './swap-reads.js'
import type { FileShared } from './shown-shared.js'
import { closes, closesAngle, codeBefore, codeFrom, tokenAt, tokenize } from './tokens.js'
import type { Token } from './tokens.js'
import { makesDependent, renamed, reportingCall } from './words.js'

export interface Rewritten {
  text: string
  /** Blocks may wait for each other, or their order shows: they run on one OS thread. */
  dependentBlocks: boolean
}

/** `#define HD __host__ __device__`: a word of the program's own, and what it means. */
export type PlaceAliases = Map<string, Set<string>>

const typeKinds = new Set(['struct', 'class', 'union', 'enum'])
const placeWords = new Set(['__global__', '__device__', '__host__', '__shared__'])

/** A pair of braces that is open. */
interface Scope {
  kind: 'namespace' | 'type' | 'function' | 'block'
  /** The function runs on the device only. */
  device: boolean
  /** What a function of the device declares volatile; undefined for other scopes. */
  volatiles: ReadonlySet<string> | undefined
  /** How the body of a kernel names it; undefined for others, and where it cannot. */
  kernel: string | undefined
  /** The `}` of the function whose variables are marked; -1 where they are not, as are members of a type. */
  marksUntil: number
  /** A case after a declaration would jump over its mark. */
  isSwitch: boolean
}

/**
 * @param source the text of a `.cu` file, or of a header of the project
 * @param id part of the names that are made: sources that include each other need different ones
 * @param aliases what macros of sources before this one mean; those of this one are added
 * @param include the file that an `#include` of the project is compiled as: undefined for those of
 *   others
 */
export function rewriteCuda(
  source: string,
  id: string,
  include: (name: string, quoted: boolean) => string | undefined,
  aliases: PlaceAliases = new Map(),
): Rewritten {
  return new Rewriter(source, id, include, aliases).rewrite()
}

class Rewriter {
  private readonly tokens: Token[]
  /** By the first token that they replace. */
  private readonly edits = new Map<number, Edit>()
  /** Texts before a token. */
  private readonly insertions = new Map<number, string>()
  private readonly scopes: Scope[] = []
  /** Functions whose host and device code differ, by their `{`. */
  private readonly twice = new Map<number, { open: number; close: number }>()
  private readonly dynamicNames = new Set<string>()
  /** Shared variables outside of functions, and the scopes in which they are known. */
  private readonly fileShared: (FileShared & { scopes: readonly Scope[] })[] = []
  private dependentBlocks = false
  private count = 0
  /** Words since the last `;`, `{` or `}` that say where a function runs. */
  private places = new Set<string>()
  private statement: number[] = []
  /** The token after the last `;`, `{` or `}`. */
  private statementBegins = 0
  /** Parentheses that are open. */
  private depth = 0

  constructor(
    source: string,
    private readonly id: string,
    private readonly include: (name: string, quoted: boolean) => string | undefined,
    private readonly aliases: PlaceAliases,
  ) {
    this.tokens = tokenize(source)
  }

  rewrite(): Rewritten {
    const { tokens } = this
    for (let at = 0; at < tokens.length; at += 1) {
      const token = tokenAt(tokens, at)
      if (token.kind === 'directive') at = this.directive(at)
      else if (token.kind === 'word') at = this.word(at)
      else if (token.kind === 'mark') at = this.mark(at)
    }
    return { text: this.render(0, tokens.length, true), dependentBlocks: this.dependentBlocks }
  }

  private replace(from: number, to: number, text: string): void {
    this.edits.set(from, { from, to, text })
  }

  private directive(at: number): number {
    const { tokens } = this
    if (/^#[ \t]*define$/.test(tokenAt(tokens, at).text)) this.macro(at)
    if (!/^#[ \t]*include$/.test(tokenAt(tokens, at).text)) return at
    const name = codeFrom(tokens, at + 1)
    const token = tokens[name]
    if (!token?.inDirective) return at
    let end = name + 1
    let file = ''
    if (token.kind === 'text') file = token.text.slice(1, -1)
    else if (token.text === '<') {
      while (
        end < tokens.length &&
        tokenAt(tokens, end).inDirective &&
        tokenAt(tokens, end).text !== '>'
      )
        end += 1
      file = textOf(tokens, name + 1, end)
      end += 1
    } else return at
    if (/cooperative_groups|^cub\/|^cuda\/|^curand/.test(file)) this.dependentBlocks = true
    const replaced = this.include(file, token.kind === 'text')
    if (replaced !== undefined) this.replace(name, end, `"${replaced}"`)
    return end - 1
  }

  private macro(at: number): void {
    const { tokens } = this
    const name = codeFrom(tokens, at + 1)
    const { kind, inDirective, text } = tokenAt(tokens, name)
    if (kind !== 'word' || !inDirective) return
    const hasParameters = tokens[name + 1]?.text === '('
    const body = hasParameters ? closes(tokens, name + 1) + 1 : name + 1
    this.insertAll(keepMacroInStep(tokens, body))
    if (hasParameters) return
    // Both definitions count where `#ifdef` gives a word two.
    const meaning = this.aliases.get(text) ?? new Set<string>()
    for (let index = name + 1; tokens[index]?.inDirective; index += 1) {
      const word = tokenAt(tokens, index).text
      if (placeWords.has(word)) meaning.add(word)
      for (const known of this.aliases.get(word) ?? []) meaning.add(known)
    }
    if (meaning.size > 0) this.aliases.set(text, meaning)
  }

  private word(at: number): number {
    const { tokens } = this
    const token = tokenAt(tokens, at)
    const { text } = token
    this.statement.push(at)
    this.dependentBlocks ||= makesDependent(text, this.isOnDevice() || token.inDirective)
    if (['__global__', '__device__', '__host__'].includes(text)) this.places.add(text)
    if (!token.inDirective) for (const place of this.aliases.get(text) ?? []) this.places.add(place)
    if (text === '__shared__') return this.shared(at)
    if (
      ['__device__', '__constant__', '__managed__'].includes(text) &&
      !token.inDirective &&
      !this.scopes.some((scope) => scope.kind === 'type')
    )
      this.deviceVariable(at)
    if (text === 'printf' && this.isOnDevice() && !token.inDirective)
      this.replace(at, at + 1, '::opsmith::gpu::device_printf')
    if (reportingCall.test(text)) this.thrownAway(at)
    if (text === 'reinterpret_cast') this.insertChecks(checkCast(tokens, at))
    if (text === 'asm' || text === '__asm__') {
      const assembly = rewriteAssembly(tokens, at, this.isOnDevice())
      if (!assembly) return at
      this.replace(at, assembly.end, assembly.text)
      return assembly.end - 1
    }
    if (text === 'cudaLaunchKernel' || text === 'cudaLaunchCooperativeKernel') this.typedLaunch(at)
    return at
  }

  private mark(at: number): number {
    const { tokens } = this
    const { text, inDirective } = tokenAt(tokens, at)
    if (text === '<' && tokens[at + 1]?.text === '<' && tokens[at + 2]?.text === '<')
      return this.launch(at)
    if (text === '(') this.insertChecks(checkOldCast(tokens, at))
    if (inDirective) return at
    if (text === '=' && this.inFunction()) this.insertChecks(checkIndex(tokens, at))
    if (text === '(') this.depth += 1
    else if (text === ')') this.depth -= 1
    else if (text === '{') this.open(at)
    else if (text === '}') {
      this.scopes.pop()
      this.endStatement(at + 1)
    } else if (text === ';') {
      if (this.depth <= 0) {
        this.stepTogether(at)
        const scope = this.scopes.at(-1)
        const until = scope?.marksUntil ?? -1
        if (until >= 0 && scope?.isSwitch === false)
          this.insertAll(markLocals(this.tokens, this.statementBegins, at, until))
      }
      this.endStatement(at + 1)
    }
    return at
  }

  private endStatement(next: number): void {
    this.places = new Set()
    this.statement = []
    // `for (…; …; …) s[i] = …` is one statement.
    if (this.depth > 0) return
    this.depth = 0
    this.statementBegins = next
  }

  /** What one lane assigns, others may read without a barrier. */
  private stepTogether(end: number): void {
    const names = this.scopes.find((scope) => scope.volatiles)?.volatiles
    if (!names) return
    // Around what the statement has in it already.
    const inStep = keepInStep(this.tokens, this.statementBegins, end, names)
    for (const [index, { at, text }] of inStep.entries()) this.insert(at, text, index === 0)
  }

  private insertChecks(insertions: readonly Insertion[]): void {
    // Within what is around them already.
    for (const [index, { at, text }] of insertions.entries()) this.insert(at, text, index > 0)
  }

  private insert(at: number, text: string, isFirst: boolean): void {
    const there = this.insertions.get(at) ?? ''
    this.insertions.set(at, isFirst ? text + there : there + text)
  }

  private insertAll(insertions: readonly Insertion[]): void {
    for (const { at, text } of insertions) this.insert(at, text, false)
  }

  private open(at: number): void {
    const { tokens } = this
    const words = this.statement.map((index) => tokenAt(tokens, index).text)
    const before = tokens[codeBefore(tokens, at - 1)]
    let kind: Scope['kind'] = this.inFunction() ? 'block' : 'function'
    if (words.includes('namespace') && !this.inFunction()) kind = 'namespace'
    else if (words[0] === 'extern' && before?.kind === 'text') kind = 'namespace'
    else if (
      words.some((word) => typeKinds.has(word)) &&
      before?.text !== ')' &&
      !this.inFunction()
    )
      kind = 'type'
    const places = this.places
    const device =
      this.scopes.some((scope) => scope.device) ||
      places.has('__global__') ||
      (places.has('__device__') && !places.has('__host__'))
    // A function that names no place may have it from a macro of a header that is not the project's.
    const isOfOnePlace = places.has('__global__') || places.has('__device__')
    if (kind === 'function' && (places.has('__host__') || !isOfOnePlace)) {
      const close = closes(tokens, at)
      const differs = tokens.slice(at, close).some((token) => token.text === '__CUDA_ARCH__')
      if (differs && close < tokens.length) this.twice.set(at, { open: at, close })
    }
    const onDevice = places.has('__device__') || places.has('__global__')
    let volatiles: ReadonlySet<string> | undefined
    const isType = words.some((word) => typeKinds.has(word)) && before?.text !== ')'
    let marksUntil = kind === 'block' && !isType ? (this.scopes.at(-1)?.marksUntil ?? -1) : -1
    if (kind === 'function' && onDevice) {
      const close = closes(tokens, at)
      const jumps = tokens.slice(at, close).some(({ text }) => text === 'goto')
      if (!jumps && !words.includes('constexpr')) marksUntil = close
      volatiles = volatileNames(tokens, this.statementBegins, close)
      for (const { from, to, text } of readForSwap(tokens, at, close)) this.replace(from, to, text)
      const known = this.fileShared.filter(({ scopes }) =>
        scopes.every((scope, index) => this.scopes[index] === scope),
      )
      for (const text of shownShared(
        tokens,
        { from: this.statementBegins, open: at, close },
        known,
      ))
        this.insert(at + 1, ` OPSMITH_SHOW_SHARED(${text})`, false)
    }
    const head =
      kind === 'function' && places.has('__global__')
        ? readKernelHead(tokens, this.statementBegins, at)
        : undefined
    if (head && head.launchBounds !== '')
      this.insertAll([
        {
          at: at + 1,
          text: ` ::opsmith::gpu::note_bounds<${head.launchBounds}>(OPSMITH_KERNEL(${head.name}));`,
        },
      ])
    this.scopes.push({
      kind,
      device: kind === 'function' || kind === 'block' ? device : false,
      volatiles,
      kernel: head?.name,
      marksUntil,
      isSwitch: tokenAt(tokens, codeFrom(tokens, this.statementBegins)).text === 'switch',
    })
    // Parameters and conditions end before a body.
    this.depth = 0
    this.endStatement(at + 1)
  }

  private isOnDevice(): boolean {
    return this.scopes.some((scope) => scope.device)
  }

  private inFunction(): boolean {
    return this.scopes.some((scope) => scope.kind === 'function' || scope.kind === 'block')
  }

  /** `name<T><<<grid, block>>>(` becomes `OPSMITH_LAUNCH(launch_size(grid, block), "name<T>", name<T>)(`. */
  private launch(at: number): number {
    const { tokens } = this
    const end = endOfLaunch(tokens, at + 3)
    const begin = beginOfCallee(tokens, at)
    if (end < 0 || begin < 0) return at + 2
    const callee = textOf(tokens, begin, at)
      .replace(/\\?\r?\n/g, ' ')
      .trim()
    const size = textOf(tokens, at + 3, end)
    // A launch within a launch's arguments would be an edit within an edit: those are not C++.
    const name = JSON.stringify(callee.replace(/\s+/g, ' '))
    this.replace(
      begin,
      end + 3,
      this.isOnDevice()
        ? '::opsmith::gpu::launch_from_kernel'
        : `OPSMITH_LAUNCH(::opsmith::gpu::launch_size(${size}), ${name}, ${callee})`,
    )
    return end + 2
  }

  private shared(at: number): number {
    const { tokens } = this
    let begin = at
    let isExtern = false
    for (
      let before = codeBefore(tokens, at - 1);
      before >= 0;
      before = codeBefore(tokens, before - 1)
    ) {
      const { text } = tokenAt(tokens, before)
      if (!['extern', 'static', 'volatile', 'const', 'inline'].includes(text)) break
      if (text === 'extern') isExtern = true
      begin = before
    }
    const declaration = this.declarationWithout(begin, ['extern', 'static', 'inline', '__shared__'])
    if (!declaration) return at
    if (tokens.slice(begin, declaration.end).some((token) => token.text === 'extern'))
      isExtern = true
    const atNamespaceScope =
      !tokenAt(tokens, at).inDirective && this.scopes.every((scope) => scope.kind === 'namespace')
    const { typeText, declarators } = declaration
    const parts: string[] = []
    if (isExtern) {
      for (const { name, dimensions } of declarators) {
        const inner = dimensions.slice(1).join('')
        const type = typeText.replace(
          /(?:__align__|__builtin_align__|alignas|__attribute__)\s*\((?:[^()]|\([^()]*\)|\(\([^()]*(?:\([^()]*\))?[^()]*\)\))*\)/g,
          '',
        )
        if (atNamespaceScope) {
          if (this.dynamicNames.has(name)) continue
          this.dynamicNames.add(name)
          this.knowShared(
            name,
            `auto* ${name} = static_cast<${type}*>(::opsmith::gpu::dynamic_shared());`,
          )
          parts.push(`static constexpr ::opsmith::gpu::DynamicShared<${type}> ${name}{};`)
        } else if (inner === '')
          parts.push(`auto* ${name} = static_cast<${type}*>(::opsmith::gpu::dynamic_shared());`)
        else
          parts.push(
            `${type} (*${name})${inner} = reinterpret_cast<${type} (*)${inner}>(::opsmith::gpu::dynamic_shared());`,
          )
      }
    } else if (tokenAt(tokens, at).inDirective) {
      // The macro may be used twice in a function: it can name nothing of its own.
      for (const { name, dimensions } of declarators)
        parts.push(
          `auto& ${name} = ::opsmith::gpu::shared_of_macro<${typeText}${dimensions.join('')}, decltype([] {})>();`,
        )
    } else {
      this.count += 1
      const id = `opsmith_shared_${this.id}_${this.count}`
      parts.push(`struct ${id}_t { ${declaration.text} };`)
      if (atNamespaceScope) {
        parts.push(`static ::opsmith::gpu::SharedPlace ${id}_place;`)
        for (const { name } of declarators) {
          parts.push(
            `static constexpr ::opsmith::gpu::SharedMember<${id}_t, decltype(${id}_t::${name}), &${id}_t::${name}, ${id}_place> ${name}{};`,
          )
          this.knowShared(
            name,
            `auto& ${name} = ::opsmith::gpu::shared_variable<${id}_t>(${id}_place).${name};`,
          )
        }
      } else {
        parts.push(
          `static ::opsmith::gpu::SharedPlace ${id}_place;`,
          `auto& ${id} = ::opsmith::gpu::shared_variable<${id}_t>(${id}_place);`,
        )
        for (const { name } of declarators) parts.push(`auto& ${name} = ${id}.${name};`)
        const kernel = this.scopes.find((scope) => scope.kernel !== undefined)?.kernel
        if (kernel !== undefined)
          parts.push(`::opsmith::gpu::note_shared<${id}_t>(OPSMITH_KERNEL(${kernel}));`)
      }
    }
    this.replace(begin, declaration.end, parts.join(' '))
    this.endStatement(declaration.end)
    return declaration.end - 1
  }

  private knowShared(name: string, text: string): void {
    this.fileShared.push({ name, text, scopes: [...this.scopes] })
  }

  /** The declaration from `begin`, as if the words were not there. */
  private declarationWithout(begin: number, words: readonly string[]) {
    const tokens = untilDirectiveEnds(this.tokens, begin)
    const declaration = readDeclaration(
      tokens.map((token, index) =>
        index >= begin && index < begin + 200 && words.includes(token.text)
          ? { ...token, kind: 'space' as const }
          : token,
      ),
      begin,
    )
    if (!declaration) return undefined
    const plain = (from: number, to: number): string =>
      tokens
        .slice(from, to)
        .filter((token) => !words.includes(token.text))
        .map((token) => (token.kind === 'comment' || token.kind === 'space' ? ' ' : token.text))
        .join('')
    return {
      ...declaration,
      end: Math.min(declaration.end, tokens === this.tokens ? declaration.end : tokens.length - 1),
      text: plain(begin, declaration.end),
      typeText: declaration.type.map((index) => tokenAt(tokens, index).text).join(' '),
    }
  }

  /** Tells the runtime where a variable of the device lies. */
  private deviceVariable(at: number): void {
    const { tokens } = this
    const begin = this.statement[0] ?? at
    if (
      this.statement.some((index) =>
        ['template', 'extern', 'using', 'typedef'].includes(tokenAt(tokens, index).text),
      )
    )
      return
    // A lambda of the device, or a parameter.
    if (tokens[codeBefore(tokens, at - 1)]?.text === ']') return
    if (
      this.inFunction() &&
      !this.statement.some((index) => tokenAt(tokens, index).text === 'static') &&
      tokens[codeFrom(tokens, at + 1)]?.text !== 'static'
    )
      return
    const declaration = readDeclaration(
      tokens
        .slice(0, at + 400)
        .map((token, index) =>
          index >= begin &&
          /^__(?:device|constant|managed|host)__$|^(?:static|inline|constexpr|const)$/.test(
            token.text,
          )
            ? { ...token, kind: 'space' as const }
            : token,
        ),
      begin,
    )
    if (!declaration || this.insertions.has(declaration.end)) return
    const where = tokenAt(tokens, at).text
    const text = declaration.declarators
      .map(({ name }) => {
        this.count += 1
        return ` static const ::opsmith::gpu::DeviceVariable opsmith_variable_${this.id}_${this.count}{&${name}, sizeof(${name}), "${name}", "${where}"};`
      })
      .join('')
    this.insertions.set(declaration.end, text)
  }

  /** `cudaFree(p);` as a whole statement: nobody looks at its result. */
  private thrownAway(at: number): void {
    const { tokens } = this
    if (tokenAt(tokens, at).inDirective || !this.inFunction()) return
    const before = tokens[codeBefore(tokens, at - 1)]?.text ?? ''
    if (!';{}'.includes(before)) return
    const open = codeFrom(tokens, at + 1)
    if (tokens[open]?.text !== '(') return
    if (tokens[codeFrom(tokens, closes(tokens, open) + 1)]?.text !== ';') return
    this.insertions.set(at, `::opsmith::gpu::Ignored{"${tokenAt(tokens, at).text}"} = `)
  }

  /** `cudaLaunchKernel((void*)kernel, …)`: the cast loses the type, which the launch needs. */
  private typedLaunch(at: number): void {
    const { tokens } = this
    const open = codeFrom(tokens, at + 1)
    if (tokens[open]?.text !== '(') return
    const first = codeFrom(tokens, open + 1)
    const { text } = tokens[first] ?? { text: '' }
    if (text === '(') {
      const close = closes(tokens, first)
      if (/^(?:const )?void(?: const)? ?\*$/.test(textOf(tokens, first + 1, close).trim()))
        this.replace(first, close + 1, '')
      return
    }
    if (text !== 'reinterpret_cast' && text !== 'static_cast') return
    const angle = codeFrom(tokens, first + 1)
    const end = closesAngle(tokens, angle)
    if (end < 0 || !textOf(tokens, angle, end).includes('void')) return
    this.replace(first, end + 1, '')
  }

  /** The text of the tokens, with the edits; `device` is false for the host's copy of a function. */
  private render(from: number, to: number, device: boolean, within?: number): string {
    const { tokens } = this
    let text = ''
    let at = from
    while (at < to) {
      const twice = at === within ? undefined : this.twice.get(at)
      if (twice) {
        const { open, close } = twice
        const line = tokenAt(tokens, open).line
        text += `{ if (::opsmith::gpu::in_kernel()) ${this.render(open, close + 1, true, open)} else\n#line ${line}\n${this.render(open, close + 1, false, open)}\n#line ${tokenAt(tokens, close).line}\n}`
        at = close + 1
        continue
      }
      text += this.insertions.get(at) ?? ''
      const edit = this.edits.get(at)
      if (edit) {
        text += edit.text.replace(/\\?\r?\n/g, ' ')
        let lines = 0
        for (let index = edit.from; index < edit.to; index += 1)
          lines += (tokenAt(tokens, index).text.match(/\n/g) ?? []).length
        const inDirective = tokenAt(tokens, edit.from).inDirective
        text += (inDirective ? '\\\n' : '\n').repeat(lines)
        at = edit.to
        continue
      }
      const token = tokenAt(tokens, at)
      const other = token.kind === 'word' ? renamed.get(token.text) : undefined
      if (other === undefined) text += token.text
      else text += device || token.text !== '__CUDA_ARCH__' ? other : 'OPSMITH_CUDA_ARCH_OF_HOST'
      at += 1
    }
    return text + (to === tokens.length ? (this.insertions.get(to) ?? '') : '')
  }
}
