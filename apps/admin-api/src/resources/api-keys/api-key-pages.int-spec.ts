import { ApiKeyEntity, OrganisationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { ApiKeyPages } from './api-key-pages';

/** More than are counted at each call. */
const COUNT = 12_500;

describe('pages of a long list of keys', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const where = { organisationId, status: 'active' as const };

  beforeAll(async () => {
    await database.dataSource.manager.insert(OrganisationEntity, {
      id: organisationId,
      name: 'A',
      slug: 'a',
    });
    // Ten of each moment, so that places within one moment are distinguished by ids alone.
    await database.dataSource.query(
      `INSERT INTO api_keys (id, type, organisation_id, name, scopes, created_at)
       SELECT gen_random_uuid(), 'organisation-service', $1, 'key ' || i, ARRAY['logs.list'],
              timestamptz '2030-01-01' + interval '1 second' * (i / 10)
       FROM generate_series(1, $2::int) i`,
      [organisationId, COUNT],
    );
  });

  const all = async (): Promise<string[]> => {
    const rows = await database.dataSource.query<{ id: string }[]>(
      'SELECT id FROM api_keys WHERE status = $1 ORDER BY created_at DESC, id DESC',
      ['active'],
    );
    return rows.map(({ id }) => id);
  };
  const read = async (pages: ApiKeyPages, skip: number, take = 50): Promise<[string[], number]> => {
    const [rows, total] = await pages.page(where, 'all', { skip, take });
    return [rows.map(({ id }) => id), total];
  };
  const add = (): Promise<unknown> =>
    database.dataSource.manager.insert(ApiKeyEntity, {
      ...{ id: uuidv7(), type: 'organisation-service', organisationId, name: 'new', scopes: ['logs.list'] },
      createdAt: new Date('2031-01-01T00:00:00.000Z'),
    });

  it.each([0, 499, 1_980, 2_000, 2_499, 2_500, 3_001, 12_345, COUNT - 50, COUNT - 1, COUNT, COUNT + 10_000])(
    'are those of the whole list from row %i on',
    async (skip) => {
      const pages = new ApiKeyPages(database.dataSource);
      const ids = await all();
      // The first call finds out that the list is long; the second knows.
      for (const _ of [1, 2]) {
        expect(await read(pages, skip)).toEqual([ids.slice(skip, skip + 50), COUNT]);
      }
    },
  );

  it('miss no key that was added meanwhile, and count it', async () => {
    const pages = new ApiKeyPages(database.dataSource);
    await read(pages, 0);
    for (let added = 1; added <= 3; added += 1) {
      await add();
      const ids = await all();
      for (const skip of [0, 1_999, 2_002, 2_501, 12_000, COUNT + added - 1]) {
        expect(await read(pages, skip)).toEqual([ids.slice(skip, skip + 50), ids.length]);
      }
    }
  });
});
