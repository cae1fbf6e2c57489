import { defineFeature } from '../../store/feature'
import { profileCommands } from './commands'
import { profileJob } from './profile-job'
import { forgetProfile, refreshProfile } from './profile-run'
import { ProfilePanel } from './ProfilePanel'
import './styles.css'

export const feature = defineFeature({
  id: 'profile',
  title: 'Profile',
  panel: {
    Panel: ProfilePanel,
    help: {
      about: [
        'Runs one call under libtorch’s profiler: a timeline, a flame graph, a table of operators and lines, and the memory it takes.',
      ],
      keys: [
        ['Arrows', 'Walk from call to call; with Shift, move the picture'],
        ['+ and -', 'Zoom'],
        ['F', 'Zoom to the selected call'],
        ['0', 'Show all'],
        ['Enter', 'Open the line of the selected call'],
        ['Escape', 'Select nothing'],
      ],
    },
    area: 'right',
    order: 70,
  },
  commands: profileCommands(),
  jobs: [profileJob],
  refresh: { order: 80, run: refreshProfile },
  forget: forgetProfile,
})
