import { GatewayError } from '@gw/kernel';
import { UpstreamError, type TimeoutPhase, type UpstreamErrorKind } from '@gw/mcp-client';
import type { TargetHealth } from '@gw/routing';
import { BREAKER_COOLDOWN_MS, UpstreamBreakers } from '../limits/upstream-breakers';
import { Denied } from './denials';

/** A long call is not evidence about its server, a silent one is. */
const SILENT: ReadonlySet<TimeoutPhase | null> = new Set(['connect', 'headers', 'idle']);

/** Creates the breakers of MCP servers. */
export const serverBreakers = (health: TargetHealth, now?: () => number): UpstreamBreakers =>
  new UpstreamBreakers(health, { kind: 'mcp', hasFailed, denial: open }, now);

/** Null: the call says nothing about the server. */
function hasFailed(error: unknown): boolean | null {
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
    { kind: 'upstream', failure: 'circuit_open', retryAfterMs: BREAKER_COOLDOWN_MS },
    new GatewayError('provider_unreachable', {
      message: 'The MCP server did not respond to the last calls; the breaker is open.',
    }),
  );
