import { lookup as systemLookup, Resolver, type LookupAddress } from 'node:dns';
import { Shares } from '@gw/kernel';
import type { LookupAll } from './connector';
import { NameFiles } from './name-files';
import { WaitingCalls } from './waiting-calls';

export interface NameResolverOptions {
  /** Name servers with ports; those of the system by default. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvFile?: string;
  /** The system's resolver. */
  readonly system?: LookupAll;
  /** Timeout of one query to one name server. */
  readonly timeoutMs?: number;
  /** Maximum lookups in flight, shared by all owners. */
  readonly lookupsMax?: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
}

interface Known {
  readonly addresses: readonly LookupAddress[];
  /** Why there are no addresses. */
  readonly error: NodeJS.ErrnoException | null;
  freshUntil: number;
  /** Until then stale addresses are used while name servers fail. */
  readonly usableUntil: number;
}

interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly ttlMs: number;
}

/** A name that waits for the system's resolver. */
interface SystemLookup {
  /** The owner. */
  readonly holder: string;
  readonly start: () => void;
}

const NAMES_MAX = 10_000;
const TTL_MIN_MS = 1_000;
const TTL_MAX_MS = 300_000;
/** TTL of addresses from the system's resolver, which reports none. */
const SYSTEM_TTL_MS = 5_000;
const NOT_FOUND_MS = 3_000;
const FAILED_MS = 1_000;
/**
 * How long addresses are used after their TTL while name servers fail, and how long a failed query
 * is not repeated.
 */
const STALE_MS = 3_600_000;
const STALE_AGAIN_MS = 5_000;
/**
 * The system resolves only a few names at a time, in threads that also read files. One owner uses
 * only one of them, and at most half of the places to wait.
 */
const SYSTEM_LOOKUPS_MAX = 2;
const SYSTEM_WAITING_MAX = 100;

/**
 * Resolves names to addresses. It queries the name servers itself, many names concurrently and each
 * with its own timeout, so that names without a reply do not delay others. It keeps replies for
 * their TTL, and longer while the name servers fail. `/etc/hosts` takes precedence, and names with
 * few dots are completed by the search list, but only after the name itself. Names without dots,
 * names below `.local`, and names that no name server knows are left to the system's resolver.
 */
export class NameResolver {
  private readonly known = new Map<string, Known>();
  private readonly files: NameFiles;
  private readonly slots: Shares;
  private readonly resolver: Resolver;
  private readonly system: LookupAll;
  private readonly now: () => number;
  private readonly systemLookups = new Shares(SYSTEM_LOOKUPS_MAX);
  private readonly waiting = new WaitingCalls<SystemLookup>(SYSTEM_WAITING_MAX);

