import { readFileSync, statSync } from 'node:fs';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';

/** How often a file is checked for changes. */
const CHECK_INTERVAL_MS = 5_000;
const SEARCH_MAX = 6;

/** A system file that is parsed again when it changes. A missing file counts as empty. */
class WatchedFile<Content> {
  private content: Content;
  private changedAt = -1;
  private nextCheckAt = -Infinity;

  constructor(
    private readonly path: string,
    private readonly parse: (text: string) => Content,
    private readonly now: () => number,
  ) {
    this.content = parse('');
  }

  read(): Content {
    const now = this.now();
    if (now < this.nextCheckAt) return this.content;
    this.nextCheckAt = now + CHECK_INTERVAL_MS;
    const changedAt = statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAt !== this.changedAt) {
      this.changedAt = changedAt;
      this.content = this.parse(changedAt === 0 ? '' : readFileSync(this.path, 'utf8'));
    }
    return this.content;
  }
}

export interface SearchList {
  readonly domains: readonly string[];
  /** A name with fewer dots may be relative to a domain of the list. */
  readonly dots: number;
}

/**
 * Reads `/etc/hosts` and `/etc/resolv.conf`, which the system's resolver uses but a query to a name
 * server does not.
 */
export class NameFiles {
  private readonly hosts: WatchedFile<ReadonlyMap<string, readonly LookupAddress[]>>;
  private readonly search: WatchedFile<SearchList>;

  constructor(hostsPath: string, resolvPath: string, now: () => number) {
    this.hosts = new WatchedFile(hostsPath, parseHosts, now);
    this.search = new WatchedFile(resolvPath, parseSearch, now);
  }

  addressesOf(name: string): readonly LookupAddress[] | undefined {
    return this.hosts.read().get(name);
  }

  searchList(): SearchList {
    return this.search.read();
  }
}

function parseHosts(text: string): ReadonlyMap<string, readonly LookupAddress[]> {
  const hosts = new Map<string, LookupAddress[]>();
  for (const [address = '', ...names] of linesOf(text)) {
    const family = isIP(address);
    if (family === 0) continue;
    for (const name of names) {
      const known = hosts.get(name.toLowerCase());
      if (known) known.push({ address, family });
      else hosts.set(name.toLowerCase(), [{ address, family }]);
    }
  }
  return hosts;
}

function parseSearch(text: string): SearchList {
  let domains: readonly string[] = [];
  let dots = 1;
  for (const [key, ...values] of linesOf(text)) {
    if (key === 'search' || key === 'domain') domains = values.slice(0, SEARCH_MAX);
    if (key !== 'options') continue;
    for (const value of values) if (value.startsWith('ndots:')) dots = Number(value.slice(6)) || 0;
  }
  return { domains: domains.map((domain) => domain.replace(/\.$/, '').toLowerCase()), dots };
}

/** Returns the words of each line, without comments. */
const linesOf = (text: string): string[][] =>
  text.split('\n').map((line) => {
    const [content = ''] = line.split(/[#;]/, 1);
    return content.trim().split(/\s+/);
  });
