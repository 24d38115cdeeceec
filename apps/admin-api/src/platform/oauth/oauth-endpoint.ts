import { GatewayError, networkOf } from '@gw/kernel';
import { canonicalResource, checkRegistration, DEVICE_GRANT, redirectUriFault } from '@gw/oauth';
import { describeFault, type Log } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { pageHeaders, wantsPage } from '../auth/account-pages';
import { RequestThrottle } from '../auth/request-throttle';
import { factsOf } from '../auth/principals.service';
import { SETTINGS, type AdminSettings } from '../../settings';
import { FailureThrottle } from '../auth/failure-throttle';
import { formOf, invalidRequest, jsonOf, OauthFault, parametersOf, readBody } from './oauth-body';
import { DevicePolls } from './device-polls';
import { withinOauthCall, type OauthCall } from './oauth-call';
import { OauthClients } from './oauth-clients';
import { OauthEngine } from './oauth-engine.service';
import { OauthIntrospection } from './oauth-introspection.service';
import { errorPage } from './oauth-pages';
import { oauthPathOf, type EngineRoute, type OauthPath } from './oauth-paths';
import { protectedResource, isRegistrable } from './oauth-resources';
import { replaceBody, type ReplacedBody } from './replaced-body';
import { withoutPrefix } from './token-prefixes';

const REGISTRATION_BYTES_MAX = 65_536;
const FORM_BYTES_MAX = 16_384;
const STATE_MAX = 512;
const PER_MINUTE: Readonly<Partial<Record<EngineRoute, number>>> = {
  register: 60,
  authorize: 300,
  device: 60,
};
const FAILURES_PER_MINUTE = 120;
/**
 * Maximum number of failed polls per minute of all devices in one network, which may be an office:
 * enough for a hundred devices.
 */
const POLLS_PER_MINUTE = 1_200;

/**
 * CORS headers of endpoints without a credential, which clients in browsers also call. Errors have
 * them too; without them a browser hides the reason from the client.
 */
const CROSS_ORIGIN: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'content-type, mcp-protocol-version',
  'access-control-max-age': '3600',
};
/** Routes at which callers can guess credentials or tokens. */
const GUESSED: ReadonlySet<EngineRoute> = new Set(['token', 'introspect', 'revoke']);
const POSTED: ReadonlySet<EngineRoute> = new Set(['register', 'device', 'token', 'introspect', 'revoke']);

type Settings = Pick<AdminSettings, 'OAUTH_ENABLED' | 'PUBLIC_URL' | 'OAUTH_DCR' | 'OAUTH_PRIVATE_SCHEMES'>;
type EnginePath = Extract<OauthPath, { kind: 'engine' }>;

/** A parsed and rewritten request for the protocol engine. */
interface Prepared {
  readonly target: string;
  readonly body?: ReplacedBody;
  readonly registration: OauthCall['registration'];
}

/**
 * The endpoints of the OAuth server. Checks and rewrites requests before any body parser reads
 * them, and passes them to the protocol engine.
 */
@Injectable()
export class OauthEndpoint {
  private readonly throttles = new Map(
    Object.entries(PER_MINUTE).map(([route, limit]) => [route, new RequestThrottle(limit)]),
  );
  private readonly failures = new FailureThrottle(FAILURES_PER_MINUTE);
  private readonly pollFailures = new FailureThrottle(POLLS_PER_MINUTE);
  private readonly polls = new DevicePolls();

