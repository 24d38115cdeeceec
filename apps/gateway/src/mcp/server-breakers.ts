import { GatewayError } from '@gw/kernel';
import { UpstreamError, type TimeoutPhase, type UpstreamErrorKind } from '@gw/mcp-client';
import type { CompiledBreaker, TargetHealth } from '@gw/routing';
import { Denied } from './denials';
import type { ServerView } from './server-view';

const COOLDOWN_MS = 30_000;

/** Opens at five failures in a row; a call that succeeds after half a minute closes it. */
const RULES: CompiledBreaker = {
  ...{ id: 'mcp', failures: null, failurePercentage: null, consecutiveFailures: 5 },
  ...{ slowCallMs: null, slowStreamSpeed: null, statusCodes: null, requestsMin: 0 },
  ...{ windowMs: 60_000, cooldownMs: COOLDOWN_MS, probesMax: 1 },
};

/** A long call is not evidence about its server, a silent one is. */
const SILENT: ReadonlySet<TimeoutPhase | null> = new Set(['connect', 'headers', 'idle']);

/** Ends the pass of a call. `error` null: the server responded. */
export type EndOfPass = (error: unknown) => void;

/**
 * Stops calls to servers that do not respond, for each integration of a workspace: what callers of
 * one workspace do to a shared server closes it for no other workspace.
 */
export class ServerBreakers {
  constructor(
    private readonly health: TargetHealth,
    private readonly now: () => number = Date.now,
  ) {}

  /** Lets a call through, or throws a denial. The returned function must be called once. */
  enter({ document }: ServerView): EndOfPass {
    const endpoint = `${document.workspaceId}/mcp/${document.integrationId}`;
    const pass = this.health.enter(endpoint, RULES, this.now());
    if (pass === 'rejected') throw open();
    const isProbe = pass === 'probe';
    return (error) => {
      const failed = hasFailed(error);
      if (failed !== null) this.health.record(endpoint, RULES, { failed, isProbe }, this.now());
      else if (isProbe) this.health.release(endpoint, RULES);
    };
  }
}

/** Null: the call says nothing about the server. */
function hasFailed(error: unknown): boolean | null {
  if (error === null) return false;
  if (!(error instanceof UpstreamError)) return null;
  if (error.kind === 'unreachable') return true;
  if (error.kind === 'timeout') return SILENT.has(error.phase) ? true : null;
  // Otherwise the server responded, whatever it said.
  return OF_GATEWAY.has(error.kind) ? null : false;
}

/** Errors caused by the gateway or its client, which are no evidence about the server. */
const OF_GATEWAY: ReadonlySet<UpstreamErrorKind> = new Set([
  'cancelled',
  'busy',
  'no_memory',
  'closed',
  'refused_address',
]);

const open = (): Denied =>
  new Denied(
    { kind: 'upstream', failure: 'circuit_open', retryAfterMs: COOLDOWN_MS },
    new GatewayError('provider_unreachable', {
      message: 'The MCP server did not respond to the last calls; the breaker is open.',
    }),
  );
