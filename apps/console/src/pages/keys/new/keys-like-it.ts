import { useRead } from '../../../api';
import { useCan, useWorkspace } from '../../../app';
import { lastDays } from '../../list/last-days';
import type { ApiKey } from '../key-types';
import type { NewKey } from './new-key';

const DAYS = 7;
const KEYS_MAX = 100;
/** Minimum length of a common prefix that makes two key names similar. */
const ALIKE_MIN = 3;

export interface Spender {
  readonly name: string;
  readonly type: ApiKey['type'];
  /** US dollars a day. */
  readonly perDay: number;
}

/** Spending of similar keys. `name` is the similar key; null for the average of `count` keys. */
export interface Likeness {
  readonly name: string | null;
  readonly count: number;
  readonly perDay: number;
}

/** Length of the common prefix of two names. */
function commonPrefixLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/**
 * Returns the spending of the key of the same type with the longest common name prefix, else the
 * average of that type; null when no key of the type spends.
 */
export function likeness(
  { name = '', type }: Pick<NewKey, 'name' | 'type'>,
  all: readonly Spender[],
): Likeness | null {
  const spenders = all.filter((one) => one.type === type && one.perDay > 0);
  if (spenders.length === 0) return null;
  const alike = spenders
    .map((one) => ({ one, length: commonPrefixLength(one.name, name) }))
    .filter(({ length }) => length >= ALIKE_MIN)
    .sort((left, right) => right.length - left.length)
    .map(({ one }) => one);
  const [nearest] = alike;
  if (nearest !== undefined) return { name: nearest.name, count: 1, perDay: nearest.perDay };
  const sum = spenders.reduce((total, { perDay }) => total + perDay, 0);
  return { name: null, count: spenders.length, perDay: sum / spenders.length };
}

/**
 * Daily spending of keys similar to a new one in the last week; null when unknown or not visible to
 * the caller.
 */
export function useKeysLikeIt(values: Pick<NewKey, 'name' | 'type'>): Likeness | null {
  const { id: workspace_id } = useWorkspace();
  const can = useCan('analyticsGroups_by');
  const canList = useCan('apiKeys_list');
  const options = { staleTime: 60_000, enabled: can && canList };
  const keys = useRead('apiKeys_list', { query: { workspace_id, page_size: KEYS_MAX } }, options);
  const spend = useRead(
    'analyticsGroups_by',
    {
      path: { groupBy: 'api_key' },
      query: { ...lastDays(DAYS), workspace_id, columns: ['cost'], page_size: KEYS_MAX },
    },
    options,
  );
  const cents = new Map((spend.data?.data ?? []).map(({ group_key, cost }) => [group_key, cost ?? 0]));
  return likeness(
    values,
    (keys.data?.data ?? []).map(({ id, name, type }) => ({
      name,
      type,
      perDay: (cents.get(id) ?? 0) / 100 / DAYS,
    })),
  );
}
