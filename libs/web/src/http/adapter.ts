import { HEADER } from '@gw/contracts';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import type { Log } from '../logger';
import { sendError } from './error-filter';
import { toPublicError } from './error-mapping';
import { requestIdOf } from './request-id';
import { RouteTable } from './route-table';

export interface AdapterOptions {
  /** Bytes of a body at most; a route may set its own. */
  readonly bodyLimit: number;
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
};

/**
 * Fastify as our HTTP apps want it: our request ids, security headers on every answer, our error body for what fails before a
 * route is reached, a method that a path does not take told apart from a path that is not there.
 */
export function createAdapter({ bodyLimit, log }: AdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit,
    genReqId: (request: IncomingMessage) => requestIdOf(request),
    requestIdHeader: false,
    trustProxy: false,
    exposeHeadRoutes: false,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 512 },
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      void sendError(log, toPublicError(error), request, reply);
    },
  });
  const server = adapter.getInstance();
  const routes = new RouteTable();
  server.decorate('routeTable', routes);
  server.addHook('onRoute', ({ method, url }) => {
    routes.add(method, url);
  });
  server.addHook('onRequest', (request, reply, done) => {
    void reply.headers(SECURITY_HEADERS).header(HEADER.requestId, request.id);
    done();
  });
  return adapter;
}
