import {
  ApiKeyEntity,
  ApiKeySecretEntity,
  AuditLogEntity,
  claimMail,
  makeSecret,
  insertSecret,
  openSecret,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
  type StoredRotationPolicy,
} from '@gw/entities';
import { apiKeyPepper, hashApiKey, sealingKeyring, uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { In } from 'typeorm';
import { RotationMails } from './rotation-mails';
import { RotationProcessor } from './rotation.processor';

const MASTER = Buffer.alloc(32, 9);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('rotation job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const keyring = sealingKeyring(MASTER);
  const maker = { prefix: 'tg-', pepper: apiKeyPepper(MASTER) };
  /** A Wednesday. */
  const NOW = Date.parse('2031-05-14T09:30:00.000Z');

  beforeAll(async () => {
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, { id: organisationId, name: 'Acme', slug: 'acme' });
    const owner = { id: uuidv7(), email: 'owner@example.com', firstName: 'O', lastName: 'W' };
    await manager.insert(UserEntity, owner);
    await manager.insert(OrganisationUserEntity, { organisationId, userId: owner.id, role: 'owner' });
  });
  beforeEach(() => database.dataSource.query('TRUNCATE api_keys, mails, change_events CASCADE'));

  const processor = (now = NOW): RotationProcessor =>
    new RotationProcessor(
      database.dataSource,
      { maker, keyring, mails: new RotationMails(keyring), auditEnabled: true },
      () => now,
    );
  async function key(
    policy: Partial<StoredRotationPolicy> | null,
    fields: Partial<ApiKeyEntity> = {},
  ): Promise<{ id: string; secret: string }> {
    const { manager } = database.dataSource;
    const id = uuidv7();
    const rotationPolicy = policy && {
      ...{ rotation_period: null, rotation_period_days: null, key_transition_period_ms: HOUR },
      ...{ next_rotation_at: '2031-05-14T00:00:00.000Z', ...policy },
    };
    await manager.insert(ApiKeyEntity, {
      ...{ id, type: 'organisation-service', organisationId, name: 'k', scopes: ['logs.list'] },
      rotationPolicy,
      ...fields,
    });
    const fresh = makeSecret(maker);
    await insertSecret(manager, id, fresh);
    return { id, secret: fresh.secret };
  }
  const row = (id: string): Promise<ApiKeyEntity> =>
    database.dataSource.manager.findOneByOrFail(ApiKeyEntity, { id });
  const secretsOf = async (id: string): Promise<Record<string, ApiKeySecretEntity | undefined>> => {
    const rows = await database.dataSource.manager.findBy(ApiKeySecretEntity, { apiKeyId: id });
    return Object.fromEntries(rows.map((secret) => [secret.state, secret]));
  };
  const mails = async (): Promise<string[]> => {
    const found: string[] = [];
    for (;;) {
      const mail = await claimMail(database.dataSource.manager, keyring);
      if (!mail) return found.sort();
      found.push(`${mail.recipient} ${mail.message.subject}`);
    }
  };

  it('gives a due key a new secret, and keeps the old one valid during the transition', async () => {
    const { id, secret } = await key({ rotation_period_days: 30 });
    await processor().process();
    const { current, transition } = await secretsOf(id);
    expect(transition?.secretHash).toBe(hashApiKey(maker.pepper, secret));
    expect(transition?.expiresAt?.getTime()).toBe(NOW + HOUR);
    const fresh = openSecret(keyring, id, current?.sealed ?? '');
    expect(fresh).toMatch(/^tg-[A-Za-z0-9]{32}$/);
    expect(current?.secretHash).toBe(hashApiKey(maker.pepper, fresh));
    expect(await row(id)).toMatchObject({
      lastRotatedAt: new Date(NOW),
      rotationPolicy: { next_rotation_at: '2031-06-13T00:00:00.000Z', key_transition_period_ms: HOUR },
    });
    const events: { changed: string[] }[] = await database.dataSource.query('SELECT * FROM change_events');
    expect(events.flatMap(({ changed }) => changed).sort()).toEqual(
      [current, transition].map((one) => `api_key:${one?.secretHash ?? ''}`).sort(),
    );
    const [audit] = await database.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audit).toMatchObject({
      ...{ action: 'rotate', userType: 'system', organisationId },
      after: { rotation_mode: 'auto', transition_expires_at: new Date(NOW + HOUR).toISOString() },
    });
    expect(JSON.stringify(audit)).not.toContain(fresh);
  });

  it('rotates each key exactly once with several concurrent workers', async () => {
    const keys = await Promise.all(Array.from({ length: 30 }, () => key({ rotation_period: 'weekly' })));
    await Promise.all([processor().process(), processor().process(), processor().process()]);
    await processor().process();
    for (const { id, secret } of keys) {
      const { current, transition } = await secretsOf(id);
      expect(transition?.secretHash).toBe(hashApiKey(maker.pepper, secret));
      expect(current?.sealed).not.toBeNull();
      // The following Monday.
      expect((await row(id)).rotationPolicy?.next_rotation_at).toBe('2031-05-19T00:00:00.000Z');
    }
    const ids = In(keys.map(({ id }) => id));
    const count = await database.dataSource.manager.countBy(AuditLogEntity, { resourceId: ids });
    expect(count).toBe(30);
  });

  it('performs missed rotations once, and a one-time policy once', async () => {
    const late = await key({ rotation_period_days: 7, next_rotation_at: '2031-03-01T00:00:00.000Z' });
    const once = await key({});
    await processor().process();
    expect((await row(late.id)).rotationPolicy?.next_rotation_at).toBe('2031-05-17T00:00:00.000Z');
    expect((await row(once.id)).rotationPolicy?.next_rotation_at).toBeNull();
    await processor(NOW + 400 * DAY).process();
    const { transition } = await secretsOf(once.id);
    expect(transition?.secretHash).toBe(hashApiKey(maker.pepper, once.secret));
  });

  it('waits for the end of a transition, because at most two secrets are valid', async () => {
    const { id } = await key({ rotation_period_days: 1 });
    await processor().process();
    const first = await secretsOf(id);
    await database.dataSource.query(
      `UPDATE api_keys SET rotation_policy = rotation_policy || '{"next_rotation_at":"2031-05-14T00:00:00.000Z"}'`,
    );
    await processor(NOW + HOUR - 1).process();
    expect((await secretsOf(id))['current']?.secretHash).toBe(first['current']?.secretHash);
    await processor(NOW + HOUR).process();
    const second = await secretsOf(id);
    expect(second['transition']?.secretHash).toBe(first['current']?.secretHash);
    // Only the newest secret can be fetched; an older one that was never fetched is lost.
    expect(second['transition']?.sealed).toBeNull();
  });

  it.each([
    ['without a policy', null, {}],
    ['that is not due yet', { next_rotation_at: '2031-05-15T00:00:00.000Z' }, {}],
    ['that is archived', {}, { status: 'archived' }],
    ['that is expired', {}, { status: 'expired' }],
    ['that has expired but is not yet marked', {}, { expiresAt: new Date(NOW - 1) }],
  ] as const)('does not rotate a key %s', async (_, policy, fields) => {
    const { id } = await key(policy, fields);
    await processor().process();
    expect(Object.keys(await secretsOf(id))).toEqual(['current']);
  });

  it('mails owners and alert addresses a day before a rotation, at the rotation, and a day before the old secret ends', async () => {
    const alertEmails = ['ops@example.com'];
    const policy = { rotation_period_days: 30, key_transition_period_ms: 3 * DAY };
    await key(policy, { name: 'search', alertEmails });
    const both = (subject: string): string[] =>
      ['ops', 'owner'].map((who) => `${who}@example.com ${subject}`);
    await processor(NOW - DAY).process();
    await processor(NOW - DAY).process();
    expect(await mails()).toEqual(both('API key search is about to be rotated'));
    await processor().process();
    expect(await mails()).toEqual(both('API key search was rotated'));
    await processor(NOW + DAY).process();
    expect(await mails()).toEqual([]);
    await processor(NOW + 2.5 * DAY).process();
    await processor(NOW + 2.6 * DAY).process();
    expect(await mails()).toEqual(both('The old secret of API key search is about to end'));
    // The next rotation is announced again a month later.
    await processor(Date.parse('2031-06-12T12:00:00.000Z')).process();
    expect(await mails()).toEqual(both('API key search is about to be rotated'));
  });
});
