import { GROUP_KIND, USER_KIND, type Attribute, type AttributePath } from '@gw/scim';
import type { Column } from './scim-filter-sql';
import type { StoredKind } from './scim-list';

const value = (sql: string): Column => ({ kind: 'value', sql });
const lowered = (sql: string): Column => ({ kind: 'value', sql, lowered: true });
const literal = (name: string): string => `'${name.replaceAll("'", "''")}'`;

const META: Readonly<Record<string, string>> = { created: 'created_at', lastModified: 'last_updated_at' };

function metaOf(entry: string, sub: Attribute | null): Column | null {
  const column = META[sub?.name ?? ''];
  return column === undefined ? null : value(`${entry}.${column}`);
}

/** Returns the column of a list whose elements are rows of a join. */
const joined = (from: string, columns: Readonly<Record<string, string>>): Column => ({
  kind: 'list',
  from,
  value: ({ name }) => columns[name] ?? null,
});

const GROUPS_OF_USER = joined(
  `scim_group_members member JOIN scim_groups of_user
     ON of_user.id = member.group_id AND member.user_id = entry.user_id AND of_user.organisation_id = entry.organisation_id`,
  { value: 'of_user.id::text', display: 'of_user.display_name' },
);

/** A user whom an administrator has removed from the organisation is inactive. */
const ACTIVE = `(entry.active AND EXISTS (SELECT 1 FROM organisation_users seat
     WHERE seat.organisation_id = entry.organisation_id AND seat.user_id = entry.user_id AND seat.status = 'active'))`;

const OWN_USER_COLUMNS: Readonly<Record<string, Column>> = {
  id: value('entry.user_id::text'),
  externalId: value('entry.external_id'),
  userName: lowered('entry.user_name_key'),
  active: value(ACTIVE),
  groups: GROUPS_OF_USER,
};

/**
 * Returns the column of a user attribute: a column of `scim_users entry`, else a member of its
 * JSON; null for an unknown attribute.
 */
function userColumn(path: AttributePath): Column | null {
  const { attribute, sub, extension } = path;
  if (attribute.name === 'meta') return metaOf('entry', sub);
  const own = extension === null ? OWN_USER_COLUMNS[attribute.name] : undefined;
  return own ?? jsonColumn(path);
}

function jsonColumn({ attribute, sub, extension }: AttributePath): Column | null {
  if (attribute.name === 'schemas') return null;
  const holder = extension === null ? 'entry.attributes' : `(entry.attributes -> ${literal(extension)})`;
  if (attribute.multiValued === true) {
    return {
      kind: 'list',
      from: `jsonb_array_elements(coalesce(${holder} -> ${literal(attribute.name)}, '[]')) element`,
      value: ({ name }) => `element ->> ${literal(name)}`,
    };
  }
  if (sub === null) return value(`(${holder} ->> ${literal(attribute.name)})`);
  return value(`(${holder} -> ${literal(attribute.name)} ->> ${literal(sub.name)})`);
}

const GROUP_OWN: Readonly<Record<string, Column>> = {
  id: value('entry.id::text'),
  externalId: value('entry.external_id'),
  displayName: lowered('entry.display_name_key'),
  members: joined(
    'scim_group_members member JOIN users person ON person.id = member.user_id AND member.group_id = entry.id',
    {
      value: 'member.user_id::text',
      display: 'person.email',
    },
  ),
};

export const STORED_USERS: StoredKind = {
  kind: USER_KIND,
  table: 'scim_users',
  id: 'user_id',
  columns: userColumn,
  orders: {
    userName: 'entry.user_name_key',
    displayName: `lower(entry.attributes ->> 'displayName')`,
    'meta.created': 'entry.created_at',
    'meta.lastModified': 'entry.last_updated_at',
  },
};

export const STORED_GROUPS: StoredKind = {
  kind: GROUP_KIND,
  table: 'scim_groups',
  id: 'id',
  columns: ({ attribute, sub }) =>
    attribute.name === 'meta' ? metaOf('entry', sub) : (GROUP_OWN[attribute.name] ?? null),
  orders: {
    displayName: 'entry.display_name_key',
    'meta.created': 'entry.created_at',
    'meta.lastModified': 'entry.last_updated_at',
  },
};
