import { addSigningKey, rotateSigningKeys, SigningKeyEntity, signingKeyBinding } from '@gw/entities';
import { DAY_MS, sealingKeyring, unseal } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { SigningKeysProcessor } from './signing-keys.processor';

const START = new Date('2026-01-01T00:00:00Z');
const KEYRING = sealingKeyring(Buffer.alloc(32, 7));

describe('signing-keys job', () => {
  const database = testDatabase();
  const manager = (): typeof database.dataSource.manager => database.dataSource.manager;
  const states = async (): Promise<string[]> => {
    const rows = await manager().find(SigningKeyEntity, { order: { createdAt: 'ASC', notBefore: 'ASC' } });
    return rows.map(({ state }) => state);
  };
  /** Runs the job in three workers at once, `days` days after the start. */
  const rotate = async (days: number): Promise<string[]> => {
    const now = new Date(START.getTime() + days * DAY_MS);
    await Promise.all([1, 2, 3].map(() => rotateSigningKeys(manager(), KEYRING, now)));
    return states();
  };
  const signing = (): Promise<SigningKeyEntity> =>
    manager().findOneByOrFail(SigningKeyEntity, { state: 'current' });

  it('publishes a key a day before it signs, and keeps the previous one published for a week', async () => {
    expect(await rotate(0)).toEqual([]);
    await addSigningKey(manager(), KEYRING, { state: 'current', notBefore: START });
    const first = await signing();
    expect(await rotate(88)).toEqual(['current']);
    expect(await rotate(89)).toEqual(['current', 'next']);
    expect(await rotate(89.9)).toEqual(['current', 'next']);
    expect((await signing()).kid).toBe(first.kid);
    expect(await rotate(90)).toEqual(['previous', 'current']);
    const second = await signing();
    expect(second.kid).not.toBe(first.kid);
    const opened = unseal(KEYRING, second.sealedPrivate, signingKeyBinding(second.kid)).toString('utf8');
    expect(JSON.parse(opened)).toMatchObject({ ...second.publicJwk, d: expect.any(String) });
    expect(await rotate(96)).toEqual(['previous', 'current']);
    expect(await rotate(98)).toEqual(['current']);
    expect(await rotate(180)).toEqual(['current', 'next']);
  });

  it('does nothing without a master key', async () => {
    const before = await states();
    await new SigningKeysProcessor(database.dataSource, null).process();
    expect(await states()).toEqual(before);
  });
});
