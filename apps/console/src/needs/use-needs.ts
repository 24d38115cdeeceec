import { useMemo } from 'react';
import type { ResponseOf, OperationId } from '../api';
import { refusalOf, useSessionFacts } from '../app';
import { useSteady, useWindow } from '../live/use-window';
import { useNow } from '../ui/primitives';
import { budgetsOf, type Budgeted } from './budgets';
import { needsOf, type Need } from './needs';

const PAGE = 100;
const HOUR = { kind: 'relative', span: '1h' } as const;
const DAY = { kind: 'relative', span: '24h' } as const;
const COLUMNS = ['requests', 'success_rate', 'error_count', 'p95_latency'] as const;
const MINUTE_MS = 60_000;

export interface Resources {
  readonly budgets: readonly Budgeted[];
  readonly needs: readonly Need[];
  /** Providers of the last hour. */
  readonly providers: ResponseOf<'analyticsGroups_by'>['data'] | undefined;
  /** True when there are more keys or providers than were read. */
  readonly isPartial: boolean;
  /** True while keys or providers, which can have budgets, are being read. */
  readonly areBudgetsLoading: boolean;
  /** Error of a read of keys or providers; null for none. */
  readonly budgetsProblem: unknown;
  /** True until all reads have a response. */
  readonly isLoading: boolean;
  /** Error of a failed read; an earlier response may still be shown. */
  readonly problem: unknown;
}

/** Parameters of the lists of keys and providers, the resources with budgets. */
export const ownersOf = (workspace_id: string) => ({ query: { workspace_id, page_size: PAGE } });

/**
 * Reads the budgets, providers and *Needs you* of a workspace. Home and the bell share the answers:
 * at most two calls a minute for both, none in a hidden tab, and none before `isOn`.
 */
export function useNeeds(workspace_id: string, isOn: boolean): Resources {
  const facts = useSessionFacts();
  const can = (operation: OperationId): boolean =>
    isOn && refusalOf(operation, facts, { id: workspace_id }) === null;
  const list = ownersOf(workspace_id);
  const hourly = useWindow(HOUR, MINUTE_MS).now;
  const daily = useWindow(DAY).now;
  const byProvider = (window: typeof hourly) => ({
    path: { groupBy: 'provider' },
    query: { workspace_id, ...window, columns: [...COLUMNS] },
  });
  const keys = useSteady('apiKeys_list', list, can('apiKeys_list'));
  const providers = useSteady('providers_list', list, can('providers_list'));
  const hour = useSteady('analyticsGroups_by', byProvider(hourly), can('analyticsGroups_by'));
  const day = useSteady('analyticsGroups_by', byProvider(daily), can('analyticsGroups_by'));
  const gateways = useSteady('gateways_list', {}, can('gateways_list'));
  const now = useNow(MINUTE_MS);
  const reads = [hour, day, keys, providers, gateways];
  const budgets = useMemo(
    () => [...budgetsOf('key', keys.data?.data ?? []), ...budgetsOf('provider', providers.data?.data ?? [])],
    [keys.data, providers.data],
  );
  const needs = useMemo(
    () =>
      needsOf({
        hour: hour.data?.data ?? [],
        day: day.data?.data ?? [],
        budgets,
        keys: keys.data?.data ?? [],
        gateways: gateways.data?.data ?? [],
        now,
      }),
    [hour.data, day.data, budgets, keys.data, gateways.data, now],
  );
  return {
    budgets,
    needs,
    providers: hour.data?.data,
    isPartial: [keys.data, providers.data].some(
      (page) => page !== undefined && page.total > page.data.length,
    ),
    areBudgetsLoading: !isOn || keys.isLoading || providers.isLoading,
    budgetsProblem: keys.error ?? providers.error,
    isLoading: !isOn || reads.some(({ isLoading }) => isLoading),
    problem: reads.find(({ error }) => error !== null)?.error ?? null,
  };
}
