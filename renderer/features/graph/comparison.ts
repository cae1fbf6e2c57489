import { ok, type Result } from '../../../electron/contract/outcome'
import { runStamp } from '../../store/files'
import { graphStore, type GraphChoice, type Shot, type ShownGraph } from './graph'
import { dropShots, readFileGraph, readStep, shotKey, takeShot, type Subject } from './shots'

type Compared = NonNullable<ShownGraph['compare']>

type Comparison = {
  folder: string
  job: string
  choice: GraphChoice
  /** What is shown, and which of its steps. */
  shot: Shot
  step: number
  lastBuild: Shot | null
}

/** What the shown step is marked against; null where there is nothing, and that is no error. */
export async function compared(comparison: Comparison): Promise<Result<Compared | null>> {
  const { choice, shot, step, lastBuild } = comparison
  const { compare, entry, form } = choice
  switch (compare.kind) {
    case 'none':
      return ok(null)
    case 'auto':
      return step > 0 ? comparedStep(shot, step - 1) : comparedBuild(lastBuild, step)
    case 'build':
      return comparedBuild(lastBuild, step)
    case 'step':
      return step > 0 ? comparedStep(shot, step - 1) : ok(null)
    case 'form':
      if (compare.form === form) return ok(null)
      return comparedOther(comparison, { entry, form: compare.form })
    case 'entry':
      if (compare.entry === entry) return ok(null)
      return comparedOther(comparison, { entry: compare.entry, form })
    case 'file':
      return comparedFile(compare.path)
  }
}

async function comparedStep(shot: Shot, step: number): Promise<Result<Compared | null>> {
  const graph = await readStep(shot, step)
  if (!graph.ok) return graph
  const name = shot.report?.steps[step]?.name ?? 'captured'
  return ok({ graph: graph.value, title: `step ${step}: ${name}` })
}

function comparedBuild(lastBuild: Shot | null, step: number): Result<Compared | null> {
  // Steps that nobody looked at before the build are gone with the op host.
  const graph = lastBuild?.steps.get(step)
  return ok(graph ? { graph, title: 'the previous build' } : null)
}

async function comparedOther(
  { folder, job, choice, step }: Comparison,
  subject: Subject,
): Promise<Result<Compared | null>> {
  const key = shotKey(choice, subject)
  let shot = graphStore.getState().otherShots.get(key)
  if (shot?.stamp !== runStamp()) {
    const taken = await takeShot(folder, job, choice, subject)
    if (!taken.ok) return taken
    const older = shot
    shot = taken.value
    const otherShots = new Map(graphStore.getState().otherShots).set(key, shot)
    graphStore.setState({ otherShots })
    if (older) dropShots([older])
  }
  const graph = await readStep(shot, Math.min(step, shot.stepCount - 1))
  if (!graph.ok) return graph
  return ok({ graph: graph.value, title: shot.title })
}

async function comparedFile(path: string): Promise<Result<Compared | null>> {
  const title = path.slice(path.lastIndexOf('/') + 1)
  const known = graphStore.getState().otherFiles.get(path)
  if (known) return ok({ graph: known, title })
  const read = await readFileGraph(path)
  if (!read.ok) return read
  const otherFiles = new Map(graphStore.getState().otherFiles).set(path, read.value)
  graphStore.setState({ otherFiles })
  return ok({ graph: read.value, title })
}
