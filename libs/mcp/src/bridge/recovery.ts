import { CODES } from '../fault';
import { isLegacyRevision, isModernRevision, type Era, type JsonObject, type RequestId } from '../protocol';
import { notificationBody, own, ownList } from '../rpc/message';
import { isObject } from '@gw/kernel';

/** The response of an upstream to `server/discover`, or to another first request. */
export interface ProbeResponse {
  /** HTTP status; null for a timeout or no connection. */
  readonly status: number | null;
  /** Parsed body; null when it is not a JSON object. */
  readonly body: JsonObject | null;
}

/** Era of an upstream, or why it is unknown. */
export type EraVerdict =
  | { readonly kind: 'modern'; readonly revision: string }
  /** The gateway opens a session with `initialize`. */
  | { readonly kind: 'legacy' }
  | { readonly kind: 'unauthorized' }
  | { readonly kind: 'outage' }
  /** The upstream speaks only revisions that the gateway does not support. */
  | { readonly kind: 'unsupported'; readonly supported: readonly string[] };

/** 4xx statuses that are no evidence about the era. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Derives the era of an upstream from its response to `server/discover`. 401, 403 and failures are
 * no evidence about the era, so callers do not remember these verdicts. Every other error comes
 * from a server that does not know the method, which is legacy.
 */
export function eraVerdict({ status, body }: ProbeResponse): EraVerdict {
  if (status === 401 || status === 403) return { kind: 'unauthorized' };
  if (status === null || status >= 500) return { kind: 'outage' };
  const versions = supportedVersions(body);
  if (versions !== null) return chosen(versions);
  const isError = body !== null && isObject(own(body, 'error'));
  const isRefusal = status >= 400 && !PASSING_STATUSES.has(status);
  return isRefusal || (isError && status < 400) ? { kind: 'legacy' } : { kind: 'outage' };
}

/** Returns the newest modern revision that both sides speak, else the legacy era. */
function chosen(versions: readonly string[]): EraVerdict {
  const modern = versions.filter(isModernRevision).sort().at(-1);
  if (modern !== undefined) return { kind: 'modern', revision: modern };
  return versions.some(isLegacyRevision) ? { kind: 'legacy' } : { kind: 'unsupported', supported: versions };
}

const VERSIONS_MAX = 50;

/** Returns the versions of a discover result or of an error -32022; null for another body. */
function supportedVersions(body: JsonObject | null): readonly string[] | null {
  const { result, error } = body ?? {};
  if (isObject(result) && Array.isArray(result['supportedVersions']))
    return texts(ownList(result, 'supportedVersions'));
  if (!isObject(error) || own(error, 'code') !== CODES.unsupportedVersion) return null;
  const data = own(error, 'data');
  return isObject(data) ? texts(ownList(data, 'supported')) : [];
}

const texts = (list: readonly unknown[]): readonly string[] =>
  list.slice(0, VERSIONS_MAX).filter((each) => typeof each === 'string');

/** How a call to an upstream failed. */
export interface UpstreamFailure {
  readonly era: Era;
  readonly method: string;
  /**
   * HTTP status of the response; null when the connection ended before the response was complete.
   */
  readonly status: number | null;
  readonly body: JsonObject | null;
  /** Whether any byte of the request was sent. */
  readonly wasSent: boolean;
  /** Whether the request named a session. */
  readonly hadSession: boolean;
  /** Id of the last event of the response stream; null when the upstream sends none. */
  readonly lastEventId: string | null;
  /** Number of earlier recoveries of the same call. */
  readonly attempts: number;
  /** The integration allows repeats, and the approved snapshot calls the tool idempotent. */
  readonly isRepeatable: boolean;
}

export type Recovery =
  /** Open a new session and repeat the call. */
  | { readonly kind: 'initialize_and_repeat' }
  /** Replace the era verdict by the one that the response gives, and repeat the call. */
  | { readonly kind: 'renew_verdict'; readonly verdict: EraVerdict }
  /** Resume the stream with a GET and `Last-Event-ID`. */
  | { readonly kind: 'resume'; readonly lastEventId: string }
  | { readonly kind: 'repeat'; readonly afterMs: number }
  | { readonly kind: 'fail' };

const RESUMES_MAX = 3;
const REPEAT_AFTER_MS = 250;
const READ_ONLY: ReadonlySet<string> = new Set([
  ...['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  ...['resources/read', 'prompts/get', 'server/discover'],
]);

/**
 * Decides what follows a failed call. A tools/call that may have reached the tool is never
 * repeated, unless it is repeatable. A call with an unknown session (404) had no effect, so it is
 * repeated once.
 */
export function recoveryOf(failure: UpstreamFailure): Recovery {
  return failure.status === null ? afterLostConnection(failure) : afterStatus(failure, failure.status);
}

function afterStatus({ era, hadSession, attempts, body }: UpstreamFailure, status: number): Recovery {
  if (attempts > 0) return { kind: 'fail' };
  if (era === 'legacy' && hadSession && isUnknownSession(status, body))
    return { kind: 'initialize_and_repeat' };
  const isOtherVersion = status === 400 && era === 'modern' && supportedVersions(body) !== null;
  return isOtherVersion ? { kind: 'renew_verdict', verdict: eraVerdict({ status, body }) } : { kind: 'fail' };
}

/**
 * Returns whether the upstream does not know the session: 404, or 400 with a message about the
 * session, which some servers send instead.
 */
function isUnknownSession(status: number, body: JsonObject | null): boolean {
  const error = body === null ? undefined : own(body, 'error');
  const message = isObject(error) ? own(error, 'message') : undefined;
  const isAboutSession =
    typeof message === 'string' && message.slice(0, 512).toLowerCase().includes('session');
  return status === 404 || (status === 400 && isAboutSession);
}

function afterLostConnection(failure: UpstreamFailure): Recovery {
  const { era, lastEventId, attempts } = failure;
  if (era === 'legacy' && lastEventId !== null && attempts < RESUMES_MAX)
    return { kind: 'resume', lastEventId };
  const isSafe = !failure.wasSent || READ_ONLY.has(failure.method) || failure.isRepeatable;
  return isSafe && attempts === 0 ? { kind: 'repeat', afterMs: REPEAT_AFTER_MS } : { kind: 'fail' };
}

/** How to cancel a call at its upstream: abort the POST, or send a notification on the session. */
export interface Cancellation {
  readonly abortsPost: boolean;
  readonly notification: JsonObject | null;
}

/**
 * Returns how to cancel a call at its upstream after the client cancelled or disconnected.
 * `upstreamId` is the id that the gateway gave the call there. The caller must cancel within 100
 * ms.
 */
export const cancellationOf = (upstream: Era, upstreamId: RequestId, reason: string): Cancellation =>
  upstream === 'modern'
    ? { abortsPost: true, notification: null }
    : {
        abortsPost: false,
        notification: notificationBody('notifications/cancelled', {
          requestId: upstreamId,
          reason: reason.slice(0, 256),
        }),
      };

/**
 * Returns whether a client cancels its call by closing the POST stream, as it does since
 * 2026-07-28.
 */
export const isCancelledByDisconnect = (client: Era): boolean => client === 'modern';
