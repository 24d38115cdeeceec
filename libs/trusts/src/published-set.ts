import { DAY_MS, HOUR_MS, isObject, maxAgeMs, MINUTE_MS, readSigningKey, type SigningKey } from '@gw/kernel';

export interface KeySetResponse {
  readonly body: Buffer;
  /** Lifetime from the response's caching headers; null when they do not state one. */
  readonly maxAgeMs: number | null;
}

/** Reads a key set of at most 1 MiB within 5 seconds. Rejects when it cannot be read. */
export type FetchKeys = (url: string) => Promise<KeySetResponse>;

const BOUNDS = { bytesMax: 1_048_576, totalTimeoutMs: 5_000 } as const;

interface KeyClient {
  fetchBuffered(request: { readonly url: string } & typeof BOUNDS): Promise<{
    readonly status: number;
    readonly headers: Parameters<typeof maxAgeMs>[0];
    readonly body: Buffer;
  }>;
}

/**
 * Reads key sets with a client that applies the address policy, so that no organisation can make us
 * call private addresses.
 */
export const fetchKeysBy =
  (client: KeyClient): FetchKeys =>
  async (url) => {
    const { status, headers, body } = await client.fetchBuffered({ url, ...BOUNDS });
    if (status !== 200) throw new Error(`The response has the status ${String(status)}.`);
    return { body, maxAgeMs: maxAgeMs(headers) };
  };

const KEYS_MAX = 100;
/** Lifetime of a set: an hour, or the response's own lifetime within these bounds. */
const FRESH = { default: HOUR_MS, min: 5 * MINUTE_MS, max: DAY_MS } as const;
/** Fraction of the lifetime after which the set is read again in the background. */
const REFRESHED_AFTER = 0.9;
/** How long the last copy is used while the URL fails. */
const STALE_MAX_MS = DAY_MS;
/** Minimum time between two reads for an unknown key or after a failure. */
const AGAIN_MS = 30_000;
/** Maximum time that a caller waits for a read. */
const WAIT_MS = 2_000;

export interface PublishedSetOptions {
  /** Value of `use` that the keys must declare. */
  readonly use: string;
  readonly read: () => Promise<KeySetResponse>;
  readonly warn: (error: unknown) => void;
  /** Called after the keys were read. */
  readonly changed: (set: PublishedSet) => void;
  readonly now: () => number;
}

/** The keys that one URL publishes, as last read. */
export class PublishedSet {
  private keys: ReadonlyMap<string, SigningKey> = new Map();
  private readAt = -Infinity;
  private attemptedAt = -Infinity;
  private freshMs = 0;
  private hasFailed = false;
  /**
   * Whether the last read took longer than callers wait. Callers wait again after a read in time.
   */
  private isSlow = false;
  private reading: Promise<void> | null = null;

  constructor(private readonly options: PublishedSetOptions) {}

  get size(): number {
    return this.keys.size;
  }

  /** Whether the last copy is younger than `STALE_MAX_MS`. */
  get isUsable(): boolean {
    return this.age < STALE_MAX_MS;
  }

  keyOf(id: string): SigningKey | undefined {
    return this.isUsable ? this.keys.get(id) : undefined;
  }

  /**
   * Reads the set when it is due. Returns a promise to await before a key is used; null: use the
   * copy now.
   */
  refresh(): Promise<void> | null {
    if (this.age < REFRESHED_AFTER * this.freshMs) return null;
    const reading = this.read();
    return this.age < this.freshMs || this.hasFailed ? null : reading;
  }

  /**
   * Reads the set for a key that it does not have. Returns a promise to await; null: there is none.
   */
  lookAgain(): Promise<void> | null {
    return this.read();
  }

  private get age(): number {
    return this.options.now() - this.readAt;
  }

  /**
   * Starts a read unless one is running or none is due. Returns null when the caller should not
   * wait.
   */
  private read(): Promise<void> | null {
    if (this.reading === null) {
      if (this.options.now() - this.attemptedAt < AGAIN_MS) return null;
      this.reading = this.startRead();
    }
    return this.isSlow ? null : this.reading;
  }

  /** Starts a read. Resolves when it ends, at the latest after `WAIT_MS`. */
  private startRead(): Promise<void> {
    this.attemptedAt = this.options.now();
    return new Promise((resolve) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        this.isSlow = true;
        resolve();
      }, WAIT_MS).unref();
      void this.replace().then(() => {
        clearTimeout(timer);
        this.reading = null;
        this.isSlow = isLate;
        resolve();
      });
    });
  }

  /** Replaces the keys by those read. Never rejects: when the read fails, the last copy stays. */
  private async replace(): Promise<void> {
    const { use, warn, changed } = this.options;
    try {
      const response = await this.options.read();
      const listed = keysOf(response.body);
      // An empty set does not replace the last copy, because it is usually a mistake of the issuer.
      if (listed.length === 0 && this.keys.size > 0) throw new Error('The key set is empty.');
      const read = keysIn(listed, use);
      this.keys = new Map([...read].map(([id, key]) => [id, same(this.keys.get(id), key)]));
      this.readAt = this.options.now();
      this.freshMs = Math.min(Math.max(response.maxAgeMs ?? FRESH.default, FRESH.min), FRESH.max);
      this.hasFailed = false;
      changed(this);
    } catch (error) {
      this.hasFailed = true;
      warn(error);
    }
  }
}

/**
 * Parses the list of keys. Errors do not quote the body: they are logged, and it may contain a
 * private key.
 */
function keysOf(body: Buffer): readonly unknown[] {
  let set: unknown;
  try {
    set = JSON.parse(body.toString('utf8'));
  } catch {
    throw new Error('The response is not JSON.');
  }
  const keys = isObject(set) ? set['keys'] : null;
  if (!Array.isArray(keys) || keys.length > KEYS_MAX)
    throw new Error(`The response is no key set of at most ${String(KEYS_MAX)} keys.`);
  return keys;
}

/** Returns the usable keys by id; for duplicate ids the first key. */
export function keysIn(raw: readonly unknown[], use: string): ReadonlyMap<string, SigningKey> {
  const keys = new Map<string, SigningKey>();
  for (const each of raw) {
    const key = readSigningKey(each, use);
    if (key !== null && !keys.has(key.id)) keys.set(key.id, key);
  }
  return keys;
}

/**
 * Returns the known object of an unchanged key, so that cached verifications of tokens stay valid.
 */
const same = (known: SigningKey | undefined, read: SigningKey): SigningKey =>
  known?.key.equals(read.key) === true && known.algorithms.join() === read.algorithms.join() ? known : read;
