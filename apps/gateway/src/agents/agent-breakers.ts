import { AgentCallError, type AgentCallErrorKind } from '@gw/a2a-client';
import { OutboundError } from '@gw/outbound';
import type { TargetHealth } from '@gw/routing';
import { UpstreamBreakers } from '../limits/upstream-breakers';
import { breakerOpen } from './denials';

/** Creates the breakers of agents. */
export const agentBreakers = (health: TargetHealth, now?: () => number): UpstreamBreakers =>
  new UpstreamBreakers(health, { kind: 'a2a', hasFailed, denial: breakerOpen }, now);

/** Errors that the gateway or its client caused. */
const OF_GATEWAY: ReadonlySet<AgentCallErrorKind> = new Set([
  'cancelled',
  'no_memory',
  'closed',
  'refused_address',
]);

/**
 * Agents may work for minutes before they say anything, so that only a connection that cannot be opened is evidence. Null:
 * the call says nothing about the agent.
 */
function hasFailed(error: unknown): boolean | null {
  if (!(error instanceof AgentCallError)) return null;
  if (error.kind === 'unreachable') return true;
  if (error.kind === 'timeout') return isConnectTimeout(error.cause) ? true : null;
  // Otherwise the agent responded, whatever it said.
  return OF_GATEWAY.has(error.kind) ? null : false;
}

const isConnectTimeout = (cause: unknown): boolean =>
  cause instanceof OutboundError && cause.phase === 'connect';
