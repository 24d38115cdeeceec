import { GatewayError } from '@gw/kernel';
import { UpstreamError, type TimeoutPhase, type UpstreamErrorKind } from '@gw/mcp-client';
import type { TargetHealth } from '@gw/routing';
import { BREAKER_COOLDOWN_MS, UpstreamBreakers } from '../limits/upstream-breakers';
import { Denied } from './denials';

/**
 * Phases in which a timeout counts as a failure of the server. The total duration is not one of
 * them, because a long call is not a failure.
 */
const SILENT_PHASES: ReadonlySet<TimeoutPhase | null> = new Set(['connect', 'headers', 'idle']);

/** Creates the breakers of MCP servers. */
export const serverBreakers = (health: TargetHealth, now?: () => number): UpstreamBreakers =>
  new UpstreamBreakers(health, { kind: 'mcp', hasFailed, denial: openDenial }, now);

/**
 * Returns whether a call failed because of its server; null when the call is not evidence about the
 * server.
 */
function hasFailed(error: unknown): boolean | null {
  if (!(error instanceof UpstreamError)) return null;
  if (error.kind === 'unreachable') return true;
  if (error.kind === 'timeout') return SILENT_PHASES.has(error.phase) ? true : null;
  // With any other kind of error the server has responded.
  return GATEWAY_ERRORS.has(error.kind) ? null : false;
}

/** Errors caused by the gateway or its client, which are not evidence about the server. */
const GATEWAY_ERRORS: ReadonlySet<UpstreamErrorKind> = new Set([
  'cancelled',
  'busy',
  'no_memory',
  'closed',
  'refused_address',
]);

const openDenial = (): Denied =>
  new Denied(
    { kind: 'upstream', failure: 'circuit_open', retryAfterMs: BREAKER_COOLDOWN_MS },
    new GatewayError('provider_unreachable', {
      message: 'The MCP server did not respond to the last calls; the breaker is open.',
    }),
  );
