import type { Era, InputRequest, InputRequests, JsonObject } from '@gw/mcp';
import { CallEnding, type CallEnd, type CallNotice, type EndSignal } from '@gw/mcp-client';
import { setTimeout as delay } from 'node:timers/promises';

/** A gateway with a call that waits for input, and the name of the call there. */
export interface ParkedPlace {
  readonly replica: string;
  readonly call: string;
}

/** Outcome of one round of a call: its result, or input that the client must give. */
export type CallOutcome =
  /** The result, or the end of a response with which a modern upstream wants the call again. */
  | CallEnd
  /** A legacy upstream waits, and the call goes on once `answer` is called. */
  | {
      readonly kind: 'input';
      readonly requests: InputRequests;
      /** Aborts when the upstream waits no longer. */
      readonly until: AbortSignal;
    };

/** A call that an upstream carries out, at this gateway or at another. */
export interface CallInProgress {
  /** Whether it goes on when its request is aborted, until `cancel`. */
  readonly isApart: boolean;
  /** Gets progress and notifications; null while no client listens. */
  listener: ((notice: CallNotice) => void) | null;
  /** Resolves at the next pause or at the end. Rejects with an `UpstreamError`, or with `CallGone`. */
  next(): Promise<CallOutcome>;
  /** Answers requests of the pause, by their keys. Null: the client refuses. */
  answer(responses: Readonly<Record<string, JsonObject | null>>): void;
  /** Leaves the call at its pause, to be continued by a later request. Null: there is no room. */
  park(principal: string, lot: ParkingLot): ParkedPlace | null;
  cancel(): void;
}

/** Keeps the calls of this gateway that wait for later requests. */
export interface ParkingLot {
  park(principal: string, call: UpstreamCall): ParkedPlace | null;
}

/** The gateway with the call is gone. */
export class CallGone extends Error {
  constructor() {
    super('The gateway that carried out the call is gone.');
  }
}

/** A server that wants several inputs sends its requests at about the same time; a modern client gets them together. */
const TOGETHER_MS = 20;

interface Asked {
  readonly request: InputRequest;
  readonly until: AbortSignal;
  readonly answer: (to: JsonObject | null) => void;
}

/**
 * A call at an upstream that may pause for input of the client. One reader waits for `next` at a time;
 * several HTTP requests of the client can follow each other as readers.
 */
export class UpstreamCall implements CallInProgress {
  listener: ((notice: CallNotice) => void) | null = null;
  /** Requests without an answer, by key. */
  private readonly asked = new Map<string, Asked>();
  private lastKey = 0;
  private ended: Promise<CallEnd> | null = null;
  private wake: (() => void) | null = null;

  /**
   * `abort` ends a call that may outlive the request that made it; null: the signal of the request does. `togetherMs`: how long a pause waits for further requests.
   */
  constructor(
    private readonly abort: CallEnding | null,
    private readonly togetherMs: number,
  ) {}

  /** `ended`: the call, which reports to `notice`. */
  start(ended: Promise<CallEnd>): void {
    this.ended = ended;
    // The reader may be gone when it fails.
    ended.catch(() => undefined);
  }

  readonly notice = (notice: CallNotice): void => this.listener?.(notice);

  /** A request of a legacy upstream for input: resolves with the client's response. */
  readonly respond = ({ method, params }: InputRequest, until: AbortSignal): Promise<JsonObject | null> =>
    new Promise((resolve) => {
      this.lastKey += 1;
      const key = `r${String(this.lastKey)}`;
      const answer = (response: JsonObject | null): void => {
        this.asked.delete(key);
        resolve(response);
      };
      until.addEventListener('abort', () => answer(null), { once: true });
      // `_meta` is between the upstream and us.
      const { _meta, ...shown } = params;
      this.asked.set(key, { request: { method, params: shown }, until, answer });
      this.wake?.();
    });

  async next(): Promise<CallOutcome> {
    const { ended } = this;
    if (ended === null) throw new Error('The call was not started.');
    if (this.asked.size > 0) {
      const [first] = this.asked.values() as Iterable<Asked>;
      if (this.togetherMs > 0) await delay(this.togetherMs);
      const requests = Object.fromEntries([...this.asked].map(([key, { request }]) => [key, request]));
      if (first !== undefined && this.asked.size > 0) return { kind: 'input', requests, until: first.until };
    }
    // Either the end or the next request for input; a race of promises would cost several more.
    const outcome = await new Promise<CallEnd | null>((resolve, reject) => {
      this.wake = () => resolve(null);
      ended.then(resolve, reject);
    });
    this.wake = null;
    return outcome ?? this.next();
  }

  answer(responses: Readonly<Record<string, JsonObject | null>>): void {
    for (const [key, response] of Object.entries(responses)) this.asked.get(key)?.answer(response);
  }

  park(principal: string, lot: ParkingLot): ParkedPlace | null {
    return lot.park(principal, this);
  }

  get isApart(): boolean {
    return this.abort !== null;
  }

  cancel(): void {
    this.abort?.abort();
  }
}

/** A call of a request, with the signal that ends it. Only one that can be parked outlives its request. `relays`: the client makes the rounds of input. */
export function newCall(
  { era, signal }: { readonly era: Era; readonly signal: EndSignal },
  relays: boolean,
): { readonly call: UpstreamCall; readonly signal: EndSignal } {
  if (era === 'legacy' || relays) return { call: new UpstreamCall(null, 0), signal };
  const ending = new CallEnding();
  return { call: new UpstreamCall(ending, TOGETHER_MS), signal: ending };
}
