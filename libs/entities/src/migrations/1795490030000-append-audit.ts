import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Appends rows to an organisation's chain in one round trip, so that its writers wait for one another as shortly as can be. `entries`: the
 * columns of each row but for the chain's own; `contents`: what is hashed of each.
 */
const APPEND = `CREATE FUNCTION append_audit(organisation uuid, entries jsonb, contents text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  head audit_chains;
  entry audit_logs;
BEGIN
  LOOP
    SELECT * INTO head FROM audit_chains WHERE organisation_id = organisation FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO audit_chains (organisation_id, sequence, hash) VALUES (organisation, 0, repeat('0', 64)) ON CONFLICT DO NOTHING;
  END LOOP;
  FOR at IN 1 .. cardinality(contents) LOOP
    entry := jsonb_populate_record(NULL::audit_logs, entries -> (at - 1));
    head.sequence := head.sequence + 1;
    entry.sequence := head.sequence;
    entry.previous_hash := head.hash;
    head.hash := encode(sha256(convert_to(head.hash || chr(10) || head.sequence || chr(10) || contents[at], 'UTF8')), 'hex');
    entry.hash := head.hash;
    INSERT INTO audit_logs VALUES (entry.*);
  END LOOP;
  UPDATE audit_chains SET sequence = head.sequence, hash = head.hash WHERE organisation_id = organisation;
END $$`;

export class AppendAudit1795490030000 implements MigrationInterface {
  readonly name = 'AppendAudit1795490030000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(APPEND);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION append_audit');
  }
}
