import type { AppCallName, AppInput, AppOutput } from '../../contract/app-calls'
import { err, ok } from '../../contract/outcome'
import type { Result } from '../../contract/outcome'
import { browseFolder } from '../../engine/project/browse-folder'
import type { AppSession } from '../app-session'
import { nothing } from './handle'
import type { Handlers } from './handle'
import { projectCalls } from './project-calls'

type RemoteCalls = Extract<AppCallName, `remote.${string}`>
type Asked = 'remote.folders' | 'remote.starts' | 'remote.make'

/** Asks the other machine; where this session is that of another machine, it is the one that is asked. */
async function thereOr<N extends Asked>(
  session: AppSession,
  name: N,
  input: AppInput<N>,
  own: () => Promise<Result<AppOutput<N>>> | Result<AppOutput<N>>,
): Promise<Result<AppOutput<N>>> {
  if (!session.remote) return await own()
  return input.target === ''
    ? err('request.invalid', 'No machine is named.')
    : await session.remote.ask(name, input)
}

/** A session that is served to another machine has no `remote`: it connects to no further one. */
export const remoteCalls: Handlers<RemoteCalls> = {
  'remote.targets': async ({ remote }) => ok((await remote?.targets()) ?? []),
  'remote.folders': (session, input) =>
    thereOr(session, 'remote.folders', input, () => browseFolder(input.path)),
  'remote.starts': (session, input) =>
    thereOr(session, 'remote.starts', input, async () => {
      const templates = await projectCalls['project.templates'](session, {})
      const samples = await projectCalls['project.samples'](session, {})
      if (!templates.ok) return templates
      if (!samples.ok) return samples
      const starts = [
        ...templates.value.templates.map(({ id, title, description }) => ({
          id,
          title,
          description,
          kind: 'template' as const,
        })),
        ...samples.value.map(({ name, description }) => ({
          id: name,
          title: name,
          description,
          kind: 'sample' as const,
        })),
      ]
      return ok({ starts, parent: templates.value.parent })
    }),
  'remote.make': (session, input) =>
    thereOr(session, 'remote.make', input, async () => {
      const { kind, id, name, parent } = input
      return kind === 'sample'
        ? await projectCalls['project.copySample'](session, { name: id, parent })
        : await projectCalls['project.new'](session, { name, parent, template: id })
    }),
  'remote.stop': ({ remote }) => {
    remote?.stop()
    return nothing
  },
  'remote.reconnect': ({ remote }) => {
    remote?.reconnect()
    return nothing
  },
  'remote.answer': ({ remote }, { id, path }) => {
    remote?.answerQuestion(id, path)
    return nothing
  },
}
