import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { CheckError, type CheckContext } from '../check';
import { isObject, listOf } from '../json';
import { jsonOf } from '../remote';

/** Milliseconds before a key that is not known makes us ask again: tokens with made-up key ids must not make us call. */
const AGAIN_AFTER_MS = 30_000;
const URIS_MAX = 10;
const KEYS_MAX = 100;
const ANSWER_BYTES_MAX = 1_048_576;

/** The published keys of one check. They belong to this saved guardrail alone, so no tenant sees another's. */
export class KeySets {
  private keysNow: JWTVerifyGetKey | null = null;
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<JWTVerifyGetKey> | null = null;

  constructor(
    private readonly uris: readonly string[],
    private readonly maxAgeMs: number,
  ) {}

  /** Keys of all addresses together. Old ones go on being used while the addresses do not answer. */
  keys(context: CheckContext, again: boolean): Promise<JWTVerifyGetKey> {
    const age = context.world.now() - this.askedAt;
    const isFresh = age < (again ? AGAIN_AFTER_MS : this.maxAgeMs);
    if (this.keysNow && isFresh) return Promise.resolve(this.keysNow);
    this.asking ??= this.ask(context).finally(() => {
      this.asking = null;
    });
    return this.asking;
  }

  private async ask(context: CheckContext): Promise<JWTVerifyGetKey> {
    const answers = await Promise.allSettled(
      this.uris.slice(0, URIS_MAX).map((uri) => fetchKeys(uri, context)),
    );
    const keys = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (keys.length > 0) this.keysNow = createLocalJWKSet({ keys: keys.slice(0, KEYS_MAX) });
    if (!this.keysNow) throw new CheckError('The keys could not be fetched.');
    this.askedAt = context.world.now();
    return this.keysNow;
  }
}

async function fetchKeys(url: string, { world, signal }: CheckContext): Promise<JSONWebKeySet['keys']> {
  const answer = await world.call({
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    body: null,
    signal,
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const value = jsonOf(answer);
  const keys = isObject(value) ? listOf(value['keys']).filter(isObject) : [];
  // Symmetric keys cannot be public, and keys for encryption sign nothing.
  return keys.filter(({ kty, use }) => kty !== 'oct' && use !== 'enc');
}
