import { OrganisationUserEntity, UserEntity } from '@gw/entities';
import { OidcScenes, type Scene } from './spec-support/oidc-scenes';

describe('addresses of users who log in through single sign-on', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;

  /** Logs a new user in, and returns the user and a function that logs in with another address. */
  const known = async (): Promise<{ at: Scene; id: string; move: () => Promise<string> }> => {
    const at = await scenes.scene();
    const { manager } = api.dataSource;
    const { organisationId } = at.tenant;
    expect((await scenes.returned(at, {})).response.status).toBe(303);
    const { userId: id } = await manager.findOneByOrFail(OrganisationUserEntity, { organisationId });
    const move = async (): Promise<string> => {
      const change = { 'claims.email': `moved@${at.domain}` };
      expect((await scenes.returned(at, change)).response.status).toBe(303);
      return (await manager.findOneByOrFail(UserEntity, { id })).email;
    };
    return { at, id, move };
  };

  it('follow those of the provider, and limit the password to the organisation', async () => {
    const { at, id, move } = await known();
    const { manager } = api.dataSource;
    await manager.update(UserEntity, { id }, { passwordHash: 'hash' });
    expect(await move()).toBe(`moved@${at.domain}`);
    const user = await manager.findOneByOrFail(UserEntity, { id });
    const seat = await manager.findOneByOrFail(OrganisationUserEntity, { userId: id });
    expect([user.passwordHash, seat.passwordHash]).toEqual([null, 'hash']);
  });

  it('stay for users of another organisation too, whose links for new passwords are mailed there', async () => {
    const { at, id, move } = await known();
    const { organisationId } = await api.tenant();
    await api.dataSource.manager.insert(OrganisationUserEntity, {
      organisationId,
      userId: id,
      role: 'owner',
    });
    expect(await move()).not.toBe(`moved@${at.domain}`);
  });
});
