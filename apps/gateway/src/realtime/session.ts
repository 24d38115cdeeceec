import type { Eventually } from '@gw/guardrails';
import type { GatewayError } from '@gw/kernel';
import type { RawData } from 'ws';
import type { SessionAccounts, SessionVerdict } from '../limits/session-accounts';
import type { RequestContext } from '../core/request-context';
import type { SessionGuarding } from '../guardrails/sessions/session-guarding';
import type { Settle } from '../reply/reply';
import { ClientGate } from './client-gate';
import {
  clientGone,
  closedByClient,
  closedByProvider,
  denied,
  failed,
  providerGone,
  refused,
  reportEnding,
  stopped,
  type Ending,
} from './endings';
import { MessageQueue } from '../guardrails/sessions/message-queue';
import { errorMessage } from '../guardrails/sessions/realtime-events';
import { SessionGuard } from '../guardrails/sessions/session-guard';
import type { Linger, Lingering } from './lingering';
import type { SessionMeter, SessionPart } from './metering/session-meter';
import type { Peer } from './peer';
import { RequestSession } from './request-session';
import { endedBy } from './session-rights';

export interface SessionOptions {
  readonly meter: SessionMeter;
  readonly accounts: Pick<SessionAccounts, 'charge' | 'verdict'>;
  readonly lingering: Lingering;
  readonly settle: Settle;
  /** Null when no guardrail checks the messages. */
  readonly guarding: SessionGuarding | null;
  /** Throws if the model is not enabled. `model` is null when the message may name any model. */
  readonly checkModel: (model: string | null) => void;
  /** Milliseconds without a frame in either direction. */
  readonly idleTimeoutMs: number;
  readonly onEnd: (session: Session) => void;
}

/**
 * Forwards the frames of an accepted client to the provider and back, including pings and pongs,
 * until one side ends. Messages are forwarded whole; their split into frames is not kept, as RFC
 * 6455 section 5.4 allows.
 *
 * A side that does not read stops the other side: besides its socket buffer, a direction holds one
 * chunk of the other side's socket and one message. A session ends in these cases:
 *
 * | case | client receives | provider receives |
 * | --- | --- | --- |
 * | one side sends a close frame | the same code and reason | the same code and reason |
 * | the client violates the protocol | 1002, 1007, 1008 or 1009 | 1001 |
 * | the client disconnects without a close frame | – | 1001 |
 * | the provider violates the protocol | 1011 | 1002, 1007, 1008 or 1009 |
 * | the provider disconnects without a close frame | 1011 | – |
 * | idle timeout, shutdown | 1001 | 1001 |
 * | the session's usage reaches a limit | 1008, after the message with the usage | 1001 |
 * | a limit is reached when the client requests a response | 1008 | 1001 |
 * | its key, provider or model would be refused now | 1008, after an event with the reason | 1001 |
 * | a guardrail denies a message, or a message names a disabled model | 1008, after an event with
 * the reason | 1001 |
 *
 * 1014 would mean a bad gateway, but clients treat it as an invalid code. The record is durable
 * before the client is closed. If the client ends the session in the middle of a response, the
 * session first waits a limited time for the provider, so that the response is charged as reported.
 */
export class Session {
  private hasEnded = false;
  private readonly idle: NodeJS.Timeout;
  private clientMessages = 0;
  private providerMessages = 0;
  private linger: Linger | null = null;
  private readonly gate: ClientGate;
  private readonly guard: SessionGuard | null;
  private readonly messages: { readonly client: MessageQueue; readonly provider: MessageQueue };

  constructor(
    private readonly context: RequestContext,
    private readonly client: Peer,
    private readonly provider: Peer,
    private readonly options: SessionOptions,
  ) {
    const { meter } = options;
    const own = (context.session ??= new RequestSession());
    own.fail = (error) => {
      this.end(failed(error));
    };
    context.reply.upgraded({
      usage: () => context.usage.parts?.usage ?? null,
      model: () => meter.model(),
      unchargedParts: () => meter.rest(),
    });
    this.idle = setTimeout(() => {
      this.stop('No frame was received for too long.');
    }, options.idleTimeoutMs);
    this.messages = {
      client: new MessageQueue(client, provider),
      provider: new MessageQueue(provider, client),
    };
    this.gate = new ClientGate(context, meter, options.accounts, options.checkModel);
    this.guard = options.guarding === null ? null : this.guardWith(options.guarding);
    this.listen(client, provider, (message) => {
      this.clientMessages += 1;
      own.receivedBytes += message.length;
      return 'ok';
    });
    this.listen(provider, client, (message, isBinary) => {
      this.providerMessages += 1;
      context.reply.sent(message.length);
      const ended = meter.fromProvider(message, isBinary);
      const verdict = ended.length === 0 ? 'ok' : this.charge(ended);
      this.linger?.noteMessage(message, ended);
      return verdict;
    });
    client.whenClosing((closing) => {
      this.messages.client.run(() => {
        this.end(closedByClient(closing));
      });
    });
    provider.whenClosing((closing) => {
      this.messages.provider.run(() => {
        this.end(closedByProvider(closing));
      });
    });
    client.once('close', () => {
      this.end(clientGone);
    });
    provider.once('close', () => {
      this.end(providerGone());
    });
    // Both sides were paused until the listeners were attached.
    client.resume();
    provider.resume();
  }

