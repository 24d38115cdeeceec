import { RESULT_RULES } from '@gw/kernel';

const listed = (values: readonly string[]): string => values.map((value) => `'${value}'`).join(', ');
const { success, error } = RESULT_RULES;
const statuses = success.statuses.map(([from, to]) => `status BETWEEN ${String(from)} AND ${String(to)}`);

/**
 * SQL conditions on the columns `outcome` and `status` that correspond to `resultOf` of
 * `@gw/contracts`. They are valid in Postgres and ClickHouse.
 */
export const RESULT_SQL = {
  success: `(outcome IN (${listed(success.outcomes)}) AND (${statuses.join(' OR ')}))`,
  error: `(outcome NOT IN (${listed(error.exceptOutcomes)}) OR status >= ${String(error.statusMin)})`,
} as const;
