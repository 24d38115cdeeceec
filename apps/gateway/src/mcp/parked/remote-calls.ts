import { randomHex } from '@gw/kernel';
import type { JsonObject, Redeemed } from '@gw/mcp';
import { UpstreamError, type CallNotice } from '@gw/mcp-client';
import type { ReplicaLink } from '../replicas/replica-link';
import { CallGone, type CallInProgress, type CallOutcome, type ParkedPlace } from '../upstream-call';
import {
  readFailure,
  readOutcome,
  SIGN_EVERY_MS,
  SILENCE_MS,
  type HolderEvent,
  type ReaderEvent,
} from './line-events';

/** How long the gateway with a call may take to say that it has it. */
const ECHO_MS = 1_000;
const EARLY_MAX = 40;

type Echo = 'taken' | 'answered' | 'gone';

/** Calls at other gateways that clients continue at this one. */
export class RemoteCalls {
  private readonly calls = new Map<string, RemoteCall>();
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly link: ReplicaLink) {
    link.on('of_holder', ({ line, event }) => this.calls.get(line)?.take(event));
  }

  /** Continues a call with the client's responses. `gone`: no gateway says within a second that it has it. */
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
    if (!this.link.send(replica, { kind: 'redeem', from: this.link.id, ...redeem })) remote.gone();
    const echo = await remote.echo;
    return echo === 'taken' ? { kind: 'found', call: remote } : { kind: echo };
  }

  close(): void {
    for (const call of this.calls.values()) call.gone();
  }

  private add(line: string, call: RemoteCall): void {
    this.calls.set(line, call);
    this.timer ??= setInterval(() => this.look(), SIGN_EVERY_MS).unref();
  }

  private look(): void {
    for (const call of this.calls.values()) call.look();
  }

  private remove(line: string): void {
    this.calls.delete(line);
    if (this.calls.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}

/** One call at another gateway. */
class RemoteCall implements CallInProgress {
  readonly isApart = true;
  /** Whether the other gateway has the call; resolves after a second at the latest. */
  readonly echo: Promise<Echo>;
  private readonly ended: Promise<CallOutcome>;
  private hear!: (echo: Echo) => void;
  private resolve!: (outcome: CallOutcome) => void;
  private reject!: (error: Error) => void;
  private readonly patience: NodeJS.Timeout;
  private hears: CallInProgress['listener'] = null;
  /** Messages that arrived before the listener was there. */
  private readonly early: CallNotice[] = [];
  /** Where the call waits again; null: there was no room. */
  private place: ParkedPlace | null = null;
  private signAt = performance.now();

  constructor(
    private readonly say: (event: ReaderEvent) => void,
    private readonly over: () => void,
  ) {
    this.echo = new Promise((resolve) => (this.hear = resolve));
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // There may be no reader yet.
    this.ended.catch(() => undefined);
    this.patience = setTimeout(() => this.gone(), ECHO_MS);
  }

  get listener(): CallInProgress['listener'] {
    return this.hears;
  }

  set listener(listener: CallInProgress['listener']) {
    this.hears = listener;
    if (listener !== null) for (const message of this.early.splice(0)) listener(message);
  }

  take(event: HolderEvent): void {
    this.signAt = performance.now();
    switch (event.kind) {
      case 'alive':
        return;
      case 'taken':
        clearTimeout(this.patience);
        this.hear('taken');
        return;
      case 'message':
        if (this.hears !== null) this.hears(event.message);
        else if (this.early.length < EARLY_MAX) this.early.push(event.message);
        return;
      case 'refused':
        this.hear(event.why);
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

  /** The responses were sent when the call was redeemed, and later pauses are answered by later requests. */
  answer(): void {
    return;
  }

  park(): ParkedPlace | null {
    return this.place;
  }

  cancel(): void {
    this.say('cancel');
    this.end(new UpstreamError('cancelled', 'The caller cancelled the call.', { mayHaveExecuted: true }));
  }

  /** Shows that this side lives, and gives up when the other one does not. */
  look(): void {
    if (performance.now() - this.signAt > SILENCE_MS) this.gone();
    else this.say('alive');
  }

  /** Gives the call up. If the other gateway has it, it is cancelled there. */
  gone(): void {
    this.say('cancel');
    this.end(new CallGone());
  }

  private end(result: CallOutcome | Error): void {
    clearTimeout(this.patience);
    this.over();
    this.hear('gone');
    if (result instanceof Error) this.reject(result);
    else this.resolve(result);
  }
}
