import type { ExactNumbers } from '@gw/kernel';
import type { InputRequest, InputRequests, JsonObject } from '@gw/mcp';
import type { CallEvent } from '@gw/mcp-client';

/** What a call is at: its result, or input that the client must give. */
export type CallOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject; readonly numbers: ExactNumbers | null }
  /** A modern upstream ended its response and wants the call again. */
  | { readonly kind: 'input_required'; readonly result: JsonObject }
  /** A legacy upstream waits, and the call goes on once `answer` is called. */
  | { readonly kind: 'input'; readonly requests: InputRequests };

type Message = Extract<CallEvent, { readonly kind: 'progress' | 'notification' }>;

/**
 * A call at an upstream that may pause for input of the client. One reader waits for `next` at a time;
 * several HTTP requests of the client can follow each other as readers.
 */
export class UpstreamCall {
  /** Gets progress and notifications; null while no client listens. */
  listener: ((message: Message) => void) | null = null;
  private readonly asked: {
    readonly request: InputRequest;
    readonly answer: (to: JsonObject | null) => void;
  }[] = [];
  private ended: Promise<CallOutcome> | null = null;
  private wake: (() => void) | null = null;

  constructor(private readonly abort: AbortController) {}

  start(events: AsyncGenerator<CallEvent, void>): void {
    this.ended = this.read(events);
    // The reader may be gone when it fails.
    this.ended.catch(() => undefined);
  }

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

  private async read(events: AsyncGenerator<CallEvent, void>): Promise<CallOutcome> {
    for await (const event of events) {
      if (event.kind === 'result' || event.kind === 'input_required') return event;
      this.listener?.(event);
    }
    throw new Error('unreachable: a call ends with a result or throws');
  }
}
