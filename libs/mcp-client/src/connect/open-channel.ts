import {
  CODES,
  eraVerdict,
  MODERN_REVISIONS,
  own,
  ownObject,
  META,
  type EraVerdict,
  type JsonObject,
  type ProbeResponse,
  type RpcResponse,
} from '@gw/mcp';
import { ownRequest, type Channel, type DeclaredClient } from '../channels/channel';
import { factsOf } from '../channels/handshake';
import { ModernChannel } from '../channels/modern-channel';
import { SseSession } from '../channels/sse-session';
import { StreamableSession } from '../channels/streamable-session';
import { CallClock } from '../http/call-clock';
import type { UpstreamHttp } from '../http/upstream-http';
import type { UpstreamTimeouts } from '../limits';
import { protocolError, UpstreamError } from '../upstream-error';
import type { EraVerdicts, FoundEra, KnownEra } from './era-verdicts';

/**
 * Protocol that the client uses for an upstream: `auto` detects it, the others fix it. `sse` is
 * HTTP+SSE of 2024-11-05.
 */
export type UpstreamProtocol = 'auto' | 'modern' | 'legacy' | 'sse';

export interface ConnectOptions {
  readonly http: UpstreamHttp;
  readonly client: DeclaredClient;
  readonly protocol: UpstreamProtocol;
  readonly verdicts: EraVerdicts;
  /** Names the upstream and the class of its credential in `verdicts`. */
  readonly eraKey: string;
  readonly timeouts: UpstreamTimeouts;
}

const NEWEST_MODERN: string = MODERN_REVISIONS.at(-1) ?? '';
export const DISCOVER = 'server/discover';
/**
 * Statuses with which a server that has only the older transport responds to `initialize` (MCP
 * 2025-11-25, backwards compatibility).
 */
const OLDER_TRANSPORT: ReadonlySet<number | null> = new Set([400, 404, 405]);

/**
 * Determines the era of the upstream and opens a channel to it. A failure always means that the
 * call was not executed.
 */
export async function openChannel(options: ConnectOptions): Promise<Channel> {
  try {
    return await open(options);
  } catch (error) {
    throw error instanceof UpstreamError ? error.withExecution(false) : error;
  }
}

async function open(options: ConnectOptions): Promise<Channel> {
  const { protocol, verdicts, eraKey } = options;
  if (protocol === 'sse') return within(options, (clock) => openSse(options, clock));
  if (protocol === 'modern') return modern(options, NEWEST_MODERN, null);
  if (protocol === 'legacy') return openLegacy(options);
  const known = verdicts.get(eraKey);
  if (known?.kind === 'modern') return modern(options, known.revision, null);
  if (known?.kind === 'legacy') {
    try {
      return await openLegacy(options);
    } catch (error) {
      if (!(error instanceof UpstreamError) || !contradictsEra(error)) throw error;
      verdicts.forget(eraKey);
    }
  }
  const { verdict, result } = await verdicts.find(eraKey, options.http.poolClass, () => probe(options));
  verdicts.keep(eraKey, verdict);
  return verdict.kind === 'modern' ? modern(options, verdict.revision, result) : openLegacy(options);
}

function modern({ http, client }: ConnectOptions, revision: string, result: JsonObject | null): Channel {
  return new ModernChannel(http, revision, client, result === null ? null : discoveredFacts(result));
}

/** Reads a server's facts from the result of `server/discover`. */
export const discoveredFacts = (result: JsonObject): ReturnType<typeof factsOf> => {
  const inMeta = own(ownObject(result, '_meta'), META.server);
  return factsOf(result, inMeta === undefined ? ownObject(result, 'serverInfo') : (inMeta as JsonObject));
};

/** Determines the era with `server/discover`. Throws when the response is no evidence about it. */
async function probe(options: ConnectOptions): Promise<FoundEra> {
  const { discoverMs } = options.timeouts;
  const clock = new CallClock({ totalMs: discoverMs, idleMs: discoverMs }, null, options.http.memory);
  const channel = new ModernChannel(options.http, NEWEST_MODERN, options.client, null);
  const request = ownRequest(0, DISCOVER, {});
  try {
    const { message } = await channel.exchange(request, clock, () => undefined);
    const { result, error } = message as RpcResponse;
    const verdict = eraVerdict({ status: 200, body: { result, error } });
    return { verdict: known(verdict, null), result };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    return { verdict: known(eraVerdict(probed(error)), error), result: null };
  } finally {
    clock.end();
  }
}

/** Returns the response of a failed probe in the form that `eraVerdict` reads. */
function probed({ kind, status, body, rpc }: UpstreamError): ProbeResponse {
  // A server that responds with a success status and something other than a message, such as a
  // page, does not know the method.
  if (kind === 'protocol') return { status: 406, body: null };
  return { status, body: body ?? (rpc === null ? null : { error: rpc }) };
}

function known(verdict: EraVerdict, error: UpstreamError | null): KnownEra {
  switch (verdict.kind) {
    case 'modern':
    case 'legacy':
      return verdict;
    case 'unsupported':
      throw new UpstreamError('unsupported', 'The upstream speaks only revisions that are not supported.', {
        mayHaveExecuted: false,
        supported: verdict.supported,
      });
    case 'unauthorized':
    case 'outage':
      throw error ?? protocolError('The upstream answered server/discover with something else.');
  }
}

/**
 * Opens a streamable HTTP session, or one of the older transport if the server refuses the first.
 */
async function openLegacy(options: ConnectOptions): Promise<Channel> {
  const { http, client, timeouts } = options;
  return within(options, async (clock) => {
    try {
      return await StreamableSession.open(http, client, timeouts, clock);
    } catch (error) {
      if (!(error instanceof UpstreamError) || !OLDER_TRANSPORT.has(error.status)) throw error;
      return openSse(options, clock).catch((cause: unknown) => {
        // The first refusal is more informative, because few servers have the older transport.
        throw cause instanceof UpstreamError && cause.kind === 'unauthorized' ? cause : error;
      });
    }
  });
}

const openSse = ({ http, client, timeouts }: ConnectOptions, clock: CallClock): Promise<Channel> =>
  SseSession.open(http, client, timeouts, clock);

async function within<T>(
  { http, timeouts: { requestMs } }: ConnectOptions,
  work: (clock: CallClock) => Promise<T>,
): Promise<T> {
  const clock = new CallClock({ totalMs: requestMs, idleMs: requestMs }, null, http.memory);
  try {
    return await work(clock);
  } finally {
    clock.end();
  }
}

/** 4xx statuses that are no evidence about the era. */
const PASSING_STATUSES: ReadonlySet<number> = new Set([401, 403, 408, 413, 425, 429]);
/** Error codes that servers of both eras send. */
const CODES_OF_BOTH: ReadonlySet<number> = new Set([
  ...[CODES.methodNotFound, CODES.invalidParams, CODES.headerMismatch, CODES.missingCapability],
]);

/**
 * Returns whether a 4xx response contradicts the known era, so that the era must be determined
 * again.
 */
export const contradictsEra = ({ status, rpc }: UpstreamError): boolean =>
  status !== null &&
  status >= 400 &&
  status < 500 &&
  !PASSING_STATUSES.has(status) &&
  (rpc === null || !CODES_OF_BOTH.has(rpc.code));
