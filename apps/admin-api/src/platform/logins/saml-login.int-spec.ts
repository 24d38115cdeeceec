import { AuditLogEntity, SessionEntity, SsoConnectionEntity, SsoFlowEntity } from '@gw/entities';
import { newKeyWithCertificate } from '@gw/federation';
import { uuidv7 } from '@gw/kernel';
import { samlifyIdp } from '@gw/testing';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { GatewayResponse } from '../../spec-support/admin-api';
import { withStoppedClock } from '../../spec-support/stopped-clock';
import {
  account,
  CONNECTIONS,
  partner,
  SamlScenes,
  type Begun,
  type Returned,
  type Scene,
} from './spec-support/saml-scenes';

describe('logins by SAML', () => {
  const scenes = new SamlScenes();
  const { api } = scenes;
  const [scene, connect] = [scenes.scene.bind(scenes), scenes.connect.bind(scenes)];
  const [begin, send, exchange] = [
    scenes.begin.bind(scenes),
    scenes.send.bind(scenes),
    scenes.exchange.bind(scenes),
  ];
  let server: Server;
  beforeAll(async () => {
    server = createServer((request, response) => {
      response
        .writeHead(request.url === '/metadata' ? 200 : 404)
        .end(samlifyIdp('https://url.example', scenes.key).metadata());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => server.close());

  const reasons = async ({ tenant }: Scene): Promise<string[]> => {
    const rows = await api.dataSource.manager.find(AuditLogEntity, {
      where: { organisationId: tenant.organisationId, action: 'login' },
      order: { createdAt: 'ASC' },
    });
    return rows.flatMap((row) => /check [^:"]+/.exec(JSON.stringify(row)) ?? []);
  };

  it('complete all steps: request, response, code and session', async () => {
    const at = await scene();
    const email = `ann@${at.domain}`;
    const begun = await begin(email);
    const query = new URL(begun.url).search.slice(1);
    const requestId = await at.idp.idOfRedirect(query, { entityId: at.sp.entity_id, certificate: null });
    expect(requestId).toBe(begun.requestId);
    const returned = await send(
      at.sp.acs_url,
      await at.idp.respond(partner(at.sp), account(email, requestId)),
      'x',
    );
    expect([returned.status, returned.body]).toEqual([200, expect.objectContaining({ login_binding: null })]);
    expect((await exchange(returned.body.code, (await begin(email)).login_binding)).status).toBe(401);
    const { body } = await exchange(returned.body.code, begun.login_binding);
    const self = await api.get<{ email: string }>('/v1/auth/self', { token: body.auth_token });
    expect([self.status, self.body.email]).toEqual([200, email]);
  });

  it('accept encrypted assertions, sign requests, and end with the session at the provider', async () => {
    const at = await scene({ sign_authn_requests: true });
    const email = `ann@${at.domain}`;
    const begun = await begin(email);
    const sp = { entityId: at.sp.entity_id, certificate: at.sp.certificate };
    const requestId = await at.idp.idOfRedirect(new URL(begun.url).search.slice(1), sp);
    const sessionEndsAt = new Date(Date.now() + 1_800_000);
    const response = await at.idp.respond(
      partner(at.sp, at.sp.certificate),
      account(email, requestId, { sessionEndsAt }),
    );
    const returned = await send(at.sp.acs_url, response, begun.relayState);
    expect((await exchange(returned.body.code, begun.login_binding)).status).toBe(200);
    const { organisationId } = at.tenant;
    const session = await api.dataSource.manager.findOneByOrFail(SessionEntity, { organisationId });
    expect(session.expiresAt).toEqual(sessionEndsAt);
  });

  it('post the request when the provider requires that', async () => {
    const at = await scene({ sso_binding: 'post' });
    const { body } = await api.post<Begun>('/v2/auth/login', { body: { email: `ann@${at.domain}` } });
    const sp = { entityId: at.sp.entity_id, certificate: null };
    expect(await at.idp.idOfPost(body.fields ?? {}, sp)).toBe(`_${body.fields?.['RelayState'] ?? ''}`);
  });

  it('work once, even when ten responses arrive at the same time [saml-039]', async () => {
    const at = await scene();
    const email = `ann@${at.domain}`;
    const { requestId } = await begin(email);
    const response = await at.idp.respond(partner(at.sp), account(email, requestId));
    const all = await Promise.all(Array.from({ length: 10 }, () => send(at.sp.acs_url, response)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(9).fill(403)]);
  });

  it('started by the provider are refused by default, and work once when they are allowed [saml-034, 035, 037]', async () => {
    const closed = await scene();
    const answer = (at: Scene): Promise<string> =>
      at.idp.respond(partner(at.sp), account(`ann@${at.domain}`, null));
    expect((await send(closed.sp.acs_url, await answer(closed))).status).toBe(403);
    expect(await reasons(closed)).toEqual(['check 9']);
    const open = await scene({ allow_idp_initiated: true });
    const response = await answer(open);
    const all = await Promise.all(Array.from({ length: 5 }, () => send(open.sp.acs_url, response)));
    const [taken] = all.filter(({ status }) => status === 200);
    expect(all.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403]);
    expect(await reasons(open)).toEqual(Array(4).fill('check 8'));
    const { code = '', login_binding: binding = '' } = taken?.body ?? {};
    expect((await exchange(code, binding ?? '')).status).toBe(200);
  });

  it('expire after ten minutes [saml-042], and are bound to one browser [saml-041, 115]', async () => {
    const at = await scene();
    const email = `ann@${at.domain}`;
    const late = await begin(email);
    await api.dataSource.manager.update(SsoFlowEntity, { connectionId: at.id }, { expiresAt: new Date(0) });
    const answer = async (requestId: string): Promise<string> =>
      at.idp.respond(partner(at.sp), account(email, requestId));
    expect((await send(at.sp.acs_url, await answer(late.requestId))).status).toBe(403);
    const [mine, theirs] = [await begin(email), await begin(email)];
    const foreign = await send(at.sp.acs_url, await answer(mine.requestId), theirs.relayState);
    expect(foreign.status).toBe(403);
    expect(await reasons(at)).toEqual(['check 9']);
    const returned = await send(at.sp.acs_url, await answer(theirs.requestId), theirs.relayState);
    expect((await exchange(returned.body.code, mine.login_binding)).status).toBe(401);
  });

  it.each(['https://evil.example/', 'javascript:alert(1)'])(
    'never redirect to the RelayState %s [saml-113, 114]',
    async (relay) => {
      const at = await scene();
      const email = `ann@${at.domain}`;
      const { requestId } = await begin(email);
      const response = await at.idp.respond(partner(at.sp), account(email, requestId));
      const { status, text } = await send(at.sp.acs_url, response, relay);
      expect(status).toBe(200);
      expect(text).not.toContain('evil');
      expect(text).not.toContain('javascript');
    },
  );

  it('are bound to their organisation and connection [saml-110, 111]', async () => {
    const at = await scene();
    const other = await scene();
    const email = `ann@${at.domain}`;
    const one = await begin(email);
    const response = await at.idp.respond(partner(at.sp), account(email, one.requestId));
    expect((await send(other.sp.acs_url, response)).status).toBe(403);
    const second = await connect(at.tenant, at.domain, {}, { status: 'disabled' });
    const two = await begin(email);
    const foreign = await second.idp.respond(partner(at.sp), account(email, two.requestId));
    expect((await send(at.sp.acs_url, foreign)).status).toBe(403);
    expect(await reasons(at)).toEqual(['check 15', 'check 4']);
    expect(await reasons(other)).toEqual([]);
  });

  it('require an address of a verified domain, or a linked user [saml-095, 098]', async () => {
    const at = await scene();
    const { requestId } = await begin(`ann@${at.domain}`);
    const response = await at.idp.respond(partner(at.sp), account('ann@notours.example', requestId));
    expect((await send(at.sp.acs_url, response)).status).toBe(403);
    expect(await reasons(at)).toEqual(['check 13']);
  });

  it('reveal nothing about a failed check, and record it: garbage, another key, a change in transit', async () => {
    const at = await scene();
    const email = `ann@${at.domain}`;
    const evil = samlifyIdp(at.idp.entityId, await newKeyWithCertificate('evil'));
    const refusals: string[] = [];
    for (const made of ['garbage', 'key', 'change']) {
      const { requestId, relayState } = await begin(email);
      const good = await at.idp.respond(partner(at.sp), account(email, requestId));
      const changed = Buffer.from(good, 'base64').toString().replaceAll(email, `eve@${at.domain}`);
      const response =
        made === 'garbage'
          ? '!!!'
          : made === 'key'
            ? await evil.respond(partner(at.sp), account(email, requestId))
            : Buffer.from(changed).toString('base64');
      const { status, text } = await send(at.sp.acs_url, response, relayState);
      refusals.push(`${String(status)} ${text.includes('check') ? 'tells' : 'silent'}`);
    }
    expect(refusals).toEqual(Array(3).fill('403 silent'));
    expect(await reasons(at)).toEqual(['check guard', 'check 5', 'check 5']);
  });

  it('are refused when a form field is repeated, and do not fill the audit log', async () => {
    const at = await scene();
    const { tenant } = at;
    const sent = (form: string): Promise<GatewayResponse> =>
      api.post(`/v2/auth/saml/callback/${tenant.organisationId}`, {
        body: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    expect((await sent('SAMLResponse=YQ%3D%3D&SAMLResponse=Yg%3D%3D')).status).toBe(400);
    const { organisationId } = tenant;
    const { relayState: state } = await begin(`ann@${at.domain}`);
    await withStoppedClock(async () => {
      for (let attempt = 0; attempt < 70; attempt += 1)
        expect((await sent(`SAMLResponse=YQ%3D%3D&RelayState=${state}`)).status).toBe(403);
    });
    const audits = await api.dataSource.manager.countBy(AuditLogEntity, { organisationId, action: 'login' });
    expect(audits).toBe(60);
  });

  it('publish the metadata of SAML connections only', async () => {
    const at = await scene();
    const { status, text, headers } = await api.get(new URL(at.sp.entity_id).pathname);
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('samlmetadata+xml')]);
    expect(text).toContain(`entityID="${at.sp.entity_id}"`);
    expect(text).toContain(at.sp.acs_url);
    expect((await api.get(`/v2/auth/saml/metadata/${uuidv7()}`)).status).toBe(404);
  });

  it('keep explicitly set values, also in settings from before these were recorded', async () => {
    const { id, tenant, idp } = await scene();
    const { manager } = api.dataSource;
    const partsAfter = async (saml: object): Promise<unknown> => {
      const put = await api.put(`${CONNECTIONS}/${id}`, { key: tenant.adminKey, body: { saml } });
      expect([put.status, put.text]).toEqual([200, expect.any(String)]);
      return (await manager.findOneByOrFail(SsoConnectionEntity, { id })).saml?.ownParts;
    };
    expect(await partsAfter({ slo_url: null })).toEqual(['slo']);
    expect(await partsAfter({ force_authn: true })).toEqual(['slo']);
    await manager.query(`UPDATE sso_connections SET saml = saml - 'ownParts' WHERE id = $1`, [id]);
    expect(await partsAfter({ force_authn: false })).toBeUndefined();
    expect(await partsAfter({ metadata_xml: idp.metadata() })).toEqual([]);
  });

  it('need connections with all required settings; each fault names its field', async () => {
    const at = await scene();
    const key_ = at.tenant.adminKey;
    const param = async (saml: unknown, more: object = {}): Promise<unknown> => {
      const body = { name: 'x', type: 'saml', saml, ...more };
      const { status, body: answer } = await api.post<Returned>(CONNECTIONS, { key: key_, body });
      return status === 200 ? status : answer.error.param;
    };
    expect(await param(undefined)).toBe('saml');
    expect(await param({})).toBe('saml.entity_id');
    expect(await param({ entity_id: 'x' })).toBe('saml.sso_url');
    const partly = { entity_id: 'x', sso_url: 'https://idp.example/sso' };
    expect(await param(partly)).toBe('saml.certificates');
    expect(await param({ ...partly, certificates: ['x'] })).toBe('saml.certificates.0');
    expect(await param({ ...partly, sso_url: 'http://idp.example' })).toBe('saml.sso_url');
    expect(await param({ metadata_xml: '<!DOCTYPE r><r/>' })).toBe('saml.metadata_xml');
    expect(await param({ metadata_xml: at.idp.metadata() })).toBe('saml.entity_id');
    expect(await param({ metadata_url: 'https://10.0.0.1/metadata' })).toBe('saml.metadata_url');
    expect(await param({ ...partly, certificates: [scenes.key.certificate] }, { issuer: 'x' })).toBe(
      'issuer',
    );
    expect(await param({ ...partly, certificates: [scenes.key.certificate, scenes.key.certificate] })).toBe(
      200,
    );
  });

  it('read metadata from an address, also for a preview [saml-134]', async () => {
    const at = await scene();
    const own = { key: at.tenant.adminKey };
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const preview = (metadata_url: string): Promise<GatewayResponse<{ entity_id: string } & Returned>> =>
      api.post(`${CONNECTIONS}/${at.id}/metadata`, { ...own, body: { metadata_url } });
    expect((await preview(`${url}/metadata`)).body.entity_id).toBe('https://url.example');
    expect((await preview(`${url}/none`)).status).toBe(400);
    expect((await preview('https://10.0.0.1/metadata')).body.error.param).toBe('metadata_url');
    const put = { ...own, body: { saml: { metadata_url: `${url}/metadata` } } };
    expect((await api.put(`${CONNECTIONS}/${at.id}`, put)).status).toBe(200);
    const { body } = await api.get<{ issuer: string; saml: object }>(`${CONNECTIONS}/${at.id}`, own);
    expect(body).toMatchObject({ issuer: 'https://url.example', saml: { metadata_url: `${url}/metadata` } });
    expect(JSON.stringify(body)).not.toContain('PRIVATE');
  });
});
