import { isoTime, midnight, plain, type Members } from '../members';

/** A repeated reset is given by its period; when it is next due is each instance's own affair. */
export const NEXT_RESET = {
  normal: midnight,
  isComputed: (fields: Readonly<Record<string, unknown>>): boolean =>
    (fields['periodic_reset'] ?? fields['periodic_reset_days'] ?? null) !== null,
} as const;

/** A budget of a resource. What it does when it is exhausted is stored only where it was chosen. */
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
