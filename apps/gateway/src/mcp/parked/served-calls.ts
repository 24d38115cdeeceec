import type { InputRequests, Redeemed } from '@gw/mcp';
import { UpstreamError, type ReceivedResult } from '@gw/mcp-client';
import { withinRate } from '../message-rate';
import type { ReplicaLink } from '../replicas/replica-link';
import type { RedeemMessage } from '../replicas/replica-messages';
import type { ParkingLot, UpstreamCall } from '../upstream-call';
import { sentFailure, SIGN_EVERY_MS, SILENCE_MS, type HolderEvent, type SentOutcome } from './line-events';

/** Calls of this gateway that others read at the same time. */
const SERVED_MAX = 1_000;

const UNSENDABLE = new UpstreamError('too_large', 'The result is too large for another gateway.', {
  mayHaveExecuted: true,
});

/** The parked calls of this gateway. */
export interface ParkedHere extends ParkingLot {
  /** Takes a call, once. */
  take(id: string, principal: string): Redeemed<UpstreamCall>;
}

interface Served {
  readonly call: UpstreamCall;
  readonly say: (event: HolderEvent) => boolean;
  signAt: number;
}

/** Calls of this gateway that clients continue at other gateways, which read them from here. */
export class ServedCalls {
  private readonly served = new Map<string, Served>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly link: ReplicaLink,
    private readonly parked: ParkedHere,
  ) {
    link.on('redeem', (message) => this.begin(message));
    link.on('of_reader', ({ line, event }) => {
      const served = this.served.get(line);
      if (served === undefined) return;
      served.signAt = performance.now();
      if (event === 'cancel') served.call.cancel();
    });
  }

  /** Tells the readers that their calls end with this process. */
  close(): void {
    for (const [line, { call, say }] of this.served) {
      say({ kind: 'failed', failure: sentFailure(null) });
      this.remove(line);
      call.cancel();
    }
  }

  private begin({ from, line, call: id, principal, responses }: RedeemMessage): void {
    const say = (event: HolderEvent): boolean => this.link.send(from, { kind: 'of_holder', line, event });
    const found =
      this.served.size < SERVED_MAX ? this.parked.take(id, principal) : ({ kind: 'gone' } as const);
    if (found.kind !== 'found') {
      say({ kind: 'refused', why: found.kind });
      return;
    }
    const { call } = found;
    this.add(line, { call, say, signAt: performance.now() });
    say({ kind: 'taken' });
    call.listener = withinRate((message) => void say({ kind: 'message', message }));
    call.answer(responses);
    void this.serve(line, call, principal, say);
  }

  /** Sends what the call becomes. Never rejects. */
  private async serve(
    line: string,
    call: UpstreamCall,
    principal: string,
    say: Served['say'],
  ): Promise<void> {
    try {
      const outcome = await this.outcomeOf(call, principal);
      if (!say({ kind: 'outcome', outcome })) say({ kind: 'failed', failure: sentFailure(UNSENDABLE) });
    } catch (error) {
      say({ kind: 'failed', failure: sentFailure(error) });
    } finally {
      call.listener = null;
      this.remove(line);
    }
  }

  private async outcomeOf(call: UpstreamCall, principal: string): Promise<SentOutcome> {
    const outcome = await call.next();
    switch (outcome.kind) {
      case 'result':
        return sentResult(outcome.result);
      case 'input':
        return this.pause(call, principal, outcome.requests);
      case 'input_required':
        return outcome;
    }
  }

  private pause(call: UpstreamCall, principal: string, requests: InputRequests): SentOutcome {
    const place = this.parked.park(principal, call);
    if (place === null) call.cancel();
    return { kind: 'parked', requests, place };
  }

  private add(line: string, served: Served): void {
    this.served.set(line, served);
    this.timer ??= setInterval(() => this.look(), SIGN_EVERY_MS).unref();
  }

  /** Shows readers that this gateway lives. The call of a reader that is gone is cancelled, as when its client leaves. */
  private look(): void {
    for (const { call, say, signAt } of this.served.values())
      if (performance.now() - signAt > SILENCE_MS) call.cancel();
      else say({ kind: 'alive' });
  }

  private remove(line: string): void {
    this.served.delete(line);
    if (this.served.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

const sentResult = ({ value, numbers, bytes }: ReceivedResult): SentOutcome => ({
  kind: 'result',
  result: value,
  numbers: numbers && [...numbers],
  bytes,
});