  constructor(
    private readonly engine: OauthEngine,
    private readonly introspection: OauthIntrospection,
    private readonly clients: OauthClients,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Adds the endpoints to the server. Call it before the server is ready, and after the hook that
   * reads client addresses.
   */
  register(server: FastifyInstance, log: Log): void {
    server.addHook('onRequest', async (request, reply) => {
      const path = oauthPathOf(request.method, request.url, this.settings.PUBLIC_URL ?? '');
      if (path === null) return;
      if (!this.settings.OAUTH_ENABLED || this.settings.PUBLIC_URL === null)
        throw new GatewayError('route_not_found');
      try {
        await this.handle(path, request, reply);
      } catch (error) {
        if (reply.raw.headersSent) {
          log.error(describeFault(error), 'an OAuth request failed');
          reply.raw.destroy();
        } else await this.refuse(error, request, reply, log);
      }
    });
  }

  private async handle(path: OauthPath, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (path.kind === 'fault') throw new OauthFault(400, path.error, path.description);
    const isOpen = path.kind === 'protected-resource' || path.route === 'register';
    if (isOpen) void reply.headers(CROSS_ORIGIN);
    if (isOpen && request.method === 'OPTIONS') await reply.status(204).send();
    else if (path.kind === 'engine') await this.engineRequest(path, request, reply);
    else await reply.send(this.resourceDocument(path.resourcePath));
  }

  private resourceDocument(path: string): object {
    const publicUrl = this.settings.PUBLIC_URL ?? '';
    const url = path === '' ? undefined : canonicalResource(publicUrl + path);
    if (url === undefined) throw new OauthFault(404, 'not_found', 'no resource has this path');
    return protectedResource(url, publicUrl);
  }

  private async engineRequest(path: EnginePath, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { route } = path;
    assertMethod(route, request.method);
    const network = networkOf(request.clientAddress);
    this.throttles.get(route)?.admit(network);
    const isGuess = GUESSED.has(route);
    if (isGuess) this.failures.assertOpen(network);
    const prepared = await this.prepare(path, request);
    const failures = isGuess ? this.failuresOf(prepared) : null;
    failures?.assertOpen(network);
    const description = route === 'introspect' ? await this.introspected(prepared, request, network) : null;
    if (description === null) await this.pass(prepared, request, reply);
    else await reply.send(description);
    if (reply.raw.statusCode >= 400) failures?.count(network);
  }

  /**
   * Returns the description of a token, or null when the protocol engine must authenticate the
   * caller. Counts a refusal as a failure of the network.
   */
  private async introspected(
    { body }: Prepared,
    request: FastifyRequest,
    network: string,
  ): Promise<object | null> {
    try {
      return await this.introspection.forService(request, body?.value);
    } catch (error) {
      if (faultOf(error).status < 500) this.failures.count(network);
      throw error;
    }
  }

  /**
   * Returns the throttle that counts a failed request. Each poll of a waiting device fails, so
   * polls are counted separately.
   */
  private failuresOf({ body }: Prepared): FailureThrottle {
    const isPoll = body !== undefined && Reflect.get(body.value, 'grant_type') === DEVICE_GRANT;
    return isPoll ? this.pollFailures : this.failures;
  }

  private async prepare(path: EnginePath, request: FastifyRequest): Promise<Prepared> {
    if (request.method !== 'POST') {
      const target = path.route === 'authorize' ? await this.authorization(path.target) : path.target;
      return { target, registration: null };
    }
    const type = request.headers['content-type'] ?? '';
    const isRegistration = path.route === 'register';
    const text = await readBody(request.raw, isRegistration ? REGISTRATION_BYTES_MAX : FORM_BYTES_MAX);
    if (isRegistration) return this.registration(path.target, jsonOf(text));
    const parameters = formOf(text, type);
    for (const name of ['token', 'refresh_token']) {
      const value = parameters[name];
      if (value !== undefined) parameters[name] = withoutPrefix(value);
    }
    this.useCanonicalResource(parameters);
    if (path.route === 'token') this.polls.assertPollInterval(parameters);
    return {
      target: path.target,
      body: { type: 'application/x-www-form-urlencoded', value: parameters },
      registration: null,
    };
  }

  /**
   * Returns the target of an authorization request. Throws `OauthFault` for repeated parameters and
   * for parameters that exceed their bounds.
   */
  private async authorization(target: string): Promise<string> {
    const parameters = parametersOf(target.slice(target.indexOf('?') + 1));
    const { client_id: clientId = '', redirect_uri: redirectUri, state } = parameters;
    if ((state?.length ?? 0) > STATE_MAX)
      throw invalidRequest(`state is longer than ${String(STATE_MAX)} characters`);
    const rules = this.clients.redirectRules(await this.clients.isRegistered(clientId));
    const fault = redirectUri === undefined ? undefined : redirectUriFault(redirectUri, rules);
    if (fault !== undefined) throw new OauthFault(400, 'invalid_redirect_uri', `redirect_uri ${fault}`);
    this.useCanonicalResource(parameters);
    return `/oauth/authorize?${new URLSearchParams(parameters).toString()}`;
  }

  /**
   * Replaces `resource` with its canonical form, which grants and tokens use. Throws `OauthFault`
   * for text that has none.
   */
  private useCanonicalResource(parameters: Record<string, string>): void {
    const { resource } = parameters;
    if (resource === undefined) return;
    const canonical = canonicalResource(resource);
    if (canonical === undefined)
      throw new OauthFault(
        400,
        'invalid_target',
        'resource must be a URL of this server without a query or fragment',
      );
    parameters['resource'] = canonical;
  }

  private registration(target: string, body: unknown): Prepared {
    if (!this.settings.OAUTH_DCR)
      throw new OauthFault(
        403,
        'access_denied',
        'clients cannot register themselves here; an administrator must register the client',
      );
    const checked = checkRegistration(body, {
      privateUseRedirectUris: this.settings.OAUTH_PRIVATE_SCHEMES,
      isRegistrable,
    });
    if ('error' in checked) throw new OauthFault(400, checked.error, checked.description);
    return {
      target,
      body: { type: 'application/json', value: checked.client },
      registration: { name: checked.client.client_name, scope: checked.scope },
    };
  }

  /** Passes a request to the protocol engine, which writes the response itself. */
  private async pass(
    { target, body, registration }: Prepared,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value);
    void reply.hijack();
    const { raw } = request;
    const { host, protocol } = new URL(this.settings.PUBLIC_URL ?? '');
    raw.url = target;
    // The engine derives its own address from these headers, so they are set from the settings and
    // not from the request.
    raw.headers.host = host;
    raw.headers['x-forwarded-host'] = host;
    raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
    if (body !== undefined) replaceBody(raw, body);
    const facts = factsOf(request);
    await withinOauthCall(
      { request: { ...facts, uri: target.split('?')[0] ?? '' }, registration, work: null },
      () => this.engine.handle(raw, reply.raw),
    );
  }

