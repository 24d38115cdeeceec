import type { ResponseOf } from '../api';

type Limit = NonNullable<ResponseOf<'apiKeys_list'>['data'][number]['usage_limits']>;

/** A key or provider with a budget. */
export interface Budgeted {
  readonly kind: 'key' | 'provider';
  readonly id: string;
  readonly name: string;
  readonly limit: Limit;
}

interface Owner {
  readonly id: string;
  readonly name: string;
  readonly usage_limits: unknown;
}

const isLimit = (value: unknown): value is Limit =>
  typeof value === 'object' && value !== null && 'credit_limit' in value;

/** Returns the keys or providers of a list that have a budget. */
export const budgetsOf = (kind: Budgeted['kind'], owners: readonly Owner[]): readonly Budgeted[] =>
  owners.flatMap(({ id, name, usage_limits: limit }) => (isLimit(limit) ? [{ kind, id, name, limit }] : []));

/** Used share of the budget: 0 for none, 1 for all, more when it is exceeded. */
export const usedShare = ({ limit }: Budgeted): number =>
  limit.credit_limit <= 0 ? 1 : (limit.current_usage ?? 0) / limit.credit_limit;

/** Whether the budget is forecast to run out before its reset. */
export function runsOut({ limit }: Budgeted): boolean {
  const { forecast_exhausted_at: end, next_usage_reset_at: reset, status } = limit;
  if (status === 'exhausted') return true;
  if (end === null || end === undefined) return false;
  return reset === null || Date.parse(end) < Date.parse(reset);
}

/** Returns the `most` budgets with the highest used share, highest first. */
export const nearest = (budgets: readonly Budgeted[], most: number): readonly Budgeted[] =>
  [...budgets].sort((one, other) => usedShare(other) - usedShare(one)).slice(0, most);
