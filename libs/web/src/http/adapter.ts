import { HEADER } from '@gw/contracts';
import { GatewayError, jsonFault } from '@gw/kernel';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Log } from '../logger';
import { assertWithin, type BodyBounds } from './body-bounds';
import { contentTypeFault } from './content-type';
import { sendError } from './error-filter';
import { toPublicError } from './error-mapping';
import { hasSeveralHosts } from './host-header';
import { inflated } from './inflated';
import { protoPath } from './proto-path';
import { respondToParserError } from './parser-errors';
import { requestIdOf } from './request-id';
import { RouteTable } from './route-table';
import { ServerDrain } from '../shutdown/server-drain';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bounds of the body of this route; absent: the bounds of the adapter. */
    bodyBounds?: BodyBounds;
  }
}

export interface AdapterOptions {
  /**
   * Bounds of a body; a route can set its own in `config.bodyBounds`. Without counts, only the
   * bytes of a body are bounded.
   */
  readonly body: Pick<BodyBounds, 'bytes'> | BodyBounds;
  /** True: a body with another type than JSON is refused, even if a parser exists. */
  readonly jsonOnly?: true;
  /** Patterns of routes that nevertheless accept every parsed type, and gzip compression. */
  readonly notJsonOnly?: readonly string[];
  /** Seconds of `strict-transport-security`; 0 or absent: not sent. */
  readonly hstsMaxAgeSeconds?: number;
  readonly log: Log;
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-permitted-cross-domain-policies': 'none',
  'x-dns-prefetch-control': 'off',
  // For responses that are not pages. Pages set their own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  // Responses contain secrets or data for this caller only.
  'cache-control': 'no-store',
};

const SEVERAL_HOSTS = new GatewayError('request_malformed', {
  message: 'The request is not well-formed HTTP: it must have one Host header.',
});
/** Swagger UI loads its scripts as files and has inline styles. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const DOCS = /^\/docs(?:[/?-]|$)/;

/** Whether the request has a body (RFC 9112 section 6.3). */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Reports where the text stops being JSON, without quoting it. */
function notJson(text: string, cause: unknown): GatewayError {
  const place = jsonFault(text.startsWith('\uFEFF') ? text.slice(1) : text);
  return new GatewayError('body_invalid', {
    ...(place !== null && { message: `The request body is not valid JSON: it breaks ${place}.` }),
    cause,
  });
}

/**
 * Parses JSON. Every member is kept as data under its own name, except `__proto__`, which is
 * refused with its path.
 */
function parseJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    const body = JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text) as unknown;
    const path = protoPath(text, body);
    if (path === null) done(null, body);
    else
      done(
        new GatewayError('body_invalid', {
          param: path,
          message: `${path}: a member cannot be named __proto__; rename it.`,
        }),
      );
  } catch (cause) {
    done(notJson(text, cause));
  }
}

/**
 * Decodes JSON as strict UTF-8 (RFC 8259, section 8.1); the default decoder would replace invalid
 * bytes.
 */
export function readJson(
  body: Buffer,
  bounds: BodyBounds | null,
  done: (error: Error | null, body?: unknown) => void,
): void {
  if (!isUtf8(body)) {
    done(new GatewayError('body_invalid', { message: 'The body must be JSON in UTF-8.' }));
    return;
  }
  try {
    if (bounds) assertWithin(body, bounds);
  } catch (error) {
    done(error as Error);
    return;
  }
  parseJson(body.toString('utf8'), done);
}

/**
 * Creates the Fastify adapter of our HTTP apps: our request ids, security headers on every
 * response, our error body for failures before routing, and 405 for a known path with a wrong
 * method.
 */
export function createAdapter({
  body: bounds,
  jsonOnly,
  notJsonOnly = [],
  hstsMaxAgeSeconds = 0,
  log,
}: AdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    // Requests on an open connection during shutdown are served, and their response closes the
    // connection.
    return503OnClosing: false,
    bodyLimit: bounds.bytes,
    genReqId: (request: IncomingMessage) => requestIdOf(request),
    requestIdHeader: false,
    trustProxy: false,
    exposeHeadRoutes: true,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 512 },
    clientErrorHandler: respondToParserError,
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void sendError(log, toPublicError(error), request, reply.headers(SECURITY_HEADERS));
    },
  });
  const server = adapter.getInstance();
  const routes = new RouteTable();
  adapter.useBodyParser('application/json', false, { bodyLimit: bounds.bytes }, (request, body, done) => {
    const ofRoute = request.routeOptions.config.bodyBounds ?? ('members' in bounds ? bounds : null);
    // Some clients send a content type with every request, even with a DELETE without a body.
    if (body.length === 0 && request.method === 'DELETE') done(null, undefined);
    else readJson(body, ofRoute, done);
  });
  server.decorate('drain', new ServerDrain(server.server));
  server.decorate('routeTable', routes);
  server.addHook('onRoute', (route) => {
    routes.add(route.method, route.url);
    const ofRoute = route.config?.bodyBounds;
    if (ofRoute) route.bodyLimit = ofRoute.bytes;
  });
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(SECURITY_HEADERS).header(HEADER.requestId, request.id);
    if (DOCS.test(request.url)) void reply.header('content-security-policy', DOCS_POLICY);
    if (hstsMaxAgeSeconds > 0) {
      void reply.header('strict-transport-security', `max-age=${String(hstsMaxAgeSeconds)}`);
    }
    if (hasSeveralHosts(request.raw.rawHeaders)) done(SEVERAL_HOSTS);
    else done();
  });
  if (jsonOnly) {
    server.addHook('preParsing', (request, _reply, payload, done) => {
      const { headers } = request;
      if (notJsonOnly.includes(request.routeOptions.url ?? '')) {
        done(null, inflated(request, payload));
        return;
      }
      const fault = contentTypeFault(headers['content-type'] ?? '');
      if (fault !== null && hasBody(headers)) done(new GatewayError(fault));
      else done(null, payload);
    });
  }
  return adapter;
}
