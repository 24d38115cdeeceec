import { TrustEntity } from '@gw/entities';
import { lockWaits, rsaKeyPair, TOKEN_AUDIENCE } from '@gw/testing';
import { TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';

describe('changes of a trust', () => {
  const api = new TestAdminApi();
  const tenant = api.sharedTenant();
  const create = async (issuer: string): Promise<string> => {
    const { body } = await api.post<{ id: string }>('/v1/trusts', {
      key: tenant.adminKey,
      body: {
        ...{ name: issuer, kind: 'jwt', issuer, jwks: { keys: [rsaKeyPair('k1').jwk] } },
        audiences: [TOKEN_AUDIENCE],
        maps: [{ workspace: tenant.workspaceId, scopes: ['completions.write'] }],
      },
    });
    return body.id;
  };
  const put = (id: string, body: object): Promise<GatewayResponse> =>
    api.put(`/v1/trusts/${id}`, { key: tenant.adminKey, body });
  const read = (id: string): Promise<TrustEntity> =>
    api.dataSource.manager.findOneByOrFail(TrustEntity, { id });

  it('do not bring back an issuer that was changed in the meantime', async () => {
    const id = await create('https://before.example.org');
    const late: Promise<GatewayResponse>[] = [];
    await api.dataSource.transaction(async (manager) => {
      // The transaction acts like another administrator, who changes the issuer.
      await manager.update(TrustEntity, { id }, { issuer: 'https://after.example.org' });
      late.push(put(id, { name: 'renamed' }));
      await lockWaits(api.dataSource);
    });
    const [answer] = await Promise.all(late);
    const { issuer, name } = await read(id);
    expect([answer?.status, issuer, name]).toEqual([
      ...[409, 'https://after.example.org', 'https://before.example.org'],
    ]);
  });

  it('keep the keys when the issuer is sent again', async () => {
    const id = await create('https://same.example.org');
    const { keys } = await read(id);
    const { status } = await put(id, { name: 'renamed', issuer: 'https://same.example.org' });
    const after = await read(id);
    expect([status, after.name, after.keys, after.jwksUrls]).toEqual([200, 'renamed', keys, []]);
  });

  it('can disable a trust that can no longer be saved, such as one for assertions without a public URL', async () => {
    const id = await create('https://ended.example.org');
    await api.dataSource.manager.update(TrustEntity, { id }, { kind: 'id_jag', maps: [] });
    expect((await put(id, { name: 'renamed' })).status).toBe(400);
    expect((await put(id, { status: 'disabled' })).status).toBe(200);
    expect((await read(id)).status).toBe('disabled');
  });
});
