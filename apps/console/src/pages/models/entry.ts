import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

export const modelsEntry: PageEntry = {
  id: 'models',
  group: 'control',
  label: pageNames.models,
  to: '/w/$ws/models',
  icon: 'stack',
  operation: 'workspaceModels_list',
};
