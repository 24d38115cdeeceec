import { MCP_ADMIN_PATH } from '@gw/contracts';
import { CONTROL_PLANE_VERSION, GatewayError } from '@gw/kernel';
import {
  checkOrigin,
  CODES,
  denialResponse,
  headerFields,
  McpFault,
  NEWEST_LEGACY,
  newSessionId,
  NO_CAPABILITIES,
  openSessionId,
  originHeaders,
  ownObject,
  ownResult,
  preflightHeaders,
  principalBinding,
  readCapabilities,
  readOwnRequest,
  receive,
  type DenialCause,
  type DenialContext,
  type EndpointFacts,
  type OriginRules,
  type Posted,
  type SessionFacts,
} from '@gw/mcp';
import { describeFault, toPublicError, type Log } from '@gw/web';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessRule } from '../../platform/auth/access';
import type { AccessGate } from '../../platform/auth/access.gate';
import { presentedBy } from '../../platform/auth/credentials';
import { credentialIdOf } from '../../platform/auth/identity';
import { BODY } from '../../platform/bodies';
import { gatewayUrl, publicUrl } from '../../platform/common/public-url';
import { READING_SCOPES } from '../../platform/oauth/oauth-resources';
import { Secrets, SETTINGS, type AdminSettings } from '../../settings';
import { INSTRUCTIONS } from './admin-tools';
import { McpAdminService } from './mcp-admin.service';
import { RestApi, type RestCaller } from './rest-api';

const RULE = { kind: 'caller', resource: MCP_ADMIN_PATH } as const satisfies AccessRule;
/** Server id of this endpoint in session ids; no MCP server has this id. */
const SERVER_ID = 'admin';
/**
 * How long clients may cache the list of tools, in milliseconds. It is short, because scopes
 * change.
 */
const TTL_MS = 60_000;

const FACTS: EndpointFacts = {
  serverInfo: { name: 'tollgate-admin', title: 'Tollgate administration', version: CONTROL_PLANE_VERSION },
  capabilities: { tools: {} },
  instructions: INSTRUCTIONS,
  ttlMs: TTL_MS,
};

/**
 * Serves the control plane as an MCP server over streamable HTTP. Its path is a plain route of the
 * HTTP server, since its protocol defines other errors than the rest of the control plane. It
 * stores nothing: session ids are sealed, and the credential is checked with every request.
 */
@Injectable()
export class McpAdminRoutes {
  private readonly origins: OriginRules;

  constructor(
    private readonly admin: McpAdminService,
    private readonly secrets: Secrets,
    @Inject(SETTINGS) private readonly settings: AdminSettings,
  ) {
    const named = settings.MCP_ALLOWED_ORIGINS.split(',').map((each) => each.trim());
    const own = [publicUrl(settings, '/'), gatewayUrl(settings, '/')].map((url) => new URL(url).origin);
    this.origins = { allowedOrigins: [...named, ...own], publicHosts: [] };
  }

  /**
   * Adds the route to the server. Call it after adding the access gate's hook and before adding
   * other routes.
   */
  register(server: FastifyInstance, gate: AccessGate, log: Log): void {
    const rest = new RestApi(server, gate);
    void server.register((scope, _options, done) => {
      this.addTo(scope, { rest, gate, log });
      done();
    });
  }

