import { randomBytes } from 'node:crypto';
import type { McpServerDocument } from '@gw/contracts';
import { connectRedis, redisReady } from '@gw/redis';
import { eventually } from '@gw/testing';
import { GatewayHarness } from '../../spec-support/harness';
import { saveAtAll } from './mcp-server';

/**
 * Gateways of one installation: they share the master key, the documents of servers and keys, and a
 * Redis.
 */
export class Gateways {
  private constructor(readonly all: readonly GatewayHarness[]) {}

  /** Starts gateways. `redisUrl` is null for gateways without Redis, which share nothing. */
  static async start(
    count: number,
    redisUrl: string | null,
    environment: Record<string, string> = {},
  ): Promise<Gateways> {
    const master = randomBytes(32);
    const settings = { ...environment, ...(redisUrl !== null && { REDIS_URL: redisUrl }) };
    const start = async (): Promise<Gateways> => {
      const all = Array.from({ length: count }, () => GatewayHarness.start(settings, null, master));
      return new Gateways(await Promise.all(all));
    };
    const gateways = await (redisUrl === null ? start() : whenJoined(redisUrl, count, start));
    gateways.addKey(gateways.apiKey);
    return gateways;
  }

  get apiKey(): string {
    return this.at(0).apiKey;
  }

  /** Returns a gateway; `index` is counted from 0. */
  at(index: number): GatewayHarness {
    const gateway = this.all[index];
    if (gateway === undefined) throw new Error(`There is no gateway ${String(index)}.`);
    return gateway;
  }

  addKey(apiKey: string): void {
    for (const gateway of this.all) gateway.addKey(apiKey, { id: apiKey, scopes: ['mcp.invoke'] });
  }

  save(document: McpServerDocument): void {
    saveAtAll(this.all, document);
  }

  origin(index: number): string {
    return `http://127.0.0.1:${String(this.at(index).port)}`;
  }

  /**
   * `fetch` that sends each request to the gateway that `choose` names, as a load balancer does.
   */
  fetchBy(choose: (request: SentRequest) => number): typeof fetch {
    return (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const { host } = new URL(this.origin(choose(sentRequest(init))));
      url.host = host;
      return fetch(url, init);
    };
  }

  async stop(): Promise<void> {
    await Promise.all(this.all.map((gateway) => gateway.stop()));
  }
}

/**
 * Starts gateways and waits until they get messages of each other: they connect to Redis in the
 * background.
 */
async function whenJoined<T>(redisUrl: string, count: number, start: () => Promise<T>): Promise<T> {
  const redis = connectRedis({ url: redisUrl, name: 'spec' });
  try {
    await redisReady(redis, 20_000);
    const joined = async (): Promise<number> =>
      ((await redis.pubsub('NUMSUB', 'gw:mcp:r:all')) as [string, number])[1];
    const before = await joined();
    const started = await start();
    await eventually(async () => (await joined()) === before + count);
    return started;
  } finally {
    redis.disconnect();
  }
}

/** The facts of a client's request that a test's load balancer uses. */
export interface SentRequest {
  readonly verb: string;
  /** Method of the message; null for a response of the client, and without a message. */
  readonly method: string | null;
  readonly hasInputResponses: boolean;
  readonly lastEventId: string | null;
}

function sentRequest(init: RequestInit | undefined): SentRequest {
  const { body, method: verb = 'GET' } = init ?? {};
  const message = (typeof body === 'string' ? JSON.parse(body) : {}) as {
    readonly method?: string;
    readonly params?: { readonly inputResponses?: unknown };
  };
  return {
    verb,
    method: message.method ?? null,
    hasInputResponses: message.params?.inputResponses !== undefined,
    lastEventId: new Headers(init?.headers).get('last-event-id'),
  };
}
