import { isObject, UUID } from '@gw/kernel';
import { ScimError } from '@gw/scim';
import { describeFault, readJson, type Log } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bearerOf } from '../../platform/auth/credentials';
import { factsOf } from '../../platform/auth/principals.service';
import { SCIM_BODY } from '../../platform/bodies';
import { publicUrl, type PublicUrlSettings } from '../../platform/common/public-url';
import { SETTINGS, type AdminSettings } from '../../settings';
import { ScimBulk } from './scim-bulk.service';
import { dialectOf, type ScimContext } from './scim-context';
import { isDiscovery, ScimDispatcher, type ScimReply, type ScimRequest } from './scim-dispatcher.service';
import { scimErrorBody, scimErrorOf } from './scim-errors';
import { ScimExchanges } from './scim-exchanges.service';
import { ScimTokensService } from './scim-tokens.service';
import { TokenBuckets } from './token-bucket';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on SCIM requests with a valid token. */
    scim?: ScimContext;
    scimOutcome?: Pick<ScimError, 'scimType' | 'message'>;
  }
}

const MEDIA_TYPE = 'application/scim+json';
/** Base paths of SCIM. The id of the token's organisation may follow. */
const BASES = ['/v1/scim', '/v2/scim'] as const;
/** Routes that accept the SCIM media type in addition to JSON. */
export const SCIM_PATHS: readonly string[] = BASES.map((base) => `${base}/*`);

const PER_SECOND = 50;
const BURST = 200;

type Settings = Pick<AdminSettings, 'SCIM_ENABLED' | 'SCIM_PUBLIC_DISCOVERY'> & PublicUrlSettings;

/**
 * Serves the SCIM endpoints. They are plain routes of the HTTP server, since identity providers use
 * another media type, other errors and other methods than the rest of the control plane.
 */
@Injectable()
export class ScimRoutes {
  private readonly requests = new TokenBuckets(PER_SECOND, BURST);
  /**
   * Separate from the other requests, so that a large synchronisation never delays a deactivation.
   */
  private readonly deactivations = new TokenBuckets(PER_SECOND, BURST);

  constructor(
    private readonly tokens: ScimTokensService,
    private readonly dispatcher: ScimDispatcher,
    private readonly bulk: ScimBulk,
    private readonly exchanges: ScimExchanges,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Adds the routes to the server. Call it before the server is ready. */
  register(server: FastifyInstance, log: Log): void {
    for (const base of BASES) {
      void server.register(
        (scope, _options, done) => {
          this.addTo(scope, log);
          done();
        },
        { prefix: base },
      );
    }
  }

  private addTo(scope: FastifyInstance, log: Log): void {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      [MEDIA_TYPE, 'application/json'],
      { parseAs: 'buffer', bodyLimit: SCIM_BODY.bytes },
      (_request, body, done) => {
        if (body.length === 0) done(null, undefined);
        else readJson(body as Buffer, SCIM_BODY, done);
      },
    );
    scope.setErrorHandler((error, request, reply) => fail(log, error, request, reply));
    scope.addHook('onRequest', async (request) => {
      const context = await this.admitted(request);
      if (context !== null) request.scim = context;
    });
    scope.addHook('onResponse', async (request, reply) => {
      await this.record(log, request, reply);
    });
    scope.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
      url: '/*',
      handler: async (request, reply) => send(reply, await this.respond(request)),
    });
  }

  /**
   * Authenticates a request and returns its identity provider; null for the public documents.
   * Throws 401 and 404.
   */
  private async admitted(request: FastifyRequest): Promise<ScimContext | null> {
    if (!this.settings.SCIM_ENABLED) throw new ScimError(404, 'SCIM is off in this installation.');
    const path = pathOf(request);
    const token = bearerOf(request);
    if (token === null && this.settings.SCIM_PUBLIC_DISCOVERY && isDiscovery(path)) return null;
    const organisationId = token === null ? null : await this.tokens.organisationOf(token);
    if (organisationId === null)
      throw new ScimError(401, 'A valid SCIM token is needed: Authorization: Bearer scim_….');
    const [named] = organisationIn(request);
    if (named !== undefined && named.toLowerCase() !== organisationId) {
      throw new ScimError(404, 'The token is of another organisation than the path.');
    }
    const facts = factsOf(request);
    return {
      organisationId,
      base: this.baseOf(request),
      dialect: dialectOf(facts.userAgent),
      caller: {
        kind: 'system',
        organisationId,
        workspaceId: null,
        userId: null,
        apiKeyId: null,
        request: facts,
      },
    };
  }

  private baseOf(request: FastifyRequest): string {
    const base = BASES.find((each) => request.url.startsWith(each)) ?? BASES[0];
    return publicUrl(this.settings, [base, ...organisationIn(request)].join('/'));
  }

  private async respond(request: FastifyRequest): Promise<ScimReply> {
    const wanted: ScimRequest = {
      method: request.method,
      path: pathOf(request),
      query: request.query as ScimRequest['query'],
      body: request.body,
      ifMatch: request.headers['if-match'],
      ifNoneMatch: request.headers['if-none-match'],
    };
    const { scim } = request;
    if (scim === undefined) return this.dispatcher.discover(this.baseOf(request), wanted);
    this.throttle(scim, wanted);
    const [first, id] = wanted.path;
    if (first === 'Bulk' && id === undefined && wanted.method === 'POST')
      return this.bulk.run(scim, wanted.body);
    return this.dispatcher.dispatch(scim, wanted);
  }

  private throttle({ organisationId }: ScimContext, wanted: ScimRequest): void {
    const buckets = isDeactivation(wanted) ? this.deactivations : this.requests;
    const wait = buckets.take(organisationId, operationsIn(wanted));
    if (wait === 0) return;
    throw new TooManyRequests(wait);
  }

  private async record(log: Log, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { scim, scimOutcome } = request;
    if (scim === undefined) return;
    const exchange = {
      method: request.method,
      path: `/${pathOf(request).join('/')}`,
      status: reply.statusCode,
      scimType: scimOutcome?.scimType ?? null,
      detail: scimOutcome?.message ?? null,
    };
    try {
      await this.exchanges.record(scim, exchange);
    } catch (error) {
      log.error({ requestId: request.id, ...describeFault(error) }, 'failed to record a SCIM exchange');
    }
  }
}

