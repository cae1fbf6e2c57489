import { defineFeature } from '../../store/feature'
import { GalleryPanel } from './GalleryPanel'
import { Welcome } from './Welcome'

export const feature = defineFeature({
  id: 'gallery',
  title: 'Samples',
  panel: {
    Panel: GalleryPanel,
    help: {
      about: ['Projects to learn from. Each opens as a copy of its own, which you may change.'],
    },
    Page: Welcome,
    isStartPage: true,
    area: 'middle',
    order: 30,
    closedAtFirst: true,
    menu: 'project',
  },
})
