import path from 'node:path'

import { err } from '../../contract/outcome'
import { proposedText } from '../../contract/project-import'
import { proposeProject } from '../../engine/project-import/propose-project'
import { writeProposal } from '../../engine/project-import/write-proposal'
import { nothing } from './handle'
import type { Handlers } from './handle'

type ImportCalls = 'project.propose' | 'project.writeProposal'

export const importCalls: Handlers<ImportCalls> = {
  'project.propose': async (session, { folder, extension, trusts }) => {
    const absolute = path.resolve(folder)
    if (trusts) await session.keepOrSay(session.trust.decide(absolute, 'trusted'))
    const proposal = await proposeProject(session.installation, {
      folder: absolute,
      runsCode: (await session.trust.of(absolute)) === 'trusted',
      python: '',
      extension,
    })
    session.proposal = proposal.ok ? proposal.value : undefined
    return proposal
  },
  'project.writeProposal': async (session, { folder }) => {
    const { proposal } = session
    if (proposal?.folder !== path.resolve(folder)) {
      return err('request.invalid', `No opsmith.json was proposed for ${folder}.`, {
        path: 'folder',
      })
    }
    const text = proposedText(proposal)
    const written = await writeProposal(proposal.folder, text, proposal.files)
    return written.ok ? nothing : written
  },
}
