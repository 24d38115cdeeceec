import { useMemo } from 'react';
import { call, useRead, type ResponseOf } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import type { FilterField, FilterOption, OptionSource } from '../../../ui/filters';
import type { Filter } from '../../../url';
import { LOG_FIELDS } from './fields';
import type { KeyNames } from './log-query';

const FRESH_MS = 60_000;
const PAGE_SIZE = 100;

type ApiKey = ResponseOf<'apiKeys_list'>['data'][number];

export interface Keys {
  readonly nameOf: (id: string | null) => string | null;
  readonly idsOf: KeyNames;
  readonly options: readonly FilterOption[];
  /** True when the names of keys can be resolved to ids. */
  readonly isReady: boolean;
}

const NO_KEYS: readonly ApiKey[] = [];

/** Names of the newest hundred API keys of the workspace, if the caller may list them. */
export function useKeys(): Keys {
  const { id } = useWorkspace();
  const enabled = useCan('apiKeys_list');
  const { data, isPending } = useRead(
    'apiKeys_list',
    { query: { workspace_id: id, page_size: PAGE_SIZE } },
    { enabled, staleTime: FRESH_MS },
  );
  const keys = data?.data ?? NO_KEYS;
  return useMemo(() => {
    const names = new Map(keys.map((key) => [key.id, key.name]));
    return {
      nameOf: (key) => (key === null ? null : (names.get(key) ?? null)),
      idsOf: (text) => {
        const lower = text.toLowerCase();
        const named = keys.filter(({ name }) => name.toLowerCase() === lower).map((key) => key.id);
        return names.has(text) || named.length === 0 ? [text] : named;
      },
      options: keys.map((key) => ({ value: key.id, label: key.name })),
      isReady: !enabled || !isPending,
    };
  }, [keys, enabled, isPending]);
}

/**
 * Names of API keys for a list with these filters. It is ready without the names when no filter is
 * by key.
 */
export function useKeysOf(filters: readonly Filter[]): Keys {
  const keys = useKeys();
  const isReady = keys.isReady || !filters.some(({ field }) => field === 'key');
  return useMemo(() => ({ ...keys, isReady }), [keys, isReady]);
}

const GROUPS: Readonly<Record<string, string>> = {
  model: 'model',
  provider: 'ai_service',
  credential: 'provider',
  config: 'config',
  prompt: 'prompt',
  mcp_server: 'mcp_server',
  mcp_method: 'mcp_method',
  mcp_capability: 'mcp_capability',
};
const DAYS = 30;

interface GroupRow {
  readonly requests?: number;
  readonly [member: string]: unknown;
}

/** Values of a field in the last 30 days, with their number of requests. */
const groupOptions =
  (workspaceId: string, groupBy: string): OptionSource =>
  async (typed, signal) => {
    const now = Date.now();
    const { data } = await call(
      'analyticsGroups_by',
      {
        path: { groupBy },
        query: {
          workspace_id: workspaceId,
          time_of_generation_min: new Date(now - DAYS * 86_400_000).toISOString(),
          time_of_generation_max: new Date(now).toISOString(),
          page_size: 100,
          include_total: false,
        },
      },
      { signal },
    );
    const lower = typed.trim().toLowerCase();
    return (data.data as readonly GroupRow[])
      .map((row) => ({ value: row[groupBy], count: row.requests }))
      .filter(
        (row): row is { value: string; count: number } => typeof row.value === 'string' && row.value !== '',
      )
      .filter(({ value }) => value.toLowerCase().includes(lower));
  };

/** Fields of the filter bar with their suggested values. */
export function useLogFields(keys: Keys): readonly FilterField[] {
  const { id } = useWorkspace();
  const hasGroups = useCan('analyticsGroups_by');
  return useMemo(
    () =>
      LOG_FIELDS.map((field) => {
        const group = GROUPS[field.id];
        if (field.id === 'key') return { ...field, options: keys.options };
        return group === undefined || !hasGroups ? field : { ...field, options: groupOptions(id, group) };
      }),
    [keys.options, hasGroups, id],
  );
}
