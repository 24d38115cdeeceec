import type { InputRequests, Redeemed } from '@gw/mcp';
import { UpstreamError, type ReceivedResult } from '@gw/mcp-client';
import { withinRate } from '../message-rate';
import type { ReplicaLink } from '../replicas/replica-link';
import type { RedeemMessage } from '../replicas/replica-messages';
import type { ParkingLot, UpstreamCall } from '../upstream-call';
import {
  sentFailure,
  HEARTBEAT_EVERY_MS,
  SILENCE_MS_MAX,
  type HolderEvent,
  type SentOutcome,
} from './line-events';

/** Maximum number of calls of this gateway that other gateways read at the same time. */
const SERVED_MAX = 1_000;

const UNSENDABLE = new UpstreamError('too_large', 'The result is too large for another gateway.', {
  mayHaveExecuted: true,
});

/** The parked calls of this gateway. */
export interface LocalParkedCalls extends ParkingLot {
  /** Removes a parked call and returns it; a call can be taken once. */
  take(id: string, principal: string): Redeemed<UpstreamCall>;
}

interface ServedCall {
  readonly call: UpstreamCall;
  readonly sendEvent: (event: HolderEvent) => boolean;
  heartbeatAt: number;
}

/**
 * Calls of this gateway that clients continue at other gateways; those gateways read them from
 * here.
 */
export class ServedCalls {
  private readonly served = new Map<string, ServedCall>();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly link: ReplicaLink,
    private readonly parked: LocalParkedCalls,
  ) {
    link.on('redeem', (message) => this.begin(message));
    link.on('of_reader', ({ line, event }) => {
      const served = this.served.get(line);
      if (served === undefined) return;
      served.heartbeatAt = performance.now();
      if (event === 'cancel') served.call.cancel();
    });
  }

  /**
   * Ends all served calls and reports to their readers that they failed, because this process
   * stops.
   */
  close(): void {
    for (const [line, { call, sendEvent }] of this.served) {
      sendEvent({ kind: 'failed', failure: sentFailure(null) });
      this.remove(line);
      call.cancel();
    }
  }

  private begin({ from, line, call: id, principal, responses }: RedeemMessage): void {
    const sendEvent = (event: HolderEvent): boolean =>
      this.link.send(from, { kind: 'of_holder', line, event });
    const found =
      this.served.size < SERVED_MAX ? this.parked.take(id, principal) : ({ kind: 'gone' } as const);
    if (found.kind !== 'found') {
      sendEvent({ kind: 'refused', why: found.kind });
      return;
    }
    const { call } = found;
    this.add(line, { call, sendEvent, heartbeatAt: performance.now() });
    sendEvent({ kind: 'taken' });
    call.listener = withinRate((message) => void sendEvent({ kind: 'message', message }));
    call.answer(responses);
    void this.serve(line, call, principal, sendEvent);
  }

  /** Waits for the outcome of the call and sends it to the reader. Never rejects. */
  private async serve(
    line: string,
    call: UpstreamCall,
    principal: string,
    sendEvent: ServedCall['sendEvent'],
  ): Promise<void> {
    try {
      const outcome = await this.outcomeOf(call, principal);
      if (!sendEvent({ kind: 'outcome', outcome }))
        sendEvent({ kind: 'failed', failure: sentFailure(UNSENDABLE) });
    } catch (error) {
      sendEvent({ kind: 'failed', failure: sentFailure(error) });
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
        return this.parkAgain(call, principal, outcome.requests);
      case 'input_required':
        return outcome;
    }
  }

  private parkAgain(call: UpstreamCall, principal: string, requests: InputRequests): SentOutcome {
    const place = this.parked.park(principal, call);
    if (place === null) call.cancel();
    return { kind: 'parked', requests, place };
  }

  private add(line: string, served: ServedCall): void {
    this.served.set(line, served);
    this.timer ??= setInterval(() => this.checkReaders(), HEARTBEAT_EVERY_MS).unref();
  }

  /**
   * Sends heartbeats to readers, and cancels calls whose reader has sent none for too long, as when
   * a client disconnects.
   */
  private checkReaders(): void {
    for (const { call, sendEvent, heartbeatAt } of this.served.values())
      if (performance.now() - heartbeatAt > SILENCE_MS_MAX) call.cancel();
      else sendEvent({ kind: 'alive' });
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
