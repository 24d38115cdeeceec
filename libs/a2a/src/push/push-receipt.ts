import { createHash, timingSafeEqual } from 'node:crypto';
import { JsonRefusal, parseBounded, type JsonBounds } from '../bounded-json';
import type { A2aVersion } from '../protocol/versions';
import { eventIds, eventTo10 } from '../shapes/events';
import { objectAt, ShapeFault, type Members } from '../shapes/members';

/** Bounds of a notification of an agent: 1 MiB, 64 levels, 100,000 members and items. */
export const PUSH_BODY_BOUNDS: JsonBounds = { bytesMax: 1_048_576, depthMax: 64, commasMax: 100_000 };

/** What this gateway registered at an agent for one task. */
export interface PushRegistration {
  /** SHA-256 of the token that the agent must send. */
  readonly tokenHash: Buffer;
  /** Id of the task at the agent. */
  readonly taskId: string;
  /** Version that the agent speaks. */
  readonly version: A2aVersion;
}

/** A notification as it arrived from an agent. */
export interface PushDelivery {
  /** Value of `X-A2A-Notification-Token`; null when absent. */
  readonly token: string | null;
  readonly body: Buffer;
}

export type PushReceipt =
  /** `event` is a `StreamResponse` of 1.0. */
  | { readonly kind: 'accepted'; readonly event: Members }
  /** Nothing is relayed. 401: wrong token; 400: unreadable; 404: another task; 413: too large. */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 404 | 413 };

/** SHA-256 of a token, as `PushRegistration` has it. */
export const pushTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Judges a notification of an agent. Hashes are compared in constant time and before the body is read, so that a caller without the
 * token learns nothing.
 */
export function pushReceipt(
  { token, body }: PushDelivery,
  { tokenHash, taskId, version }: PushRegistration,
): PushReceipt {
  if (token === null || !timingSafeEqual(pushTokenHash(token), tokenHash)) return refused(401);
  if (body.length > PUSH_BODY_BOUNDS.bytesMax) return refused(413);
  const event = eventIn(body, version);
  if (event === null) return refused(400);
  return eventIds(event).taskId === taskId ? { kind: 'accepted', event } : refused(404);
}

const refused = (status: 400 | 401 | 404 | 413): PushReceipt => ({ kind: 'refused', status });

/** Returns the event of a body as 1.0 writes it; null for a body that is none. */
function eventIn(body: Buffer, version: A2aVersion): Members | null {
  try {
    const value = parseBounded(body, PUSH_BODY_BOUNDS, true);
    const event = version === '1.0' ? objectAt(value, 'event') : eventTo10(value, 'event');
    eventIds(event);
    return event;
  } catch (error) {
    if (error instanceof JsonRefusal || error instanceof ShapeFault) return null;
    throw error;
  }
}
