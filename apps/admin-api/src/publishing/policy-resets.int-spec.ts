import { OrganisationEntity, UsageLimitPolicyEntity, WorkspaceEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { policyResets } from './policy-resets';

describe('policyResets', () => {
  const database = testDatabase();

  async function policyOf(name: string, lastResetAt: Date | null = null): Promise<UsageLimitPolicyEntity> {
    const { manager } = database.dataSource;
    const [organisationId, workspaceId] = [uuidv7(), uuidv7()];
    await manager.insert(OrganisationEntity, { id: organisationId, name, slug: name });
    await manager.insert(WorkspaceEntity, { id: workspaceId, organisationId, slug: name, name });
    const place = { id: uuidv7(), organisationId, workspaceId, name, lastResetAt };
    const rule = { type: 'cost', creditLimit: 1, conditions: [], groupBy: ['metadata._user'] } as const;
    return manager.save(manager.create(UsageLimitPolicyEntity, { ...place, ...rule }));
  }
  const reset = (policyId: string, count: number, at: string): Promise<unknown> =>
    database.dataSource.query(
      `INSERT INTO usage_limit_policy_values (id, policy_id, value_key, last_reset_at)
       SELECT gen_random_uuid(), $1, 'metadata._user:' || $3 || n, $3::timestamptz FROM generate_series(1, $2) n`,
      [policyId, count, at],
    );

  it('includes resets of each workspace, however many others have', async () => {
    const busy = await policyOf('busy');
    const calm = await policyOf('calm');
    await reset(busy.id, 10_000, '2026-05-03T12:00:00Z');
    await reset(calm.id, 1, '2026-05-03T11:00:00Z');
    const resets = await policyResets(database.dataSource.manager, [busy, calm]);
    expect(Object.keys(resets.get(calm.id) ?? {})).toEqual(['metadata._user:2026-05-03T11:00:00Z1']);
    expect(Object.keys(resets.get(busy.id) ?? {})).toHaveLength(9_999);
  });

  it('leaves out resets up to the last one of the whole policy, also in the maximum number', async () => {
    const policy = await policyOf('whole', new Date('2026-05-03T12:00:00Z'));
    await reset(policy.id, 10_000, '2026-05-03T12:00:00Z');
    await reset(policy.id, 1, '2026-05-03T12:00:01Z');
    const resets = await policyResets(database.dataSource.manager, [policy]);
    expect(resets.get(policy.id)).toEqual({
      'metadata._user:2026-05-03T12:00:01Z1': '2026-05-03T12:00:01.000Z',
    });
  });
});
