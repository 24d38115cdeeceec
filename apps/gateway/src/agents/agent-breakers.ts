import { AgentCallError, type AgentCallErrorKind } from '@gw/a2a-client';
import { OutboundError } from '@gw/outbound';
import type { TargetHealth } from '@gw/routing';
import { UpstreamBreakers } from '../limits/upstream-breakers';
import { breakerOpen } from './denials';

/** Creates the breakers of agents. */
export const agentBreakers = (health: TargetHealth, now?: () => number): UpstreamBreakers =>
  new UpstreamBreakers(health, { kind: 'a2a', hasFailed, denial: breakerOpen }, now);

/** Errors that the gateway or its client caused. */
const GATEWAY_ERRORS: ReadonlySet<AgentCallErrorKind> = new Set([
  'cancelled',
  'no_memory',
  'closed',
  'refused_address',
]);

/**
 * Returns whether a call failed because of its agent; null when the call is not evidence about the
 * agent. Agents may work for minutes before they respond, so a timeout counts only while the
 * connection is being opened.
 */
function hasFailed(error: unknown): boolean | null {
  if (!(error instanceof AgentCallError)) return null;
  if (error.kind === 'unreachable') return true;
  if (error.kind === 'timeout') return isConnectTimeout(error.cause) ? true : null;
  // With any other kind of error the agent has responded.
  return GATEWAY_ERRORS.has(error.kind) ? null : false;
}

const isConnectTimeout = (cause: unknown): boolean =>
  cause instanceof OutboundError && cause.phase === 'connect';
