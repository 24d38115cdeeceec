import type { Json } from './api-client';
import { isFields, isNothing, tidy } from './values';
import { nearestName } from '@gw/kernel';

/** One member of a file's items. Export, comparison, validation and writes all use it. */
export interface Member {
  /** Name in API bodies, if it differs. */
  readonly api?: string;
  /** Default that the server assumes for a missing member; it may depend on other members. */
  readonly fallback?: unknown;
  /** Converts a value to the form that the server stores. */
  readonly normal?: (value: unknown) => unknown;
  /**
   * Members of the object, or of each object in the list. Absent: only the server checks the value.
   */
  readonly members?: Members;
  /** A map with names chosen in the file, whose values have `members`. */
  readonly isMap?: boolean;
  /** Reads `{ env: NAME }` as a secret, where the member has secrets. Absent: it has none. */
  readonly secrets?: (value: unknown) => unknown;
  /** User-defined content, in which empty lists, empty objects and nulls are significant. */
  readonly isContent?: boolean;
  /** An empty list differs from a missing one. */
  readonly keepsEmpty?: boolean;
  /** The server chooses a missing value, so a missing one is not compared. */
  readonly isChosen?: boolean;
  /** True: the server can compute the value, so it is written but neither exported nor compared. */
  readonly isComputed?: (fields: Json) => boolean;
}

export type Members = Readonly<Record<string, Member>>;

/** Declares members that have only a name. */
export const plain = <N extends string>(...names: readonly N[]): Record<N, Member> =>
  Object.fromEntries(names.map((name) => [name, {}])) as Record<N, Member>;

/** A default that depends on other members. */
export type Fallback = (fields: Json) => unknown;

const fallbackOf = ({ fallback }: Member, fields: Json): unknown =>
  typeof fallback === 'function' ? (fallback as Fallback)(fields) : fallback;

/**
 * Returns the fields as they are written: in the server's form, with defaults, without empty
 * values.
 */
export const written = (members: Members, fields: Json): Json => inForm(members, fields, false);

/**
 * Returns the fields as they are exported and compared: like `written`, without what the server
 * computes.
 */
export const comparable = (members: Members, fields: Json): Json => inForm(members, fields, true);

function inForm(members: Members, fields: Json, forComparison: boolean): Json {
  const form = (value: unknown, inner: Members): unknown =>
    isFields(value) ? inForm(inner, value, forComparison) : value;
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => {
      const given = fields[name] ?? fallbackOf(member, fields);
      if (given === undefined || given === null) return [];
      if (forComparison && member.isComputed?.(fields) === true) return [];
      const read = member.secrets ? member.secrets(given) : given;
      const normal = member.normal ? member.normal(read) : read;
      const value = memberForm(member, normal, form);
      return isNothing(value) && !(member.keepsEmpty === true && Array.isArray(value)) ? [] : [[name, value]];
    }),
  );
}

function memberForm(
  { members, isMap, isContent }: Member,
  value: unknown,
  form: (value: unknown, inner: Members) => unknown,
): unknown {
  if (isContent === true) return value;
  if (!members) return tidy(value);
  if (Array.isArray(value)) return value.map((item) => form(item, members));
  if (isMap !== true || !isFields(value)) return form(value, members);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, form(item, members)]));
}

export interface UnknownMember {
  /** Path of the member: `settings.debug_lgo`, `usage_limits.0.limit`. */
  readonly path: string;
  /** The most similar known name. */
  readonly meant: string | undefined;
}

/** Finds members of an item that the declaration does not have. */
export function unknownMembers(members: Members, value: unknown, at = ''): UnknownMember[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => unknownMembers(members, item, `${at}${String(index)}.`));
  }
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const member = Object.hasOwn(members, name) ? members[name] : undefined;
    if (!member)
      return [{ path: `${at}${name}`, meant: nearestName(name, Object.keys(members)) ?? undefined }];
    if (!member.members) return [];
    if (member.isMap !== true) return unknownMembers(member.members, inner, `${at}${name}.`);
    const of = member.members;
    return Object.entries(isFields(inner) ? inner : {}).flatMap(([key, item]) =>
      unknownMembers(of, item, `${at}${name}.${key}.`),
    );
  });
}

/** Formats a time as the server shows it; the server refuses invalid times. */
export function isoTime(value: unknown): unknown {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** Returns midnight (UTC) at the start of a time's day. */
export function midnight(value: unknown): unknown {
  const iso = isoTime(value);
  return typeof iso === 'string' && /^\d{4}-\d\d-\d\dT/.test(iso) ? `${iso.slice(0, 10)}T00:00:00.000Z` : iso;
}

export const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).sort() : value);
