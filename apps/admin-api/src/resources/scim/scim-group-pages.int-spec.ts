import { TestAdminApi } from '../../spec-support/admin-api';
import { IdentityProvider } from './spec-support/identity-provider';

interface Page {
  readonly totalResults: number;
  readonly itemsPerPage: number;
  readonly Resources: readonly { readonly displayName: string; readonly members?: readonly object[] }[];
}

describe('pages of SCIM groups', () => {
  const api = new TestAdminApi();

  it('end early when the groups have many members, so that no page has millions', async () => {
    const provider = await IdentityProvider.of(api, await api.tenant());
    const names = ['A', 'B', 'C', 'D'];
    const ids: string[] = [];
    for (const name of names) ids.push(await provider.group(name));
    await api.dataSource.query(
      `WITH made AS (
         INSERT INTO users (id, email) SELECT gen_random_uuid(), 'many' || n || '@example.org'
         FROM generate_series(1, 6000) AS n RETURNING id),
       seated AS (
         INSERT INTO organisation_users (organisation_id, user_id, role) SELECT $1, id, 'member' FROM made)
       INSERT INTO scim_group_members (group_id, user_id)
       SELECT group_id, id FROM made, unnest($2::uuid[]) AS group_id`,
      [provider.tenant.organisationId, ids],
    );
    const read = async (query: Readonly<Record<string, string>>): Promise<Page> => {
      const { body } = await provider.call({ method: 'GET', path: '/Groups', query });
      return body as unknown as Page;
    };
    const seen: string[][] = [];
    for (let startIndex = 1; startIndex <= names.length;) {
      const page = await read({ startIndex: String(startIndex) });
      seen.push(page.Resources.map(({ displayName }) => displayName));
      expect([page.totalResults, page.itemsPerPage]).toEqual([4, page.Resources.length]);
      startIndex += page.itemsPerPage;
    }
    expect(seen).toEqual([
      ['A', 'B'],
      ['C', 'D'],
    ]);
    expect((await read({ excludedAttributes: 'members' })).itemsPerPage).toBe(4);
  });
});
