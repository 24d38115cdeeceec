import type { InputRequest, InputRequests, JsonObject } from '@gw/mcp';
import type { CallEnd, CallNotice } from '@gw/mcp-client';

/** What a call is at: its result, or input that the client must give. */
export type CallOutcome =
  /** The result, or the end of a response with which a modern upstream wants the call again. */
  | CallEnd
  /** A legacy upstream waits, and the call goes on once `answer` is called. */
  | { readonly kind: 'input'; readonly requests: InputRequests };

/**
 * A call at an upstream that may pause for input of the client. One reader waits for `next` at a time;
 * several HTTP requests of the client can follow each other as readers.
 */
export class UpstreamCall {
  /** Gets progress and notifications; null while no client listens. */
  listener: ((notice: CallNotice) => void) | null = null;
  private readonly asked: {
    readonly request: InputRequest;
    readonly answer: (to: JsonObject | null) => void;
  }[] = [];
  private ended: Promise<CallEnd> | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly abort: AbortController) {}

  /** `ended`: the call, which reports to `notice`. */
  start(ended: Promise<CallEnd>): void {
    this.ended = ended;
    // The reader may be gone when it fails.
    ended.catch(() => undefined);
  }

  readonly notice = (notice: CallNotice): void => this.listener?.(notice);

  /** A request of a legacy upstream for input: resolves with the client's response. */
  readonly respond = ({ method, params }: InputRequest, signal: AbortSignal): Promise<JsonObject | null> =>
    new Promise((resolve) => {
      signal.addEventListener('abort', () => resolve(null), { once: true });
      // `_meta` is between the upstream and us.
      const { _meta, ...shown } = params;
      this.asked.push({ request: { method, params: shown }, answer: resolve });
      this.wake?.();
    });

  /** Resolves at the next pause or at the end. Rejects with an `UpstreamError`. */
  async next(): Promise<CallOutcome> {
    const { ended } = this;
    if (ended === null) throw new Error('The call was not started.');
    const [first] = this.asked;
    if (first !== undefined) return { kind: 'input', requests: { r1: first.request } };
    const asks = new Promise<null>((resolve) => {
      this.wake = () => resolve(null);
    });
    const outcome = await Promise.race([ended, asks]);
    this.wake = null;
    return outcome ?? this.next();
  }

  /** Answers the request of the pause. Null: the client refuses. */
  answer(response: JsonObject | null): void {
    this.asked.shift()?.answer(response);
  }

  cancel(): void {
    this.abort.abort();
  }
}
