/** Ids of the columns of the list, in order. They are part of links, so they must not change. */
export const LOG_COLUMN_IDS = [
  'time',
  'status',
  'model',
  'key',
  'happened',
  'took',
  'cost',
  'route',
  'tokens',
  'first_byte',
  'config',
  'target',
  'retries',
  'cache',
  'user',
  'metadata',
  'trace',
  'gateway',
  'bytes',
  'id',
] as const;

export type LogColumnId = (typeof LOG_COLUMN_IDS)[number];
