import type { A2aVersion } from '../protocol/versions';
import { eventTo03 } from '../shapes/events';
import type { Members } from '../shapes/members';
import { withErrorKind } from '../shapes/translate';
import type { PushConfig } from './push-config';

/** Time limit of one notification, in milliseconds. */
export const PUSH_TIMEOUT_MS = 10_000;
/** Delays before the second and each later attempt, in milliseconds. */
const RETRY_DELAYS_MS = [1_000, 10_000, 60_000, 300_000] as const;
/** Maximum number of attempts to send one notification. */
export const PUSH_ATTEMPTS_MAX = RETRY_DELAYS_MS.length + 1;

/**
 * A notification, which is sent with POST. Redirects are not followed, because their addresses were
 * never judged.
 */
export interface PushRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly timeoutMs: number;
  readonly followsRedirects: false;
}

export interface PushSendOptions {
  /** A2A version of the client. */
  readonly version: A2aVersion;
  /** Returns the value of `X-Gw-Signature` for a body; absent when notifications are not signed. */
  readonly sign?: (body: Buffer) => string;
}

/**
 * Returns the request that notifies a client of an event. `event` is a `StreamResponse` of 1.0 and
 * is sent in the client's version. Throws `A2aError` `invalidAgentResponse`.
 */
export function pushRequest(
  config: PushConfig,
  event: Members,
  { version, sign }: PushSendOptions,
): PushRequest {
  const payload =
    version === '1.0' ? event : withErrorKind('invalidAgentResponse', () => eventTo03(event, 'event'));
  const body = Buffer.from(JSON.stringify(payload));
  const { token, authentication } = config;
  return {
    url: config.url,
    headers: {
      'content-type': version === '1.0' ? 'application/a2a+json' : 'application/json',
      ...(token === null ? {} : { 'x-a2a-notification-token': token }),
      ...(authentication === null
        ? {}
        : { authorization: `${authentication.scheme} ${authentication.credentials}` }),
      ...(sign === undefined ? {} : { 'x-gw-signature': sign(body) }),
    },
    body,
    timeoutMs: PUSH_TIMEOUT_MS,
    followsRedirects: false,
  };
}

/** Next step after an attempt. A notification that is dropped is audited. */
export type PushVerdict =
  { readonly kind: 'delivered' | 'dropped' } | { readonly kind: 'retry'; readonly delayMs: number };

const TOO_EARLY: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Returns what follows an attempt. `status` is that of the response; null without a response in
 * time. `attempt` counts from 1. A 2xx status completes the delivery; 408, 425, 429, 5xx and a
 * missing response are retried, up to five attempts; any other status drops the notification.
 */
export function pushVerdict(status: number | null, attempt: number): PushVerdict {
  if (status !== null && status >= 200 && status < 300) return { kind: 'delivered' };
  const isTemporary = status === null || status >= 500 || TOO_EARLY.has(status);
  const delayMs = isTemporary ? RETRY_DELAYS_MS[attempt - 1] : undefined;
  return delayMs === undefined ? { kind: 'dropped' } : { kind: 'retry', delayMs };
}