  /** Ends the session by the gateway. */
  stop(reason: string, failure?: GatewayError): void {
    this.end(stopped(reason, failure));
  }

  /** Ends the session because its caller or provider would be refused now. */
  deny(failure: GatewayError): void {
    this.end(denied(failure, endedBy(failure), errorMessage(failure, this.context.id, null)));
  }

  private listen(from: Peer, to: Peer, note: (message: Buffer, isBinary: boolean) => SessionVerdict): void {
    const queue = from === this.client ? this.messages.client : this.messages.provider;
    const noteActivity = (): void => {
      this.idle.refresh();
      if (to.transport.writableNeedDrain) from.pause();
    };
    const pass = (message: Buffer, isBinary: boolean): void => {
      const verdict = note(message, isBinary);
      if (this.hasEnded) return;
      const { guard } = this;
      if (guard !== null) queue.run(() => this.judge(guard, from, message, isBinary));
      else if (from === this.client) this.sendToProvider(message, isBinary);
      else to.send(message, { binary: isBinary });
      noteActivity();
      if (verdict !== 'ok')
        queue.run(() => {
          this.end(refused(verdict));
        });
    };
    from.on('message', (data: RawData, isBinary: boolean) => {
      if (this.hasEnded && (this.linger === null || from === this.client)) return;
      // The type that `ws` delivers by default.
      this.context.guard(() => pass(data as Buffer, isBinary));
    });
    from.on('ping', (data: Buffer) => {
      if (this.hasEnded) return;
      to.ping(data);
      noteActivity();
    });
    from.on('pong', (data: Buffer) => {
      if (this.hasEnded) return;
      to.pong(data);
      noteActivity();
    });
    to.transport.on('drain', () => {
      queue.resume();
    });
  }

  private judge(guard: SessionGuard, from: Peer, message: Buffer, isBinary: boolean): Eventually<void> {
    if (this.hasEnded) return undefined;
    return from === this.client ? guard.fromClient(message, isBinary) : guard.fromProvider(message, isBinary);
  }

  private guardWith(guarding: SessionGuarding): SessionGuard {
    const { client, context } = this;
    return new SessionGuard(guarding, {
      toClient: (message, binary) => {
        if (!this.hasEnded) client.send(message, { binary });
      },
      toProvider: (message, binary) => {
        if (!this.hasEnded) this.sendToProvider(message, binary);
      },
      deny: (failure, cause) => {
        const last = errorMessage(failure, context.id, cause);
        this.end(denied(failure, 'A guardrail has ended this session.', last));
      },
      isGone: () => this.hasEnded,
    });
  }

  private sendToProvider(message: Buffer, binary: boolean): void {
    const ending = this.gate.judge(message, binary);
    if (ending === null) this.provider.send(message, { binary });
    else this.end(ending);
  }

  private charge(parts: readonly SessionPart[]): SessionVerdict {
    const { context, options } = this;
    return parts
      .map((part) => options.accounts.charge(context, part))
      .reduce((known, verdict) => (known === 'ok' ? verdict : known), 'ok');
  }

  private end(ending: Ending): void {
    if (this.hasEnded) {
      // The first ending is recorded. If the provider ends too, there is nothing more to wait for.
      if (ending.by !== 'client') this.linger?.finish();
      return;
    }
    this.hasEnded = true;
    clearTimeout(this.idle);
    this.guard?.close();
    const { context, provider, options } = this;
    if (ending.mayLinger === true)
      this.linger = options.lingering.begin(context, provider, options.meter, () => {
        this.finish(ending);
      });
    if (this.linger === null) this.finish(ending);
    // The provider may have been paused for a slow client.
    else provider.resume();
  }

  private finish(ending: Ending): void {
    const { by, code, toClient, toProvider, last } = ending;
    const { context, client, provider, clientMessages, providerMessages, options } = this;
    this.linger = null;
    // What cannot be read must not prevent the end.
    context.guard(() => this.charge(options.meter.close(by === 'provider')));
    reportEnding(context.reply, ending);
    (context.session ??= new RequestSession()).record = {
      closedBy: by,
      code: code ?? toClient.code,
      reason: toClient.reason.toString('utf8'),
      clientMessages,
      providerMessages,
    };
    provider.shut(toProvider.code, toProvider.reason);
    options.settle(context, () => {
      if (last !== undefined) client.send(last, { binary: false });
      client.shut(toClient.code, toClient.reason);
      options.onEnd(this);
    });
  }
}
