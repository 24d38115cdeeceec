import type { PageEntry } from '../../app/page-entry';
import { playground } from '../../messages';

export const playgroundEntry: PageEntry = {
  id: 'playground',
  group: 'build',
  label: playground.title,
  to: '/w/$ws/playground',
  icon: 'play',
  operation: 'playgroundKeys_create',
  chord: 'P',
};
