import type { CompiledBreaker, TargetHealth } from '@gw/routing';

export const BREAKER_COOLDOWN_MS = 30_000;

/** Opens after five failures in a row. After half a minute, one successful call closes it. */
const RULES: Omit<CompiledBreaker, 'id'> = {
  ...{ failures: null, failurePercentage: null, consecutiveFailures: 5 },
  ...{ slowCallMs: null, slowStreamSpeed: null, statusCodes: null, requestsMin: 0 },
  ...{ windowMs: 60_000, cooldownMs: BREAKER_COOLDOWN_MS, probesMax: 1 },
};

export interface BreakerOptions {
  /** Part of the breaker's name, which separates breakers of different kinds. */
  readonly kind: 'mcp' | 'a2a';
  /**
   * Whether the error is a failure of the upstream. Null if it is no evidence about the upstream.
   */
  readonly hasFailed: (error: unknown) => boolean | null;
  /** Returns the denial of a call that is not admitted. */
  readonly denial: () => Error;
}

/** Reports the end of an admitted call. `error` is null if the upstream responded. */
export type EndOfPass = (error: unknown) => void;

/**
 * Stops calls to upstreams that do not respond. Each integration of a workspace has its own
 * breaker, so callers of one workspace cannot block a shared upstream for another workspace.
 */
export class UpstreamBreakers {
  private readonly rules: CompiledBreaker;

  constructor(
    private readonly health: TargetHealth,
    private readonly options: BreakerOptions,
    private readonly now: () => number = Date.now,
  ) {
    this.rules = { ...RULES, id: options.kind };
  }

  /** Admits a call, or throws the denial. The returned function must be called once. */
  enter(upstream: { readonly workspaceId: string; readonly integrationId: string }): EndOfPass {
    const { kind, hasFailed, denial } = this.options;
    const endpoint = `${upstream.workspaceId}/${kind}/${upstream.integrationId}`;
    const pass = this.health.enter(endpoint, this.rules, this.now());
    if (pass === 'rejected') throw denial();
    const isProbe = pass === 'probe';
    return (error) => {
      const failed = error === null ? false : hasFailed(error);
      if (failed !== null) this.health.record(endpoint, this.rules, { failed, isProbe }, this.now());
      else if (isProbe) this.health.release(endpoint, this.rules);
    };
  }
}
