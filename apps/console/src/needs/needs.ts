import type { ResponseOf } from '../api';
import { runsOut, type Budgeted } from './budgets';

type Group = ResponseOf<'analyticsGroups_by'>['data'][number];
type Gateway = ResponseOf<'gateways_list'>['data'][number];
type ListedKey = ResponseOf<'apiKeys_list'>['data'][number];

interface Key extends Pick<ListedKey, 'id' | 'name' | 'expires_at'> {
  readonly rotation_policy: Pick<NonNullable<ListedKey['rotation_policy']>, 'next_rotation_at'> | null;
}

/** An alert: something that needs attention. */
export type Need =
  | {
      readonly kind: 'failing';
      readonly provider: string;
      readonly errors: number;
      readonly requests: number;
    }
  | { readonly kind: 'budget'; readonly budget: Budgeted }
  /** Keys that expire within a week, or whose secret is replaced within a week. */
  | { readonly kind: 'expiring' | 'rotating'; readonly keys: readonly Key[] }
  | { readonly kind: 'gateway'; readonly gateway: Gateway };

export interface NeedsInput {
  /** Figures by provider for the last hour. */
  readonly hour: readonly Group[];
  readonly day: readonly Group[];
  readonly budgets: readonly Budgeted[];
  readonly keys: readonly Key[];
  readonly gateways: readonly Gateway[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Share of failed requests from which on a provider needs attention. */
const FAILING = 0.02;
const THAN_USUAL = 3;
const WEEK_MS = 7 * 86_400_000;

const errorShare = ({ error_count: errors = 0, requests = 0 }: Group): number =>
  requests === 0 ? 0 : errors / requests;

/**
 * Whether a provider fails now: at least `FAILING` of the requests of the hour failed, and at least
 * `THAN_USUAL` times the share of the day.
 */
export function isFailing(hour: Group, day: Group | undefined): boolean {
  const usual = day === undefined ? 0 : errorShare(day);
  const now = errorShare(hour);
  // When all requests of the day are in this hour, there is no usual share to compare with.
  const isNew = day === undefined || (day.requests ?? 0) <= (hour.requests ?? 0);
  return now >= FAILING && (isNew || now >= THAN_USUAL * usual);
}

/** Returns the alerts of a workspace, the most urgent first. */
export function needsOf({ hour, day, budgets, keys, gateways, now }: NeedsInput): readonly Need[] {
  const failing = hour
    // Requests that a limit or guardrail refused have no provider.
    .filter((group) => group.group_key !== null)
    .filter((group) =>
      isFailing(
        group,
        day.find(({ group_key: key }) => key === group.group_key),
      ),
    )
    .map(({ group_key: provider, error_count: errors = 0, requests = 0 }): Need => ({
      kind: 'failing',
      provider: provider ?? '',
      errors,
      requests,
    }));
  const isSoon = (time: string | null | undefined): boolean => {
    const at = time === null || time === undefined ? Infinity : Date.parse(time);
    return at > now && at - now < WEEK_MS;
  };
  const expiring = keys.filter(({ expires_at: end }) => isSoon(end));
  const rotating = keys.filter(({ rotation_policy: policy }) => isSoon(policy?.next_rotation_at));
  return [
    ...failing,
    ...gateways
      .filter(({ connected, warnings }) => !connected || warnings.length > 0)
      .map((gateway): Need => ({ kind: 'gateway', gateway })),
    ...budgets.filter(runsOut).map((budget): Need => ({ kind: 'budget', budget })),
    ...(expiring.length === 0 ? [] : [{ kind: 'expiring', keys: expiring } as const]),
    ...(rotating.length === 0 ? [] : [{ kind: 'rotating', keys: rotating } as const]),
  ];
}
