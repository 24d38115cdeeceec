import {
  AuditLogEntity,
  MailEntity,
  OrganisationUserEntity,
  ScimUserEntity,
  SsoLinkEntity,
  UserEntity,
  UserInviteEntity,
} from '@gw/entities';
import { uuidv7 } from '@gw/kernel';
import { readCases } from '@gw/testing';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { generateKeyPairSync } from 'node:crypto';
import { PASSWORD, type GatewayResponse } from '../../spec-support/admin-api';
import { CONNECTIONS, inGroup, OidcScenes, type Members, type Scene } from './spec-support/oidc-scenes';

const privateKey = (kind: 'rsa' | 'ec', kid: string): Members => {
  const { privateKey: key } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...key.export({ format: 'jwk' }), kid };
};
const RSA = privateKey('rsa', 'r1');
const EC = privateKey('ec', 'e1');
const { d: _private, ...PUBLIC } = EC;

describe('connections to OpenID Connect providers with known verdicts', () => {
  const scenes = new OidcScenes();
  const { api } = scenes;

  describe('authentication of the client', () => {
    const SETS: Readonly<Record<string, unknown>> = {
      'private RSA set': { keys: [RSA] },
      'private EC set': { keys: [EC] },
      'private set': { keys: [RSA] },
      'public set only': { keys: [PUBLIC] },
      'two private keys': { keys: [EC, RSA] },
      'not a set': 'text',
    };

    const fieldsOf = ({ read: _read, ...input }: Members): Members => ({
      client_secret: null,
      ...input,
      ...(typeof input['jwks'] === 'string' ? { jwks: SETS[input['jwks']] } : {}),
    });
    const cases = inGroup('client_auth');

    it.each(cases.filter(({ expect: verdict }) => verdict === 'reject'))(
      '$id: $reason',
      async ({ input }) => {
        const { connection: _connection, ...at } = await scenes.scene();
        const { status, body } = await scenes.connect(at, { name: 'c2', ...fieldsOf(input) });
        expect([status, body]).toEqual([
          400,
          { error: expect.objectContaining({ param: expect.stringMatching(/^jwks/) as unknown }) as unknown },
        ]);
      },
    );

    it.each(cases.filter(({ expect: verdict }) => /^[a-z_]+$/.test(String(verdict)) && verdict !== 'reject'))(
      '$id: $reason',
      async ({ input, expect: method }) => {
        const { connection: _connection, ...at } = await scenes.scene();
        const { body } = await scenes.connect(at, { name: 'c2', ...fieldsOf(input) });
        expect(body.token_endpoint_auth_method).toBe(method);
      },
    );

    it('oidc-087: signed assertion', async () => {
      const at = await scenes.scene({}, fieldsOf({ jwks: 'private EC set' }));
      expect((await scenes.returned(at, {})).response.status).toBe(303);
      const assertion = scenes.provider.tokenRequests.at(-1)?.get('client_assertion') ?? '';
      const { iss, sub, aud, jti, exp = 0, iat = 0 } = decodeJwt(assertion);
      expect([iss, sub, aud, jti]).toEqual([
        'tollgate',
        'tollgate',
        scenes.provider.issuer(at.path),
        expect.any(String),
      ]);
      expect(exp - iat).toBeLessThanOrEqual(60);
      expect(decodeProtectedHeader(assertion)).toMatchObject({ kid: 'e1', alg: 'ES256' });
    });

    it('oidc-093 and oidc-094: private members are never shown, the first key signs and all are published', async () => {
      const at = await scenes.scene({}, fieldsOf({ jwks: 'two private keys' }));
      const shown = await api.get(`${CONNECTIONS}/${at.connection}`, { key: at.tenant.adminKey });
      const uri = new URL(String(shown.body['jwks_uri']));
      const published = await api.get<{ keys: readonly Members[] }>(uri.pathname);
      expect(published.body.keys.map(({ kid }) => kid)).toEqual(['e1', 'r1']);
      for (const { text } of [shown, published]) {
        for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi'] as const) {
          for (const key of [EC, RSA]) {
            const secret = key[member];
            if (typeof secret === 'string') expect(text).not.toContain(secret);
          }
        }
      }
      expect((await api.get(`/.well-known/sso/${uuidv7()}/jwks.json`)).status).toBe(404);
    });
  });

  describe('starts of logins', () => {
    const cases = inGroup('login');
    const caseOf = (id: string): string => {
      const found = cases.find((each) => each.id === id);
      return `${id}: ${found?.reason ?? 'unknown'}`;
    };
    const idsOf = ({ body }: { body: { linked_sso?: readonly { sso_client_id: string }[] } }): unknown =>
      body.linked_sso?.map(({ sso_client_id: id }) => id);

    it(caseOf('oidc-095'), async () => {
      const at = await scenes.scene();
      const { body } = await scenes.begin({ email: `a@${at.domain}` });
      expect(body.url).toContain(`${scenes.provider.issuer(at.path)}/authorize`);
    });

    it.each(['oidc-097', 'oidc-098', 'oidc-103', 'oidc-105'].map(caseOf))('%s', async (name) => {
      const at = await scenes.scene();
      const other = await scenes.scene();
      const off = await scenes.connect(at, { name: 'off', status: 'disabled' });
      const email = `a@${at.domain}`;
      const bodies: Readonly<Record<string, object>> = {
        'oidc-097': { email, sso_client_id: uuidv7() },
        'oidc-098': { email, sso_client_id: other.connection, organisation_id: at.tenant.organisationId },
        'oidc-103': { email: [email] },
        'oidc-105': { email, sso_client_id: off.body.id },
      };
      expect((await scenes.begin(bodies[name.slice(0, 8)] ?? {})).status).toBe(400);
    });

    it(caseOf('oidc-099'), async () => {
      const at = await scenes.scene();
      const second = await scenes.connect(at, { name: 'c2' });
      expect(idsOf(await scenes.begin({ email: `a@${at.domain}` }))).toEqual([at.connection, second.body.id]);
    });

    it(caseOf('oidc-101'), async () => {
      const at = await scenes.scene();
      const known = await api.user(at.tenant.organisationId, 'member');
      const email = `known@${at.domain}`;
      await api.dataSource.manager.update(UserEntity, { id: known.id }, { email });
      const shapes = await Promise.all(
        [email, `unknown@${at.domain}`].map(async (address) => {
          const begun = await scenes.begin({ email: address });
          const discovered = await api.get(`/v1/auth/sso/discover?email=${address}`);
          return [begun.status, Object.keys(begun.body), idsOf(begun), discovered.body];
        }),
      );
      expect(shapes[0]).toEqual(shapes[1]);
      expect(shapes[0]?.[3]).toMatchObject({ methods: ['password', 'sso'] });
    });

    it(caseOf('oidc-102'), async () => {
      const at = await scenes.scene();
      const { body } = await scenes.begin({ email: '', sso_client_id: at.connection });
      expect(body.url).toContain(scenes.provider.issuer(at.path));
    });

    it.each(['oidc-106', 'oidc-107'].map(caseOf))('%s', async (name) => {
      const at = await scenes.scene({}, { enforced: true });
      const { organisationId } = at.tenant;
      const isOwner = name.startsWith('oidc-106');
      const user = await api.user(organisationId, isOwner ? 'owner' : 'admin');
      const email = `user@${at.domain}`;
      await api.dataSource.manager.update(UserEntity, { id: user.id }, { email });
      const { status, body } = await api.post('/v2/auth/login', { body: { email, password: PASSWORD } });
      expect([status, body['object'] ?? null]).toEqual(isOwner ? [200, 'session'] : [403, null]);
      const { body: choices } = await api.get(`/v1/auth/sso/discover?email=${email}`);
      expect(choices['methods']).toEqual(['sso']);
      const [login] = await api.dataSource.manager.findBy(AuditLogEntity, {
        organisationId,
        action: 'login',
      });
      expect([login?.responseStatusCode, login?.userId]).toEqual([isOwner ? 200 : 403, user.id]);
      if (!isOwner) return;
      expect(login?.after).toEqual({ break_glass: true });
      const mails = await api.dataSource.manager.findBy(MailEntity, { organisationId });
      expect(mails.map(({ recipient }) => recipient)).toEqual([email]);
    });

    it('use passwords for addresses of other domains when single sign-on is enforced', async () => {
      const at = await scenes.scene({}, { enforced: true });
      const { email } = await api.user(at.tenant.organisationId, 'member');
      expect((await api.post('/v2/auth/login', { body: { email, password: PASSWORD } })).status).toBe(200);
    });
  });

  it('can be tested without opening a session, even while the connection is disabled', async () => {
    const at = await scenes.scene({}, { status: 'disabled', auto_provision: true });
    const { organisationId, workspaceId, adminKey: key } = at.tenant;
    const path = `${CONNECTIONS}/${at.connection}`;
    const rule = { match: 'exact', value: 'eng', workspace: workspaceId, role: 'manager' };
    await api.put(path, { key, body: { group_rules: [rule] } });
    const tried = async (change: Members): Promise<Members> => {
      const { body } = await api.post<{ url: string }>(`${path}/test`, { key });
      scenes.sayToken(at, body.url, change);
      const state = new URL(body.url).searchParams.get('state') ?? '';
      const response = await scenes.returnBy(new URLSearchParams({ code: 'a', state }));
      expect(response.status).toBe(200);
      return response.body;
    };
    expect(await tried({ 'claims.groups': ['eng'] })).toEqual({
      ...{ admitted: true, reason: null, subject: 's-1', email: `user@${at.domain}`, email_verified: true },
      ...{ groups: ['eng'], organisation_role: 'member' },
      workspaces: [{ workspace: workspaceId, role: 'manager' }],
      object: 'sso-test',
    });
    expect(await tried({ 'claims.email_verified': false })).toMatchObject({
      admitted: false,
      reason: expect.stringContaining('does not confirm') as unknown,
    });
    const { manager } = api.dataSource;
    expect(await manager.countBy(OrganisationUserEntity, { organisationId })).toBe(0);
    const audits = await manager.findBy(AuditLogEntity, { organisationId, action: 'test' });
    expect(audits).toHaveLength(2);
  });

  describe('first logins', () => {
    const provisioning = inGroup('provision');

    async function invite(
      { domain }: Scene,
      organisationId: string,
      email = `user@${domain}`,
    ): Promise<void> {
      await api.dataSource.manager.insert(UserInviteEntity, {
        ...{ id: uuidv7(), organisationId, email, role: 'member', tokenHash: uuidv7() },
        ...{ workspaces: [], expiresAt: new Date(Date.now() + 60_000) },
      });
    }

    async function existing(at: Scene, kind: string | undefined): Promise<void> {
      if (kind === undefined) return;
      const { manager } = api.dataSource;
      const { organisationId } = at.tenant;
      const { id: userId } = await api.user(organisationId, 'member');
      await manager.update(UserEntity, { id: userId }, { email: `user@${at.domain}` });
      if (kind === 'archived') {
        await manager.update(OrganisationUserEntity, { organisationId, userId }, { status: 'archived' });
      }
      const subject = kind === 'linked' ? 's-1' : 'another';
      if (kind.startsWith('linked')) {
        const lastLoginAt = new Date();
        await manager.insert(SsoLinkEntity, { connectionId: at.connection, subject, userId, lastLoginAt });
      }
    }

    async function prepared(input: Members): Promise<Scene> {
      const restricts = input['disable_auto_provision_user'] === true;
      const at = await scenes.scene({}, { disable_auto_provision_user: restricts });
      const { organisationId } = at.tenant;
      if (input['invited'] === true) await invite(at, organisationId);
      if (input['invited'] === 'other organisation') {
        await invite(at, (await api.tenant()).organisationId);
      }
      if (input['domain'] === 'not verified') {
        await api.dataSource.query('DELETE FROM organisation_domains WHERE organisation_id = $1', [
          organisationId,
        ]);
      }
      await existing(at, input['existing'] as string | undefined);
      if (input['scim'] !== undefined) {
        const { id: userId, email } = await api.user(organisationId, 'member');
        await api.dataSource.manager.insert(ScimUserEntity, {
          ...{ organisationId, userId, userName: email, userNameKey: email, active: true },
        });
      }
      return at;
    }

    it.each(provisioning.filter(({ input }) => !('parallel' in input)))(
      '$id: $reason',
      async ({ input, expect: verdict }) => {
        const at = await prepared(input);
        const isMoved = String(input['email']).startsWith('changed');
        const change: Members = {
          ...Object.fromEntries(Object.entries(input).filter(([name]) => name.startsWith('claims.'))),
          ...(isMoved ? { 'claims.email': 'renamed@example.org' } : {}),
        };
        const made = await scenes.returned(at, change);
        if (typeof verdict === 'object') {
          expect(made.response.status).toBe(403);
          return;
        }
        expect(await scenes.emailOf(made)).toBe(`${isMoved ? 'renamed' : 'user'}@${at.domain}`);
        const { organisationId } = at.tenant;
        const seats = await api.dataSource.manager.findBy(OrganisationUserEntity, { organisationId });
        expect(seats.map(({ role }) => role)).toEqual(['member']);
        const invites = await api.dataSource.manager.findBy(UserInviteEntity, { organisationId });
        expect(invites.filter(({ status }) => status !== 'accepted')).toEqual([]);
      },
    );

    it('oidc-121: two concurrent first logins', async () => {
      const at = await scenes.scene();
      const begun = [
        await scenes.begin({ sso_client_id: at.connection }),
        await scenes.begin({ sso_client_id: at.connection }),
      ];
      const responses: Promise<GatewayResponse>[] = [];
      for (const { body } of begun) {
        scenes.sayToken(at, body.url, {});
        const state = new URL(body.url).searchParams.get('state') ?? '';
        responses.push(scenes.returnBy(new URLSearchParams({ code: 'a', state })));
      }
      await Promise.all(responses);
      const { organisationId } = at.tenant;
      expect(await api.dataSource.manager.countBy(OrganisationUserEntity, { organisationId })).toBe(1);
    });

    describe('first logins that the organisation restricts to invited users of its domains', () => {
      const cases = (readCases('oauth.json') as { readonly cases: readonly SsoCase[] }).cases.filter(
        ({ step }) => step === 'sso_login',
      );
      const addressIn = ({ domain }: Scene, email: string): string =>
        email
          .replaceAll('allowed.example.org', domain)
          .replaceAll('evil.example.org', 'evil.example')
          .replaceAll(/example\.org/gi, domain);

      /** Returns the address of a user of another organisation. */
      async function userElsewhere(): Promise<string> {
        const { tenant, domain } = await scenes.scene();
        const { id } = await api.user(tenant.organisationId, 'member');
        const email = `user@${domain}`;
        await api.dataSource.manager.update(UserEntity, { id }, { email });
        return email;
      }

      it.each(cases.map((each) => [each.id, each.reason, each] as const))(
        '%s: %s',
        async (_, __, { input, expect: verdict }) => {
          const at = await prepared({
            disable_auto_provision_user: input.disable_auto_provision_user !== false,
            ...(input.domain_verified === false ? { domain: 'not verified' } : {}),
          });
          const { organisationId } = at.tenant;
          const own = input.idp === undefined ? `user@${at.domain}` : await userElsewhere();
          const [first = '', ...others] = (input.email ?? own).split(' vs ');
          const addresses = [first, ...others].map((email) => addressIn(at, email));
          if (input.invited === true || others.length > 0) await invite(at, organisationId);
          // Invites an address that only looks like the invited one.
          else await invite(at, organisationId, `a@${at.domain}`);
          const outcomes: number[] = [];
          for (const email of addresses) {
            const made = await scenes.returned(at, { 'claims.email': email });
            outcomes.push(made.response.status);
          }
          const seats = await api.dataSource.manager.countBy(OrganisationUserEntity, { organisationId });
          if (verdict === 'reject') expect([outcomes, seats]).toEqual([[403], 0]);
          else expect([new Set(outcomes), seats]).toEqual([new Set([303]), 1]);
        },
      );
    });
  });
});

interface SsoCase {
  readonly id: string;
  readonly step: string;
  readonly reason: string;
  readonly expect: string;
  readonly input: {
    readonly disable_auto_provision_user?: boolean;
    readonly invited?: boolean;
    readonly domain_verified?: boolean;
    readonly email?: string;
    readonly idp?: string;
  };
}
