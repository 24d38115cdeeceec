import { isObject } from '@gw/kernel';
import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { CheckError, type CheckContext } from '../check';
import { listOf } from '../json';
import { jsonOf } from '../remote';

/** Milliseconds before a key that is not known makes us ask again: tokens with made-up key ids must not make us call. */
const AGAIN_AFTER_MS = 30_000;
/** How long one address may take: all addresses are fetched at once, and an answer waits no longer for the others. */
const ANSWER_WITHIN_MS = 1_000;
const URIS_MAX = 10;
const KEYS_MAX = 100;
const ANSWER_BYTES_MAX = 1_048_576;

/** The keys of one address. */
interface Published {
  readonly origin: string;
  readonly keys: JWTVerifyGetKey;
}

/** The published keys of one check. They belong to this saved guardrail alone, so no tenant sees another's. */
export class KeySets {
  private readonly published = new Map<string, Published>();
  private askedAt = Number.NEGATIVE_INFINITY;
  private asking: Promise<void> | null = null;

  constructor(
    private readonly uris: readonly string[],
    private readonly maxAgeMs: number,
  ) {}

  /**
   * The key sets that may hold the key of a token: those of its issuer's addresses when the issuer is one of them, or else all. An
   * issuer's keys so never sign for another one. Old keys go on being used while an address does not answer.
   */
  async keys(
    context: CheckContext,
    again: boolean,
    issuer: string | null,
  ): Promise<readonly JWTVerifyGetKey[]> {
    const age = context.world.now() - this.askedAt;
    if (age >= (again ? AGAIN_AFTER_MS : this.maxAgeMs)) {
      this.asking ??= this.ask(context).finally(() => {
        this.asking = null;
      });
      await this.asking;
    }
    if (this.published.size === 0) throw new CheckError('The keys could not be fetched.');
    const origin = originOf(issuer ?? '');
    const isOurs = this.uris.some((uri) => originOf(uri) === origin);
    return [...this.published.values()]
      .filter((each) => !isOurs || each.origin === origin)
      .map(({ keys }) => keys);
  }

  private async ask(context: CheckContext): Promise<void> {
    const uris = this.uris.slice(0, URIS_MAX);
    const answers = await Promise.allSettled(uris.map((uri) => fetchKeys(uri, context)));
    answers.forEach((answer, index) => {
      const uri = uris[index] ?? '';
      if (answer.status !== 'fulfilled' || answer.value.length === 0) return;
      const keys = createLocalJWKSet({ keys: answer.value.slice(0, KEYS_MAX) });
      this.published.set(uri, { origin: originOf(uri) ?? uri, keys });
    });
    if (answers.some(({ status }) => status === 'fulfilled')) this.askedAt = context.world.now();
  }
}

const originOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).origin : null);

async function fetchKeys(url: string, { world, signal }: CheckContext): Promise<JSONWebKeySet['keys']> {
  const answer = await world.call({
    url,
    method: 'GET',
    headers: { accept: 'application/json' },
    body: null,
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
    answerBytesMax: ANSWER_BYTES_MAX,
  });
  const value = jsonOf(answer);
  const keys = isObject(value) ? listOf(value['keys']).filter(isObject) : [];
  // Symmetric keys cannot be public, and keys for encryption sign nothing.
  return keys.filter(({ kty, use }) => kty !== 'oct' && use !== 'enc');
}
