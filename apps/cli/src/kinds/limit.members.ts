import { isoTime, midnight, plain, type Members } from '../members';

/** A recurring reset is defined by its period; each instance computes the next date. */
export const NEXT_RESET = {
  normal: midnight,
  isComputed: (fields: Readonly<Record<string, unknown>>): boolean =>
    (fields['periodic_reset'] ?? fields['periodic_reset_days'] ?? null) !== null,
} as const;

/** A budget of a resource. `enforcement` and `on_outage` are stored only if they were set. */
export const USAGE_LIMIT: Members = {
  type: { fallback: 'cost' },
  ...plain('credit_limit', 'alert_threshold', 'periodic_reset', 'periodic_reset_days'),
  next_usage_reset_at: NEXT_RESET,
  ...plain('metadata', 'enforcement', 'on_outage'),
};

export const RATE_LIMIT: Members = plain('type', 'unit', 'value', 'window', 'enforcement', 'on_outage');

export const LIMITS = {
  usage_limits: { members: USAGE_LIMIT },
  rate_limits: { members: RATE_LIMIT },
} as const;

export const EXPIRES_AT = { normal: isoTime } as const;
