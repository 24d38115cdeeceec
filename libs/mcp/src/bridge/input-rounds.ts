import { isObject } from '@gw/kernel';
import { toolError } from '../denial/denial-response';
import { MCP_LIMITS, type JsonObject } from '../protocol';
import { own, ownObject } from '../rpc/message';
import { fitsRequest, type InputRequest } from '../sealed/request-state';
import { requiredCapability } from '../sealed/retry';
import { judgeUpstreamRequest, type RelayContext } from './upstream-requests';

/** Next step for a legacy client after an `input_required` of a modern upstream. */
export type NextRound =
  /** Send each request to the client on the stream of the call, then `retry`. */
  | { readonly kind: 'request'; readonly requests: ReadonlyMap<string, InputRequest> }
  /** The upstream sent only a state: retry after a wait. */
  | { readonly kind: 'wait'; readonly afterMs: number }
  /** The call ends with this result. */
  | { readonly kind: 'end'; readonly result: JsonObject };

const ROUNDS_MAX = 10;
const EMPTY_ROUNDS_MAX = 3;
const EMPTY_WAIT_MS = 1_000;
const REQUESTS_MAX = 5;
const TOO_MANY = `The server requested more than ${String(REQUESTS_MAX)} inputs at once.`;

/**
 * Tracks the rounds of one call of a legacy client at a modern upstream (MCP 2026-07-28, multi
 * round-trip requests): at most 10 rounds, at most 5 requests in each, and at most 3 rounds without
 * requests. Each retry carries the same params, the responses and the state; the caller gives it a
 * new id.
 */
export class InputRounds {
  private rounds = 0;
  private emptyRounds = 0;
  private state: string | undefined;
  private pending: ReadonlyMap<string, InputRequest> = new Map();

  constructor(
    private readonly params: JsonObject,
    private readonly context: Omit<RelayContext, 'countBefore'>,
  ) {}

  /** Reads an `input_required` result. */
  next(result: JsonObject): NextRound {
    this.rounds += 1;
    if (this.rounds > ROUNDS_MAX)
      return end(`The server requested input more than ${String(ROUNDS_MAX)} times.`);
    const state = own(result, 'requestState');
    const isState = typeof state === 'string' && Buffer.byteLength(state) <= MCP_LIMITS.stateBytesMax;
    if (state !== undefined && !isState) return end('The server sent a state that is too large.');
    this.state = isState ? state : undefined;
    const requests = Object.entries(ownObject(result, 'inputRequests'));
    if (requests.length === 0) return this.empty();
    return this.request(requests);
  }

  /**
   * Returns the params of the retry; null when a response is missing or does not fit its request.
   */
  retry(responses: ReadonlyMap<string, unknown>): JsonObject | null {
    const all = [...this.pending].map(([key, request]) => [key, request, responses.get(key)] as const);
    if (!all.every(([, request, response]) => fitsRequest(request, response))) return null;
    return {
      ...this.params,
      ...(all.length > 0 && {
        inputResponses: Object.fromEntries(all.map(([key, , response]) => [key, response])),
      }),
      ...(this.state !== undefined && { requestState: this.state }),
    };
  }

  private empty(): NextRound {
    this.pending = new Map();
    this.emptyRounds += 1;
    if (this.state === undefined) return end('The server requested input without saying which.');
    if (this.emptyRounds > EMPTY_ROUNDS_MAX)
      return end('The server is still busy; call the tool again later.');
    return { kind: 'wait', afterMs: EMPTY_WAIT_MS };
  }

  private request(entries: readonly (readonly [string, unknown])[]): NextRound {
    if (entries.length > REQUESTS_MAX) return end(TOO_MANY);
    const requests = new Map<string, InputRequest>();
    for (const [key, value] of entries) {
      const { method, params } = isObject(value) ? value : {};
      const verdict = judgeUpstreamRequest(String(method), isObject(params) ? params : {}, {
        ...this.context,
        countBefore: 0,
      });
      if (verdict.kind === 'refuse') return end(refusal(String(method), value));
      requests.set(key, verdict.request);
    }
    this.pending = requests;
    return { kind: 'request', requests };
  }
}

const end = (text: string): NextRound => ({ kind: 'end', result: toolError(text) });

const refusal = (method: string, value: unknown): string => {
  const params = isObject(value) && isObject(value['params']) ? value['params'] : {};
  const isKnown = ['elicitation/create', 'sampling/createMessage', 'roots/list'].includes(method);
  if (!isKnown) return 'The server requested an unknown kind of input.';
  const needed = JSON.stringify(requiredCapability({ method: method as InputRequest['method'], params }));
  return `The server requested input that this client cannot give or that is not allowed here: ${needed}`;
};

/**
 * Checks an `input_required` of a modern upstream before a modern client gets it. Returns null when
 * the client declared, and the rules allow, every request; otherwise the result that ends the call.
 */
export function inputRequiredFault(
  result: JsonObject,
  context: Omit<RelayContext, 'countBefore'>,
): JsonObject | null {
  const requests = own(result, 'inputRequests') ?? {};
  if (!isObject(requests)) return toolError(refusal('', null));
  const values = Object.values(requests);
  if (values.length > REQUESTS_MAX) return toolError(TOO_MANY);
  for (const value of values) {
    const { method, params } = isObject(value) ? value : {};
    // Only a request for roots may have no params.
    const given = params === undefined && method === 'roots/list' ? {} : params;
    const verdict = isObject(given)
      ? judgeUpstreamRequest(String(method), given, { ...context, countBefore: 0 })
      : null;
    if (verdict?.kind !== 'relay') return toolError(refusal(String(method), value));
  }
  return null;
}