  private async refuse(
    error: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
    log: Log,
  ): Promise<void> {
    const fault = faultOf(error);
    if (fault.status >= 500) log.error(describeFault(error), 'an OAuth request failed');
    void reply.status(fault.status).headers(fault.headers);
    if (request.method === 'GET' && wantsPage(request))
      await reply.headers(pageHeaders()).send(errorPage(fault.description));
    else await reply.send({ error: fault.error, error_description: fault.description });
  }
}

function assertMethod(route: EngineRoute, method: string): void {
  if (POSTED.has(route) && method !== 'POST' && method !== 'OPTIONS')
    throw new OauthFault(405, 'invalid_request', 'the endpoint accepts only POST', { allow: 'POST' });
}

function faultOf(error: unknown): OauthFault {
  if (error instanceof OauthFault) return error;
  if (error instanceof GatewayError && error.type === 'rate_limited') {
    const retryAfter = error.options.headers?.['retry-after'] ?? '60';
    return new OauthFault(429, 'slow_down', 'too many requests; wait for the time in Retry-After', {
      'retry-after': retryAfter,
    });
  }
  if (error instanceof GatewayError)
    return new OauthFault(
      error.status,
      error.status === 401 ? 'invalid_client' : 'invalid_request',
      error.message,
    );
  return new OauthFault(500, 'server_error', 'something went wrong on our side');
}
