import { WebSocketServer, type Server } from 'ws';
import type { SessionAccounts } from '../limits/session-accounts';
import { addGatewayHeaders } from '../reply/response-headers';
import { gatewayStopping } from '../attempt/broken-response';
import { checkModelOf } from '../attempt/targeting';
import { responseHeaders } from '../credentials/credential-echo';
import type { RequestContext } from '../core/request-context';
import type { Settle } from '../reply/reply';
import type { UpgradeResponse } from './handshake';
import { Lingering } from './lingering';
import { SessionMeter } from './metering/session-meter';
import { Peer, peerOptions } from './peer';
import { RequestSession } from './request-session';
import { Session } from './session';
import type { CheckedSession, SessionRights } from './session-rights';

export interface SessionsOptions {
  readonly maxMessageBytes: number;
  readonly idleTimeoutMs: number;
  /**
   * Milliseconds that a session waits for its provider after the client has disconnected in the
   * middle of a response.
   */
  readonly lingerMs: number;
}

/** Accepts clients after their provider has accepted, and holds the open sessions. */
export class Sessions {
  private readonly open = new Set<Session>();
  private readonly server: Server<typeof Peer>;
  private readonly lingering: Lingering;
  private closed = false;
  /**
   * Head of the handshake that is being completed; that happens within one turn of the event loop.
   */
  private head: { readonly headers: readonly string[]; readonly protocol: string | null } = NO_HEAD;

  constructor(
    private readonly settle: Settle,
    private readonly accounts: Pick<SessionAccounts, 'charge' | 'verdict'>,
    private readonly rights: Pick<SessionRights, 'add' | 'current' | 'delete'>,
    private readonly options: SessionsOptions,
  ) {
    this.lingering = new Lingering(options.lingerMs);
    this.server = new WebSocketServer({
      ...peerOptions(options.maxMessageBytes),
      noServer: true,
      clientTracking: false,
      WebSocket: Peer,
      handleProtocols: () => this.head.protocol ?? false,
    });
    this.server.on('headers', (lines: string[]) => {
      const { headers } = this.head;
      for (let i = 0; i + 1 < headers.length; i += 2)
        lines.push(`${headers[i] as string}: ${headers[i + 1] as string}`);
    });
  }

  /** Number of provider connections whose clients may have disconnected. */
  get lingeringCount(): number {
    return this.lingering.count;
  }

  /** Starts a session. Throws `gateway_stopping` if the process is stopping. */
  begin(context: RequestContext, response: UpgradeResponse, provider: Peer): void {
    context.session = new RequestSession();
    if (this.closed) {
      provider.terminate();
      throw gatewayStopping();
    }
    const client = this.accept(context, response);
    if (client === null) {
      provider.terminate();
      context.reply.clientLeft();
      this.settle(context, () => undefined);
      return;
    }
    const { saved, model } = response.upstream;
    const session: Session = new Session(context, client, provider, {
      meter: new SessionMeter(response.upstream.provider),
      accounts: this.accounts,
      lingering: this.lingering,
      checkModel: (named) => {
        checkModelOf(this.rights.current(saved), named);
      },
      settle: this.settle,
      guarding: context.guardrails?.session(response.upstream) ?? null,
      idleTimeoutMs: this.options.idleTimeoutMs,
      onEnd: (ended) => {
        this.open.delete(ended);
        this.rights.delete(entitled);
      },
    });
    const deny: CheckedSession['deny'] = (failure) => {
      session.deny(failure);
    };
    const entitled: CheckedSession = { context, saved, model, deny };
    this.open.add(session);
    this.rights.add(entitled);
  }

  /** Ends all sessions with 1001; new ones are refused. */
  close(): void {
    this.closed = true;
    for (const session of this.open) session.stop('This gateway is shutting down.', gatewayStopping());
  }

  /** Completes the client's handshake; null when the client has just disconnected. */
  private accept(context: RequestContext, response: UpgradeResponse): Peer | null {
    const { upgrade } = context;
    if (upgrade === null) return null;
    context.whenClientGone(null);
    this.head = { headers: headersOf(context, response), protocol: response.protocol };
    let accepted: Peer | null = null;
    this.server.handleUpgrade(upgrade.req, upgrade.socket, upgrade.accept(), (client: Peer) => {
      // The close code reports the reason.
      client.on('error', () => undefined);
      client.transport = upgrade.socket;
      accepted = client;
    });
    this.head = NO_HEAD;
    return accepted;
  }
}

const NO_HEAD = { headers: [], protocol: null } as const;
/** Headers of a body, which a 101 cannot have, and headers that the handshake itself sets. */
const OWN = /^(?:content-|sec-websocket-)/;
/** `ws` writes the lines unchanged, without the checks of Node.js. */
const SAFE = /^[\t\x20-\x7e]*$/;

function headersOf(context: RequestContext, response: UpgradeResponse): readonly string[] {
  const passed = responseHeaders(response);
  addGatewayHeaders(passed, context);
  const headers: string[] = [];
  for (let i = 0; i + 1 < passed.length; i += 2) {
    const [name, value] = [passed[i] as string, passed[i + 1] as string];
    if (!OWN.test(name) && SAFE.test(value)) headers.push(name, value);
  }
  return headers;
}
