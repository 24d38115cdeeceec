import { recoveryOf, type Recovery } from '@gw/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import type { UpstreamError } from '../upstream-error';
import type { CallOptions } from './call-event';

/** A call after a failed attempt. */
export interface FailedCall {
  readonly method: string;
  /** Channel of the attempt; null if none could be opened. */
  readonly channel: Channel | null;
  /** Number of earlier attempts. */
  readonly attempts: number;
  readonly options: CallOptions;
  readonly clock: CallClock;
}

/**
 * Decides by the rules of the protocol what follows a failed attempt. The session has already tried
 * to resume its stream.
 */
export function recoveryFor(error: UpstreamError, call: FailedCall): Recovery {
  const { channel, method, attempts, options } = call;
  const isLost = error.kind === 'unreachable' || error.kind === 'interrupted' || error.phase === 'connect';
  const isStatus = error.status !== null && (error.kind === 'http_status' || error.kind === 'rpc_error');
  if (!isLost && !isStatus) return { kind: 'fail' };
  return recoveryOf({
    era: channel?.era ?? 'modern',
    method,
    status: isLost ? null : error.status,
    body: error.body,
    wasSent: error.mayHaveExecuted,
    hadSession: channel?.hasSession === true,
    lastEventId: null,
    attempts,
    isRepeatable: options.isRepeatable === true,
  });
}

/** Waits before an attempt is repeated. Returns false when the call was aborted meanwhile. */
export async function pause(ms: number, clock: CallClock): Promise<boolean> {
  await delay(ms, undefined, { signal: clock.signal }).catch(() => undefined);
  return clock.aborted === null;
}
