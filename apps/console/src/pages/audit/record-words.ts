import { audit } from '../../messages';
import { getAt, isSame, leavesOf, nameOf, type Path } from '../../write/paths';
import { amountWords } from '../fields/limit-words';
import type { AuditRecord } from './use-records';

export interface ChangedLeaf {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

/** Members that every write changes and that are therefore not shown. */
const UNSHOWN = ['etag', 'last_updated_at', 'version', 'updated_by'];

/**
 * Returns the members of a record whose values differ before and after, without `UNSHOWN`. After a
 * creation or deletion these are all members with a value.
 */
export function changesOf({ before, after }: Pick<AuditRecord, 'before' | 'after'>): readonly ChangedLeaf[] {
  const paths = new Map(
    [...leavesOf(before ?? {}), ...leavesOf(after ?? {})].map((path) => [JSON.stringify(path), path]),
  );
  return [...paths.values()]
    .filter(([member = '']) => !UNSHOWN.includes(member))
    .map((path) => ({ path, before: getAt(before, path), after: getAt(after, path) }))
    .filter((leaf) => !isSame(leaf.before, leaf.after));
}

/** Maximum length of a value within a sentence. */
const SHORT = 40;
/** Maximum number of members that a sentence names. */
const NAMED = 3;

export function valueWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return audit.nothing;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function nameOfThing({ before, after, resource_id, user_id }: AuditRecord): string | null {
  for (const member of ['name', 'email', 'slug', 'title'])
    for (const values of [after, before]) {
      const value = values?.[member];
      if (typeof value === 'string' && value !== '') return value;
    }
  // The resource of a sign-in is the actor itself.
  return resource_id === user_id ? null : resource_id;
}

const BUDGET = 'usage_limits.credit_limit';

/**
 * Describes a changed budget: `raised the budget of search-prod from $2,500.00 to $3,000.00`. Null
 * for other changes.
 */
function budgetWords(record: AuditRecord, changes: readonly ChangedLeaf[]): string | null {
  const [change, ...others] = changes;
  if (change === undefined || others.length > 0 || nameOf(change.path) !== BUDGET) return null;
  const { before: from, after: to } = change;
  if (typeof from !== 'number' || typeof to !== 'number') return null;
  const type = getAt(record.after, ['usage_limits', 'type']);
  const [before, after] = [from, to].map((amount) =>
    amountWords(typeof type === 'string' ? type : undefined, amount),
  );
  return audit.budget(to > from, nameOfThing(record) ?? '', before ?? '', after ?? '');
}

/**
 * Describes a record: `changed API key search-prod: credit limit from 2500 to 3000`. The words of an
 * attempt without effect say so.
 */
export const recordWords = (record: AuditRecord): string =>
  audit.ended(wordsOf(record), record.response_status_code);

function wordsOf(record: AuditRecord): string {
  const { action, resource_type, before, after } = record;
  const words = audit.words(action, resource_type, nameOfThing(record));
  if (before === null || after === null) return words;
  const changes = changesOf(record);
  const budget = budgetWords(record, changes);
  if (budget !== null) return budget;
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