class TooManyRequests extends ScimError {
  constructor(readonly seconds: number) {
    super(
      429,
      `An organisation has ${String(PER_SECOND)} SCIM requests a second; wait for the time in Retry-After.`,
    );
  }
}

/** Returns the decoded path segments after the base path. */
function segmentsOf(request: FastifyRequest): readonly string[] {
  const { '*': rest = '' } = request.params as Readonly<Record<string, string>>;
  return rest.split('/').filter((segment) => segment !== '');
}

const organisationIn = (request: FastifyRequest): readonly string[] =>
  segmentsOf(request)
    .slice(0, 1)
    .filter((segment) => UUID.test(segment));

const pathOf = (request: FastifyRequest): readonly string[] =>
  segmentsOf(request).slice(organisationIn(request).length);

/** Whether a request only deactivates or deletes a user. Such requests have a separate bucket. */
function isDeactivation({ method, path, body }: ScimRequest): boolean {
  if (path[0] !== 'Users' || path.length !== 2) return false;
  if (method === 'DELETE') return true;
  const operations: unknown = isObject(body) ? (body['Operations'] ?? body['operations']) : null;
  return (
    method === 'PATCH' && Array.isArray(operations) && operations.length > 0 && operations.every(deactivates)
  );
}

function deactivates(raw: unknown): boolean {
  if (!isObject(raw)) return false;
  const { path, value } = raw;
  if (typeof path === 'string' && path !== '') return path.toLowerCase() === 'active' && isFalse(value);
  return isObject(value) && Object.keys(value).length === 1 && isFalse(value['active']);
}

/** Whether a value means false, also as a text or a list of one, as some identity providers send. */
function isFalse(raw: unknown): boolean {
  const value: unknown = Array.isArray(raw) && raw.length === 1 ? raw[0] : raw;
  return value === false || (typeof value === 'string' && value.toLowerCase() === 'false');
}

function operationsIn({ path, body }: ScimRequest): number {
  const operations: unknown = path[0] === 'Bulk' && isObject(body) ? body['Operations'] : null;
  return Array.isArray(operations) ? Math.max(1, operations.length) : 1;
}

function send(reply: FastifyReply, { status, body, headers }: ScimReply): FastifyReply {
  void reply.status(status).headers(headers);
  return body === null ? reply.send() : reply.type(`${MEDIA_TYPE}; charset=utf-8`).send(JSON.stringify(body));
}

function fail(log: Log, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = scimErrorOf(thrown);
  request.scimOutcome = error;
  if (error.status >= 500 && error.status !== 501) {
    log.error(
      { requestId: request.id, method: request.method, ...describeFault(thrown) },
      'SCIM request failed',
    );
  }
  const headers = {
    ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="SCIM"' } : {}),
    ...(error instanceof TooManyRequests ? { 'retry-after': String(error.seconds) } : {}),
    ...(error.status === 503 ? { 'retry-after': '2' } : {}),
  };
  return send(reply, { status: error.status, body: scimErrorBody(error), headers });
}
