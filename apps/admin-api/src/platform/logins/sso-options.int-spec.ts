import { OrganisationUserEntity, SessionEntity, UserEntity } from '@gw/entities';
import { CONNECTIONS, OidcScenes, type Members, type Scene } from './spec-support/oidc-scenes';

describe('options of connections', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;
  const urlOf = async (at: Scene): Promise<URLSearchParams> => {
    const { body } = await scenes.begin({ sso_client_id: at.connection });
    return new URL(body.url).searchParams;
  };
  const statusOf = async (at: Scene, change: Members): Promise<number> =>
    (await scenes.returned(at, change)).response.status;
  const userOf = async ({ tenant: { organisationId } }: Scene): Promise<UserEntity> => {
    const { manager } = api.dataSource;
    const { userId } = await manager.findOneByOrFail(OrganisationUserEntity, { organisationId });
    return manager.findOneByOrFail(UserEntity, { id: userId });
  };

  it('acr_values are requested, and a login must have one of them', async () => {
    const at = await scenes.scene({}, { acr_values: ['phr', 'phrh'], prompt: 'login' });
    const sent = await urlOf(at);
    expect([sent.get('acr_values'), sent.get('prompt')]).toEqual(['phr phrh', 'login']);
    const seen = [
      await statusOf(at, {}),
      await statusOf(at, { 'claims.acr': 'pwd' }),
      await statusOf(at, { 'claims.acr': ['phr'] }),
      await statusOf(at, { 'claims.acr': 'phrh' }),
    ];
    expect(seen).toEqual([403, 403, 403, 303]);
    const plain = await urlOf(await scenes.scene());
    expect([plain.has('acr_values'), plain.has('prompt')]).toEqual([false, false]);
  });

  it('other claims identify the user, whose address then is proven only with trust_email', async () => {
    const names = { email_claim: 'upn', given_name_claim: 'first', family_name_claim: 'last' };
    const strict = await scenes.scene({}, names);
    const change = ({ domain }: Scene): Members => ({
      'claims.upn': `Ann@${domain}`,
      ...{ 'claims.email': `other@${domain}`, 'claims.first': 'Ann', 'claims.last': 'Lee' },
    });
    expect(await statusOf(strict, change(strict))).toBe(403);
    const at = await scenes.scene({}, { ...names, trust_email: true });
    expect(await statusOf(at, change(at))).toBe(303);
    expect(await userOf(at)).toMatchObject({
      ...{ email: `ann@${at.domain}`, firstName: 'Ann', lastName: 'Lee' },
    });
  });

  it('max_session_ttl bounds the session, and a refresh does not extend it', async () => {
    const at = await scenes.scene({}, { max_session_ttl: 900 });
    await scenes.sessionOf(await scenes.returned(at, {}));
    const { organisationId } = at.tenant;
    const session = await api.dataSource.manager.findOneByOrFail(SessionEntity, { organisationId });
    const left = session.expiresAt.getTime() - Date.now();
    expect(left > 840_000 && left <= 900_000).toBe(true);
  });

  it('are saved, shown and bounded', async () => {
    const at = await scenes.scene();
    const path = `${CONNECTIONS}/${at.connection}`;
    const key = at.tenant.adminKey;
    const put = async (body: object): Promise<unknown> => {
      const { status, body: answer } = await api.put<{ error?: { param: string } }>(path, { key, body });
      return status === 200 ? 200 : answer.error?.param;
    };
    expect(await put({ max_session_ttl: 899 })).toBe('max_session_ttl');
    expect(await put({ prompt: 'none' })).toBe('prompt');
    const options = {
      max_session_ttl: 3_600,
      prompt: 'select_account',
      acr_values: ['x'],
      email_claim: 'upn',
    };
    expect(await put(options)).toBe(200);
    expect((await api.get(path, { key })).body).toMatchObject(options);
  });
});
