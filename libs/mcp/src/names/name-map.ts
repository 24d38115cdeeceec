import { createHash } from 'node:crypto';

/** A member of a toolset with its names in their order. */
export interface NameMember {
  /** Slug of the server; keeps members apart and is the prefix when `prefix` is undefined. */
  readonly server: string;
  /** An empty text means that the names have no prefix; one member of a toolset may choose that. */
  readonly prefix?: string;
  readonly names: readonly string[];
  /** Shown name by original name; replaces the whole name. */
  readonly aliases?: ReadonlyMap<string, string>;
}

/** The upstream's name of a tool or prompt, and the name that clients see. */
export interface MappedName {
  readonly shown: string;
  readonly server: string;
  readonly original: string;
}

export interface NameMapOptions {
  /** Longest shown name, 16 to 128 characters; 64 is the tightest bound of model APIs. */
  readonly nameMax?: number;
  /** Names that no member gets. */
  readonly reserved?: readonly string[];
}

/**
 * Names in the order of members and of their lists. Look names up in `byShown`; never split them.
 */
export interface NameMap {
  readonly names: readonly MappedName[];
  readonly byShown: ReadonlyMap<string, MappedName>;
}

const NAME_MAX_DEFAULT = 64;
const NAMES_TOTAL_MAX = 50_000;
const ATTEMPTS_MAX = 100;
const DIGEST_CHARACTERS = 6;
const OTHER_CHARACTERS = /[^A-Za-z0-9_.-]/g;

/** Thrown when two members of a toolset have no prefix. */
export class NamePrefixError extends Error {
  constructor() {
    super('Only one member of a toolset may have the empty prefix.');
    this.name = 'NamePrefixError';
  }
}

/**
 * Maps the names of all members to distinct names of `[A-Za-z0-9_.-]`, each `prefix__name` or its
 * alias. Other characters become `_`. A name that is too long, or equal to an earlier one, ends in
 * `_` and six hex digits of a digest, so that it is the same in every run. Throws
 * `NamePrefixError`. At most 50,000 names; more are left out.
 */
export function mapNames(members: readonly NameMember[], options: NameMapOptions = {}): NameMap {
  if (members.filter(({ prefix }) => prefix === '').length > 1) throw new NamePrefixError();
  const nameMax = nameMaxOf(options);
  const byShown = new Map<string, MappedName>();
  const taken = new Set(options.reserved);
  for (const member of members) {
    for (const original of new Set(member.names)) {
      if (byShown.size >= NAMES_TOTAL_MAX) break;
      const shown = freeName(member, original, nameMax, taken);
      if (shown === null) continue;
      taken.add(shown);
      byShown.set(shown, { shown, server: member.server, original });
    }
  }
  return { names: [...byShown.values()], byShown };
}

/**
 * Returns the names that cannot be shown as they are because an earlier or a reserved name is the
 * same. Saving a toolset refuses them (409). Each member must be another server.
 */
export function nameCollisions(
  members: readonly NameMember[],
  options: NameMapOptions = {},
): readonly MappedName[] {
  const nameMax = nameMaxOf(options);
  const byServer = new Map(members.map((member) => [member.server, member]));
  return mapNames(members, options).names.filter(({ shown, server, original }) => {
    const member = byServer.get(server);
    if (member === undefined) return false;
    const plain = plainName(member, original);
    return plain.length <= nameMax && plain !== shown;
  });
}

const nameMaxOf = ({ nameMax = NAME_MAX_DEFAULT }: NameMapOptions): number =>
  Math.min(128, Math.max(16, nameMax));

function plainName({ server, prefix = server, aliases }: NameMember, original: string): string {
  const alias = aliases?.get(original);
  const name = alias ?? (prefix === '' ? original : `${prefix}__${original}`);
  const cleaned = name.slice(0, 1_024).replace(OTHER_CHARACTERS, '_');
  return cleaned === '' ? '_' : cleaned;
}

/** Returns the first free name of a member's tool; null when all candidates are in use. */
function freeName(
  member: NameMember,
  original: string,
  nameMax: number,
  taken: ReadonlySet<string>,
): string | null {
  const plain = plainName(member, original);
  if (plain.length <= nameMax && !taken.has(plain)) return plain;
  const head = plain.slice(0, nameMax - DIGEST_CHARACTERS - 1);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const digest = createHash('sha256')
      .update(JSON.stringify([member.server, original, attempt]))
      .digest('hex')
      .slice(0, DIGEST_CHARACTERS);
    const name = `${head}_${digest}`;
    if (!taken.has(name)) return name;
  }
  return null;
}
