import { call } from '../../api';
import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

const FOUND_MAX = 10;

export const providersEntry: PageEntry = {
  id: 'providers',
  group: 'control',
  label: pageNames.providers,
  to: '/w/$ws/providers',
  icon: 'servers',
  operation: 'providers_list',
  chord: 'V',
  create: {
    label: pageNames.provider,
    to: '/w/$ws/providers/new',
    operation: 'integrations_create',
    chord: 'V',
  },
  things: {
    operation: 'providers_list',
    find: async (search, workspaceId, signal) => {
      const query = { search, workspace_id: workspaceId, page_size: FOUND_MAX };
      const { data } = await call('providers_list', { query }, { signal });
      return data.data.map(({ id, name, slug }) => ({
        id,
        name,
        hint: `@${slug}`,
        to: `/w/$ws/providers/${slug}`,
        logs: `credential:${slug}`,
      }));
    },
  },
};
