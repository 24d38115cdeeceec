import { createHash } from 'node:crypto';

/** The two commands that are needed; every connection of `@gw/redis` has them. They must reject within a bounded time. */
export interface RedisScripts {
  evalsha(sha: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
  eval(script: string, numberOfKeys: number, ...keysAndArguments: (string | number)[]): Promise<unknown>;
}

export interface Script {
  readonly source: string;
  readonly sha: string;
}

export const scriptOf = (source: string): Script => ({
  source,
  sha: createHash('sha1').update(source).digest('hex'),
});

/** Redis forgets its scripts when it restarts; it is then sent the whole text once. */
export async function runScript(
  redis: RedisScripts,
  { source, sha }: Script,
  keys: readonly string[],
  values: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await redis.evalsha(sha, keys.length, ...keys, ...values);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return redis.eval(source, keys.length, ...keys, ...values);
  }
}
