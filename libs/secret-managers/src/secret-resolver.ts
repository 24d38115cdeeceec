import type { SecretLocation } from '@gw/contracts';
import { propertyOf, Shares, VendorError } from '@gw/kernel';
import type { SecretReader } from './secret-manager';

export interface SecretResolverOptions {
  /** How long a value is used before it is read again; 5 minutes if absent. */
  readonly freshMs?: number;
  /** How much longer it is used while the manager is unreachable; 15 minutes if absent. */
  readonly graceMs?: number;
  /**
   * How long a failure is cached, so that a failing manager is not called for every request; 5
   * seconds if absent.
   */
  readonly failureMs?: number;
  /**
   * Maximum number of characters of all cached secrets; at the cap the least recently used ones are
   * dropped.
   */
  readonly charactersMax?: number;
  /**
   * Maximum number of concurrent reads, shared among organisations; further reads fail as
   * `unreachable`.
   */
  readonly readsMax?: number;
  readonly now?: () => number;
}

/** A kind of manager whose last read failed. */
export interface UnreachableManager {
  readonly managerType: SecretLocation['managerType'];
  readonly since: Date;
}

interface Known {
  readonly text: string | null;
  readonly readAt: number;
  readonly failure: VendorError | null;
  readonly failedAt: number;
}

/**
 * Size counted for every entry in addition to its text, so that empty entries and failures are
 * bounded too.
 */
const ENTRY_COST = 512;
/** Failures after which an old value is not used again: the secret or the right to read it is gone. */
const ENDED: ReadonlySet<VendorError['failure']> = new Set(['denied', 'not_found', 'refused']);

/**
 * Reads secrets and caches them in memory for a limited time. Concurrent reads of one location
 * share one call.
 */
export class SecretResolver {
  private readonly known = new Map<string, Known>();
  private readonly running = new Map<string, Promise<string>>();
  private readonly reads: Shares;
  /** Unreachable managers by type, which bounds the map. */
  private readonly unreachableByType = new Map<
    SecretLocation['managerType'],
    { since: Date; lastAt: number }
  >();
  private readonly options: Required<SecretResolverOptions>;
  private characters = 0;

  constructor(
    private readonly read: SecretReader,
    options: SecretResolverOptions = {},
  ) {
    this.options = {
      freshMs: 300_000,
      graceMs: 900_000,
      failureMs: 5_000,
      charactersMax: 16_777_216,
      readsMax: 64,
      now: () => performance.now(),
      ...options,
    };
    this.reads = new Shares(this.options.readsMax);
  }

  /**
   * Returns the secret, or the member of it that the location names; synchronously while it is
   * cached. `owner` is the secret's organisation, so that hanging managers of one organisation do
   * not block reads of another. @throws VendorError
   */
  resolve(location: SecretLocation, owner = ''): string | Promise<string> {
    const { version } = location;
    const entry = this.known.get(version);
    const now = this.options.now();
    if (entry?.text !== undefined && entry.text !== null && now - entry.readAt < this.options.freshMs) {
      this.touch(version, entry);
      return pick(entry.text, location);
    }
    if (entry?.failure && now - entry.failedAt < this.options.failureMs) {
      return pick(this.afterFailure(entry, entry.failure, now), location);
    }
    return this.readOnce(location, entry, owner).then((text) => pick(text, location));
  }

  /**
   * Returns the managers that were unreachable at the last read. A manager is dropped from the list
   * when no cached value of it can be used any more.
   */
  unreachable(): readonly UnreachableManager[] {
    const { freshMs, graceMs, now } = this.options;
    for (const [managerType, { lastAt }] of this.unreachableByType)
      if (now() - lastAt > freshMs + graceMs) this.unreachableByType.delete(managerType);
    return [...this.unreachableByType].map(([managerType, { since }]) => ({ managerType, since }));
  }

  get size(): number {
    return this.known.size;
  }

  private readOnce(location: SecretLocation, entry: Known | undefined, owner: string): Promise<string> {
    const { version } = location;
    const running = this.running.get(version);
    if (running) return running;
    const share = this.reads.of(owner, owner);
    if (!share.take(1)) {
      return Promise.reject(new VendorError('unreachable', 'Too many secrets are being read at once.'));
    }
    const reading = this.read(location)
      .then(
        (text) => {
          this.unreachableByType.delete(location.managerType);
          this.keep(version, { text, readAt: this.options.now(), failure: null, failedAt: 0 });
          return text;
        },
        (thrown: unknown) => {
          const failure = asVendorError(thrown);
          const now = this.options.now();
          if (failure.failure === 'unreachable') this.missed(location, now);
          const text = ENDED.has(failure.failure) ? null : (entry?.text ?? null);
          const failed = { text, readAt: entry?.readAt ?? 0, failure, failedAt: now };
          this.keep(version, failed);
          return this.afterFailure(failed, failure, now);
        },
      )
      .finally(() => {
        share.give(1);
        this.running.delete(version);
      });
    this.running.set(version, reading);
    return reading;
  }

  private missed({ managerType }: SecretLocation, lastAt: number): void {
    this.unreachableByType.set(managerType, {
      since: this.unreachableByType.get(managerType)?.since ?? new Date(),
      lastAt,
    });
  }

  /**
   * Returns the old value while a manager is unreachable. Throws the failure for a denial, a
   * missing secret, and after the grace period.
   */
  private afterFailure({ text, readAt }: Known, failure: VendorError, now: number): string {
    const { freshMs, graceMs } = this.options;
    if (text !== null && failure.failure === 'unreachable' && now - readAt < freshMs + graceMs) return text;
    throw failure;
  }

  private keep(version: string, entry: Known): void {
    this.forget(version);
    this.known.set(version, entry);
    this.characters += costOf(entry);
    for (const [oldest, old] of this.known) {
      if (this.characters <= this.options.charactersMax) break;
      this.known.delete(oldest);
      this.characters -= costOf(old);
    }
  }

  private forget(version: string): void {
    const entry = this.known.get(version);
    if (!entry) return;
    this.known.delete(version);
    this.characters -= costOf(entry);
  }

  /** Marks an entry as most recently used by moving it to the end of the map. */
  private touch(version: string, entry: Known): void {
    this.known.delete(version);
    this.known.set(version, entry);
  }
}

const costOf = ({ text }: Known): number => ENTRY_COST + (text?.length ?? 0);

const asVendorError = (thrown: unknown): VendorError =>
  thrown instanceof VendorError
    ? thrown
    : new VendorError('invalid', 'The secret could not be read.', { cause: thrown });

/**
 * Extracts the secret. Without a key: the secret itself; for Vault, whose secrets are objects, the
 * only field of an object with one text. With a key: that member of the object, as JSON if it is
 * not a text. @throws VendorError
 */
export function pick(text: string, { key, managerType }: SecretLocation): string {
  if (key === null) {
    if (managerType !== 'vendor3_vault') return text;
    const [only, ...more] = Object.values(propertyOf(text) as object) as unknown[];
    return typeof only === 'string' && more.length === 0 ? only : text;
  }
  const value = propertyOf(text, key);
  if (value === undefined || value === null) {
    throw new VendorError('not_found', 'The secret has no member of the name of secret_key.');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
