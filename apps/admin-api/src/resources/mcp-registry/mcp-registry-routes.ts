import { readRegistryRequest, RegistryFault } from '@gw/mcp';
import { describeFault, toPublicError, type Log } from '@gw/web';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessRule } from '../../platform/auth/access';
import type { AccessGate } from '../../platform/auth/access.gate';
import type { Principal } from '../../platform/common/principal';
import { McpRegistryService } from './mcp-registry.service';

const PREFIX = '/v0.1';
const RULE = { kind: 'scopes', anyOf: ['mcp_servers.list'] } as const satisfies AccessRule;

/**
 * CORS headers that allow pages of any origin to read, since these send the credential explicitly
 * and never as a cookie.
 */
const CROSS_ORIGIN: Readonly<Record<string, string>> = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'authorization, content-type, mcp-protocol-version, x-gw-api-key',
  'access-control-max-age': '3600',
};

/**
 * Serves the registry of MCP servers. Its paths are plain routes of the HTTP server, since its
 * protocol defines other errors than the rest of the control plane.
 */
@Injectable()
export class McpRegistryRoutes {
  constructor(private readonly registry: McpRegistryService) {}

  /**
   * Adds the routes to the server. Call it after adding the access gate's hook and before the
   * server is ready.
   */
  register(server: FastifyInstance, gate: AccessGate, log: Log): void {
    void server.register(
      (scope, _options, done) => {
        this.addTo(scope, gate, log);
        done();
      },
      { prefix: PREFIX },
    );
  }

  private addTo(scope: FastifyInstance, gate: AccessGate, log: Log): void {
    scope.setErrorHandler((error, request, reply) => fail(log, error, request, reply));
    scope.route({
      method: 'GET',
      url: '/*',
      config: { access: RULE },
      handler: async (request, reply) => {
        const caller = await callerOf(request, gate);
        return reply.headers(CROSS_ORIGIN).send(await this.registry.read(caller, request.url));
      },
    });
    scope.route({
      method: 'OPTIONS',
      url: '/*',
      handler: (_request, reply) => reply.status(204).headers(CROSS_ORIGIN).send(),
    });
    scope.route({
      method: ['POST', 'PUT', 'PATCH', 'DELETE'],
      url: '/*',
      // Refuses the request before its body is read.
      onRequest: (request, _reply, done) => {
        done(faultOf(request));
      },
      handler: (_request, reply) => reply.send(),
    });
  }
}

/**
 * Returns the caller. Throws when the credential lacks the scope or cannot reach the workspace that
 * the query names.
 */
async function callerOf(request: FastifyRequest, gate: AccessGate): Promise<Principal> {
  const { identity } = request;
  if (!identity) throw new Error('The access gate has not admitted a request to the registry.');
  const caller = await gate.callerOf(request, identity);
  gate.assertMay(caller, request, RULE);
  return caller;
}

/** Returns the registry's error for a method that would change servers. */
function faultOf({ method, url }: FastifyRequest): Error {
  try {
    readRegistryRequest(method, url);
  } catch (error) {
    return error as Error;
  }
  return new RegistryFault(501, 'This registry is read-only.');
}

function fail(log: Log, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  void reply.headers(CROSS_ORIGIN);
  if (thrown instanceof RegistryFault) return reply.status(thrown.status).send(thrown.body());
  const { status, message, options } = toPublicError(thrown);
  if (status >= 500)
    log.error(
      { requestId: request.id, method: request.method, ...describeFault(thrown) },
      'registry request failed',
    );
  return reply
    .status(status)
    .headers(options.headers ?? {})
    .send({ error: message });
}
