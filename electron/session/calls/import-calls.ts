import path from 'node:path'

import { err, ok } from '../../contract/outcome'
import { proposedText } from '../../contract/project-import'
import { freeFolder, projectsFolder } from '../../engine/project/new-project'
import { proposeProject } from '../../engine/project-import/propose-project'
import { placeProposal, writeProposal } from '../../engine/project-import/write-proposal'
import type { Handlers } from './handle'

type ImportCalls = 'project.propose' | 'project.writeProposal'

export const importCalls: Handlers<ImportCalls> = {
  'project.propose': async (session, { folder, extension, definitions, trusts }) => {
    const absolute = path.resolve(folder)
    if (trusts) await session.keepOrSay(session.trust.decide(absolute, 'trusted'))
    const proposal = await proposeProject(session.installation, {
      folder: absolute,
      runsCode: (await session.trust.of(absolute)) === 'trusted',
      python: '',
      extension,
      definitions,
    })
    if (!proposal.ok) {
      session.proposal = undefined
      return proposal
    }
    const settings = await session.workbench.projects.settings()
    const apart = await freeFolder(
      projectsFolder(settings, session.installation),
      path.basename(absolute),
    )
    session.proposal = { ...proposal.value, apart }
    return ok(session.proposal)
  },
  'project.writeProposal': async (session, { folder, isApart }) => {
    const { proposal } = session
    if (proposal?.folder !== path.resolve(folder)) {
      return err('request.invalid', `Opsmith has not proposed an opsmith.json for ${folder}.`, {
        path: 'folder',
        hint: 'Open the folder again.',
      })
    }
    const out = isApart ? proposal.apart : proposal.folder
    const placed = placeProposal(proposal, out)
    if (!placed.ok) return placed
    const written = await writeProposal(out, proposedText(placed.value), placed.value.files)
    if (!written.ok) return written
    // The user has just made it from what is trusted; its own folder is not anybody else's.
    if (isApart && (await session.trust.of(proposal.folder)) === 'trusted')
      await session.keepOrSay(session.trust.decide(out, 'trusted'))
    return ok({ folder: out })
  },
}
