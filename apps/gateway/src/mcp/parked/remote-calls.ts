import { randomHex } from '@gw/kernel';
import type { JsonObject, Redeemed } from '@gw/mcp';
import { UpstreamError, type CallNotice } from '@gw/mcp-client';
import type { ReplicaLink } from '../replicas/replica-link';
import { CallGone, type CallInProgress, type CallOutcome, type ParkedPlace } from '../upstream-call';
import {
  readFailure,
  readOutcome,
  HEARTBEAT_EVERY_MS,
  SILENCE_MS_MAX,
  type HolderEvent,
  type ReaderEvent,
} from './line-events';

/** Milliseconds that another gateway may take to confirm that it has a call. */
const ECHO_MS = 1_000;
const EARLY_MAX = 40;

type Echo = 'taken' | 'answered' | 'gone';

/** Calls of other gateways that clients continue at this one. */
export class RemoteCalls {
  private readonly calls = new Map<string, RemoteCall>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly link: ReplicaLink) {
    link.on('of_holder', ({ line, event }) => this.calls.get(line)?.take(event));
  }

  /**
   * Continues a call with the client's responses. Resolves to `gone` when no gateway confirms
   * within `ECHO_MS` that it has the call.
   */
  async redeem(
    { replica, call }: ParkedPlace,
    principal: string,
    responses: Readonly<Record<string, JsonObject>>,
  ): Promise<Redeemed<CallInProgress>> {
    const line = randomHex(16);
    const remote = new RemoteCall(
      (event) => this.link.send(replica, { kind: 'of_reader', line, event }),
      () => this.remove(line),
    );
    this.add(line, remote);
    const redeem = { line, call, principal, responses };
    if (!this.link.send(replica, { kind: 'redeem', from: this.link.id, ...redeem })) remote.giveUp();
    const echo = await remote.echo;
    return echo === 'taken' ? { kind: 'found', call: remote } : { kind: echo };
  }

  close(): void {
    for (const call of this.calls.values()) call.giveUp();
  }

  private add(line: string, call: RemoteCall): void {
    this.calls.set(line, call);
    this.timer ??= setInterval(() => this.checkPeers(), HEARTBEAT_EVERY_MS).unref();
  }

  private checkPeers(): void {
    for (const call of this.calls.values()) call.checkPeer();
  }

  private remove(line: string): void {
    this.calls.delete(line);
    if (this.calls.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

/** One call that another gateway runs. */
class RemoteCall implements CallInProgress {
  readonly outlivesRequest = true;
  /** Resolves to whether the other gateway has the call, at the latest after `ECHO_MS`. */
  readonly echo: Promise<Echo>;
  private readonly ended: Promise<CallOutcome>;
  private resolveEcho!: (echo: Echo) => void;
  private resolve!: (outcome: CallOutcome) => void;
  private reject!: (error: Error) => void;
  private readonly echoTimer: NodeJS.Timeout;
  private currentListener: CallInProgress['listener'] = null;
  /** Messages that arrived before a listener was set. */
  private readonly early: CallNotice[] = [];
  /** The place where the call is parked again; null when there was no room. */
  private place: ParkedPlace | null = null;
  private heartbeatAt = performance.now();

  constructor(
    private readonly sendEvent: (event: ReaderEvent) => void,
    private readonly onEnd: () => void,
  ) {
    this.echo = new Promise((resolve) => (this.resolveEcho = resolve));
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Prevents an unhandled rejection while nothing awaits the promise yet.
    this.ended.catch(() => undefined);
    this.echoTimer = setTimeout(() => this.giveUp(), ECHO_MS);
  }

  get listener(): CallInProgress['listener'] {
    return this.currentListener;
  }

  set listener(listener: CallInProgress['listener']) {
    this.currentListener = listener;
    if (listener !== null) for (const message of this.early.splice(0)) listener(message);
  }

  take(event: HolderEvent): void {
    this.heartbeatAt = performance.now();
    switch (event.kind) {
      case 'alive':
        return;
      case 'taken':
        clearTimeout(this.echoTimer);
        this.resolveEcho('taken');
        return;
      case 'message':
        if (this.currentListener !== null) this.currentListener(event.message);
        else if (this.early.length < EARLY_MAX) this.early.push(event.message);
        return;
      case 'refused':
        this.resolveEcho(event.why);
        this.end(new CallGone());
        return;
      case 'outcome':
        if (event.outcome.kind === 'parked') this.place = event.outcome.place;
        this.end(readOutcome(event.outcome));
        return;
      case 'failed':
        this.end(readFailure(event.failure));
    }
  }

  next(): Promise<CallOutcome> {
    return this.ended;
  }

  /**
   * Does nothing: the responses were sent when the call was redeemed, and later requests answer
   * later pauses.
   */
  answer(): void {
    return;
  }

  park(): ParkedPlace | null {
    return this.place;
  }

  cancel(): void {
    this.sendEvent('cancel');
    this.end(new UpstreamError('cancelled', 'The caller cancelled the call.', { mayHaveExecuted: true }));
  }

  /** Sends a heartbeat, or gives the call up when the other gateway has sent none for too long. */
  checkPeer(): void {
    if (performance.now() - this.heartbeatAt > SILENCE_MS_MAX) this.giveUp();
    else this.sendEvent('alive');
  }

  /** Gives the call up. If the other gateway has the call, it cancels it. */
  giveUp(): void {
    this.sendEvent('cancel');
    this.end(new CallGone());
  }

  private end(result: CallOutcome | Error): void {
    clearTimeout(this.echoTimer);
    this.onEnd();
    this.resolveEcho('gone');
    if (result instanceof Error) this.reject(result);
    else this.resolve(result);
  }
}
