import { useMemo } from 'react';
import { useCan, useWorkspace } from '../../app';
import type { PageState } from '../../url';
import { useListRead, type RowOf } from '../list/use-list-read';
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

type VirtualKeyRow = RowOf<'virtualKeys_list'>;
const nothing: readonly VirtualKeyRow[] = [];

/**
 * Reads the providers and virtual keys of the workspace page by page, each filtered and sorted by
 * the URL. The virtual keys follow after the last provider.
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
  const can = useCan('virtualKeys_list');
  const virtualKeys = useListRead('virtualKeys_list', params, can);
  const { data } = providers.query;
  const others = can ? virtualKeys.query.data : nothing;
  const areAllRead = data !== undefined && data.length >= (providers.total ?? 0);
  const rows = useMemo(() => {
    // Without providers, only the virtual keys tell whether the list is empty.
    if (data === undefined || (data.length === 0 && others === undefined)) return undefined;
    return [
      ...data.map((row): Listed => ({ ...row, isVirtualKey: false, behind: row.integration_id })),
      ...(areAllRead && others !== undefined ? others : nothing).map((row): Listed => ({
        ...row,
        isVirtualKey: true,
        behind: row.provider,
      })),
    ];
  }, [data, others, areAllRead]);
  const count = can ? virtualKeys.total : 0;
  const reads = [providers.query, virtualKeys.query];
  return {
    query: {
      data: rows,
      error: providers.query.error ?? virtualKeys.query.error,
      isFetching: reads.some(({ isFetching }) => isFetching),
      isPlaceholderData: reads.some(({ isPlaceholderData }) => isPlaceholderData),
      dataUpdatedAt: providers.query.dataUpdatedAt,
      refetch: () => Promise.all(reads.filter((_, at) => at === 0 || can).map(({ refetch }) => refetch())),
    },
    total: providers.total === undefined || count === undefined ? undefined : providers.total + count,
    more: areAllRead ? virtualKeys.more : providers.more,
  };
}
