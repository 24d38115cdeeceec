import {
  OauthArtifactEntity,
  OauthClientEntity,
  OauthConsentEntity,
  OrganisationEntity,
  UserEntity,
} from '@gw/entities';
import { DAY_MS, uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { OauthExpiryProcessor } from './oauth-expiry.processor';

const inDays = (days: number): Date => new Date(Date.now() + days * DAY_MS);

describe('oauth-expiry job', () => {
  const database = testDatabase();
  const [organisationId, userId] = [uuidv7(), uuidv7()];
  beforeAll(async () => {
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    await manager.insert(UserEntity, { id: userId, email: 'ada@example.org' });
  });
  const run = (): Promise<void> => new OauthExpiryProcessor(database.dataSource).process();

  async function grant(clientId: string, expiresAt: Date): Promise<string> {
    const id = uuidv7();
    await database.dataSource.manager.insert(OauthConsentEntity, {
      ...{ id, userId, organisationId, clientId, clientName: 'x', resource: 'x', scopes: [], expiresAt },
    });
    return id;
  }
  async function artifact(idHash: string, expiresAt: Date, grantId: string | null = null): Promise<void> {
    await database.dataSource.manager.insert(OauthArtifactEntity, {
      ...{ idHash: idHash.padEnd(64, '0'), model: 'AccessToken', payload: {}, expiresAt, grantId },
    });
  }
  async function client(id: string, more: Partial<OauthClientEntity>): Promise<void> {
    const row = { id, kind: 'dynamic' as const, name: 'x', metadata: {} };
    await database.dataSource.manager.insert(OauthClientEntity, { ...row, ...more });
  }

  it('deletes expired rows and unused clients, and no others', async () => {
    const live = await grant('used', inDays(1));
    const over = await grant('old', inDays(-1));
    await artifact('live', inDays(1), live);
    await artifact('over', inDays(-1));
    await artifact('of-ended-grant', inDays(1), over);
    await client('fresh', {});
    await client('never', { createdAt: inDays(-2) });
    await client('old', { createdAt: inDays(-100), lastUsedAt: inDays(-91) });
    await client('used', { createdAt: inDays(-100), lastUsedAt: inDays(-91) });
    await client('registered', { kind: 'registered', createdAt: inDays(-100) });
    await Promise.all([run(), run()]);
    const { manager } = database.dataSource;
    const artifacts = await manager.find(OauthArtifactEntity);
    expect(artifacts.map(({ idHash }) => idHash.replace(/0+$/, ''))).toEqual(['live']);
    expect((await manager.find(OauthConsentEntity)).map(({ id }) => id)).toEqual([live]);
    const clients = await manager.find(OauthClientEntity, { order: { id: 'ASC' } });
    expect(clients.map(({ id }) => id)).toEqual(['fresh', 'registered', 'used']);
  });
});
