import {
  CODES,
  judgeUpstreamRequest,
  resultBody,
  type InputRequest,
  type JsonObject,
  type RequestId,
  type RpcError,
  type RpcRequest,
} from '@gw/mcp';
import type { Channel } from '../channels/channel';
import type { CallClock } from '../http/call-clock';
import { UPSTREAM_BOUNDS } from '../limits';
import { protocolError, UpstreamError } from '../upstream-error';
import type { InputHandling } from './call-event';

const REFUSED: RpcError = { code: CODES.methodNotFound, message: 'Method not found.' };
/** Maximum number of requests of one call that wait for a response at the same time. */
const ACTIVE_MAX = 20;
const DECLINED: RpcError = { code: CODES.invalidRequest, message: 'The request for input was refused.' };

/**
 * Responds to the requests that a legacy upstream sends during a call: to `ping` immediately, to
 * requests for input with the caller's callback, to all others with an error. The deadlines of the
 * call pause while a callback runs. A response that cannot be delivered ends the call, because the
 * upstream waits for it.
 */
export class UpstreamRequests {
  /**
   * Number of requests so far by method; null until the first one, because most calls have none.
   */
  private counts: Map<string, number> | null = null;
  private total = 0;
  private active = 0;
  private isOver = false;
  /** Created for the first callback: most calls have none, and a controller is expensive. */
  private ended: AbortController | null = null;

  constructor(
    private readonly channel: Channel,
    private readonly clock: CallClock,
    private readonly input: InputHandling | null,
  ) {}

  /** Starts to process a request. Never throws. */
  take(request: RpcRequest): void {
    if (this.active >= ACTIVE_MAX) {
      this.clock.abort(protocolError('The upstream sent too many requests at once.'));
      return;
    }
    this.active += 1;
    void this.answer(request)
      .catch((error: unknown) => this.clock.abort(undelivered(error)))
      .finally(() => (this.active -= 1));
  }

  /** Aborts running callbacks, because the call has ended. */
  end(): void {
    this.isOver = true;
    this.ended?.abort();
  }

  private async answer({ id, method, params }: RpcRequest): Promise<void> {
    const response = await this.responseTo(id, method, params).catch((error: unknown) => {
      // The upstream must not wait for a callback that failed.
      void this.channel.farewell(errorBody(id, DECLINED));
      throw error;
    });
    if (!this.isOver) await this.channel.post(response, this.clock);
  }

  private async responseTo(id: RequestId, method: string, params: JsonObject): Promise<JsonObject> {
    if (method === 'ping') return resultBody(id, {});
    if (this.input === null) return errorBody(id, REFUSED);
    const countBefore = this.counts?.get(method) ?? 0;
    if (this.total >= UPSTREAM_BOUNDS.inputRequestsMax) return errorBody(id, DECLINED);
    const verdict = judgeUpstreamRequest(method, params, { ...this.input.context, countBefore });
    if (verdict.kind === 'refuse') return errorBody(id, verdict.error);
    (this.counts ??= new Map()).set(method, countBefore + 1);
    this.total += 1;
    if (this.isOver) return errorBody(id, DECLINED);
    this.ended ??= new AbortController();
    const result = await respond(this.input, verdict.request, this.clock, this.ended.signal);
    return result === null ? errorBody(id, DECLINED) : resultBody(id, result);
  }
}

/**
 * Calls the callback while the deadlines of the call pause. Returns null if the request is refused
 * or the call has ended.
 */
export async function respond(
  input: InputHandling,
  request: InputRequest,
  clock: CallClock,
  ended: AbortSignal,
): Promise<JsonObject | null> {
  const signal = AbortSignal.any([clock.signal, ended]);
  if (signal.aborted) return null;
  clock.hold();
  const over = new AbortController();
  try {
    const aborted = new Promise<null>((resolve) =>
      signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal }),
    );
    return await Promise.race([input.respond(request, signal), aborted]);
  } finally {
    over.abort();
    clock.release();
  }
}

const errorBody = (id: RequestId, error: RpcError): JsonObject => ({ jsonrpc: '2.0', id, error });

const undelivered = (cause: unknown): UpstreamError =>
  cause instanceof UpstreamError
    ? cause
    : new UpstreamError('input_refused', 'The callback for input failed.', { mayHaveExecuted: true, cause });
