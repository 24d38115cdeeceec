import type { ScimGroupEntity, ScimUserEntity } from '@gw/entities';
import { GROUP_KIND, ScimError, USER_KIND, type ScimDocument } from '@gw/scim';

/** Reference to a group or user in the other kind of resource. */
export interface Reference {
  readonly value: string;
  readonly display: string;
}

const COLUMNS: ReadonlySet<string> = new Set(['userName', 'externalId', 'active']);

/** Returns the attributes that are stored as JSON. */
export const attributesOf = (document: ScimDocument): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !COLUMNS.has(name)));

/** Returns the attributes that an identity provider can write. */
export const writtenDocument = ({
  userName,
  externalId,
  active,
  attributes,
}: ScimUserEntity): ScimDocument => ({
  ...(attributes as ScimDocument),
  userName,
  active,
  ...(externalId === null ? {} : { externalId }),
});

interface Meta {
  readonly version: number;
  readonly createdAt: Date;
  readonly lastUpdatedAt: Date;
}

/** Returns the weak ETag of a resource. */
export const scimTag = ({ version }: Pick<Meta, 'version'>): string => `W/"${String(version)}"`;

/** Whether a header such as `If-Match` is `*` or contains the ETag. */
export function containsTag(header: string, tag: string): boolean {
  const strip = (each: string): string => each.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').map(strip).includes(strip(tag));
}

/** Throws 412 unless `If-Match` is absent, `*` or contains the version. */
export function assertTagMatches(ifMatch: string | undefined, row: { readonly version: number }): void {
  if (ifMatch === undefined || containsTag(ifMatch, scimTag(row))) return;
  throw new ScimError(412, 'The resource has changed; read it again.');
}

/** Result of a write: the resource, and whether it was created. */
export interface Written {
  readonly created: boolean;
  readonly id: string;
  readonly version: string;
  readonly document: ScimDocument;
}

const metaOf = (resourceType: string, row: Meta, location: string): object => ({
  resourceType,
  created: row.createdAt.toISOString(),
  lastModified: row.lastUpdatedAt.toISOString(),
  location,
  version: scimTag(row),
});

export function userDocument(base: string, row: ScimUserEntity, groups: readonly Reference[]): ScimDocument {
  const { schema, extension } = USER_KIND;
  const document = writtenDocument(row);
  const isExtended = extension !== null && document[extension.id] !== undefined;
  return {
    schemas: [schema.id, ...(isExtended ? [extension.id] : [])],
    id: row.userId,
    ...document,
    groups: groups.map(({ value, display }) => ({ value, display, $ref: `${base}/Groups/${value}` })),
    meta: metaOf('User', row, `${base}/Users/${row.userId}`),
  } as unknown as ScimDocument;
}

export const groupDocument = (
  base: string,
  row: ScimGroupEntity,
  members: readonly Reference[],
): ScimDocument =>
  ({
    schemas: [GROUP_KIND.schema.id],
    id: row.id,
    ...(row.externalId === null ? {} : { externalId: row.externalId }),
    displayName: row.displayName,
    members: members.map(({ value, display }) => ({
      value,
      display,
      $ref: `${base}/Users/${value}`,
      type: 'User',
    })),
    meta: metaOf('Group', row, `${base}/Groups/${row.id}`),
  }) as unknown as ScimDocument;
