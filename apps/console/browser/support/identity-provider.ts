import { ecKeyPair, signedToken } from '@gw/testing';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const KEY = ecKeyPair('idp-1');
const LIFE_S = 300;

/**
 * OpenID Connect provider on loopback that a browser can visit. It logs in `email` without asking.
 */
export class IdentityProvider {
  /** Address of the user who logs in next. */
  email = '';
  /** Nonce of the login by its code. */
  private readonly nonces = new Map<string, string>();

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => void this.respond(request, response));
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new IdentityProvider(server);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  get issuer(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  private async respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', this.issuer);
    if (pathname === '/authorize') return this.sendBack(searchParams, response);
    const body =
      pathname === '/token' ? this.tokenFor(await text(request)) : (this.documents[pathname] ?? null);
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
    return undefined;
  }

  private sendBack(login: URLSearchParams, response: ServerResponse): void {
    const code = `code-${String(this.nonces.size)}`;
    this.nonces.set(code, login.get('nonce') ?? '');
    const back = new URL(login.get('redirect_uri') ?? '');
    back.searchParams.set('code', code);
    back.searchParams.set('state', login.get('state') ?? '');
    response.writeHead(302, { location: back.href });
    response.end();
  }

  private tokenFor(body: string): object {
    const code = new URLSearchParams(body).get('code') ?? '';
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      ...{ iss: this.issuer, aud: 'tollgate', sub: this.email, iat: now, exp: now + LIFE_S },
      ...{ nonce: this.nonces.get(code), email: this.email, email_verified: true },
    };
    return {
      access_token: 'unused',
      token_type: 'Bearer',
      expires_in: LIFE_S,
      id_token: signedToken(KEY, claims),
    };
  }

  private get documents(): Readonly<Record<string, object>> {
    const { issuer } = this;
    return {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: [KEY.algorithm],
      },
      '/jwks': { keys: [KEY.jwk] },
    };
  }
}
