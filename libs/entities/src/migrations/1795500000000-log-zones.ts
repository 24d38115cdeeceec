import type { MigrationInterface, QueryRunner } from 'typeorm';

const RANGES = [
  'status',
  'cost',
  'total_tokens',
  'input_tokens',
  'output_tokens',
  'duration_ms',
  'first_byte_ms',
  'overhead_ms',
  'retries',
];

/** Changes in place stay on their page, as long as there is room. */
const ZONES = `CREATE TABLE log_zones (
  owner_id uuid NOT NULL,
  start timestamptz NOT NULL,
  minutes smallint NOT NULL CONSTRAINT log_zones_minutes_ck CHECK (minutes IN (5, 1440)),
  ${RANGES.map((name) => `${name}_low real, ${name}_high real`).join(',\n  ')},
  terms bit(2688) NOT NULL,
  CONSTRAINT log_zones_pk PRIMARY KEY (owner_id, minutes, start)
) WITH (fillfactor = 85)`;

const UNZONED = `CREATE TABLE unzoned_log_days (
  start timestamptz CONSTRAINT unzoned_log_days_pk PRIMARY KEY,
  known_at timestamptz NOT NULL DEFAULT now()
)`;

/** Days that have logs already, today and those ahead included, which a worker of the former release may still write to. */
const OLD_DAYS = `INSERT INTO unzoned_log_days (start)
  SELECT to_date(right(relname, 8), 'YYYYMMDD')::timestamp AT TIME ZONE 'UTC' FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
  WHERE inhparent = 'request_logs'::regclass`;

/**
 * What logs there are in a stretch of time, so that a filter which none of them matches need not read them; and indexes of the texts that each log
 * has for itself.
 */
export class LogZones1795500000000 implements MigrationInterface {
  readonly name = 'LogZones1795500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ZONES);
    await runner.query(UNZONED);
    await runner.query(OLD_DAYS);
    await runner.query(
      'CREATE INDEX request_logs_span_ix ON request_logs (span_id) WHERE span_id IS NOT NULL',
    );
    await runner.query(
      'CREATE INDEX request_logs_parent_span_ix ON request_logs (parent_span_id) WHERE parent_span_id IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX request_logs_parent_span_ix, request_logs_span_ix');
    await runner.query('DROP TABLE unzoned_log_days');
    await runner.query('DROP TABLE log_zones');
  }
}
