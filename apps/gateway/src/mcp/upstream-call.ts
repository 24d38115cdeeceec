import type { McpServerDocument } from '@gw/contracts';
import type { InputRequest, InputRequests, JsonObject } from '@gw/mcp';
import { CallEnding, type CallEnd, type CallNotice, type EndSignal } from '@gw/mcp-client';
import { setTimeout as delay } from 'node:timers/promises';
import type { McpRequest } from './mcp-request';

/** The workspace that a call belongs to. */
export type CallOwner = Pick<McpServerDocument, 'workspaceId' | 'organisationId'>;

/** The place of a parked call: its gateway, and its id there. */
export interface ParkedPlace {
  readonly replica: string;
  readonly call: string;
}

/** The outcome of one round of a call: its result, or input that the client must provide. */
export type CallOutcome =
  /**
   * The result, or the response with which a modern upstream requests input and a repeated call.
   */
  | CallEnd
  /** A legacy upstream waits for input; the call continues once `answer` is called. */
  | {
      readonly kind: 'input';
      readonly requests: InputRequests;
      /** Aborts when the upstream no longer waits. */
      readonly until: AbortSignal;
    };

/** A call that an upstream carries out, at this gateway or at another. */
export interface CallInProgress {
  /** Whether the call continues after its request is aborted, until `cancel` is called. */
  readonly outlivesRequest: boolean;
  /** Receives progress and notifications; null while no client listens. */
  listener: ((notice: CallNotice) => void) | null;
  /**
   * Resolves at the next pause or at the end. Rejects with an `UpstreamError`, or with `CallGone`.
   */
  next(): Promise<CallOutcome>;
  /**
   * Answers the requests of the pause by their keys; a null response means that the client refuses.
   */
  answer(responses: Readonly<Record<string, JsonObject | null>>): void;
  /** Parks the paused call, so that a later request can continue it; null when there is no room. */
  park(principal: string, lot: ParkingLot): ParkedPlace | null;
  cancel(): void;
}

/** Holds the paused calls of this gateway for later requests. */
export interface ParkingLot {
  park(principal: string, call: UpstreamCall): ParkedPlace | null;
}

/** The error of a call whose gateway has died. */
export class CallGone extends Error {
  constructor() {
    super('The gateway that carried out the call is gone.');
  }
}

/**
 * Milliseconds for which a pause waits for further requests: a server that needs several inputs
 * sends its requests at about the same time, and a modern client receives them together.
 */
const COLLECT_MS = 20;

interface PendingRequest {
  readonly request: InputRequest;
  readonly until: AbortSignal;
  readonly answer: (to: JsonObject | null) => void;
}

/**
 * A call at an upstream that may pause for input of the client. One reader waits for `next` at a
 * time; consecutive HTTP requests of the client can be its readers.
 */
export class UpstreamCall implements CallInProgress {
  listener: ((notice: CallNotice) => void) | null = null;
  /** Requests that the client has not answered, by key. */
  private readonly pending = new Map<string, PendingRequest>();
  private lastKey = 0;
  private ended: Promise<CallEnd> | null = null;
  private wake: (() => void) | null = null;

  /**
   * `owner` is the workspace of the call. `abort` ends a call that may outlive its request; it is
   * null when the request's own signal ends the call. `togetherMs` is the time for which a pause
   * waits for further requests.
   */
  constructor(
    readonly owner: CallOwner,
    private readonly abort: CallEnding | null,
    private readonly togetherMs: number,
  ) {}

  /** Starts with the promise of the call's end. The call must report progress to `notice`. */
  start(ended: Promise<CallEnd>): void {
    this.ended = ended;
    // Prevents an unhandled rejection when no reader awaits the call any more.
    ended.catch(() => undefined);
  }

  readonly notice = (notice: CallNotice): void => this.listener?.(notice);

  /**
   * Handles a legacy upstream's request for input. Resolves to the client's response; null when the
   * client refuses or `until` aborts.
   */
  readonly respond = ({ method, params }: InputRequest, until: AbortSignal): Promise<JsonObject | null> =>
    new Promise((resolve) => {
      this.lastKey += 1;
      const key = `r${String(this.lastKey)}`;
      const answer = (response: JsonObject | null): void => {
        this.pending.delete(key);
        resolve(response);
      };
      until.addEventListener('abort', () => answer(null), { once: true });
      // `_meta` is meant for the gateway, not for the client.
      const { _meta, ...shown } = params;
      this.pending.set(key, { request: { method, params: shown }, until, answer });
      this.wake?.();
    });

  async next(): Promise<CallOutcome> {
    const { ended } = this;
    if (ended === null) throw new Error('The call was not started.');
    if (this.pending.size > 0) {
      const [first] = this.pending.values() as Iterable<PendingRequest>;
      if (this.togetherMs > 0) await delay(this.togetherMs);
      const requests = Object.fromEntries([...this.pending].map(([key, { request }]) => [key, request]));
      if (first !== undefined && this.pending.size > 0)
        return { kind: 'input', requests, until: first.until };
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
    for (const [key, response] of Object.entries(responses)) this.pending.get(key)?.answer(response);
  }

  park(principal: string, lot: ParkingLot): ParkedPlace | null {
    return lot.park(principal, this);
  }

  get outlivesRequest(): boolean {
    return this.abort !== null;
  }

  cancel(): void {
    this.abort?.abort();
  }
}

/**
 * Creates the call of a request and the signal that ends it. Only a call that can be parked
 * outlives its request. `relays` is true when the client itself makes the rounds of input.
 */
export function newCall(
  { era, signal, view }: Pick<McpRequest, 'era' | 'signal' | 'view'>,
  relays: boolean,
): { readonly call: UpstreamCall; readonly signal: EndSignal } {
  const { document } = view;
  if (era === 'legacy' || relays) return { call: new UpstreamCall(document, null, 0), signal };
  const ending = new CallEnding();
  return { call: new UpstreamCall(document, ending, COLLECT_MS), signal: ending };
}
