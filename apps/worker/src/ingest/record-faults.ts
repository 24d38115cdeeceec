import { ClickHouseRefusal } from '@gw/clickhouse';
import { sqlStateOf } from '@gw/entities';
import { QueryFailedError } from 'typeorm';

/**
 * SQLSTATE classes that never blame a record: connections, access, deadlocks, resources, operators
 * and the system. A cancelled statement and one that ran out of memory may be caused by a record.
 */
const OF_DATABASE = /^(?:08|25|28|3D|40|53(?!200)|55|57(?!014)|58|F0|XX00[12])/;

/**
 * Returns whether a failure concerns the whole database and would occur for every record: it is
 * down, full or busy.
 */
export function isOfDatabase(error: unknown): boolean {
  if (error instanceof ClickHouseRefusal || isOfCode(error)) return false;
  const state = sqlStateOf(error);
  return state === '' || OF_DATABASE.test(state) || isMissingPartition(error);
}

/**
 * Returns whether Postgres refuses the data: SQLSTATE classes 22 (data exception), 23 (integrity
 * constraint) and 54 (limit exceeded).
 */
export const isOfData = (error: unknown): boolean =>
  /^(?:22|23|54)/.test(sqlStateOf(error)) && !isMissingPartition(error);

export const isMissingPartition = (error: unknown): boolean =>
  sqlStateOf(error) === '23514' &&
  error instanceof Error &&
  error.message.includes('no partition of relation');

/**
 * Returns whether our own code threw while it wrote a record: a member has a wrong type, or is too
 * deep or too long.
 */
function isOfCode(error: unknown): boolean {
  // The driver serialises the values of a query, so its errors count as well.
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return cause instanceof TypeError || cause instanceof RangeError || cause instanceof SyntaxError;
}
