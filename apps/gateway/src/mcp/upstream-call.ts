import type { InputRequest, InputRequests, JsonObject } from '@gw/mcp';
import type { CallEnd, CallNotice } from '@gw/mcp-client';

/** A gateway with a call that waits for input, and the name of the call there. */
export interface ParkedPlace {
  readonly replica: string;
  readonly call: string;
}

/** What a call is at: its result, or input that the client must give. */
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
  /** Gets progress and notifications; null while no client listens. */
  listener: ((notice: CallNotice) => void) | null;
  /** Resolves at the next pause or at the end. Rejects with an `UpstreamError`, or with `CallGone`. */
  next(): Promise<CallOutcome>;
  /** Answers the request of the pause. Null: the client refuses. */
  answer(response: JsonObject | null): void;
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

/**
 * A call at an upstream that may pause for input of the client. One reader waits for `next` at a time;
 * several HTTP requests of the client can follow each other as readers.
 */
export class UpstreamCall implements CallInProgress {
  listener: ((notice: CallNotice) => void) | null = null;
  private readonly asked: {
    readonly request: InputRequest;
    readonly until: AbortSignal;
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
  readonly respond = ({ method, params }: InputRequest, until: AbortSignal): Promise<JsonObject | null> =>
    new Promise((resolve) => {
      until.addEventListener('abort', () => resolve(null), { once: true });
      // `_meta` is between the upstream and us.
      const { _meta, ...shown } = params;
      this.asked.push({ request: { method, params: shown }, until, answer: resolve });
      this.wake?.();
    });

  async next(): Promise<CallOutcome> {
    const { ended } = this;
    if (ended === null) throw new Error('The call was not started.');
    const [first] = this.asked;
    if (first !== undefined) return { kind: 'input', requests: { r1: first.request }, until: first.until };
    const asks = new Promise<null>((resolve) => {
      this.wake = () => resolve(null);
    });
    const outcome = await Promise.race([ended, asks]);
    this.wake = null;
    return outcome ?? this.next();
  }

  answer(response: JsonObject | null): void {
    this.asked.shift()?.answer(response);
  }

  park(principal: string, lot: ParkingLot): ParkedPlace | null {
    return lot.park(principal, this);
  }

  cancel(): void {
    this.abort.abort();
  }
}
