import type { ResponseOf, BodyOf } from '../../api';

export type ApiKey = ResponseOf<'apiKeys_get'>;
export type KeyType = ApiKey['type'];
export type KeyBody = BodyOf<'apiKeys_create'>;
export type KeyUpdate = BodyOf<'apiKeys_update'>;

/** Types of keys, in the order in which they are offered. */
export const KEY_TYPES: readonly KeyType[] = ['workspace-service', 'workspace-user', 'organisation-service'];

/** Path parameters of `POST /v1/api-keys/{type}/{subType}`. */
export function pathOfType(type: KeyType): { readonly type: string; readonly subType: string } {
  const [place = '', kind = ''] = type.split('-');
  return { type: place, subType: kind };
}

/** Scope that an action on keys of a type needs. */
export const scopeOfKeys = (type: KeyType, action: 'create' | 'update' | 'delete' | 'rotate'): string =>
  `${type.replace('-', '_')}_api_keys.${action}`;

/** Members of a key that the edit form may write, with the values of the API. */
export function writableOf(key: ApiKey): KeyUpdate {
  const { name, description, scopes, rate_limits, defaults, alert_emails, expires_at } = key;
  return {
    name,
    description,
    scopes,
    rate_limits,
    defaults,
    alert_emails,
    expires_at,
    usage_limits: budgetOf(key.usage_limits),
    rotation_policy: rotationOf(key.rotation_policy),
  };
}

/** Removes the members that the API computes. */
function budgetOf(limit: ApiKey['usage_limits']): KeyUpdate['usage_limits'] {
  if (limit === null) return null;
  const { type, credit_limit, alert_threshold, periodic_reset, periodic_reset_days, next_usage_reset_at } =
    limit;
  const { enforcement, on_outage, metadata } = limit;
  return {
    type: type as 'cost' | 'tokens',
    credit_limit,
    alert_threshold,
    periodic_reset,
    periodic_reset_days,
    next_usage_reset_at,
    enforcement,
    on_outage,
    metadata,
  };
}

function rotationOf(policy: ApiKey['rotation_policy']): KeyUpdate['rotation_policy'] {
  if (policy === null) return null;
  const { rotation_period, rotation_period_days, next_rotation_at, key_transition_period_ms } = policy;
  return { rotation_period, rotation_period_days, next_rotation_at, key_transition_period_ms };
}
