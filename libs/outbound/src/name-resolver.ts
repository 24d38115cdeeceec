import { lookup as systemLookup, Resolver, type LookupAddress } from 'node:dns';
import { Shares } from '@gw/kernel';
import type { LookupAll } from './connector';
import { NameFiles } from './name-files';

export interface NameResolverOptions {
  /** Name servers with their ports; those of the system when absent. */
  readonly servers?: readonly string[];
  readonly hostsFile?: string;
  readonly resolvFile?: string;
  /** The resolver of the system. */
  readonly system?: LookupAll;
  /** For one query to one name server. */
  readonly timeoutMs?: number;
  /** Look-ups in flight, shared by their owners. */
  readonly lookupsMax?: number;
  /** Milliseconds that never go back. */
  readonly now?: () => number;
}

interface Known {
  readonly addresses: readonly LookupAddress[];
  /** Why there are none. */
  readonly error: NodeJS.ErrnoException | null;
  freshUntil: number;
  /** Until then old addresses are better than none. */
  readonly usableUntil: number;
}

interface Found {
  readonly addresses: readonly LookupAddress[];
  readonly ttlMs: number;
}

const NAMES_MAX = 10_000;
const TTL_MIN_MS = 1_000;
const TTL_MAX_MS = 300_000;
/** Of addresses whose time the system does not tell. */
const SYSTEM_TTL_MS = 5_000;
const NOT_FOUND_MS = 3_000;
const FAILED_MS = 1_000;
/** How long addresses outlive their time while name servers do not answer, and how long one failure is not repeated. */
const STALE_MS = 3_600_000;
const STALE_AGAIN_MS = 5_000;
/** The system resolves few names at a time, in threads that also read files. */
const SYSTEM_LOOKUPS_MAX = 2;
const SYSTEM_WAITING_MAX = 100;

/**
 * Names to addresses. Queries go to the name servers themselves, many at a time and each within its own time, so that names which are
 * never answered hold up no others; answers are kept for as long as they say, and longer while the name servers fail. As with the
 * system, `/etc/hosts` comes first and names with few dots are completed by the search list, but only after the name itself. Names
 * without dots, those below `.local`, and those that no name server knows go to the resolver of the system.
 */
export class NameResolver {
  private readonly known = new Map<string, Known>();
  private readonly files: NameFiles;
  private readonly slots: Shares;
  private readonly resolver: Resolver;
  private readonly system: LookupAll;
  private readonly now: () => number;
  private systemLookups = 0;
  private readonly waiting: (() => void)[] = [];

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

  /** `owner`: whose look-up it is; one owner never has all look-ups in flight. Never calls back before it has returned. */
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

  /** Look-ups in flight fail. */
  close(): void {
    this.resolver.cancel();
  }

  private async find(name: string, owner: string): Promise<readonly LookupAddress[]> {
    const listed = this.files.addressesOf(name);
    if (listed !== undefined) return listed;
    const known = this.known.get(name);
    if (known !== undefined && known.freshUntil > this.now()) return addressesOf(known);
    try {
      const { addresses, ttlMs } = await this.within(owner, () => this.query(name));
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
    // That there was no slot says nothing of the name.
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

  private async query(name: string): Promise<Found> {
    const dots = name.split('.').length - 1;
    if (dots === 0 || name.endsWith('.local') || name.endsWith('.localhost')) return this.askSystem(name);
    const { domains, dots: least } = this.files.searchList();
    const completed = dots < least && !name.endsWith('.') ? domains.map((domain) => `${name}.${domain}`) : [];
    for (const full of [name, ...completed]) {
      try {
        return await this.askServers(full);
      } catch (thrown) {
        if (!isNotFound(thrown as NodeJS.ErrnoException)) throw thrown;
      }
    }
    return this.askSystem(name);
  }

  private async askServers(name: string): Promise<Found> {
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
    // Both must say that there is nothing: a server that keeps silent has not said so.
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

  private async askSystem(name: string): Promise<Found> {
    if (this.systemLookups >= SYSTEM_LOOKUPS_MAX) {
      if (this.waiting.length >= SYSTEM_WAITING_MAX) throw busy();
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    this.systemLookups += 1;
    try {
      return await new Promise<Found>((resolve, reject) => {
        this.system(name, { all: true }, (error, addresses) => {
          if (error) reject(error);
          else resolve({ addresses, ttlMs: SYSTEM_TTL_MS });
        });
      });
    } finally {
      this.systemLookups -= 1;
      this.waiting.shift()?.();
    }
  }
}

/** One owner alone may have three quarters of all look-ups in flight. */
const SLOT_WEIGHT = 3;
const BUSY = 'EBUSY';

function addressesOf({ addresses, error }: Known): readonly LookupAddress[] {
  if (error !== null) throw error;
  return addresses;
}

const isNotFound = ({ code }: NodeJS.ErrnoException): boolean => code === 'ENOTFOUND' || code === 'ENODATA';

const withCode = (code: string, message: string): NodeJS.ErrnoException =>
  Object.assign(new Error(message), { code });
const busy = (): NodeJS.ErrnoException => withCode(BUSY, 'Too many names are being looked up.');
const notFound = (): NodeJS.ErrnoException => withCode('ENOTFOUND', 'The name has no address.');
