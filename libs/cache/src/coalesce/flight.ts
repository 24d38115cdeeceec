import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';

/**
 * Makes the provider call and reports it to the handler. All starts of one flight make the same
 * request. `owner` returns the handler that owns the response, which at the end may not be the one
 * that started the call.
 */
export type StartCall = (handler: OutboundHandler, owner: () => OutboundHandler | null) => OutboundCall;

export interface FlightBounds {
  /** Bytes of a response kept for late members; beyond that no caller can join. */
  readonly recordBytesMax: number;
  /** Maximum bytes that a member may be behind once the response is no longer kept completely. */
  readonly behindBytesMax: number;
  /** Maximum bytes that a member may be behind while all flights together hold too much. */
  readonly behindBytesUnderPressure: number;
  /**
   * How many times the call is repeated by the next member after it failed without any response.
   */
  readonly takeoversMax: number;
}

/** The part of the coalescer that a flight uses. */
export interface FlightControl {
  /** Adds to the bytes held by all flights; a negative number frees bytes. */
  account(bytes: number): void;
  readonly underPressure: boolean;
  /** Called when no further caller may join. */
  close(): void;
}

/**
 * One provider call and all members that receive its response, each at its own pace.
 * The first member owns it: the call is at most about `behindBytesMax` ahead of the owner. When the
 * owner leaves, the next member becomes the owner and the call continues. It is cancelled when no
 * member is left.
 */
export class Flight {
  private readonly members: Member[] = [];
  private head: { readonly status: number; readonly headers: readonly string[] } | null = null;
  private chunks: Buffer[] = [];
  /** Number of chunks released before the first of `chunks`. */
  private dropped = 0;
  private held = 0;
  /** Whether all chunks are still kept, so that further callers can join. */
  private whole = true;
  private outcome: 'ended' | OutboundError | null = null;
  private upstream: OutboundCall | null = null;
  /** Handler of the current call. */
  private upstreamOf: OutboundHandler | null = null;
  private lastOwner: Member | null = null;
  private stopped = false;
  private takeovers = 0;

  constructor(
    private readonly bounds: FlightBounds,
    private readonly control: FlightControl,
  ) {}

  get size(): number {
    return this.members.length;
  }

  /**
   * Adds a member. The first one makes the call; the others get what has arrived, from the next
   * event-loop turn on.
   */
  join(handler: OutboundHandler, start: StartCall): Member {
    const member = new Member(this, handler, start);
    this.members.push(member);
    if (this.members.length === 1) this.firstCall(member);
    else setImmediate(() => this.serveAgain(member));
    return member;
  }

  /** Whether the member is the owner: the first one left, or after the end the last owner. */
  isOwner(member: Member): boolean {
    return (this.lastOwner ?? this.members[0]) === member;
  }

  leave(member: Member): void {
    this.remove(member);
    if (this.members.length > 0) {
      this.afterServing();
      return;
    }
    this.close();
    this.upstream?.abort();
  }

  /** Delivers the waiting chunks to a member, and releases chunks that no member needs. */
  serveAgain(member: Member): void {
    this.serve(member);
    this.afterServing();
  }

  /** Delivers to a member the headers and chunks that it has not received, until it pauses. */
  private serve(member: Member): void {
    if (member.serving || member.over) return;
    member.serving = true;
    if (this.head !== null && !member.headSent) {
      member.headSent = true;
      member.handler.onHeaders(this.head.status, this.head.headers);
    }
    while (member.canReceive) {
      const chunk = this.chunks[member.next - this.dropped];
      if (chunk === undefined) break;
      member.next += 1;
      member.handler.onData(chunk);
    }
    if (member.canReceive && this.outcome !== null) this.finish(member, this.outcome);
    member.serving = false;
  }

  /** Updates buffers and flow control after a member received something or left. */
  private afterServing(): void {
    if (!this.whole) this.releaseChunks();
    const owner = this.members[0];
    if (this.upstream === null || this.outcome !== null || owner === undefined) return;
    const stop = owner.paused && this.unread(owner) >= this.behindMax;
    if (stop === this.stopped) return;
    this.stopped = stop;
    if (stop) this.upstream.pause();
    else this.upstream.resume();
  }

  private firstCall(member: Member): void {
    try {
      this.call(member.start);
    } catch (thrown) {
      this.remove(member);
      throw thrown;
    }
  }

