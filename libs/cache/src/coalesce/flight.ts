import { OutboundError, type OutboundCall, type OutboundHandler } from '@gw/outbound';

/**
 * Makes the provider call and reports it to the handler. All starts of one flight ask for the same. `owner` tells whose answer the
 * call's is: at its end that need not be the one who started it.
 */
export type StartCall = (handler: OutboundHandler, owner: () => OutboundHandler | null) => OutboundCall;

export interface FlightBounds {
  /** Bytes of an answer that are kept for those who join late; past them no caller can join. */
  readonly recordBytesMax: number;
  /** How far somebody may be behind, once the answer is not kept whole any more. */
  readonly behindBytesMax: number;
  /** The same while all flights together hold too much. */
  readonly behindBytesUnderPressure: number;
  /** Calls that are made anew after one that gave no answer at all. */
  readonly takeoversMax: number;
}

/** What a flight needs of all flights together. */
export interface FlightControl {
  /** Adds to the bytes that all flights hold; negative to give back. */
  account(bytes: number): void;
  readonly underPressure: boolean;
  /** No further caller may join. */
  close(): void;
}

/**
 * One provider call and everybody who waits for its answer, each at their own pace. The first member owns it: the call goes no
 * faster than the owner takes it, give or take `behindBytesMax`, and when the owner leaves, the next member owns it and the call
 * goes on. It is cancelled when no caller is left.
 */
export class Flight {
  private readonly members: Member[] = [];
  private head: { readonly status: number; readonly headers: readonly string[] } | null = null;
  private chunks: Buffer[] = [];
  /** Pieces that were let go before the first of `chunks`. */
  private dropped = 0;
  private held = 0;
  private whole = true;
  private outcome: 'ended' | OutboundError | null = null;
  private upstream: OutboundCall | null = null;
  /** Receives the call that counts. */
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

  /** The first to join makes the call; the others receive what has come so far, from the next turn of the event loop on. */
  join(handler: OutboundHandler, start: StartCall): Member {
    const member = new Member(this, handler, start);
    this.members.push(member);
    if (this.members.length === 1) this.firstCall(member);
    else setImmediate(() => this.serveAgain(member));
    return member;
  }

  /** Who owns the call at its end owns it for good. */
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

  /** Hands on what waited for the member, and lets go of what it took. */
  serveAgain(member: Member): void {
    this.serve(member);
    this.afterServing();
  }

  /** Hands a member what it has not had, as long as it takes it. */
  private serve(member: Member): void {
    if (member.serving || member.over) return;
    member.serving = true;
    if (this.head !== null && !member.headSent) {
      member.headSent = true;
      member.handler.onHeaders(this.head.status, this.head.headers);
    }
    while (member.takes) {
      const chunk = this.chunks[member.next - this.dropped];
      if (chunk === undefined) break;
      member.next += 1;
      member.handler.onData(chunk);
    }
    if (member.takes && this.outcome !== null) this.finish(member, this.outcome);
    member.serving = false;
  }

  /** After somebody has taken something or has left. */
  private afterServing(): void {
    if (!this.whole) this.letGo();
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
    // Reports of an earlier call are dropped.
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
    this.letGo();
  }

  /** A call that gave no answer fails its owner alone, and the next member tries; a bounded number of times, then all fail. */
  private onError(error: OutboundError): void {
    if (this.head !== null || this.takeovers >= this.bounds.takeoversMax || this.members.length < 2) {
      this.onOutcome(error);
      return;
    }
    this.takeovers += 1;
    this.upstreamOf = null;
    this.finish(this.members[0] as Member, error);
    const next = this.members[0];
    if (next !== undefined) this.callAgain(next);
  }

  private callAgain(member: Member): void {
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

  /** A caller that is too far behind loses its answer, with an error, so that it can neither hold the others up nor fill the memory. */
  private cutLaggards(): void {
    for (const member of this.members.slice(1)) {
      if (this.unread(member) <= this.behindMax) continue;
      this.finish(
        member,
        new OutboundError('interrupted', 'The client did not keep up with a shared answer.'),
      );
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

  /** From now on only what somebody has yet to take is kept. */
  private close(): void {
    if (!this.whole) return;
    this.whole = false;
    this.control.close();
  }

  private letGo(): void {
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
      this.letGo();
    }
  }
}

/** One request's part in a flight: a call like any other, of which pausing and aborting concern that request alone. */
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

  get takes(): boolean {
    return !this.over && !this.paused;
  }

  /** The provider call counts as this request's. Becomes true when those before it leave; stays once the request is over. */
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
