import type { AttemptRecord } from '@gw/contracts';
import type { AttemptFailure, AttemptOutcome, SimulatedRequest } from '@gw/routing';
import { invalid } from '@gw/web';
import type { LogDetailResponse } from '../../platform/logs/log-responses.dto';
import type { OutcomeDto, SimulatedRequestDto } from './simulation.dto';

const PATHNAME = '/v1/chat/completions';

/**
 * Completes the request with values from the log. Logs contain no headers, and contain the body
 * only if the settings enable it.
 */
export function simulatedRequest(
  given: SimulatedRequestDto,
  log: LogDetailResponse | null,
): SimulatedRequest {
  const { url, metadata, body, model, api_key_id: caller } = { ...(log ? requestOf(log) : {}), ...given };
  return {
    metadata: metadata ?? {},
    params: body,
    headers: lowerCased(given.headers ?? {}),
    pathname: pathnameOf(url ?? PATHNAME),
    model: given.model ?? modelOf(body) ?? model ?? null,
    caller: (caller ?? '').toLowerCase(),
  };
}

interface LoggedRequest extends Pick<SimulatedRequestDto, 'url' | 'metadata'> {
  readonly body: unknown;
  readonly model: string | null;
  readonly api_key_id: string | null;
}

const requestOf = (log: LogDetailResponse): LoggedRequest => ({
  url: log.request_url,
  metadata: log.metadata,
  body: log.request.encoding === 'json' ? log.request.body : undefined,
  model: log.model,
  api_key_id: log.api_key_id,
});

const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

function modelOf(params: unknown): string | null {
  if (typeof params !== 'object' || params === null || !Object.hasOwn(params, 'model')) return null;
  const { model } = params as { readonly model?: unknown };
  return typeof model === 'string' ? model : null;
}

/**
 * Returns the path without its query. Decodes nothing, like the gateway. Throws `validation_failed`
 * if the text is neither a path nor a URL.
 */
function pathnameOf(url: string): string {
  if (url.startsWith('/')) return url.split(/[?#]/, 1)[0] ?? url;
  if (!URL.canParse(url)) throw invalid('request.url', 'must be a path that starts with / or a URL');
  return new URL(url).pathname;
}

/**
 * Returns the outcomes of a request. Throws `validation_failed` for an outcome without `status` and
 * `failure`.
 */
export const givenOutcomes = (outcomes: readonly OutcomeDto[]): AttemptOutcome[] =>
  outcomes.map(({ status, failure, retry_after_ms, elapsed_ms }, index) => {
    if (status === undefined && failure === undefined) {
      throw invalid(`outcomes.${String(index)}.status`, 'status or failure is required; send one of them');
    }
    return {
      status: status ?? null,
      failure: failure ?? null,
      retryAfterMs: retry_after_ms ?? null,
      elapsedMs: elapsed_ms ?? 0,
    };
  });

/** Status of a response that a guardrail denied; the provider did not send it. */
const DENIED = 446;

const FAILURE_OF: Partial<Record<AttemptRecord['end'], AttemptFailure>> = {
  timeout: 'timeout',
  unreachable: 'unreachable',
  interrupted: 'interrupted',
  redirected: 'redirected',
  refused: 'refused',
  skipped: 'refused',
  denied: 'denied',
};

/**
 * Returns the outcomes of a log's attempts, in order. An attempt that was cancelled by the client
 * or by hedging has no outcome. Logs do not contain the Retry-After header.
 */
export function recordedOutcomes(attempts: readonly AttemptRecord[]): AttemptOutcome[] {
  const ended = attempts.filter(({ end }) => end !== 'client_closed' && end !== 'cancelled');
  return ended
    .filter(
      (attempt, index) =>
        !hasLaterAttempt(attempt, ended[index - 1]) && !hasLaterAttempt(attempt, ended[index + 1]),
    )
    .map(({ end, status, durationMs }) => ({
      status: end === 'denied' ? DENIED : status,
      // An interrupted attempt with a status is a stream of which the client received a part.
      failure: end === 'interrupted' && status !== null ? 'cut' : (FAILURE_OF[end] ?? null),
      retryAfterMs: null,
      elapsedMs: durationMs,
    }));
}

/**
 * Whether another attempt of the hedged pair ended later. The later end is the outcome of the pair:
 * that attempt succeeded, or it was the last to fail.
 */
function hasLaterAttempt(attempt: AttemptRecord, other: AttemptRecord | undefined): boolean {
  if (attempt.hedge === undefined || other?.hedge === undefined || attempt.hedge === other.hedge)
    return false;
  return endedMs(other) > endedMs(attempt);
}

const endedMs = ({ startedMs, durationMs }: AttemptRecord): number => startedMs + durationMs;
