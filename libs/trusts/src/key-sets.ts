import type { TrustRule } from '@gw/contracts';
import { DAY_MS, HOUR_MS, isObject } from '@gw/kernel';
import { LRUCache } from 'lru-cache';
import { readKey, type SigningKey } from './signing-keys';

/** Reads a key set: at most 1 MiB, within some seconds. Rejects when there is none. */
export type FetchKeys = (url: string) => Promise<Buffer>;

const BOUNDS = { bytesMax: 1_048_576, totalTimeoutMs: 5_000 } as const;

interface KeyClient {
  fetchBuffered(
    request: { readonly url: string } & typeof BOUNDS,
  ): Promise<{ readonly status: number; readonly body: Buffer }>;
}

/** Reads key sets by a client that applies the address policy: an organisation cannot make us call private addresses. */
export const fetchKeysBy =
  (client: KeyClient): FetchKeys =>
  async (url) => {
    const { status, body } = await client.fetchBuffered({ url, ...BOUNDS });
    if (status !== 200) throw new Error(`The response has the status ${String(status)}.`);
    return body;
  };

export interface KeySetsOptions {
  readonly fetch: FetchKeys;
  /** Reports a set that could not be read, with its URL and why. */
  readonly warn: (url: string, error: unknown) => void;
  readonly now?: () => number;
}

const FRESH_MS = HOUR_MS;
const STALE_MAX_MS = DAY_MS;
/** A set is read again for an unknown key, or after a failure, once in this time at most. */
const AGAIN_MS = 30_000;
const SETS_MAX = 500;
const KEYS_MAX = 100;

interface KeySet {
  keys: ReadonlyMap<string, SigningKey>;
  /** When the keys were read; -Infinity: never. */
  readAt: number;
  triedAt: number;
  reading: Promise<void> | null;
}

type Source = Pick<TrustRule, 'organisationId' | 'jwksUrls' | 'keys' | 'preset'>;

/** Thrown when no key set of a trust can be read, so that it is unknown whether a token is valid. */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/**
 * The keys of trusts. Each set is cached for an organisation and a URL: for an hour, and up to a day while its URL fails. A set that
 * fails or hangs holds up no other.
 */
export class KeySets {
  private readonly sets = new LRUCache<string, KeySet>({ max: SETS_MAX });
  private readonly inline = new WeakMap<readonly object[], ReadonlyMap<string, SigningKey>>();
  private readonly now: () => number;

  constructor(private readonly options: KeySetsOptions) {
    this.now = options.now ?? Date.now;
  }

  /** Whether a key is still in a set, as far as this process knows. Reads nothing. */
  has(source: Source, key: SigningKey): boolean {
    return this.find(source, key.id) === key;
  }

  /** The key of an id: of several sets, the first that has it. Null for an unknown one. Rejects with `KeysUnavailable`. */
  async keyOf(source: Source, id: string): Promise<SigningKey | null> {
    const sets = source.jwksUrls.map((url) => [url, this.setOf(source, url)] as const);
    const known = this.find(source, id);
    const due = sets.filter(([, set]) => this.isDue(set, known === null));
    const reading = due.map(([url, set]) => this.read(source, url, set));
    if (known !== null) return known;
    await firstWith(reading, () => this.find(source, id) !== null);
    const found = this.find(source, id);
    if (found !== null) return found;
    const now = this.now();
    const isUsable = (set: KeySet): boolean => set.readAt > now - STALE_MAX_MS;
    if (sets.length > 0 && !sets.some(([, set]) => isUsable(set))) {
      throw new KeysUnavailable('No key set of the trust can be read.');
    }
    return null;
  }

  private find(source: Source, id: string): SigningKey | null {
    const oldest = this.now() - STALE_MAX_MS;
    for (const url of source.jwksUrls) {
      const set = this.setOf(source, url);
      const key = set.readAt > oldest ? set.keys.get(id) : undefined;
      if (key !== undefined) return key;
    }
    return this.inlineOf(source).get(id) ?? null;
  }

  private inlineOf({ keys, preset }: Source): ReadonlyMap<string, SigningKey> {
    const known = this.inline.get(keys);
    if (known !== undefined) return known;
    const read = keysIn(keys, useOf(preset));
    this.inline.set(keys, read);
    return read;
  }

  private setOf({ organisationId }: Source, url: string): KeySet {
    const name = `${organisationId} ${url}`;
    const known = this.sets.get(name);
    if (known !== undefined) return known;
    const made: KeySet = { keys: new Map(), readAt: -Infinity, triedAt: -Infinity, reading: null };
    this.sets.set(name, made);
    return made;
  }

  private isDue({ readAt, triedAt, reading }: KeySet, isUnknown: boolean): boolean {
    if (reading !== null) return isUnknown;
    const now = this.now();
    return triedAt <= now - AGAIN_MS && (isUnknown || readAt <= now - FRESH_MS);
  }

  /** Never rejects: a set that cannot be read leaves the last copy. */
  private read(source: Source, url: string, set: KeySet): Promise<void> {
    set.reading ??= this.replace(source, url, set).finally(() => {
      set.reading = null;
    });
    return set.reading;
  }

  private async replace({ preset }: Source, url: string, set: KeySet): Promise<void> {
    set.triedAt = this.now();
    try {
      const body: unknown = JSON.parse((await this.options.fetch(url)).toString('utf8'));
      const keys = isObject(body) ? body['keys'] : null;
      if (!Array.isArray(keys) || keys.length > KEYS_MAX)
        throw new Error('The response is no key set, or too large.');
      // An empty set leaves the last copy: it is a fault of the issuer more often than the end of all keys.
      if (keys.length === 0) throw new Error('The key set is empty.');
      const read = keysIn(keys, useOf(preset));
      set.keys = new Map([...read].map(([id, key]) => [id, same(set.keys.get(id), key)]));
      set.readAt = this.now();
    } catch (error) {
      this.options.warn(url, error);
    }
  }
}

const useOf = (preset: string | null): string => (preset === 'spiffe' ? 'jwt-svid' : 'sig');

/** The first key of an id counts. */
function keysIn(raw: readonly unknown[], use: string): ReadonlyMap<string, SigningKey> {
  const keys = new Map<string, SigningKey>();
  for (const each of raw) {
    const key = readKey(each, use);
    if (key !== null && !keys.has(key.id)) keys.set(key.id, key);
  }
  return keys;
}

/** Keeps the object of an unchanged key, so that tokens that it has verified stay verified. */
const same = (known: SigningKey | undefined, read: SigningKey): SigningKey =>
  known?.key.equals(read.key) === true && known.algorithms.join() === read.algorithms.join() ? known : read;

/** Waits until one of the reads satisfies the test, or all have ended. */
async function firstWith(reading: readonly Promise<void>[], test: () => boolean): Promise<void> {
  const left = new Set(reading);
  while (left.size > 0 && !test()) {
    await Promise.race([...left].map((each) => each.then(() => left.delete(each))));
  }
}