  constructor(options: NameResolverOptions = {}) {
    const { servers, timeoutMs = 1_000, lookupsMax = 1_024 } = options;
    this.now = options.now ?? (() => performance.now());
    this.system = options.system ?? systemLookup;
    const { hostsFile = '/etc/hosts', resolvFile = '/etc/resolv.conf' } = options;
    this.files = new NameFiles(hostsFile, resolvFile, this.now);
    this.slots = new Shares(lookupsMax, SLOT_WEIGHT);
    this.resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers) this.resolver.setServers(servers);
  }

  /**
   * Resolves a name. `owner` identifies the caller: one owner never uses all lookups, neither of
   * the name servers nor of the system. Never calls back synchronously.
   */
  readonly lookup = (
    hostname: string,
    _options: unknown,
    callback: Parameters<LookupAll>[2],
    owner = '',
  ): void => {
    const name = hostname.toLowerCase();
    this.find(name, owner).then(
      (addresses) => {
        callback(null, [...addresses]);
      },
      (error: unknown) => {
        callback(error as NodeJS.ErrnoException, []);
      },
    );
  };

  /** Fails the lookups that are in flight. */
  close(): void {
    this.resolver.cancel();
  }

  private async find(name: string, owner: string): Promise<readonly LookupAddress[]> {
    const listed = this.files.addressesOf(name);
    if (listed !== undefined) return listed;
    const known = this.known.get(name);
    if (known !== undefined && known.freshUntil > this.now()) return addressesOf(known);
    try {
      const { addresses, ttlMs } = await this.within(owner, () => this.query(name, owner));
      const freshUntil = this.now() + ttlMs;
      this.keep(name, { addresses, error: null, freshUntil, usableUntil: freshUntil + STALE_MS });
      return addresses;
    } catch (thrown) {
      return addressesOf(this.failed(name, thrown as NodeJS.ErrnoException, known));
    }
  }

  private failed(name: string, error: NodeJS.ErrnoException, known: Known | undefined): Known {
    const now = this.now();
    if (known?.error === null && known.usableUntil > now && !isNotFound(error)) {
      known.freshUntil = now + STALE_AGAIN_MS;
      return known;
    }
    const until = now + (isNotFound(error) ? NOT_FOUND_MS : FAILED_MS);
    const failure = { addresses: [], error, freshUntil: until, usableUntil: until };
    // A failure for lack of free lookups is not cached, because it is not about the name.
    if (error.code !== BUSY) this.keep(name, failure);
    return failure;
  }

  private keep(name: string, known: Known): void {
    this.known.delete(name);
    this.known.set(name, known);
    const [oldest] = this.known.keys();
    if (this.known.size > NAMES_MAX && oldest !== undefined) this.known.delete(oldest);
  }

  private async within<T>(owner: string, action: () => Promise<T>): Promise<T> {
    const share = this.slots.of(owner, owner);
    if (!share.take(1)) throw busy();
    try {
      return await action();
    } finally {
      share.give(1);
    }
  }

  private async query(name: string, owner: string): Promise<Found> {
    const dots = name.split('.').length - 1;
    if (dots === 0 || name.endsWith('.local') || name.endsWith('.localhost'))
      return this.querySystem(name, owner);
    const { domains, dots: least } = this.files.searchList();
    const completed = dots < least && !name.endsWith('.') ? domains.map((domain) => `${name}.${domain}`) : [];
    for (const full of [name, ...completed]) {
      try {
        return await this.queryServers(full);
      } catch (thrown) {
        if (!isNotFound(thrown as NodeJS.ErrnoException)) throw thrown;
      }
    }
    return this.querySystem(name, owner);
  }

  private async queryServers(name: string): Promise<Found> {
    const [four, six] = await Promise.allSettled([this.records(name, 4), this.records(name, 6)]);
    const found = [four, six].flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (found.length > 0) {
      const ttlMs = 1_000 * Math.min(...found.map(({ ttl }) => ttl));
      return {
        addresses: found.map(({ address, family }) => ({ address, family })),
        ttlMs: Math.min(Math.max(ttlMs, TTL_MIN_MS), TTL_MAX_MS),
      };
    }
    const errors = [four, six].flatMap((result) =>
      result.status === 'rejected' ? [result.reason as NodeJS.ErrnoException] : [],
    );
    // The name does not exist only if both queries returned that; a missing reply proves nothing.
    throw errors.find((error) => !isNotFound(error)) ?? errors[0] ?? notFound();
  }

  private records(name: string, family: 4 | 6): Promise<(LookupAddress & { readonly ttl: number })[]> {
    return new Promise((resolve, reject) => {
      const done = (
        error: NodeJS.ErrnoException | null,
        records: readonly { readonly address: string; readonly ttl: number }[],
      ): void => {
        if (error) reject(error);
        else resolve(records.map(({ address, ttl }) => ({ address, family, ttl })));
      };
      if (family === 4) this.resolver.resolve4(name, { ttl: true }, done);
      else this.resolver.resolve6(name, { ttl: true }, done);
    });
  }

  private async querySystem(name: string, owner: string): Promise<Found> {
    if (!this.systemLookups.of(owner, owner).take(1)) await this.systemTurn(owner);
    try {
      return await new Promise<Found>((resolve, reject) => {
        this.system(name, { all: true }, (error, addresses) => {
          if (error) reject(error);
          else resolve({ addresses, ttlMs: SYSTEM_TTL_MS });
        });
      });
    } finally {
      this.systemLookups.of(owner, owner).give(1);
      this.startWaiting();
    }
  }

  /** Resolves when the owner has taken a lookup of the system's resolver. Rejects with EBUSY. */
  private systemTurn(owner: string): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.waiting.add({ holder: owner, start: resolve })) reject(busy());
    });
  }

  /** Gives the free lookup to the next owner that may have one more. */
  private startWaiting(): void {
    const lookup = this.waiting.next((owner) => this.systemLookups.of(owner, owner).fits(1));
    if (lookup === null) return;
    this.systemLookups.of(lookup.holder, lookup.holder).take(1);
    lookup.start();
  }
}

/** The weight with which one owner alone may use three quarters of all lookups. */
const SLOT_WEIGHT = 3;
const BUSY = 'EBUSY';

function addressesOf({ addresses, error }: Known): readonly LookupAddress[] {
  if (error !== null) throw error;
  return addresses;
}

const isNotFound = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOTFOUND' || code === 'ENODATA';

const withCode = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code });
const busy = (): NodeJS.ErrnoException => withCode(BUSY, 'too many DNS lookups are in flight');
const notFound = (): NodeJS.ErrnoException => withCode('ENOTFOUND', 'the name has no address');
