import type { Bind, SqlDialect } from '@gw/analytics';

const CASTS = {
  text: 'text',
  texts: 'text[]',
  uuid: 'uuid',
  uuids: 'uuid[]',
  number: 'numeric',
  numbers: 'integer[]',
  floats: 'double precision[]',
  json: 'jsonb',
} as const;

/** How Postgres writes the SQL fragments that differ between Postgres and ClickHouse. */
export const POSTGRES: SqlDialect = {
  // Sorts texts by their bytes, whatever the collation of the database is.
  text: (expression) => `coalesce(${expression}::text, '') COLLATE "C"`,
  metadataText: (name) => `coalesce(metadata->>${name}, '') COLLATE "C"`,
  hasMetadata: (name) => `metadata ? ${name}`,
  anyOf: (column, _type, bound) => `${column} = ANY(${bound})`,
  metadataMatches: (metadata, bind) => `metadata @> ${bind(JSON.stringify(metadata), 'json')}`,
  bucketNumber: (size, offset) => `floor((first_ms + ${offset}) / ${size})::integer`,
  float: (expression) => `(${expression})::double precision`,
  distinctUsers: `count(DISTINCT metadata->>'_user')`,
  // `OFFSET 0` keeps the planner from computing the keys again for each of the hundred counts of a
  // row.
  histogram: (keys) =>
    `(SELECT ${[...keys, 'latency_buckets', 'latency_counts'].join(', ')} FROM facts OFFSET 0) AS keyed
       CROSS JOIN LATERAL unnest(latency_buckets, latency_counts) AS counts (latency_bucket, latency_count)`,
};

/**
 * Returns a function that appends a value to `parameters` and returns its typed placeholder, such
 * as `$3::uuid`.
 */
export const binder =
  (parameters: unknown[]): Bind =>
  (value, type) =>
    `$${String(parameters.push(value))}::${CASTS[type]}`;
