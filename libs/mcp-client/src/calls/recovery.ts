import { recoveryOf, type Recovery } from '@gw/mcp';
import { setTimeout as delay } from 'node:timers/promises';
import type { Channel } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import type { UpstreamError } from '../upstream-error';
import type { CallOptions } from './call-event';

/** A call of which an attempt failed. */
export interface FailedCall {
  readonly method: string;
  /** Null: no channel could be opened. */
  readonly channel: Channel | null;
  /** Attempts before. */
  readonly attempts: number;
  readonly options: CallOptions;
  readonly clock: CallClock;
}

/**
 * Decides by the rules of the protocol how a failed attempt continues. Streams are resumed before
 * that, by the session.
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

/** Waits before a repetition. Returns false when the call was aborted meanwhile. */
export async function pause(ms: number, clock: CallClock): Promise<boolean> {
  await delay(ms, undefined, { signal: clock.signal }).catch(() => undefined);
  return clock.aborted === null;
}