  private call(start: StartCall): void {
    // Events of an earlier call are ignored.
    const isCurrent = (): boolean => this.upstreamOf === handler;
    const handler: OutboundHandler = {
      onHeaders: (status, headers) => {
        if (isCurrent()) this.onHeaders(status, headers);
      },
      onData: (chunk) => {
        if (isCurrent()) this.onData(chunk);
      },
      onEnd: () => {
        if (isCurrent()) this.onOutcome('ended');
      },
      onError: (error) => {
        if (isCurrent()) this.onError(error);
      },
    };
    this.upstreamOf = handler;
    this.stopped = false;
    this.upstream = start(handler, () => (this.lastOwner ?? this.members[0])?.handler ?? null);
  }

  private onHeaders(status: number, headers: readonly string[]): void {
    this.head = { status, headers };
    this.serveAll();
  }

  private onData(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.hold(chunk.length);
    if (this.whole && (this.held > this.bounds.recordBytesMax || this.control.underPressure)) this.close();
    this.serveAll();
    if (!this.whole) this.cutLaggards();
    this.afterServing();
  }

  private onOutcome(outcome: 'ended' | OutboundError): void {
    this.outcome = outcome;
    this.lastOwner = this.members[0] ?? null;
    this.close();
    this.serveAll();
    this.releaseChunks();
  }

  /**
   * Handles a failed call. Before the response has started, only the owner fails and the next
   * member repeats the call, at most `takeoversMax` times. Otherwise all members fail.
   */
  private onError(error: OutboundError): void {
    if (this.head !== null || this.takeovers >= this.bounds.takeoversMax || this.members.length < 2) {
      this.onOutcome(error);
      return;
    }
    this.takeovers += 1;
    this.upstreamOf = null;
    this.finish(this.members[0] as Member, error);
    const next = this.members[0];
    if (next !== undefined) this.repeatCall(next);
  }

  private repeatCall(member: Member): void {
    try {
      this.call(member.start);
    } catch (cause) {
      this.onOutcome(new OutboundError('unreachable', 'The call could not be made.', null, { cause }));
    }
  }

  private serveAll(): void {
    for (const member of [...this.members]) this.serve(member);
  }

  private finish(member: Member, outcome: 'ended' | OutboundError): void {
    this.remove(member);
    if (outcome === 'ended') member.handler.onEnd();
    else member.handler.onError(outcome);
  }

  /**
   * Fails members that are too far behind, so that they neither delay the others nor fill the
   * memory.
   */
  private cutLaggards(): void {
    for (const member of this.members.slice(1)) {
      if (this.unread(member) <= this.behindMax) continue;
      this.finish(member, new OutboundError('interrupted', 'The client was too slow for a shared response.'));
    }
  }

  private get behindMax(): number {
    const { behindBytesMax, behindBytesUnderPressure } = this.bounds;
    return this.control.underPressure ? behindBytesUnderPressure : behindBytesMax;
  }

  private unread(member: Member): number {
    let bytes = 0;
    for (let i = member.next - this.dropped; i < this.chunks.length; i += 1)
      bytes += (this.chunks[i] as Buffer).length;
    return bytes;
  }

  /** Lets no further caller join; from now on only chunks that a member still needs are kept. */
  private close(): void {
    if (!this.whole) return;
    this.whole = false;
    this.control.close();
  }

  private releaseChunks(): void {
    let first = this.dropped + this.chunks.length;
    for (const member of this.members) first = Math.min(first, member.next);
    const gone = this.chunks.splice(0, first - this.dropped);
    this.dropped = first;
    this.hold(-gone.reduce((sum, chunk) => sum + chunk.length, 0));
  }

  private hold(bytes: number): void {
    this.held += bytes;
    this.control.account(bytes);
  }

  private remove(member: Member): void {
    member.owned = this.isOwner(member);
    member.over = true;
    const at = this.members.indexOf(member);
    if (at >= 0) this.members.splice(at, 1);
    if (this.members.length === 0) {
      this.close();
      this.releaseChunks();
    }
  }
}

/** One request's handle of a flight. Pausing and aborting it affect only that request. */
export class Member implements OutboundCall {
  next = 0;
  headSent = false;
  paused = false;
  over = false;
  owned = false;
  serving = false;

  constructor(
    private readonly flight: Flight,
    readonly handler: OutboundHandler,
    readonly start: StartCall,
  ) {}

  /** Whether the member can receive data now. */
  get canReceive(): boolean {
    return !this.over && !this.paused;
  }

  /**
   * Whether the provider call counts as this request's. Becomes true when the members before it
   * leave, and is final once the request is over.
   */
  get isOwner(): boolean {
    return this.over ? this.owned : this.flight.isOwner(this);
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    this.flight.serveAgain(this);
  }

  abort(): void {
    if (this.over) return;
    this.flight.leave(this);
    this.handler.onError(new OutboundError('aborted', 'The call was cancelled.'));
  }
}
