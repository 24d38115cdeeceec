import { addSigningKey, AuditLogEntity, SigningKeyEntity } from '@gw/entities';
import { sealingKeyring } from '@gw/kernel';
import { rotatedKey } from '../../rotate-signing-keys';
import { MASTER_KEY, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import { PUBLIC_URL } from './spec-support/oauth-journey';

const ROTATE = '/v1/admin/organisation/signing-keys/rotate';

const KEYRING = sealingKeyring(MASTER_KEY);

interface KeySet {
  readonly keys: readonly { readonly kid: string }[];
}

describe('signing keys of the installation', () => {
  const api = new TestAdminApi({ PUBLIC_URL });
  const tenant = api.sharedTenant();
  let owner: string;
  beforeAll(async () => {
    owner = await api.login((await api.user(tenant.organisationId, 'owner')).email);
  });

  const published = async (): Promise<string[]> =>
    (JSON.parse((await api.get('/oauth/jwks')).text) as KeySet).keys.map(({ kid }) => kid);
  const rotate = (token: string): Promise<GatewayResponse<{ kid: string }>> => api.post(ROTATE, { token });
  const audited = (): Promise<number> =>
    api.dataSource.manager.countBy(AuditLogEntity, { resourceType: 'signing_keys', responseStatusCode: 200 });

  it('can all be replaced immediately by an owner of the only organisation', async () => {
    const [before] = await published();
    const { manager } = api.dataSource;
    await addSigningKey(manager, KEYRING, { state: 'next', notBefore: new Date() });
    await manager.update(SigningKeyEntity, { state: 'next' }, { state: 'previous', retiredAt: new Date() });
    const { status, body } = await rotate(owner);
    expect([status, body]).toEqual([200, { object: 'signing-key', kid: expect.any(String) }]);
    expect(body.kid).not.toBe(before);
    expect(await published()).toEqual([body.kid]);
    expect(await audited()).toBe(1);
  });

  it('cannot be replaced by administrators, nor when other organisations share them', async () => {
    const kept = await published();
    const admin = await api.login((await api.user(tenant.organisationId, 'admin')).email);
    expect((await rotate(admin)).status).toBe(403);
    expect((await api.post(ROTATE, { key: tenant.adminKey })).status).toBe(403);
    const other = await api.tenant();
    const refused = await rotate(owner);
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('rotate-signing-keys.cjs')]);
    expect(await published()).toEqual(kept);

    const another = Buffer.alloc(32, 9).toString('base64');
    await expect(rotatedKey({ DATABASE_URL: api.database.url, ENCRYPTION_KEY: another })).rejects.toThrow();
    expect(await published()).toEqual(kept);
    const kid = await rotatedKey({
      ...{ DATABASE_URL: api.database.url, ENCRYPTION_KEY: MASTER_KEY.toString('base64') },
    });
    const keys = await api.dataSource.manager.find(SigningKeyEntity);
    expect(keys.map((key) => key.kid)).toEqual([kid]);
    const rows = await api.dataSource.manager.findBy(AuditLogEntity, { resourceId: kid });
    expect(rows.map(({ organisationId }) => organisationId).sort()).toEqual(
      [tenant.organisationId, other.organisationId].sort(),
    );
  });
});
