import { HEADER, MCP_ADMIN_PATH } from '@gw/contracts';
import { GatewayError, clientAddress, CONTROL_PLANE_VERSION, signedClientAddress } from '@gw/kernel';
import { openInstallation } from '@gw/entities';
import {
  countRequests,
  createAdapter,
  NestLog,
  processMetrics,
  serveOpenApi,
  startMetricsServer,
  type Log,
} from '@gw/web';
import { NestFactory } from '@nestjs/core';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import { LOGOUT_FORM_PATHS } from './platform/logins/sso-logout.controller';
import { FORM_PATHS } from './resources/accounts/account-pages.controller';
import { ConsoleRoutes } from './console/console-routes';
import { AppModule, DATABASE_WAITS, type DatabaseWaits } from './app.module';
import { BODY, PUBLIC_BODY } from './platform/bodies';
import { SAML_LOGOUT_FORM_PATHS } from './platform/logins/saml-logout.controller';
import { SAML_FORM_PATHS } from './platform/logins/saml-login.controller';
import { SCIM_PATHS, ScimRoutes } from './resources/scim/scim-routes';
import { McpAdminRoutes } from './resources/mcp-admin/mcp-admin-routes';
import { McpRegistryRoutes } from './resources/mcp-registry/mcp-registry-routes';
import { OTLP_PATHS } from './resources/traces/traces.controller';
import { DEVICE_FORM_PATHS } from './platform/oauth/device-page.controller';
import { CONNECT_FORM_PATHS } from './resources/mcp-connections/connect-pages.controller';
import { CONSENT_FORM_PATHS } from './platform/oauth/oauth-consent.controller';
import { OauthEndpoint } from './platform/oauth/oauth-endpoint';
import { AccessGate } from './platform/auth/access.gate';
import { assertEveryRouteHasARule } from './platform/auth/route-rules';
import { Secrets, type AdminSettings } from './settings';

const PROTOBUF = 'application/x-protobuf';
const FORM = 'application/x-www-form-urlencoded';

export interface AdminApi {
  readonly app: NestFastifyApplication;
  /** The document that `/openapi.json` serves; built at the first request. */
  readonly document: OpenAPIObject;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Address of the client, even behind the gateway and trusted proxies. */
    clientAddress: string;
  }
}

/**
 * Determines the client address: from the gateway if its signature is valid, else from
 * `x-forwarded-for` of trusted proxies.
 */
function readClientAddresses(adapter: FastifyAdapter, settings: AdminSettings): void {
  const { SERVICE_TOKEN: token, TRUSTED_PROXIES: proxies } = settings;
  const server = adapter.getInstance();
  server.decorateRequest('clientAddress', '');
  server.addHook('onRequest', (request, _reply, done) => {
    const { headers, socket } = request;
    request.clientAddress =
      signedClientAddress(token, headers[HEADER.clientAddress]) ??
      clientAddress(socket.remoteAddress, headers['x-forwarded-for'], proxies);
    done();
  });
}

/** Paths that also accept bodies other than JSON: forms, SCIM and protobuf. */
const NOT_JSON_ONLY = [
  ...OTLP_PATHS,
  ...FORM_PATHS,
  ...LOGOUT_FORM_PATHS,
  ...SAML_FORM_PATHS,
  ...SAML_LOGOUT_FORM_PATHS,
  ...SCIM_PATHS,
  ...CONSENT_FORM_PATHS,
  ...DEVICE_FORM_PATHS,
  ...CONNECT_FORM_PATHS,
  // The MCP endpoint checks the media types of its requests itself.
  MCP_ADMIN_PATH,
];

/**
 * Creates the admin API, connected but not yet listening. Rejects when the database cannot be used
 * or a route has no access rule.
 */
export async function createAdminApi(
  settings: AdminSettings,
  log: Log,
  waits: DatabaseWaits = DATABASE_WAITS,
): Promise<AdminApi> {
  const adapter = createAdapter({
    body: BODY,
    jsonOnly: true,
    notJsonOnly: NOT_JSON_ONLY,
    hstsMaxAgeSeconds: settings.HSTS_MAX_AGE,
    log,
  });
  readClientAddresses(adapter, settings);
  const registry = settings.METRICS_PORT === null ? null : processMetrics();
  if (registry) countRequests(adapter, registry);
  const module = AppModule.with(settings, log, waits);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.useBodyParser(PROTOBUF, { bodyLimit: BODY.bytes });
  app.useBodyParser(FORM, { bodyLimit: PUBLIC_BODY.bytes }, (_request, body, done) => {
    const fields = [...new URLSearchParams(body.toString('utf8'))];
    const form = Object.fromEntries(fields);
    const isPlain = Object.keys(form).length === fields.length;
    if (isPlain) done(null, form);
    else done(new GatewayError('body_invalid', { message: 'A field of the form is there twice.' }));
  });
  assertEveryRouteHasARule(app);
  const gate = app.get(AccessGate);
  adapter.getInstance().addHook('onRequest', (request, reply) => gate.admit(request, reply));
  app.get(OauthEndpoint).register(adapter.getInstance<FastifyInstance>(), log);
  app.get(ScimRoutes).register(adapter.getInstance<FastifyInstance>(), log);
  app.get(McpAdminRoutes).register(adapter.getInstance<FastifyInstance>(), gate, log);
  app.get(McpRegistryRoutes).register(adapter.getInstance<FastifyInstance>(), gate, log);
  app.get(ConsoleRoutes).register(adapter.getInstance<FastifyInstance>());
  const document = serveOpenApi(app, {
    title: 'Tollgate control plane',
    description:
      'Organisations, workspaces, keys and all other resources that the gateway reads. All paths are available under /v1 and /v2.',
    version: CONTROL_PLANE_VERSION,
  });
  await app.init();
  try {
    await openInstallation(app.get(DataSource).manager, app.get(Secrets).sealingKeyring);
  } catch (error) {
    await app.close();
    throw error;
  }
  await app.getHttpAdapter().getInstance().ready();
  const { METRICS_PORT: port, HOST: host } = settings;
  if (registry && port !== null) await startMetricsServer({ host, port }, () => registry.metrics());
  return {
    app,
    get document() {
      return document();
    },
  };
}
