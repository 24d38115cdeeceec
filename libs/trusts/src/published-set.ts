import { DAY_MS, HOUR_MS, isObject, maxAgeMs, MINUTE_MS, readSigningKey, type SigningKey } from '@gw/kernel';

export interface KeySetResponse {
  readonly body: Buffer;
  /** How long the response says that it may be used; null when it says nothing. */
  readonly maxAgeMs: number | null;
}

/** Reads a key set: at most 1 MiB, within some seconds. Rejects when there is none. */
export type FetchKeys = (url: string) => Promise<KeySetResponse>;

const BOUNDS = { bytesMax: 1_048_576, totalTimeoutMs: 5_000 } as const;

interface KeyClient {
  fetchBuffered(request: { readonly url: string } & typeof BOUNDS): Promise<{
    readonly status: number;
    readonly headers: Parameters<typeof maxAgeMs>[0];
    readonly body: Buffer;
  }>;
}

/** Reads key sets by a client that applies the address policy: an organisation cannot make us call private addresses. */
export const fetchKeysBy =
  (client: KeyClient): FetchKeys =>
  async (url) => {
    const { status, headers, body } = await client.fetchBuffered({ url, ...BOUNDS });
    if (status !== 200) throw new Error(`The response has the status ${String(status)}.`);
    return { body, maxAgeMs: maxAgeMs(headers) };
  };

const KEYS_MAX = 100;
/** A set is used for an hour, or for as long as its address says within these bounds. */
const FRESH = { default: HOUR_MS, min: 5 * MINUTE_MS, max: DAY_MS } as const;
/** The part of that time after which the set is read again while it is still used. */
const REFRESHED_AFTER = 0.9;
/** The last copy serves for so long while the address fails. */
const STALE_MAX_MS = DAY_MS;
/** A set is read again for an unknown key, or after a failure, once in this time at most. */
const AGAIN_MS = 30_000;
/** No caller waits longer for a set. */
const WAIT_MS = 2_000;

export interface PublishedSetOptions {
  /** Use that the keys must declare. */
  readonly use: string;
  readonly read: () => Promise<KeySetResponse>;
  readonly warn: (error: unknown) => void;
  /** Called when the keys were read. */
  readonly changed: (set: PublishedSet) => void;
  readonly now: () => number;
}

/** The keys that one address publishes, as they were last read. */
export class PublishedSet {
  private keys: ReadonlyMap<string, SigningKey> = new Map();
  private readAt = -Infinity;
  private triedAt = -Infinity;
  private freshMs = 0;
  private hasFailed = false;
  /** Whether the address took longer than callers wait. They wait for it again once it was in time. */
  private isSlow = false;
  private reading: Promise<void> | null = null;

  constructor(private readonly options: PublishedSetOptions) {}

  get size(): number {
    return this.keys.size;
  }

  /** Whether there is a copy that is not too old, if perhaps an old one. */
  get isUsable(): boolean {
    return this.age < STALE_MAX_MS;
  }

  keyOf(id: string): SigningKey | undefined {
    return this.isUsable ? this.keys.get(id) : undefined;
  }

  /** Reads the set when its time comes. The result is to be waited for before a key of it is used; null: use it at once. */
  refresh(): Promise<void> | null {
    if (this.age < REFRESHED_AFTER * this.freshMs) return null;
    const reading = this.read();
    return this.age < this.freshMs || this.hasFailed ? null : reading;
  }

  /** Reads the set for a key that it does not have. Null: there is nothing to wait for. */
  lookAgain(): Promise<void> | null {
    return this.read();
  }

  private get age(): number {
    return this.options.now() - this.readAt;
  }

  /** One read at a time. Null when none is due, or when it is not to be waited for. */
  private read(): Promise<void> | null {
    if (this.reading === null) {
      if (this.options.now() - this.triedAt < AGAIN_MS) return null;
      this.reading = this.begin();
    }
    return this.isSlow ? null : this.reading;
  }

  /** Ends with the read, but not later than callers wait. */
  private begin(): Promise<void> {
    this.triedAt = this.options.now();
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

  /** Never rejects: a set that cannot be read leaves the last copy. */
  private async replace(): Promise<void> {
    const { use, warn, changed } = this.options;
    try {
      const response = await this.options.read();
      const listed = keysOf(response.body);
      // An empty set leaves the last copy: it is a fault of the issuer more often than the end of all keys.
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

/** The faults say nothing of what was read: a set can hold a private key by mistake, and they are logged. */
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

/** The first key of an id counts. */
export function keysIn(raw: readonly unknown[], use: string): ReadonlyMap<string, SigningKey> {
  const keys = new Map<string, SigningKey>();
  for (const each of raw) {
    const key = readSigningKey(each, use);
    if (key !== null && !keys.has(key.id)) keys.set(key.id, key);
  }
  return keys;
}

/** Keeps the object of an unchanged key, so that tokens that it has verified stay verified. */
const same = (known: SigningKey | undefined, read: SigningKey): SigningKey =>
  known?.key.equals(read.key) === true && known.algorithms.join() === read.algorithms.join() ? known : read;
