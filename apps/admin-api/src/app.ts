import { CONTROL_PLANE_VERSION } from '@gw/kernel';
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
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module';
import { OTLP_PATHS } from './traces/traces.controller';
import { assertEveryRouteHasARule } from './auth/route-rules';
import type { AdminSettings } from './settings';

/** Bytes of a JSON body. */
const BODY_MAX = 1_048_576;
/** Of logs that callers bring, which hold bodies themselves. */
const LOGS_BODY_MAX = 10 * 1_048_576;
const LOGS = /^\/v[12]\/logs$/;
const PROTOBUF = 'application/x-protobuf';

export interface AdminApi {
  readonly app: NestFastifyApplication;
  /** What `/openapi.json` serves; made when it is first read. */
  readonly document: OpenAPIObject;
}

/** The admin API, connected and not yet listening. Rejects when the database can't be used or a route has no access rule. */
export async function createAdminApi(settings: AdminSettings, log: Log): Promise<AdminApi> {
  const adapter = createAdapter({
    bodyLimit: BODY_MAX,
    jsonOnly: true,
    notJsonOnly: OTLP_PATHS,
    log,
  });
  adapter.getInstance().addHook('onRoute', (route) => {
    if (route.method === 'POST' && LOGS.test(route.url)) route.bodyLimit = LOGS_BODY_MAX;
  });
  const registry = settings.METRICS_PORT === null ? null : processMetrics();
  if (registry) countRequests(adapter, registry);
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(settings, log), adapter, {
    logger: new NestLog(log),
    abortOnError: false,
  });
  app.useBodyParser(PROTOBUF, { bodyLimit: BODY_MAX });
  assertEveryRouteHasARule(app);
  const document = serveOpenApi(app, {
    title: 'Tollgate control plane',
    description:
      'Organisations, workspaces, keys and every resource that the gateway reads. All paths answer under /v1 and /v2.',
    version: CONTROL_PLANE_VERSION,
  });
  app.enableShutdownHooks();
  await app.init();
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
