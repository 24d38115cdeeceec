import { useMemo } from 'react';
import { useCan, useWorkspace } from '../../app';
import type { PageState } from '../../url';
import { useListRead } from '../list/use-list-read';
import { orderOf } from '../list/use-page-search';
import type { Provider } from './provider-types';

type Shared = Pick<
  Provider,
  'id' | 'slug' | 'name' | 'status' | 'usage_limits' | 'rate_limits' | 'expires_at' | 'created_at' | 'used_by'
>;

/** A row of the list: a provider, or a virtual key, which combines a credential and a provider. */
export interface Listed extends Shared {
  readonly isVirtualKey: boolean;
  /** Slug of the integration, or the catalogue id of a virtual key. */
  readonly behind: string;
}

const nothing: readonly Listed[] = [];

/**
 * Reads the providers and then the virtual keys of the workspace page by page, filtered and sorted
 * by the URL.
 */
export function useListed({ text, sort }: Pick<PageState, 'text' | 'sort'>) {
  const { id: workspace_id } = useWorkspace();
  const params = {
    query: {
      workspace_id,
      include_used_by: true,
      ...(text === '' ? {} : { search: text }),
      ...orderOf<'name'>(sort),
    },
  };
  const providers = useListRead('providers_list', params);
  const virtualKeys = useListRead('virtualKeys_list', params, useCan('virtualKeys_list'));
  const { data } = providers.query;
  const others = virtualKeys.query.data;
  const rows = useMemo(
    () =>
      data === undefined
        ? undefined
        : [
            ...data.map((row): Listed => ({ ...row, isVirtualKey: false, behind: row.integration_id })),
            ...(others?.map((row): Listed => ({ ...row, isVirtualKey: true, behind: row.provider })) ??
              nothing),
          ],
    [data, others],
  );
  const total = providers.total === undefined ? undefined : providers.total + (virtualKeys.total ?? 0);
  return {
    query: { ...providers.query, data: rows },
    total,
    more: providers.more ?? virtualKeys.more,
  };
}
