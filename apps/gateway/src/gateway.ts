import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { compileGuardrail } from '@gw/guardrails';
import { validateConfig } from '@gw/routing';
import { NestLog } from '@gw/web';
import type { DataPlane } from './data-plane';
import type { GatewayProcess } from './gateway-process';
import { DATA_PLANE, GatewayModule } from './gateway.module';
import { createGatewayServer, type UpgradeHandler } from './http/server';

/** Creates the gateway, ready but not yet listening. */
export async function createGateway(gateway: Omit<GatewayProcess, 'drain'>): Promise<NestFastifyApplication> {
  const { settings, log } = gateway;
  mkdirSync(join(settings.DATA_DIR, 'gateway'), { recursive: true, mode: 0o700 });
  let plane: DataPlane | null = null;
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    if (plane) plane.door.handle(req, res);
    else res.writeHead(503).end();
  };
  const upgrades: UpgradeHandler = {
    takes: (req) => plane?.realtime.takes(req) ?? false,
    handle: (req, socket, head) => plane?.realtime.handle(req, socket, head),
  };
  const { server, drain } = createGatewayServer(handle, upgrades, {
    headersTimeoutMs: settings.HEADERS_TIMEOUT,
    keepAliveTimeoutMs: settings.KEEP_ALIVE_TIMEOUT,
    connectionsMax: settings.MAX_CONNECTIONS,
  });
  const adapter = new FastifyAdapter({ serverFactory: () => server });
  adapter.getInstance().decorate('drain', drain);
  const module = GatewayModule.with({ ...gateway, drain });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
  });
  plane = app.get<DataPlane>(DATA_PLANE);
  compileSchemas();
  return app;
}

/** Schemas are compiled for their first document, which no request should wait for. */
function compileSchemas(): void {
  validateConfig({});
  compileGuardrail({ checks: [] });
}
