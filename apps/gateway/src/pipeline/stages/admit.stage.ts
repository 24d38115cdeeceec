import { GatewayError } from '@gw/kernel';
import type { RateCounters, RateVerdict } from '@gw/limits';
import type { Principal } from '../../state/principals';
import type { Exchange, Stage } from '../exchange';

/** The limits of the key and its workspace. Those of a provider count where an attempt picks it. */
export class AdmitStage implements Stage {
  constructor(private readonly counters: RateCounters) {}

  run(exchange: Exchange): void | Promise<void> {
    const { buckets, workspace } = exchange.principal as Principal;
    if (workspace.usageLimits.some((limit) => limit.status === 'exhausted')) {
      throw new GatewayError('budget_exhausted', { extra: { scope: 'workspace', id: workspace.id } });
    }
    if (buckets.length === 0) return undefined;
    exchange.buckets = buckets;
    const verdict = this.counters.admit(buckets, exchange.startedWallMs);
    if (verdict instanceof Promise) return verdict.then((settled) => judge(exchange, settled));
    judge(exchange, verdict);
    return undefined;
  }
}

function judge(exchange: Exchange, verdict: RateVerdict): void {
  exchange.limits.push(...verdict.states);
  if (!verdict.admitted) throw rateLimited(verdict);
}

/** 429 that names the limit, its scope, what was used and when it passes. */
export function rateLimited(verdict: RateVerdict): GatewayError {
  const state = verdict.states.at(-1);
  const seconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1_000));
  return new GatewayError('rate_limited', {
    ...(state && {
      message: `The limit of ${String(state.limit)} ${state.type} of this ${state.scope} was reached.`,
    }),
    extra: {
      limit: state && {
        scope: state.scope,
        type: state.type,
        limit: state.limit,
        used: state.used,
        resets_at: state.resetAt,
      },
    },
    headers: {
      'retry-after': String(seconds),
      ...(state && { ratelimit: `limit=${String(state.limit)}, remaining=0, reset=${String(seconds)}` }),
    },
  });
}
