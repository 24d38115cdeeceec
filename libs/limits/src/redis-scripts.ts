import { createHash } from 'node:crypto';

/**
 * The two Redis commands that scripts need; every connection of `@gw/redis` has them. They must
 * reject within a bounded time.
 */
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

/**
 * Runs a script by its hash. When Redis has forgotten it, for example after a restart, sends the
 * whole text once.
 */
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
