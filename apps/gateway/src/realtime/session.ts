import type { SessionRecord, Usage } from '@gw/contracts';
import type { Eventually } from '@gw/guardrails';
import { GatewayError } from '@gw/kernel';
import type { RawData } from 'ws';
import type { Exchange } from '../pipeline/exchange';
import type { SessionGuarding } from '../pipeline/guard/session-guarding';
import type { Settle } from '../pipeline/reply';
import { Lane } from './guard/lane';
import { errorMessage } from './guard/realtime-events';
import { SessionGuard } from './guard/session-guard';
import type { Closing, Peer } from './peer';
import type { UsageMeter } from './usage-meter';

const NO_CLOSE_FRAME = 1006;
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

interface CloseFrame {
  readonly code: number;
  readonly reason: string | Buffer;
}

interface Ending {
  readonly by: SessionRecord['closedBy'];
  /** What goes into the record; null: what the client is told. */
  readonly code?: number;
  readonly outcome: Exchange['outcome'];
  readonly failure?: GatewayError;
  readonly toClient: CloseFrame;
  readonly toProvider: CloseFrame;
  /** A message that the client gets before its close frame. */
  readonly last?: Buffer;
}

export type SessionCharge = (exchange: Exchange, usage: Usage, model: string | null) => boolean;

export interface SessionOptions {
  readonly meter: UsageMeter;
  readonly settle: Settle;
  /** Null: nothing judges its messages. */
  readonly guarding: SessionGuarding | null;
  /** Charges what one response of the session has used. False: a limit is reached by it. */
  readonly charge: SessionCharge;
  /** Milliseconds without a frame in either direction. */
  readonly idleTimeoutMs: number;
  readonly onEnd: (session: Session) => void;
}

/**
 * Hands frames of an accepted client to the provider and back, pings and pongs included, until one side ends. Messages are
 * passed whole: how they were cut into frames is not kept, as RFC 6455 section 5.4 allows.
 *
 * A side that does not read stops the other: beyond its socket buffer a direction holds one piece of the other's socket and
 * one message. What ends a session:
 *
 * | what | client is told | provider is told |
 * | --- | --- | --- |
 * | a close frame of either | the same code and reason | the same code and reason |
 * | the client breaks the protocol | 1002, 1007, 1008 or 1009 | 1001 |
 * | the client is gone without a close frame | – | 1001 |
 * | the provider breaks the protocol | 1011 | 1002, 1007, 1008 or 1009 |
 * | the provider is gone without a close frame | 1011 | – |
 * | silence, shutdown | 1001 | 1001 |
 * | a limit is reached by what the session has used | 1008, after the message that told so | 1001 |
 * | a guardrail denies a message | 1008, after an event that says so | 1001 |
 *
 * 1014 would name a bad gateway, but clients take it for an invalid code. The record is durable before the client is told.
 */
export class Session {
  private over = false;
  private readonly idle: NodeJS.Timeout;
  private clientMessages = 0;
  private providerMessages = 0;
  private readonly guard: SessionGuard | null;
  private readonly lanes: { readonly client: Lane; readonly provider: Lane };

  constructor(
    private readonly exchange: Exchange,
    private readonly client: Peer,
    private readonly provider: Peer,
    private readonly options: SessionOptions,
  ) {
    exchange.streamed = true;
    exchange.status = 101;
    exchange.meter = options.meter;
    this.idle = setTimeout(() => {
      this.stop('No frame came for too long.');
    }, options.idleTimeoutMs);
    this.lanes = { client: new Lane(client, provider), provider: new Lane(provider, client) };
    this.guard = options.guarding === null ? null : this.guardWith(options.guarding);
    this.listen(client, provider, (message) => {
      this.clientMessages += 1;
      exchange.receivedBytes += message.length;
      return true;
    });
    this.listen(provider, client, (message, isBinary) => {
      this.providerMessages += 1;
      exchange.responseBytes += message.length;
      exchange.firstByteAt ??= performance.now();
      const used = isBinary ? null : options.meter.read(message);
      return used === null || options.charge(exchange, used, options.meter.model());
    });
    client.whenClosing((closing) => {
      this.lanes.client.run(() => {
        this.closedByClient(closing);
      });
    });
    provider.whenClosing((closing) => {
      this.lanes.provider.run(() => {
        this.closedByProvider(closing);
      });
    });
    client.once('close', () => {
      const toProvider = { code: GOING_AWAY, reason: 'The client is gone.' };
      this.end({ by: 'client', outcome: 'client_closed', toClient: GONE, toProvider });
    });
    provider.once('close', () => {
      this.end({
        by: 'provider',
        code: NO_CLOSE_FRAME,
        outcome: 'interrupted',
        failure: new GatewayError('stream_interrupted'),
        toClient: { code: INTERNAL_ERROR, reason: 'The connection to the provider broke.' },
        toProvider: GONE,
      });
    });
    // Both were held until somebody listened.
    client.resume();
    provider.resume();
  }

