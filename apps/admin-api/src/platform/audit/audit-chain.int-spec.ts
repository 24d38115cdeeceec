import { AuditLogEntity, type AuditVerification } from '@gw/entities';
import { TestAdminApi, type Tenant } from '../../spec-support/admin-api';

interface Verification {
  readonly valid: boolean;
  readonly checked: number;
  readonly broken_at: number | null;
  readonly next_sequence: number | null;
  readonly head: AuditVerification['head'];
}

describe('the chain of the audit log', () => {
  const admin = new TestAdminApi();
  let ours: Tenant;
  beforeEach(async () => {
    ours = await admin.tenant();
  });

  const write = (name: string): Promise<{ status: number }> =>
    admin.post('/v1/workspaces', { key: ours.adminKey, body: { name } });
  const verify = async (query = ''): Promise<Verification> =>
    (await admin.get<Verification>(`/v1/audit-logs/verify${query}`, { key: ours.adminKey })).body;

  /** As someone with the rights of the table's owner would. */
  async function tamper(sql: string): Promise<void> {
    await admin.dataSource.query('ALTER TABLE audit_logs DISABLE TRIGGER USER');
    try {
      await admin.dataSource.query(sql, [ours.organisationId]);
    } finally {
      await admin.dataSource.query('ALTER TABLE audit_logs ENABLE TRIGGER USER');
    }
  }

  it('links every change and every denied attempt without gaps, also of writers at the same time', async () => {
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

  it('is checked in parts', async () => {
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
  ])('tells of a record that was %s', async (_case, sql, at) => {
    for (const name of ['a', 'b', 'c']) await write(name);
    await tamper(sql);
    expect(await verify()).toMatchObject({ valid: false, broken_at: at });
  });

  it('is append-only: the database refuses to change, delete or truncate', async () => {
    await write('a');
    for (const sql of [
      `UPDATE audit_logs SET action = 'x'`,
      'DELETE FROM audit_logs',
      'TRUNCATE audit_logs',
    ]) {
      await expect(admin.dataSource.query(sql)).rejects.toThrow('append-only');
    }
  });

  it('leaves nothing of a change that was rolled back', async () => {
    await write('a');
    const other = await admin.tenant();
    const answer = await admin.put(`/v1/workspaces/${ours.workspaceId}`, {
      key: ours.adminKey,
      body: { name: 'b' },
      headers: { 'if-match': '"stale"' },
    });
    expect(answer.status).toBe(412);
    // The refused attempt itself is a record; the chain goes on from what was committed.
    expect(await verify()).toMatchObject({ valid: true, checked: 2 });
    const { body } = await admin.get<Verification>('/v1/audit-logs/verify', { key: other.adminKey });
    expect(body).toMatchObject({ valid: true, checked: 0 });
  });

  it('belongs to the organisation: a workspace key is refused', async () => {
    expect((await admin.get('/v1/audit-logs/verify', { key: ours.key })).status).toBe(403);
  });
});
