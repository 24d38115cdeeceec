import type { TrustRule } from '@gw/contracts';
import { DAY_MS, SharedEntries, type SigningKey } from '@gw/kernel';
import { keysIn, PublishedSet, type FetchKeys } from './published-set';

export interface KeySetsOptions {
  readonly fetch: FetchKeys;
  /** Called with the URL and the error when a key set could not be read. */
  readonly warn: (url: string, error: unknown) => void;
  readonly now?: () => number;
  /** Maximum bytes of all sets, shared among organisations. The default holds about 10,000 sets. */
  readonly bytesMax?: number;
}

const BYTES_MAX = 67_108_864;
const SET_BYTES = 512;
const KEY_BYTES = 2_048;

type Source = Pick<TrustRule, 'organisationId' | 'jwksUrls' | 'keys' | 'preset'>;

/**
 * Thrown when no key set of a trust can be read, so that it is unknown whether a token is valid.
 */
export class KeysUnavailable extends Error {
  override readonly name = 'KeysUnavailable';
}

/**
 * The keys of trusts. Each set is cached by organisation and URL, for as long as its response says,
 * and for up to a day while its URL fails. A set that fails or hangs does not delay other sets, and
 * delays a caller by at most two seconds.
 */
export class KeySets {
  private readonly sets: SharedEntries<PublishedSet>;
  private readonly inline = new WeakMap<readonly object[], ReadonlyMap<string, SigningKey>>();
  private readonly now: () => number;

  constructor(private readonly options: KeySetsOptions) {
    this.now = options.now ?? Date.now;
    this.sets = new SharedEntries({
      bytesMax: options.bytesMax ?? BYTES_MAX,
      sizeOf: ({ size }) => SET_BYTES + size * KEY_BYTES,
      now: this.now,
    });
  }

  /** Approximate bytes of memory that the sets use. */
  get bytes(): number {
    return this.sets.bytes;
  }

  /** Whether a key is still in a cached set. Makes no request. */
  has(source: Source, key: SigningKey): boolean {
    return this.find(source, setsIn(source, this.sets), key.id) === key;
  }

  /**
   * Returns the key with an id, from the first set that has it; null for an unknown id. Rejects
   * with `KeysUnavailable` when no set could be read.
   */
  async keyOf(source: Source, id: string): Promise<SigningKey | null> {
    const sets = source.jwksUrls.map((url) => this.setOf(source, url));
    const holder = sets.find((set) => set.keyOf(id) !== undefined);
    for (const set of sets) {
      const due = holder === undefined ? null : set.refresh();
      if (set === holder && due !== null) await due;
    }
    const known = this.find(source, sets, id);
    if (known !== null) return known;
    const waits = sets.flatMap((set) => set.lookAgain() ?? []);
    await firstWith(waits, () => this.find(source, sets, id) !== null);
    const found = this.find(source, sets, id);
    if (found !== null || sets.length === 0 || sets.some(({ isUsable }) => isUsable)) return found;
    throw new KeysUnavailable('No key set of the trust can be read.');
  }

  private find(source: Source, sets: readonly PublishedSet[], id: string): SigningKey | null {
    for (const set of sets) {
      const key = set.keyOf(id);
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

  private setOf(source: Source, url: string): PublishedSet {
    const name = nameOf(source, url);
    const known = this.sets.get(name);
    if (known !== undefined) return known;
    const { organisationId } = source;
    // Each organisation has a share of the memory, so that none evicts the sets of another.
    const keep = (set: PublishedSet): unknown =>
      this.sets.set({ workspaceId: organisationId, organisationId }, name, set, DAY_MS);
    const made = new PublishedSet({
      use: useOf(source.preset),
      read: () => this.options.fetch(url),
      warn: (error) => {
        this.options.warn(url, error);
      },
      changed: keep,
      now: this.now,
    });
    keep(made);
    return made;
  }
}

const useOf = (preset: string | null): string => (preset === 'spiffe' ? 'jwt-svid' : 'sig');

/** Returns the cache key of a set: sets are separate by organisation, use of the keys and URL. */
const nameOf = ({ organisationId, preset }: Source, url: string): string =>
  `${organisationId} ${useOf(preset)} ${url}`;

const setsIn = (source: Source, sets: SharedEntries<PublishedSet>): readonly PublishedSet[] =>
  source.jwksUrls.flatMap((url) => sets.get(nameOf(source, url)) ?? []);

/** Waits until one of the reads satisfies the test, or all have ended. */
async function firstWith(reading: readonly Promise<void>[], test: () => boolean): Promise<void> {
  const left = new Set(reading);
  while (left.size > 0 && !test()) {
    await Promise.race([...left].map((each) => each.then(() => left.delete(each))));
  }
}
