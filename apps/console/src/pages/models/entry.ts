import { call } from '../../api';
import type { PageEntry } from '../../app/page-entry';
import { pageNames } from '../../messages';

const FOUND_MAX = 10;

export const modelsEntry: PageEntry = {
  id: 'models',
  group: 'control',
  label: pageNames.models,
  to: '/w/$ws/models',
  icon: 'stack',
  operation: 'workspaceModels_list',
  things: {
    operation: 'workspaceModels_list',
    find: async (search, workspaceId, signal) => {
      const query = { search, workspace_id: workspaceId, page_size: FOUND_MAX };
      const { data } = await call('workspaceModels_list', { query }, { signal });
      return data.data.map(({ id, slug: model, provider: { slug } }) => ({
        id: `${slug} ${id}`,
        name: id,
        hint: `@${slug}`,
        to: `/w/$ws/models?${new URLSearchParams([
          ['q', id],
          ['f', `provider:${slug}`],
        ]).toString()}`,
        logs: `model:${model}`,
      }));
    },
  },
};
