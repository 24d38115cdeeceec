import { AgentCard } from '@a2a-js/sdk';
import { DefaultRequestHandler, InMemoryPushNotificationStore, InMemoryTaskStore } from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import { createLegacyAwarePushNotificationSender } from '@a2a-js/sdk/compat/v0_3/server';
import express from 'express';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { FixtureExecutor } from './fixture-executor';

/** A request as the fixture received it. */
export interface AgentFixtureRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/**
 * An A2A agent on the loopback interface, built with the official SDK. It serves both versions and
 * both bindings.
 */
export interface AgentFixture {
  readonly origin: string;
  /** Its card as JSON text. */
  readonly card: string;
  readonly executor: FixtureExecutor;
  /** The newest requests to the bindings, at most 1,000. */
  readonly requests: readonly AgentFixtureRequest[];
  close(): Promise<void>;
}

export const AGENT_RPC_PATH = '/rpc';
export const AGENT_REST_PATH = '/rest';
const REQUESTS_MAX = 1_000;

/** Starts the fixture on a free port of 127.0.0.1. */
export async function startAgentFixture(): Promise<AgentFixture> {
  const requests: AgentFixtureRequest[] = [];
  const app = express();
  const server = createServer({ keepAliveTimeout: 60_000 }, app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const card = cardOf(origin);
  const executor = new FixtureExecutor();
  const push = new InMemoryPushNotificationStore();
  const requestHandler = new DefaultRequestHandler(
    card,
    new InMemoryTaskStore(),
    executor,
    undefined,
    push,
    createLegacyAwarePushNotificationSender(push),
  );
  const options = {
    requestHandler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: true },
  };
  app.use((req, _res, next) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method, originalUrl: path, headers } = req;
      const body = Buffer.concat(chunks).toString('utf8');
      requests.push({ method, path, headers, body });
      if (requests.length > REQUESTS_MAX) requests.shift();
      // The SDK uses a body that was parsed before.
      if (body !== '') req.body = JSON.parse(body) as unknown;
      next();
    });
  });
  app.use(AGENT_RPC_PATH, jsonRpcHandler(options));
  app.use(AGENT_REST_PATH, restHandler(options));
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  return {
    ...{ origin, executor, requests },
    card: JSON.stringify(AgentCard.toJSON(card)),
    close: async () => {
      executor.release();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function cardOf(origin: string): AgentCard {
  const skill = (id: string) => ({
    ...{ id, name: id, description: `The skill ${id}.`, tags: [id], examples: [] },
    ...{ inputModes: [], outputModes: [], securityRequirements: [] },
  });
  return {
    ...{ name: 'Fixture', description: 'An agent for specs.', version: '1.2.3', provider: undefined },
    supportedInterfaces: ['1.0', '0.3'].flatMap((protocolVersion) => [
      { url: origin + AGENT_RPC_PATH, protocolBinding: 'JSONRPC', protocolVersion, tenant: '' },
      { url: origin + AGENT_REST_PATH, protocolBinding: 'HTTP+JSON', protocolVersion, tenant: '' },
    ]),
    capabilities: { streaming: true, pushNotifications: true, extensions: [], extendedAgentCard: false },
    ...{ securitySchemes: {}, securityRequirements: [], signatures: [] },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: [skill('say'), skill('work')],
  };
}
