import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read, type ResponseOf } from '../../api';
import { useCan, useWorkspace } from '../../app';
import { lastDays } from '../list/last-days';
import type { Model } from './model-columns';

export type ModelUse = ResponseOf<'analyticsGroups_by'>['data'][number];
/**
 * Responses with the use of 30 days by provider, as far as they were read; null when the caller may
 * not see it.
 */
export type UseOfModels = ReadonlyMap<string, ResponseOf<'analyticsGroups_by'>> | null;

/** Maximum number of providers whose use is read. */
const PROVIDERS_MAX = 12;
const GROUPS_MAX = 100;
const COLUMNS = ['requests' as const, 'cost' as const, 'success_rate' as const, 'p95_latency' as const];
const none: readonly Model[] = [];

/** Use of a model; null for none, and undefined while it is not known. */
export function modelUse(
  { provider, slug }: Pick<Model, 'provider' | 'slug'>,
  use: UseOfModels,
): ModelUse | null | undefined {
  const read = use?.get(provider.slug);
  const row = read?.data.find(({ group_key: key }) => key === slug);
  if (row !== undefined || read === undefined) return row;
  // The response has the first models only.
  return read.data.length >= GROUPS_MAX ? undefined : null;
}

/**
 * Reads the use of the shown models in 30 days, with one call for each provider, of at most
 * `PROVIDERS_MAX`.
 */
export function useUseOfModels(models: readonly Model[] = none): UseOfModels {
  const { id: workspace_id } = useWorkspace();
  const can = useCan('analyticsGroups_by');
  const providers = useMemo(
    () => [...new Set(models.map(({ provider }) => provider.slug))].slice(0, PROVIDERS_MAX),
    [models],
  );
  const reads = useQueries({
    queries: providers.map((slug) =>
      read(
        'analyticsGroups_by',
        {
          path: { groupBy: 'model' },
          query: {
            ...lastDays(30),
            workspace_id,
            virtual_keys: [slug],
            columns: COLUMNS,
            page_size: GROUPS_MAX,
          },
        },
        { staleTime: 60_000, enabled: can },
      ),
    ),
    combine: (results) => results.map(({ data }) => data),
  });
  return useMemo(() => {
    if (!can) return null;
    return new Map(
      providers.flatMap((slug, at) => {
        const read = reads[at];
        return read === undefined ? [] : [[slug, read] as const];
      }),
    );
  }, [can, providers, reads]);
}

/** Whether a model was called in 30 days and has no price. */
export const isUnpricedInUse = (model: Model, use: UseOfModels): boolean =>
  model.price_source === null && (modelUse(model, use)?.requests ?? 0) > 0;

/** Sorts unpriced models that are in use first; the others keep their order. */
export const unpricedFirst = (models: readonly Model[], use: UseOfModels): readonly Model[] => {
  const first = models.filter((model) => isUnpricedInUse(model, use));
  return first.length === 0 ? models : [...first, ...models.filter((model) => !first.includes(model))];
};
