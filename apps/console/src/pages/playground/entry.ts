import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const playgroundEntry: PageEntry = {
  id: 'playground',
  group: 'build',
  label: pageNames.playground,
  to: '/w/$ws/playground',
  icon: 'play',
  operation: 'playgroundKeys_create',
  chord: 'P',
};
