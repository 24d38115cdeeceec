import { createHash, randomBytes } from 'node:crypto';
import { PASSWORD, type GatewayResponse, type TestAdminApi } from '../../../spec-support/admin-api';
import { Browser, fieldOf } from './browser';

export const PUBLIC_URL = 'http://localhost:8788';
export const RESOURCE = `${PUBLIC_URL}/v1`;
export const CALLBACK = 'https://client.example.org/cb';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export interface TokenBody {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly scope: string;
  readonly error?: string;
}

/** An authorization request in progress, with the state of its browser and its client. */
export interface Begun {
  readonly clientId: string;
  readonly browser: Browser;
  readonly verifier: string;
  readonly redirectUri: string;
  /** Redirect of the authorization endpoint. */
  readonly response: GatewayResponse;
  readonly resumeState: string;
}

type Parameters = Readonly<Record<string, string | undefined>>;

/** Runs the steps of clients, browsers and users of the OAuth server. */
export class OauthJourney {
  constructor(private readonly api: Pick<TestAdminApi, 'call' | 'post'>) {}

  register(body: object = {}): Promise<GatewayResponse<{ client_id: string; error?: string }>> {
    const named = { client_name: 'Test client', redirect_uris: [CALLBACK], ...body };
    return this.api.post('/oauth/register', { body: named });
  }

  async clientId(body: object = {}): Promise<string> {
    const { status, body: registered, text } = await this.register(body);
    if (status !== 201) throw new Error(text);
    return registered.client_id;
  }

  /** Opens the authorization endpoint. Leaves out parameters that are undefined. */
  async begin(clientId: string, more: Parameters = {}, browser = new Browser(this.api)): Promise<Begun> {
    const verifier = randomBytes(32).toString('base64url');
    const all: Parameters = {
      ...{ client_id: clientId, redirect_uri: CALLBACK, response_type: 'code', state: 's' },
      ...{ resource: RESOURCE, scope: 'completions.write', code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      ...more,
    };
    const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const response = await browser.open(`/oauth/authorize?${new URLSearchParams(given).toString()}`);
    const location = String(response.headers['location'] ?? '');
    const resumeState = /resume_state=([\w-]+)/.exec(location)?.[1] ?? '';
    return { clientId, browser, verifier, redirectUri: all['redirect_uri'] ?? '', response, resumeState };
  }

  /** Signs in at the consent page, and returns the page that follows. */
  async signIn({ browser, resumeState }: Begun, email: string): Promise<GatewayResponse> {
    const sent = await browser.submit('/oauth/consent', {
      ...{ resume_state: resumeState, step: 'sign_in', email, password: PASSWORD },
    });
    return sent.status === 303 ? browser.open(String(sent.headers['location'])) : sent;
  }

  decide(
    begun: Begun,
    page: GatewayResponse,
    step: 'approve' | 'deny',
    workspaceId = '',
  ): Promise<GatewayResponse> {
    const { browser, resumeState } = begun;
    return browser.submit('/oauth/consent', {
      ...{ resume_state: resumeState, csrf: fieldOf(page.text, 'csrf'), step, workspace_id: workspaceId },
    });
  }

  /** Follows the page after the decision, and returns the query with which the client is called. */
  async resume({ browser }: Begun, decided: GatewayResponse): Promise<URLSearchParams> {
    const url = /url=([^"]+)"/.exec(decided.text)?.[1] ?? '';
    if (url === '') throw new Error(`${String(decided.status)} ${decided.text}`);
    const back = await browser.open(url);
    return new URL(String(back.headers['location'] ?? `http://x/?error=${String(back.status)}`)).searchParams;
  }

  /** Runs a complete authorization up to the code, for a user who agrees or has agreed before. */
  async code(
    clientId: string,
    user: { readonly email: string },
    workspaceId: string,
    more: Parameters = {},
  ): Promise<{ readonly begun: Begun; readonly code: string }> {
    const begun = await this.begin(clientId, more);
    const page = await this.signIn(begun, user.email);
    const isAsked = page.text.includes('name="csrf"');
    const decided = isAsked ? await this.decide(begun, page, 'approve', workspaceId) : page;
    const query = await this.resume(begun, decided);
    return { begun, code: query.get('code') ?? '' };
  }

  token(form: Parameters): Promise<GatewayResponse<TokenBody>> {
    return this.api.post('/oauth/token', { body: formOf(form), headers: FORM });
  }

  exchange({ clientId, verifier, redirectUri }: Begun, code: string): Promise<GatewayResponse<TokenBody>> {
    return this.token({
      ...{ grant_type: 'authorization_code', code, client_id: clientId, redirect_uri: redirectUri },
      code_verifier: verifier,
    });
  }

  refresh(clientId: string, refreshToken: string): Promise<GatewayResponse<TokenBody>> {
    return this.token({ grant_type: 'refresh_token', refresh_token: refreshToken, client_id: clientId });
  }

  revoke(clientId: string, token: string): Promise<GatewayResponse> {
    return this.api.post('/oauth/revoke', { body: formOf({ token, client_id: clientId }), headers: FORM });
  }

  introspect(token: string, key: string): Promise<GatewayResponse> {
    return this.api.post('/oauth/introspect', { body: formOf({ token }), headers: FORM, key });
  }
}

export const formOf = (form: Parameters): string =>
  new URLSearchParams(
    Object.entries(form).filter((pair): pair is [string, string] => pair[1] !== undefined),
  ).toString();
