import { ApiKeyEntity, OrganisationEntity } from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { testDatabase } from '@gw/testing';
import { ApiKeyPages } from './api-key-pages';

/** Number of keys; more than are counted at each call. */
const COUNT = 12_500;

describe('ApiKeyPages', () => {
  const database = testDatabase();
  const organisationId = uuidv7();
  const where = { organisationId, status: 'active' as const };

  beforeAll(async () => {
    await database.dataSource.manager.insert(OrganisationEntity, {
      id: organisationId,
      name: 'A',
      slug: 'a',
    });
    // Ten keys share each creation time, so that only their ids define their order.
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
    'returns the same rows and total as the whole list from row %i on',
    async (skip) => {
      const pages = new ApiKeyPages(database.dataSource);
      const ids = await all();
      // The first call computes the marks; the second uses them.
      for (const _ of [1, 2]) {
        expect(await read(pages, skip)).toEqual([ids.slice(skip, skip + 50), COUNT]);
      }
    },
  );

  it('includes and counts a key that was added after the marks were computed', async () => {
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
