import type { Keyring } from '@gw/kernel';
import { connectRedis, RedisBus, RedisDocuments } from '@gw/redis';
import { HttpControlPlane, type HttpControlPlaneOptions } from './http-control-plane';
import type { ReadModelLimits } from './bounds';
import { ReadModel } from './read-model';
import { RedisControlPlane } from './redis-control-plane';

export interface CreateReadModelOptions extends HttpControlPlaneOptions {
  /** Null: documents and events come only over HTTP. */
  readonly redisUrl: string | null;
  /** Path of the disk copy for a cold start, and the keys that encrypt it. */
  readonly disk?: { readonly path: string; readonly ring: Keyring };
  readonly limits?: Partial<ReadModelLimits>;
  readonly log?: (level: 'info' | 'warn', message: string, error?: unknown) => void;
}

/**
 * Creates a read model with its own connections. Call `start()` before use and `stop()` at the end.
 */
export function createReadModel(options: CreateReadModelOptions): ReadModel {
  const { redisUrl, disk, limits, log } = options;
  const http = new HttpControlPlane(options);
  const common = {
    ...(disk ? { disk } : {}),
    ...(limits ? { limits } : {}),
    warn: (message: string, error?: unknown) => log?.('warn', message, error),
  };
  if (redisUrl === null) {
    return new ReadModel({
      ...common,
      documents: http,
      events: http,
      release: () => {
        http.close();
      },
    });
  }
  const ofRedis = {
    info: (message: string) => log?.('info', message),
    warn: (message: string) => log?.('warn', message),
  };
  const connect = (name: string) => connectRedis({ url: redisUrl, name, log: ofRedis });
  const commands = connect('read-model');
  const subscriptions = connect('read-model-events');
  const bus = new RedisBus(commands, subscriptions);
  const source = new RedisControlPlane({ bus, documents: new RedisDocuments(commands), http });
  return new ReadModel({
    ...common,
    documents: source,
    events: source,
    release: () => {
      commands.disconnect();
      subscriptions.disconnect();
      http.close();
    },
  });
}
