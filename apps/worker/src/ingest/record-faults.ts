import { ClickHouseRefusal } from '@gw/clickhouse';
import { sqlStateOf } from '@gw/entities';
import { QueryFailedError } from 'typeorm';

/**
 * Classes of SQLSTATE that say nothing of records: connections, access, deadlocks, resources, operators and the system. A statement that
 * was cancelled for its time, and one that took too much memory, may be those of one record.
 */
const OF_DATABASE = /^(?:08|25|28|3D|40|53(?!200)|55|57(?!014)|58|F0|XX00[12])/;

/** Whether a failure is one of the database as a whole, which every record would meet: it is away, full, or busy. */
export function isOfDatabase(error: unknown): boolean {
  if (error instanceof ClickHouseRefusal || isOfCode(error)) return false;
  const state = sqlStateOf(error);
  return state === '' || OF_DATABASE.test(state) || isMissingPartition(error);
}

/** Whether Postgres refuses the data: classes 22 (data exception), 23 (integrity constraint) and 54 (one of its limits). */
export const isOfData = (error: unknown): boolean =>
  /^(?:22|23|54)/.test(sqlStateOf(error)) && !isMissingPartition(error);

export const isMissingPartition = (error: unknown): boolean =>
  sqlStateOf(error) === '23514' &&
  error instanceof Error &&
  error.message.includes('no partition of relation');

/** An exception of code that writes a record: a member of another type, or one that is too deep or too long for a step. */
function isOfCode(error: unknown): boolean {
  // The driver writes the values of a query, too.
  const own: unknown = error instanceof QueryFailedError ? error.driverError : error;
  return own instanceof TypeError || own instanceof RangeError || own instanceof SyntaxError;
}
