import { Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { HEADER } from '@gw/contracts';
import { clientAddress, GatewayError, signClientAddress } from '@gw/kernel';
import type { GatewaySettings } from '../settings';
import { refuse } from './own-answers';
import { withoutHopByHop } from './header-rules';

const TIMEOUT_MS = 60_000;

/**
 * Hands control-plane requests to the admin API, so that one base URL serves both planes. The address is the operator's, never
 * a request's, so that it may be a loopback or private one.
 */
export class ControlPlaneProxy {
  private readonly base: URL;
  private readonly request: typeof httpRequest;
  private readonly agent: Agent;

  constructor(
    private readonly settings: Pick<GatewaySettings, 'ADMIN_URL' | 'SERVICE_TOKEN' | 'TRUSTED_PROXIES'>,
  ) {
    this.base = new URL(settings.ADMIN_URL);
    const secure = this.base.protocol === 'https:';
    this.request = secure ? httpsRequest : httpRequest;
    const pool = { keepAlive: true, maxSockets: 64, maxFreeSockets: 8 };
    this.agent = secure ? new HttpsAgent(pool) : new Agent(pool);
  }

  forward(id: string, req: IncomingMessage, res: ServerResponse, target: string): void {
    const outgoing = this.request({
      protocol: this.base.protocol,
      hostname: this.base.hostname.replace(/^\[|\]$/g, ''),
      port: this.base.port,
      path: this.base.pathname.replace(/\/$/, '') + target,
      method: req.method,
      agent: this.agent,
      headers: [
        ...withoutHopByHop(req.rawHeaders),
        ...['host', this.base.host],
        ...[HEADER.clientAddress, this.clientOf(req)],
      ],
      timeout: TIMEOUT_MS,
    });
    outgoing.once('response', (answer) => {
      const headers = withoutHopByHop(answer.rawHeaders);
      if (answer.headers[HEADER.requestId] === undefined) headers.push(HEADER.requestId, id);
      res.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(res);
      answer.once('error', () => res.destroy());
    });
    outgoing.once('timeout', () => outgoing.destroy(new Error('The admin API did not answer in time.')));
    outgoing.once('error', (cause) => {
      if (res.headersSent) res.destroy();
      else
        refuse(
          id,
          req,
          res,
          new GatewayError('unavailable', { message: 'The control plane cannot be reached.', cause }),
        );
    });
    res.once('close', () => outgoing.destroy());
    req.pipe(outgoing);
  }

  /** The admin API sees only this process as its peer: this header carries the client's address with a proof. */
  private clientOf({ socket, headers }: IncomingMessage): string {
    const address = clientAddress(
      socket.remoteAddress,
      headers['x-forwarded-for'],
      this.settings.TRUSTED_PROXIES,
    );
    return signClientAddress(this.settings.SERVICE_TOKEN, address);
  }

  close(): void {
    this.agent.destroy();
  }
}
