import type { Attribute, AttributePath } from '@gw/scim';
import type { Column, Columns } from './scim-filter-sql';

const value = (sql: string): Column => ({ kind: 'value', sql });
const lowered = (sql: string): Column => ({ kind: 'value', sql, lowered: true });
const literal = (name: string): string => `'${name.replaceAll("'", "''")}'`;

const META: Readonly<Record<string, string>> = { created: 'created_at', lastModified: 'last_updated_at' };

function metaOf(entry: string, sub: Attribute | null): Column | null {
  const column = META[sub?.name ?? ''];
  return column === undefined ? null : value(`${entry}.${column}`);
}

/** A list whose elements are rows of a join. */
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

const OWN_USER_COLUMNS: Readonly<Record<string, Column>> = {
  id: value('entry.user_id::text'),
  externalId: value('entry.external_id'),
  userName: lowered('entry.user_name_key'),
  active: value('entry.active'),
  groups: GROUPS_OF_USER,
};

/** Attributes of users: columns of `scim_users entry`, else members of its JSON. */
export const USER_COLUMNS: Columns = (path) => {
  const { attribute, sub, extension } = path;
  if (attribute.name === 'meta') return metaOf('entry', sub);
  const own = extension === null ? OWN_USER_COLUMNS[attribute.name] : undefined;
  return own ?? jsonColumn(path);
};

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

/** Attributes of groups: columns of `scim_groups entry`. */
export const GROUP_COLUMNS: Columns = ({ attribute, sub }) =>
  attribute.name === 'meta' ? metaOf('entry', sub) : (GROUP_OWN[attribute.name] ?? null);

/** Columns by which users can be sorted, by path. */
export const USER_ORDERS: Readonly<Record<string, string>> = {
  userName: 'entry.user_name_key',
  displayName: `lower(entry.attributes ->> 'displayName')`,
  'meta.created': 'entry.created_at',
  'meta.lastModified': 'entry.last_updated_at',
};

/** Columns by which groups can be sorted, by path. */
export const GROUP_ORDERS: Readonly<Record<string, string>> = {
  displayName: 'entry.display_name_key',
  'meta.created': 'entry.created_at',
  'meta.lastModified': 'entry.last_updated_at',
};
