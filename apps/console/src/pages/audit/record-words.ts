import { audit } from '../../messages';
import { getAt, isSame, leavesOf, nameOf, type Path } from '../../write/paths';
import type { AuditRecord } from './use-records';

export interface ChangedLeaf {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** Members that every write changes; they say nothing. */
const UNSHOWN = ['etag', 'last_updated_at', 'version', 'updated_by'];

/** Leaves of a record whose values differ; of a creation or deletion all of them. */
export function changesOf({ before, after }: Pick<AuditRecord, 'before' | 'after'>): readonly ChangedLeaf[] {
  const paths = new Map(
    [...leavesOf(before ?? {}), ...leavesOf(after ?? {})].map((path) => [JSON.stringify(path), path]),
  );
  return [...paths.values()]
    .filter(([member = '']) => !UNSHOWN.includes(member))
    .map((path) => ({ path, before: getAt(before, path), after: getAt(after, path) }))
    .filter((leaf) => !isSame(leaf.before, leaf.after));
}

/** Longest value within a sentence. */
const SHORT = 40;
/** Names of members within a sentence. */
const NAMED = 3;

export function valueWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return audit.nothing;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function nameOfThing({ before, after, resource_id }: AuditRecord): string | null {
  for (const member of ['name', 'email', 'slug', 'title'])
    for (const values of [after, before]) {
      const value = values?.[member];
      if (typeof value === 'string' && value !== '') return value;
    }
  return resource_id;
}

/** A record in words: `changed API key search-prod: credit limit from 2500 to 3000`. */
export function recordWords(record: AuditRecord): string {
  const { action, resource_type, before, after } = record;
  const words = audit.words(action, resource_type, nameOfThing(record));
  if (before === null || after === null) return words;
  const changes = changesOf(record);
  const [first, second] = changes;
  if (first === undefined) return words;
  if (second === undefined) {
    const [from, to] = [valueWords(first.before), valueWords(first.after)];
    if (from.length <= SHORT && to.length <= SHORT)
      return words + audit.from(audit.member(nameOf(first.path)), from, to);
  }
  const names = [...new Set(changes.map(({ path }) => audit.member(nameOf(path))))];
  const rest = names.length - NAMED;
  return words + audit.members(names.slice(0, NAMED)) + (rest > 0 ? audit.more(rest) : '');
}
