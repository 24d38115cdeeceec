import { isObject } from '@gw/kernel';
import { own, type JsonObject } from '@gw/mcp';
import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../platform/unit-of-work/audit-recorder';
import { mask } from '../../platform/unit-of-work/mask';
import { json, list, members, text } from './shapes';

/** Schema of a plan's changes. */
export const CHANGES = list(
  members({
    action: text('create, update, delete, …'),
    resource_type: text(),
    resource_id: text('Absent for what is created.'),
    members: list(
      members({
        path: text('In dots.'),
        before: json('Absent: it has no value.'),
        after: json('Absent: it has no value.'),
      }),
      'What differs.',
    ),
  }),
  'What would change.',
);

const MEMBERS_MAX = 100;
const LEVELS_MAX = 6;
/**
 * Members that change with every change, and members of a created row whose values differ when the
 * change is carried out.
 */
const OF_EVERY = new Set(['etag', 'last_updated_at', 'created_at', 'object']);
const OF_CREATED = new Set(['id', 'key', 'api_key']);

/**
 * Returns the changes that a dry run would have written, as differences between before and after.
 * Secrets are masked.
 */
export function changesOf(entries: readonly AuditEntry[]): readonly JsonObject[] {
  return entries.map(({ action, resourceType, resourceId, before, after }) => {
    const isNew = action === 'create';
    const isShown = (name: string): boolean => !OF_EVERY.has(name) && !(isNew && OF_CREATED.has(name));
    const all = [...differences(rootOf(before, isShown), rootOf(after, isShown), '', 0)];
    return {
      action,
      resource_type: resourceType,
      ...(isNew ? {} : { resource_id: resourceId }),
      members: all.slice(0, MEMBERS_MAX),
    };
  });
}

/** Returns the version of the row that is changed; null when it has none. */
export function versionOf([entry]: readonly AuditEntry[]): string | null {
  const etag = entry !== undefined && isObject(entry.before) ? own(entry.before, 'etag') : undefined;
  return typeof etag === 'string' ? etag : null;
}

function rootOf(view: unknown, isShown: (name: string) => boolean): JsonObject {
  const masked = mask(view ?? {});
  return isObject(masked) ? Object.fromEntries(Object.entries(masked).filter(([name]) => isShown(name))) : {};
}

function* differences(
  before: JsonObject,
  after: JsonObject,
  path: string,
  level: number,
): Generator<JsonObject> {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [from, to] = [own(before, name) ?? undefined, own(after, name) ?? undefined];
    if (isDeepStrictEqual(from, to)) continue;
    const at = path === '' ? name : `${path}.${name}`;
    if (isObject(from) && isObject(to) && level < LEVELS_MAX) yield* differences(from, to, at, level + 1);
    else yield { path: at, before: from, after: to };
  }
}