  private addTo(
    scope: FastifyInstance,
    parts: { readonly rest: RestApi; readonly gate: AccessGate; readonly log: Log },
  ): void {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY.bytes }, (_request, body, done) => {
      done(null, body);
    });
    scope.setErrorHandler((error, request, reply) => this.fail(parts.log, error, request, reply));
    scope.route({
      method: ['GET', 'POST', 'DELETE'],
      url: MCP_ADMIN_PATH,
      exposeHeadRoute: false,
      config: { access: RULE },
      handler: async (request, reply) => this.respond(request, reply, parts),
    });
    scope.route({
      method: 'OPTIONS',
      url: MCP_ADMIN_PATH,
      handler: (request, reply) =>
        reply
          .status(204)
          .headers(preflightHeaders(fieldsOf(request), this.origins))
          .send(),
    });
  }

  private async respond(
    request: FastifyRequest,
    reply: FastifyReply,
    { rest, gate }: { readonly rest: RestApi; readonly gate: AccessGate },
  ): Promise<FastifyReply> {
    const fields = fieldsOf(request);
    checkOrigin(fields, this.origins);
    void reply.headers(originHeaders(fields));
    const { identity } = request;
    if (identity === undefined) throw new Error('The access gate has not admitted a request to /mcp/admin.');
    const principal = await gate.callerOf(request, identity);
    const caller: RestCaller = { identity, principal };
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const received = receive({ method: request.method, headers: fields, body }, (id) =>
      openSessionId(this.secrets.sealingKeyring, ownerOf(caller), id, Date.now()),
    );
    if (received.kind === 'end') return reply.status(204).send();
    if (received.kind === 'stream')
      throw new McpFault(CODES.invalidRequest, 'This server sends no messages of its own; use POST.', {
        status: 405,
        headers: { allow: 'POST, DELETE' },
      });
    return this.post(received, reply, { rest, caller });
  }

  private async post(
    received: Posted<SessionFacts>,
    reply: FastifyReply,
    { rest, caller }: { readonly rest: RestApi; readonly caller: RestCaller },
  ): Promise<FastifyReply> {
    const message = received.kind === 'legacy' ? received.messages[0] : received.message;
    const id = message.kind === 'request' ? message.id : null;
    try {
      const server = { facts: FACTS, tools: this.admin.toolsOf(rest, caller) };
      const request = readOwnRequest(received, server);
      if (request.kind === 'respond') {
        const { status, body } = request.response;
        if (received.kind === 'initialize')
          void reply.header('mcp-session-id', this.session(received, caller));
        return await send(reply.status(status), body);
      }
      const { tool, arguments: args } = request.call;
      const result = await this.admin.call(rest, caller, tool, args);
      return await send(reply, ownResult(received, FACTS, request.message, result));
    } catch (error) {
      throw error instanceof McpFault ? error.of(error.id ?? id) : error;
    }
  }

  private session(
    { message, revision }: Extract<Posted<SessionFacts>, { readonly kind: 'initialize' }>,
    caller: RestCaller,
  ): string {
    const capabilities = readCapabilities(ownObject(message.params, 'capabilities'));
    const facts = { revision, capabilities };
    return newSessionId(this.secrets.sealingKeyring, ownerOf(caller), facts, { now: Date.now() });
  }

  private fail(log: Log, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const fields = fieldsOf(request);
    if (thrown instanceof McpFault)
      return reply.status(thrown.status).headers(thrown.headers).send(thrown.body());
    // Refusals have CORS headers only for allowed origins, so that a page of a foreign origin
    // cannot read them.
    void reply.headers(isAllowed(fields, this.origins) ? originHeaders(fields) : {});
    const error = toPublicError(thrown);
    if (error.status >= 500)
      log.error(
        { requestId: request.id, method: request.method, ...describeFault(thrown) },
        'MCP request to the control plane failed',
      );
    const cause = this.causeOf(error, request);
    if (cause !== null) {
      const { status, headers, body } = denialResponse(cause, ENDPOINT);
      return reply.status(status).headers(headers).send(body);
    }
    const code = error.status >= 500 ? CODES.internal : CODES.invalidRequest;
    return reply
      .status(error.status)
      .headers(error.options.headers ?? {})
      .send({
        jsonrpc: '2.0',
        id: null,
        error: { code, message: error.message, data: { type: error.type } },
      });
  }

  /**
   * Returns the cause of a missing or refused credential, with which the response leads clients to
   * the OAuth server; null when there is no OAuth server or the refusal has another reason.
   */
  private causeOf({ status, options }: GatewayError, request: FastifyRequest): DenialCause | null {
    const { OAUTH_ENABLED: hasOauth, PUBLIC_URL: origin } = this.settings;
    if (status !== 401 || !hasOauth || origin === null) return null;
    // A client whose token lacks its proof of possession must not request another token.
    if (options.headers?.['www-authenticate'] !== undefined) return null;
    return {
      kind: 'unauthenticated',
      resourceMetadata: `${origin}/.well-known/oauth-protected-resource${MCP_ADMIN_PATH}`,
      hasToken: presentedBy(request).kind !== 'none',
      scope: READING_SCOPES.join(' '),
    };
  }
}

const ENDPOINT: DenialContext = {
  ...{ era: 'legacy', revision: NEWEST_LEGACY, capabilities: NO_CAPABILITIES },
  ...{ id: null, method: null, denialStatus: '200', asToolError: false },
};

const fieldsOf = ({ raw }: FastifyRequest) => headerFields(raw.rawHeaders);

const send = (reply: FastifyReply, body: object | null): FastifyReply =>
  body === null ? reply.send() : reply.type('application/json; charset=utf-8').send(JSON.stringify(body));

function isAllowed(fields: ReturnType<typeof fieldsOf>, rules: OriginRules): boolean {
  try {
    checkOrigin(fields, rules);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the owner of a session, which is the credential; the credential is checked with every
 * request anyway.
 */
const ownerOf = ({ identity }: RestCaller) => ({
  principal: principalBinding({ kind: 'key', keyId: `${identity.kind}:${credentialIdOf(identity)}` }),
  serverId: SERVER_ID,
});
