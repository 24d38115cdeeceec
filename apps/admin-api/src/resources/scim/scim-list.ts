import {
  fault,
  findPath,
  namesOf,
  PAGE_MAX,
  parseFilter,
  type Projection,
  type ResourceKind,
} from '@gw/scim';
import type { EntityManager } from 'typeorm';
import { conditionOf, type Columns, type Condition } from './scim-filter-sql';

/** Parameters of a list: from the query string, or the members of a `/.search` body. */
export type ListParameters = Readonly<Record<string, unknown>>;

export interface Page {
  readonly startIndex: number;
  readonly count: number;
}

export interface ScimList {
  readonly schemas: readonly string[];
  readonly totalResults: number;
  readonly startIndex: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly object[];
}

const INDEX_MAX = 2_147_483_647;

/**
 * Reads `startIndex` and `count`: a start below 1 counts as 1, a negative count as 0, and a count
 * above 200 as 200.
 */
export function pageOf(parameters: ListParameters): Page {
  const startIndex = Math.max(1, integerOf(parameters, 'startIndex') ?? 1);
  const count = Math.min(PAGE_MAX, Math.max(0, integerOf(parameters, 'count') ?? 100));
  return { startIndex, count };
}

function integerOf(parameters: ListParameters, name: string): number | null {
  const raw = parameters[name];
  if (raw === undefined || raw === '' || raw === null) return null;
  const number = /^[+-]?\d{1,10}$/.test(textOf(raw)) ? Number(raw) : NaN;
  if (Number.isNaN(number) || Math.abs(number) > INDEX_MAX) {
    throw fault('invalidValue', `${name} must be a whole number.`);
  }
  return number;
}

const textOf = (raw: unknown): string =>
  typeof raw === 'string' || typeof raw === 'number' ? String(raw) : '';

export function projectionOf(parameters: ListParameters): Projection {
  return { attributes: listed(parameters['attributes']), excluded: listed(parameters['excludedAttributes']) };
}

const listed = (raw: unknown): readonly string[] =>
  namesOf(Array.isArray(raw) ? raw.map(textOf).join(',') : textOf(raw));

/**
 * Describes how the resources of a kind are stored. `table` and `id` are SQL; rows of the table
 * have the alias `entry`.
 */
export interface StoredKind {
  readonly kind: ResourceKind;
  readonly table: string;
  readonly id: string;
  readonly columns: Columns;
  /** Sortable columns by attribute path. */
  readonly orders: Readonly<Record<string, string>>;
}

/**
 * Returns the ids on one page of an organisation's resources in their order, and the number of all
 * that match the filter.
 */
export async function listIds(
  manager: EntityManager,
  { table, id, ...stored }: StoredKind,
  organisationId: string,
  parameters: ListParameters,
): Promise<{ readonly page: Page; readonly total: number; readonly ids: readonly string[] }> {
  const page = pageOf(parameters);
  const condition = filterOf(stored.kind, stored.columns, parameters);
  const order = orderOf(stored.kind, stored.orders, `entry.${id}`, parameters);
  const where = `FROM ${table} entry WHERE entry.organisation_id = $1 AND (${condition.sql})`;
  const values = [organisationId, ...condition.values];
  const [{ total } = { total: 0 }] = await manager.query<{ total: number }[]>(
    `SELECT count(*)::int AS total ${where}`,
    values,
  );
  const rows = await manager.query<{ id: string }[]>(
    `SELECT entry.${id} AS id ${where} ORDER BY ${order} LIMIT ${String(page.count)} OFFSET ${String(page.startIndex - 1)}`,
    values,
  );
  return { page, total, ids: rows.map((row) => row.id) };
}

/**
 * Returns the SQL condition of the filter, whose parameters follow `$1` (the organisation); `true`
 * without a filter.
 */
function filterOf(kind: ResourceKind, columns: Columns, parameters: ListParameters): Condition {
  const text = textOf(parameters['filter']).trim();
  return text === '' ? { sql: 'true', values: [] } : conditionOf(parseFilter(kind, text), columns, 2);
}

/**
 * Returns the SQL order of a list. An attribute that cannot be sorted by means the order of
 * creation.
 */
function orderOf(
  kind: ResourceKind,
  orders: Readonly<Record<string, string>>,
  id: string,
  parameters: ListParameters,
): string {
  const path = findPath(kind, textOf(parameters['sortBy']));
  const name =
    path === null ? '' : [path.attribute.name, ...(path.sub === null ? [] : [path.sub.name])].join('.');
  const column = Object.hasOwn(orders, name) ? orders[name] : undefined;
  const direction = textOf(parameters['sortOrder']).toLowerCase() === 'descending' ? 'DESC' : 'ASC';
  return column === undefined ? `entry.created_at, ${id}` : `${column} ${direction} NULLS LAST, ${id}`;
}

export const listOf = (
  page: Pick<Page, 'startIndex'>,
  totalResults: number,
  resources: readonly object[],
): ScimList => ({
  schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
  totalResults,
  startIndex: page.startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});
