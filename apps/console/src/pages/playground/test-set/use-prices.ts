import { useQueries } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../../../api';
import { useWorkspace } from '../../../app';
import type { ColumnSettings } from '../search';
import { pricesOf } from './estimate';
import type { PricesFor } from './plan';

type Way = Pick<ColumnSettings, 'target' | 'model'>;

const keyOf = ({ target, model }: Way): string => `${target}\n${model}`;
const PRICES_FRESH_MS = 300_000;

/** Page size of a search by name, large enough to include the exact match. */
const FOUND_MAX = 50;

/**
 * Reads the prices of models at providers. The price of a config is unknown, because it chooses its
 * model for each request.
 */
export function usePrices(ways: readonly Way[]): PricesFor {
  const { id: workspace_id } = useWorkspace();
  const known = [...new Map(ways.map((way) => [keyOf(way), way])).values()].filter(
    ({ target, model }) => target.startsWith('@') && model !== '',
  );
  const prices = useQueries({
    queries: known.map(({ target, model }) =>
      read(
        'workspaceModels_list',
        { query: { workspace_id, provider: target.slice(1), search: slugOf(model), page_size: FOUND_MAX } },
        { staleTime: PRICES_FRESH_MS },
      ),
    ),
    combine: (results) => results.map(({ data }) => data?.data),
  });
  return useMemo(() => {
    const found = new Map(
      known.map((way, at) => [keyOf(way), prices[at]?.find(({ slug }) => slug === slugOf(way.model))]),
    );
    return (way) => {
      const model = found.get(keyOf(way));
      return model === undefined ? null : pricesOf(model);
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `known` is made again each time, of the same ways
  }, [prices, known.map(keyOf).join('\n\n')]);
}

/** Removes the settings of the sandbox from a model name. */
const slugOf = (model: string): string => model.split('?', 1)[0] ?? model;
