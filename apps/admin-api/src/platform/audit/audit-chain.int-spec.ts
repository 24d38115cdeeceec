import { AuditLogEntity, type AuditVerification } from '@gw/entities';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface Verification {
  readonly valid: boolean;
  readonly checked: number;
  readonly broken_at: number | null;
  readonly next_sequence: number | null;
  readonly head: AuditVerification['head'];
}

describe('audit chain', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  beforeEach(async () => {
    ours = await admin.tenant();
  });

  const write = (name: string): Promise<{ status: number }> =>
    admin.post('/v1/workspaces', { key: ours.adminKey, body: { name } });
  const verify = async (query = ''): Promise<Verification> =>
    (await admin.get<Verification>(`/v1/audit-logs/verify${query}`, { key: ours.adminKey })).body;

  /**
   * Changes rows as a holder of the table owner's rights could: with the append-only trigger
   * disabled.
   */
  async function tamper(sql: string): Promise<void> {
    await admin.dataSource.query('ALTER TABLE audit_logs DISABLE TRIGGER USER');
    try {
      await admin.dataSource.query(sql, [ours.organisationId]);
    } finally {
      await admin.dataSource.query('ALTER TABLE audit_logs ENABLE TRIGGER USER');
    }
  }

  it('links every change and every refused attempt without gaps, even with concurrent writers', async () => {
    expect(await verify()).toMatchObject({ valid: true, checked: 0, head: { sequence: 0 } });
    await Promise.all(Array.from({ length: 12 }, (_, index) => write(`w${String(index)}`)));
    expect((await admin.get('/v1/audit-logs', { key: ours.key })).status).toBe(403);
    expect(await verify()).toMatchObject({
      valid: true,
      checked: 13,
      broken_at: null,
      head: { sequence: 13 },
    });
    const rows = await admin.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId: ours.organisationId },
      order: { sequence: 'ASC' },
    });
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(rows.map((_, index) => index + 1));
    expect(rows.slice(1).map(({ previousHash }) => previousHash)).toEqual(
      rows.slice(0, -1).map(({ hash }) => hash),
    );
  });

  it('can be verified in parts', async () => {
    for (const name of ['a', 'b', 'c']) await write(name);
    expect(await verify('?limit=2')).toMatchObject({ valid: true, checked: 2, next_sequence: 3 });
    expect(await verify('?from_sequence=3')).toMatchObject({ valid: true, checked: 1, next_sequence: null });
    expect(await verify('?from_sequence=9')).toMatchObject({ valid: true, checked: 0 });
  });

  it.each([
    ['changed', `UPDATE audit_logs SET action = 'read' WHERE organisation_id = $1 AND sequence = 2`, 2],
    [
      'changed inside its content',
      `UPDATE audit_logs SET after = after || '{"name":"x"}' WHERE organisation_id = $1 AND sequence = 2`,
      2,
    ],
    ['taken out', 'DELETE FROM audit_logs WHERE organisation_id = $1 AND sequence = 2', 2],
    ['cut off at the end', 'DELETE FROM audit_logs WHERE organisation_id = $1 AND sequence = 3', 3],
    [
      'moved',
      `UPDATE audit_logs SET sequence = CASE sequence WHEN 1 THEN -1 ELSE 1 END
       WHERE organisation_id = $1 AND sequence = 1`,
      1,
    ],
  ])('detects a record that was %s', async (_case, sql, at) => {
    for (const name of ['a', 'b', 'c']) await write(name);
    await tamper(sql);
    expect(await verify()).toMatchObject({ valid: false, broken_at: at });
  });

  it('is append-only: the database rejects UPDATE, DELETE and TRUNCATE', async () => {
    await write('a');
    for (const sql of [
      `UPDATE audit_logs SET action = 'x'`,
      'DELETE FROM audit_logs',
      'TRUNCATE audit_logs',
    ]) {
      await expect(admin.dataSource.query(sql)).rejects.toThrow('append-only');
    }
  });

  it('contains no record of a change that was rolled back', async () => {
    await write('a');
    const other = await admin.tenant();
    const response = await admin.put(`/v1/workspaces/${ours.workspaceId}`, {
      key: ours.adminKey,
      body: { name: 'b' },
      headers: { 'if-match': '"stale"' },
    });
    expect(response.status).toBe(412);
    // The refused attempt itself is recorded; the chain continues from the last committed record.
    expect(await verify()).toMatchObject({ valid: true, checked: 2 });
    const { body } = await admin.get<Verification>('/v1/audit-logs/verify', { key: other.adminKey });
    expect(body).toMatchObject({ valid: true, checked: 0 });
  });

  it('cannot be verified with a workspace key, because the chain belongs to the organisation', async () => {
    expect((await admin.get('/v1/audit-logs/verify', { key: ours.key })).status).toBe(403);
  });
});
