import type { Json } from './api-client';
import { isFields, isNothing, tidy } from './values';
import { nearestName } from '@gw/kernel';

/** One member of an item of a file. Export, comparison, the refusal of unknown members and the writes all read it. */
export interface Member {
  /** Its name in the bodies of the API, where that is another one. */
  readonly api?: string;
  /** The value that the server assumes when a file leaves the member out; it may depend on its neighbours. */
  readonly fallback?: unknown;
  /** The form in which the server keeps a value. */
  readonly normal?: (value: unknown) => unknown;
  /** Members of the object, or of each object of the list. Absent: the value is checked by the server alone. */
  readonly members?: Members;
  /** A map by names that the file chooses, whose values have `members`. */
  readonly isMap?: boolean;
  /** Content of somebody's own: empty lists, empty objects and nulls inside it mean something. */
  readonly isContent?: boolean;
  /** An empty list is a value, and not the same as none. */
  readonly keepsEmpty?: boolean;
  /** True: the server computes the value by itself, so it is written, but neither exported nor compared. */
  readonly isComputed?: (fields: Json) => boolean;
}

export type Members = Readonly<Record<string, Member>>;

/** Declares members that need no more than their name. */
export const plain = <N extends string>(...names: readonly N[]): Record<N, Member> =>
  Object.fromEntries(names.map((name) => [name, {}])) as Record<N, Member>;

/** A fallback that depends on the other members. */
export type Fallback = (fields: Json) => unknown;

const fallbackOf = ({ fallback }: Member, fields: Json): unknown =>
  typeof fallback === 'function' ? (fallback as Fallback)(fields) : fallback;

/** The fields as they are written: in the server's form, with the defaults, without what says nothing. */
export const written = (members: Members, fields: Json): Json => inForm(members, fields, false);

/** The fields as they are exported and compared: as `written`, without what the server computes. */
export const comparable = (members: Members, fields: Json): Json => inForm(members, fields, true);

function inForm(members: Members, fields: Json, forComparison: boolean): Json {
  const form = (value: unknown, inner: Members): unknown =>
    isFields(value) ? inForm(inner, value, forComparison) : value;
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => {
      const given = fields[name] ?? fallbackOf(member, fields);
      if (given === undefined || given === null) return [];
      if (forComparison && member.isComputed?.(fields) === true) return [];
      const normal = member.normal ? member.normal(given) : given;
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
  /** Where it is: `settings.debug_lgo`, `usage_limits.0.limit`. */
  readonly path: string;
  /** The known name that it most resembles. */
  readonly meant: string | undefined;
}

/** Members of an item that the declaration does not have. */
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

/** A time as the server shows it; what is no time is left to the server to refuse. */
export function isoTime(value: unknown): unknown {
  const time = new Date(String(value));
  return Number.isNaN(time.getTime()) ? value : time.toISOString();
}

/** The midnight (UTC) that begins the day of a time. */
export function midnight(value: unknown): unknown {
  const iso = isoTime(value);
  return typeof iso === 'string' && /^\d{4}-\d\d-\d\dT/.test(iso) ? `${iso.slice(0, 10)}T00:00:00.000Z` : iso;
}

export const sorted = (value: unknown): unknown => (Array.isArray(value) ? value.map(String).sort() : value);
