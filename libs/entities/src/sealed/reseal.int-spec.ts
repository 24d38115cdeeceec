import { randomAlphanumeric, seal, sealingKeyring, unseal, uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { countOutdated, resealEverything } from './reseal.queries';
import { SEALED_COLUMNS } from './sealed-columns';

describe('resealEverything', () => {
  const database = testDatabase();
  const [before, after] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const old = sealingKeyring(before);
  const both = sealingKeyring(after, before);

  it('covers every column of the schema whose name marks it as sealed', async () => {
    const columns = await database.dataSource.query<{ name: string }[]>(
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND (column_name LIKE '%sealed%' OR column_name = 'key_check') ORDER BY 1`,
    );
    const listed = SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).sort();
    expect(columns.map(({ name }) => name)).toEqual(listed);
  });

  it('re-encrypts values of an earlier key, skips values that no key decrypts, and leaves the rest to countOutdated', async () => {
    const { dataSource } = database;
    const organisation = uuidv7();
    await dataSource.query(`INSERT INTO organisations (id, name, slug) VALUES ($1, 'o', $2)`, [
      organisation,
      randomAlphanumeric(8).toLowerCase(),
    ]);
    const ids = Array.from({ length: 230 }, () => uuidv7());
    for (const id of ids) {
      const bound = `mail/${id}`;
      await dataSource.query(
        `INSERT INTO mails (id, organisation_id, topic, recipient, sealed) VALUES ($1, $2, $4, 'a@b.example', $3)`,
        [id, organisation, seal(old, `content of ${id}`, bound), id],
      );
    }
    const foreignId = uuidv7();
    await dataSource.query(
      `INSERT INTO mails (id, organisation_id, topic, recipient, sealed) VALUES ($1, $2, $4, 'a@b.example', $3)`,
      [
        foreignId,
        organisation,
        seal(sealingKeyring(Buffer.alloc(32, 9)), 'x', `mail/${foreignId}`),
        foreignId,
      ],
    );
    expect(await countOutdated(dataSource, both)).toBe(231);
    expect(await resealEverything(dataSource, both)).toEqual({ resealed: 230, unopenable: 1 });
    expect(await countOutdated(dataSource, both)).toBe(1);
    const currentOnly = sealingKeyring(after);
    const rows = await dataSource.query<{ id: string; sealed: string }[]>(
      'SELECT id, sealed FROM mails WHERE id <> $1',
      [foreignId],
    );
    for (const { id, sealed } of rows)
      expect(unseal(currentOnly, sealed, `mail/${id}`).toString()).toBe(`content of ${id}`);
    // Processes with cached documents must read them again.
    const [event] = await dataSource.query<{ changed: string[] }[]>('SELECT changed FROM change_events');
    expect(event?.changed).toEqual(['*']);
    expect(await resealEverything(dataSource, both)).toEqual({ resealed: 0, unopenable: 1 });
  });
});
