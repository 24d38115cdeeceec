import { CONTROL_PLANE_VERSION } from '@gw/kernel';
import { createAdapter, NestLog, serveOpenApi, type Log } from '@gw/web';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from './app.module';
import { assertEveryRouteHasARule } from './auth/route-rules';
import type { AdminSettings } from './settings';

/** Bytes of a JSON body. Routes that take more say so themselves. */
const BODY_MAX = 1_048_576;

export interface AdminApi {
  readonly app: NestFastifyApplication;
  /** What `/openapi.json` serves. */
  readonly document: OpenAPIObject;
}

/** The admin API, connected and not yet listening. Rejects when the database can't be used or a route has no access rule. */
export async function createAdminApi(settings: AdminSettings, log: Log): Promise<AdminApi> {
  const adapter = createAdapter({ bodyLimit: BODY_MAX, jsonOnly: true, log });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule.with(settings, log), adapter, {
    logger: new NestLog(log),
    abortOnError: false,
  });
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
  return { app, document };
}
