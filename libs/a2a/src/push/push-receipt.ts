import { createHash, timingSafeEqual } from 'node:crypto';
import { isObject } from '@gw/kernel';
import { JsonRefusal, parseBounded, type JsonBounds } from '../bounded-json';
import { A2aError } from '../protocol/errors';
import type { A2aVersion } from '../protocol/versions';
import { eventFacts } from '../shapes/event-facts';
import { eventTo10 } from '../shapes/events';
import { isSet, objectAt, ShapeFault, type Members } from '../shapes/members';

/** Bounds of a notification of an agent: 1 MiB, 64 levels, 100,000 members and items. */
export const PUSH_BODY_BOUNDS: JsonBounds = { bytesMax: 1_048_576, depthMax: 64, commasMax: 100_000 };

/** Push config that this gateway registered at an agent for one task. */
export interface PushRegistration {
  /** SHA-256 of the token that the agent must send. */
  readonly tokenHash: Buffer;
  /**
   * Id of the task at the agent; null while the agent has not named the task yet, so that any task
   * is accepted.
   */
  readonly taskId: string | null;
  /** A2A version of the agent. */
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
  /**
   * The notification is not relayed. 401: wrong token; 400: unreadable; 404: another task; 413: too
   * large.
   */
  | { readonly kind: 'refused'; readonly status: 400 | 401 | 404 | 413 };

/** Returns the SHA-256 of a token, as in `PushRegistration`. */
export const pushTokenHash = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Returns whether a token is the one that the agent must send. Compares hashes in constant time.
 */
export const isPushToken = (token: string | null, tokenHash: Buffer): boolean =>
  token !== null && timingSafeEqual(pushTokenHash(token), tokenHash);

/**
 * Judges a notification of an agent. Hashes are compared in constant time before the body is read,
 * so that a caller without the token gets no information.
 */
export function pushReceipt(
  { token, body }: PushDelivery,
  { tokenHash, taskId, version }: PushRegistration,
): PushReceipt {
  if (!isPushToken(token, tokenHash)) return refused(401);
  if (body.length > PUSH_BODY_BOUNDS.bytesMax) return refused(413);
  const event = eventIn(body, version);
  if (event === null) return refused(400);
  const { taskId: named } = eventFacts(event);
  const isAbout = taskId === null ? named !== null : named === taskId;
  return isAbout ? { kind: 'accepted', event } : refused(404);
}

const refused = (status: 400 | 401 | 404 | 413): PushReceipt => ({ kind: 'refused', status });

/** Returns whether a value has the form of an event of 1.0. */
const hasEvent = (value: unknown): boolean =>
  isObject(value) &&
  ['task', 'message', 'statusUpdate', 'artifactUpdate'].some((name) => isObject(value[name]));

/** Returns the event of a body as 1.0 writes it; null if the body is not an event. */
function eventIn(body: Buffer, version: A2aVersion): Members | null {
  try {
    const value = parseBounded(body, PUSH_BODY_BOUNDS, true);
    // Agents with both versions do not always notify in the version of the request.
    const isOf03 = isObject(value) && isSet(value['kind']);
    const event =
      isOf03 || (version === '0.3' && !hasEvent(value))
        ? eventTo10(value, 'event')
        : objectAt(value, 'event');
    eventFacts(event);
    return event;
  } catch (error) {
    const isUnreadable =
      error instanceof JsonRefusal || error instanceof ShapeFault || error instanceof A2aError;
    if (isUnreadable) return null;
    throw error;
  }
}
