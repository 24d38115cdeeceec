import type { LimitState } from '@gw/contracts';
import { GatewayError, UNITS_PER_USD } from '@gw/kernel';
import { isBudget, type Bucket } from './bucket';

/** Why a request was not admitted. Nothing was taken from any of its limits. */
export interface LimitDenial {
  readonly admitted: false;
  readonly bucket: Bucket;
  /**
   * `limit`: the limit is reached. `unpriced`: the limit is strict, and the request's cost or tokens
   * are unknown. `unverifiable`: the counters are unreachable, and the limit refuses then or its local
   * share is spent. `overloaded`: too many requests are waiting for the counters.
   */
  readonly reason: 'limit' | 'unpriced' | 'unverifiable' | 'overloaded';
  /** In the unit of the limit, as last known. */
  readonly used: number;
  /** Reserved for in-flight requests. */
  readonly reserved: number;
  readonly resetAtMs: number | null;
  /** Infinity: a retry cannot succeed before the limit or the request changes. */
  readonly retryAfterMs: number;
}

/**
 * Converts a denial to the caller's error: 412 for a budget, 429 for a rate limit, 503 when the
 * limit could not be checked.
 */
export function denialError(denial: LimitDenial): GatewayError {
  const { bucket, reason, retryAfterMs } = denial;
  const hasRetry = Number.isFinite(retryAfterMs);
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const type =
    reason === 'unverifiable' || reason === 'overloaded'
      ? 'unavailable'
      : isBudget(bucket)
        ? 'budget_exhausted'
        : 'rate_limited';
  const remaining = Math.max(0, bucket.value - denial.used - denial.reserved);
  return new GatewayError(type, {
    message: messageOf(denial),
    extra: {
      limit: {
        scope: bucket.scope,
        id: bucket.id,
        type: bucket.type,
        limit: shown(bucket, bucket.value),
        used: shown(bucket, denial.used),
        reserved: shown(bucket, denial.reserved),
        resets_at: isoOf(denial.resetAtMs),
      },
    },
    headers: {
      ...(hasRetry ? { 'retry-after': String(seconds) } : {}),
      ...(hasRetry && type === 'rate_limited'
        ? {
            ratelimit: `limit=${String(bucket.value)}, remaining=${String(remaining)}, reset=${String(seconds)}`,
          }
        : {}),
    },
  });
}

/** Converts a denial to the JSON-RPC error of a tool call; a time of Infinity becomes null. */
export const denialRpcError = (
  denial: LimitDenial,
): { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> } => ({
  code: -32_029,
  message: messageOf(denial),
  data: {
    policy_id: denial.bucket.id,
    retry_after_ms: Number.isFinite(denial.retryAfterMs) ? Math.ceil(denial.retryAfterMs) : null,
  },
});

export const denialState = ({ bucket, used, resetAtMs }: LimitDenial): LimitState =>
  limitState(bucket, used, resetAtMs, 'refused');

export const limitState = (
  bucket: Bucket,
  used: number,
  resetAtMs: number | null,
  verdict: LimitState['verdict'],
): LimitState => ({
  scope: bucket.scope,
  id: bucket.id,
  type: bucket.type,
  limit: bucket.value,
  used,
  resetAt: isoOf(resetAtMs),
  verdict,
});

function messageOf({ bucket, reason }: LimitDenial): string {
  const amount = `${String(shown(bucket, bucket.value))} ${bucket.measure === 'cost' ? 'USD' : bucket.type}`;
  const limit = `limit of ${amount} of this ${bucket.scope.replace('_', ' ')}`;
  switch (reason) {
    case 'limit':
      return `The ${limit} was reached.`;
    case 'unpriced':
      return `The ${limit} is strict, and the usage of this request is unknown: its model has no price, it names no model, or it is a batch. Name a model with a price, set a price for the model, or make the limit standard.`;
    case 'unverifiable':
      return `The ${limit} cannot be checked right now; retry later.`;
    case 'overloaded':
      return `Too many requests are waiting for the ${limit} to be checked; retry later.`;
  }
}

const shown = (bucket: Bucket, value: number): number =>
  bucket.measure === 'cost' ? value / UNITS_PER_USD : value;

const isoOf = (atMs: number | null): string | null => (atMs === null ? null : new Date(atMs).toISOString());
