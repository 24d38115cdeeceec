import {
  AuditLogEntity,
  MailEntity,
  OrganisationDomainEntity,
  OrganisationEntity,
  OrganisationUserEntity,
  UserEntity,
} from '@gw/entities';
import { DomainProofs, proofRecord } from '@gw/federation';
import { DAY_MS, sealingKeyring, uuidv7 } from '@gw/kernel';
import { NameServer, testDatabase } from '@gw/testing';
import { createLog } from '@gw/web';
import { DomainRecheckProcessor } from './domain-recheck.processor';

const KEYRING = sealingKeyring(Buffer.alloc(32, 7));

describe('domain-recheck job', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  let names: NameServer;

  beforeAll(async () => {
    names = await NameServer.start();
    const organisation = { id: organisationId, name: 'Acme', slug: 'acme' };
    const { manager } = database.dataSource;
    await manager.insert(OrganisationEntity, organisation);
    const userId = uuidv7();
    await manager.insert(UserEntity, { id: userId, email: 'owner@acme.example' });
    await manager.insert(OrganisationUserEntity, { organisationId, userId, role: 'owner' });
  });
  afterAll(() => names.stop());

  const start = new Date('2026-01-01T00:00:00Z');
  const after = (days: number): Date => new Date(start.getTime() + days * DAY_MS);
  const run = (days: number): Promise<void> =>
    new DomainRecheckProcessor(
      database.dataSource,
      new DomainProofs([names.address]),
      true,
      KEYRING,
      createLog('test', 'silent'),
    ).checkDue(after(days));
  const verified = async (domain: string): Promise<string> => {
    const id = uuidv7();
    const row = { id, organisationId, domain, token: 'proof', verifiedAt: start, checkedAt: start };
    await database.dataSource.manager.insert(OrganisationDomainEntity, row);
    return id;
  };
  const stateOf = async (id: string): Promise<unknown> => {
    const row = await database.dataSource.manager.findOneByOrFail(OrganisationDomainEntity, { id });
    return [row.verifiedAt !== null, row.failures];
  };

  it('[oidc-166] unverifies a domain after three failed checks, each a day after the one before', async () => {
    const id = await verified('gone.example');
    const states = [];
    for (const days of [6, 8, 8.5, 9.5, 11]) {
      await run(days);
      states.push(await stateOf(id));
    }
    expect(states).toEqual([
      [true, 0],
      [true, 1],
      [true, 1],
      [true, 2],
      [false, 3],
    ]);
    const audits = await database.dataSource.manager.findBy(AuditLogEntity, { resourceId: id });
    expect(audits.map(({ action }) => action)).toEqual(['unverify']);
    const mails = await database.dataSource.manager.findBy(MailEntity, { organisationId });
    expect(mails.map(({ recipient, topic }) => [recipient, topic])).toEqual([
      ['owner@acme.example', `domain/${id}/lost`],
    ]);
  });

  it('keeps a domain verified when its TXT record returns, and while DNS fails', async () => {
    const [back, slow] = [await verified('back.example'), await verified('slow.example')];
    names.fail(proofRecord('slow.example'));
    await run(8);
    names.set(proofRecord('back.example'), ['proof']);
    await run(10);
    expect([await stateOf(back), await stateOf(slow)]).toEqual([
      [true, 0],
      [true, 0],
    ]);
  });

  it('checks a domain although more domains than one run checks have no DNS response', async () => {
    const id = await verified('last.example');
    for (let count = 0; count < 200; count += 1) {
      const silent = await verified(`silent${String(count)}.example`);
      await database.dataSource.manager.update(
        OrganisationDomainEntity,
        { id: silent },
        { checkedAt: after(-1) },
      );
    }
    const isProven = (domain: string): Promise<boolean> =>
      domain.startsWith('silent') ? Promise.reject(new Error('no response')) : Promise.resolve(false);
    const processor = new DomainRecheckProcessor(
      database.dataSource,
      { isProven },
      true,
      KEYRING,
      createLog('test', 'silent'),
    );
    // One run misses the domain with a probability of less than 1 %.
    for (let count = 0; count < 8; count += 1) await processor.checkDue(after(8));
    expect(await stateOf(id)).toEqual([true, 1]);
  });
});