  /** Ends the session from our side. */
  stop(reason: string, failure?: GatewayError): void {
    const frame = { code: GOING_AWAY, reason };
    const ending = { by: 'gateway', outcome: 'interrupted', toClient: frame, toProvider: frame } as const;
    this.end(failure === undefined ? ending : { ...ending, failure });
  }

  private listen(from: Peer, to: Peer, note: (message: Buffer, isBinary: boolean) => boolean): void {
    const lane = from === this.client ? this.lanes.client : this.lanes.provider;
    const passed = (): void => {
      this.idle.refresh();
      if (to.transport.writableNeedDrain) from.pause();
    };
    from.on('message', (data: RawData, isBinary: boolean) => {
      if (this.over) return;
      // Of the type that `ws` gives unless told otherwise.
      const message = data as Buffer;
      const mayGoOn = note(message, isBinary);
      const { guard } = this;
      if (guard === null) to.send(message, { binary: isBinary });
      else lane.run(() => this.judge(guard, from, message, isBinary));
      passed();
      if (!mayGoOn)
        lane.run(() => {
          this.endAtLimit();
        });
    });
    from.on('ping', (data: Buffer) => {
      if (this.over) return;
      to.ping(data);
      passed();
    });
    from.on('pong', (data: Buffer) => {
      if (this.over) return;
      to.pong(data);
      passed();
    });
    to.transport.on('drain', () => {
      lane.goOn();
    });
  }

  private judge(guard: SessionGuard, from: Peer, message: Buffer, isBinary: boolean): Eventually<void> {
    if (this.over) return undefined;
    return from === this.client ? guard.fromClient(message, isBinary) : guard.fromProvider(message, isBinary);
  }

  private guardWith(guarding: SessionGuarding): SessionGuard {
    const { client, provider, exchange } = this;
    return new SessionGuard(guarding, {
      toClient: (message, binary) => {
        if (!this.over) client.send(message, { binary });
      },
      toProvider: (message, binary) => {
        if (!this.over) provider.send(message, { binary });
      },
      deny: (failure, cause) => {
        this.end({
          by: 'gateway',
          outcome: failure.type === 'hooks_failed' ? 'denied' : 'failed',
          failure,
          toClient: { code: POLICY_VIOLATION, reason: 'A guardrail has ended this session.' },
          toProvider: { code: GOING_AWAY, reason: 'The session has ended.' },
          last: errorMessage(failure, exchange.id, cause),
        });
      },
      isGone: () => this.over,
    });
  }

  private endAtLimit(): void {
    const toClient = { code: POLICY_VIOLATION, reason: 'A limit of this session was reached.' };
    const toProvider = { code: GOING_AWAY, reason: 'The session has ended.' };
    this.end({ by: 'gateway', outcome: 'denied', toClient, toProvider });
  }

  private closedByClient({ code, reason, isFault }: Closing): void {
    const toClient = { code, reason };
    if (isFault) {
      const toProvider = { code: GOING_AWAY, reason: 'The client broke the protocol.' };
      this.end({ by: 'gateway', outcome: 'denied', toClient, toProvider });
    } else {
      this.end({ by: 'client', outcome: 'ok', toClient, toProvider: toClient });
    }
  }

  private closedByProvider({ code, reason, isFault }: Closing): void {
    const toProvider = { code, reason };
    if (isFault) {
      const failure = new GatewayError('stream_interrupted');
      const toClient = { code: INTERNAL_ERROR, reason: 'The provider broke the protocol.' };
      this.end({ by: 'gateway', outcome: 'interrupted', failure, toClient, toProvider });
    } else {
      const outcome = REGULAR.has(code) ? 'ok' : 'provider_error';
      this.end({ by: 'provider', outcome, toClient: toProvider, toProvider });
    }
  }

  private end({ by, code, outcome, failure, toClient, toProvider, last }: Ending): void {
    if (this.over) return;
    this.over = true;
    clearTimeout(this.idle);
    this.guard?.close();
    const { exchange, client, provider, clientMessages, providerMessages } = this;
    exchange.outcome = outcome;
    exchange.failure = failure ?? null;
    exchange.session = {
      closedBy: by,
      code: code ?? toClient.code,
      reason: toClient.reason.toString('utf8'),
      clientMessages,
      providerMessages,
    };
    provider.shut(toProvider.code, toProvider.reason);
    this.options.settle(exchange, () => {
      if (last !== undefined) client.send(last, { binary: false });
      client.shut(toClient.code, toClient.reason);
      this.options.onEnd(this);
    });
  }
}

/** To a side whose connection has ended already: nothing is sent. */
const GONE: CloseFrame = { code: NO_CLOSE_FRAME, reason: '' };
/** Codes with which a provider ends a session that has gone well. 1005: a close frame without a code. */
const REGULAR: ReadonlySet<number> = new Set([1000, GOING_AWAY, 1005]);
