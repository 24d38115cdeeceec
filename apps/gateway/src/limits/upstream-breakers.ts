import type { CompiledBreaker, TargetHealth } from '@gw/routing';

export const BREAKER_COOLDOWN_MS = 30_000;

/** Opens at five failures in a row; a call that succeeds after half a minute closes it. */
const RULES: Omit<CompiledBreaker, 'id'> = {
  ...{ failures: null, failurePercentage: null, consecutiveFailures: 5 },
  ...{ slowCallMs: null, slowStreamSpeed: null, statusCodes: null, requestsMin: 0 },
  ...{ windowMs: 60_000, cooldownMs: BREAKER_COOLDOWN_MS, probesMax: 1 },
};

export interface BreakerOptions {
  /** Names the breaker, and keeps breakers of different kinds apart. */
  readonly kind: 'mcp' | 'a2a';
  /** Whether a call that ended with the error has failed for its upstream. Null: it says nothing about the upstream. */
  readonly hasFailed: (error: unknown) => boolean | null;
  /** Returns the denial of a call that is not let through. */
  readonly denial: () => Error;
}

/** Ends the pass of a call. `error` null: the upstream responded. */
export type EndOfPass = (error: unknown) => void;

/**
 * Stops calls to upstreams that do not respond, for each integration of a workspace: what callers of one workspace do to a
 * shared upstream closes it for no other workspace.
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

  /** Lets a call through, or throws the denial. The returned function must be called once. */
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
