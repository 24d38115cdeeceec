import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { browse, listen, stop, type Loopback } from '../../../spec-support/loopback';

/**
 * A real authorization server on loopback whose users agree without a page. It records the requests
 * to its endpoints.
 */
export class AuthorizationServer {
  readonly requests: {
    readonly path: string;
    readonly form: URLSearchParams;
    /** The `DPoP` header; null when there is none. */
    readonly proof: string | null;
  }[] = [];
  /** Whether proofs of keys need a nonce from this server. */
  wantsNonce = false;
  /** Metadata that is published in place of the true one. */
  metadata: object | null = null;
  /** Status of every response of the token endpoint; null for the true ones. */
  failure: number | null = null;
  /** Error of every response of the token endpoint; null for the true ones. */
  refusal: string | null = null;
  /** `DPoP-Nonce` header of those errors; null for none. */
  nonce: string | null = null;
  /** True makes every token a bearer token, whatever the proof. */
  bearer = false;
  /** Runs before the token endpoint processes a request. */
  beforeToken: () => Promise<void> = () => Promise.resolve();

  private constructor(
    private readonly running: Loopback,
    private readonly provider: Provider,
  ) {}

  get issuer(): string {
    return this.running.origin;
  }

  static async start(resource: string): Promise<AuthorizationServer> {
    const running = await listen();
    let made: AuthorizationServer | null = null;
    const provider = new Provider(running.origin, {
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        dPoP: { enabled: true, nonceSecret: randomBytes(32), requireNonce: () => made?.wantsNonce === true },
        registration: { enabled: true },
        revocation: { enabled: true },
        resourceIndicators: {
          enabled: true,
          getResourceServerInfo: () => ({ scope: 'issues.read issues.write', accessTokenTTL: 60 }),
          useGrantedResource: () => true,
        },
      },
      clientDefaults: { token_endpoint_auth_method: 'client_secret_basic' },
      scopes: ['openid'],
      issueRefreshToken: () => true,
      rotateRefreshToken: true,
      pkce: { required: () => true },
      cookies: { keys: ['a key of the test'] },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      ttl: { Session: 60, Grant: 60, Interaction: 60, AccessToken: 60, RefreshToken: 600 },
    });
    const server = new AuthorizationServer(running, provider);
    made = server;
    const callback = provider.callback();
    running.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      void server.serve(request, response, resource, callback);
    });
    return server;
  }

  stop(): Promise<void> {
    return stop(this.running);
  }

  callsOf(path: string): number {
    return this.requests.filter((request) => request.path === path).length;
  }

  /** Signs in as a browser would, and returns the address to which the browser returns. */
  agree(url: string): Promise<URL> {
    return browse(url, this.issuer);
  }

  private async serve(
    request: IncomingMessage,
    response: ServerResponse,
    resource: string,
    callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (path.startsWith('/.well-known/') && this.metadata !== null) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.metadata));
      return;
    }
    if (path.startsWith('/interaction/')) {
      await this.interact(request, response, resource);
      return;
    }
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString('utf8');
      this.requests.push({ path, form: new URLSearchParams(body), proof: proofIn(request) });
      // oidc-provider accepts a body that was already read.
      Object.assign(request, { body: path === '/reg' ? (JSON.parse(body) as object) : body });
      if (path === '/token') await this.beforeToken();
      if (path === '/token' && this.failed(response)) return;
    }
    await callback(request, response);
  }

  /** Sends the response that a test has set. Returns false when the true response must be sent. */
  private failed(response: ServerResponse): boolean {
    const { failure, refusal, bearer, nonce } = this;
    if (bearer) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ access_token: 'of-anyone', token_type: 'Bearer', expires_in: 60 }));
      return true;
    }
    if (failure === null && refusal === null) return false;
    response.writeHead(failure ?? 401, {
      'content-type': 'application/json',
      ...(nonce !== null && { 'dpop-nonce': nonce }),
    });
    response.end(JSON.stringify({ error: refusal }));
    return true;
  }

  private async interact(
    request: IncomingMessage,
    response: ServerResponse,
    resource: string,
  ): Promise<void> {
    const { prompt, params, grantId: known } = await this.provider.interactionDetails(request, response);
    const login = prompt.name === 'login' ? { login: { accountId: 'ada' } } : {};
    const clientId = String(params['client_id']);
    const grant =
      known === undefined
        ? new this.provider.Grant({ accountId: 'ada', clientId })
        : await this.provider.Grant.find(known);
    grant?.addResourceScope(resource, params['scope'] as string);
    const grantId = await grant?.save();
    const result = { ...login, consent: { grantId } };
    await this.provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }
}

function proofIn({ headers: { dpop: proof } }: IncomingMessage): string | null {
  return typeof proof === 'string' ? proof : null;
}

/** An upstream MCP server that only announces where its users sign in. */
export class ResourceServer {
  /** Its authorization servers; a test may set others. */
  issuers: readonly string[] = [];
  /** How it announces that it accepts only tokens bound to a key; null when it does not. */
  demandsProof: 'challenge' | 'metadata' | null = null;

  private constructor(private readonly running: Loopback) {}

  static async start(): Promise<ResourceServer> {
    const made = new ResourceServer(await listen());
    made.running.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      request.resume();
      made.serve(request.url ?? '', response);
    });
    return made;
  }

  get url(): string {
    return `${this.running.origin}/mcp`;
  }

  stop(): Promise<void> {
    return stop(this.running);
  }

  private serve(path: string, response: ServerResponse): void {
    const { origin } = this.running;
    if (path === '/mcp') {
      const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
      const scheme = this.demandsProof === 'challenge' ? 'DPoP' : 'Bearer';
      const challenge = `${scheme} resource_metadata="${metadata}", scope="issues.read"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
      return;
    }
    if (path !== '/.well-known/oauth-protected-resource/mcp') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        ...{ resource: this.url, authorization_servers: this.issuers },
        ...(this.demandsProof === 'metadata' && { dpop_bound_access_tokens_required: true }),
      }),
    );
  }
}
