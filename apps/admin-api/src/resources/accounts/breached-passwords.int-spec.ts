import { AuditLogEntity } from '@gw/entities';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PASSWORD, TestAdminApi, type GatewayResponse } from '../../spec-support/admin-api';
import type { Failure } from '../../spec-support/api-keys';
import { withPatientCalls } from '../../spec-support/patient-calls';

const BREACHED = 'seven wet dogs under tables';
const PADDED = 'four blue lamps near rivers';
const GOOD = 'nine green kites over water';
const digestOf = (text: string): string => createHash('sha1').update(text).digest('hex').toUpperCase();

/**
 * A range service with one breached password. It pads its responses, and can be stopped from
 * responding.
 */
class RangeService {
  readonly paths: string[] = [];
  mode: 'ok' | 'error' | 'silent' = 'ok';
  private readonly server: Server = createServer((request, response) => {
    this.paths.push(request.url ?? '');
    if (this.mode === 'silent') return;
    if (this.mode === 'error') response.statusCode = 503;
    response.end(`${digestOf(BREACHED).slice(5)}:12\r\n${digestOf(PADDED).slice(5)}:0\r\n`);
  });

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}/range/`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

describe('breached-password check', () => {
  const service = new RangeService();
  const admin = new TestAdminApi(async () => ({
    BREACHED_PASSWORDS_URL: await service.start(),
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1',
  }));
  const ours = admin.sharedTenant();
  withPatientCalls(admin, () => service.mode !== 'silent');
  afterAll(() => service.stop());
  beforeEach(() => {
    service.mode = 'ok';
    service.paths.length = 0;
  });

  const change = async (password: string): Promise<{ id: string; response: GatewayResponse<Failure> }> => {
    const { id, email } = await admin.user(ours.organisationId, 'owner');
    const body = { current_password: PASSWORD, new_password: password };
    const token = await admin.login(email);
    return { id, response: await admin.post('/v1/auth/password', { token, body }) };
  };
  const noteOf = async (resourceId: string): Promise<object | null> => {
    const where = { resourceType: 'passwords', resourceId, responseStatusCode: 200 };
    return (await admin.dataSource.manager.findOneByOrFail(AuditLogEntity, where)).after;
  };

  it('refuses a breached password in a change, a reset and an invite, and sends only five hex digits', async () => {
    const { response } = await change(BREACHED);
    expect([response.status, response.body.error.param]).toEqual([400, 'new_password']);
    expect(response.body.error.message).toContain('choose one that you use nowhere else');
    expect(service.paths).toEqual([`/range/${digestOf(BREACHED).slice(0, 5)}`]);
    const invited = { email: 'breached@example.com', role: 'member', workspaces: [] };
    const invite = await admin.post<{ invite_link: string }>('/v1/admin/users/invites', {
      ...{ key: ours.adminKey, body: invited },
    });
    const token = invite.body.invite_link.split('/').at(-1);
    const accept = (password: string): Promise<GatewayResponse<Failure>> =>
      admin.post('/v1/invites/accept', { body: { token, password } });
    const refused = await accept(BREACHED);
    expect([refused.status, refused.body.error.param]).toEqual([400, 'password']);
    expect((await accept(GOOD)).status).toBe(200);
    const owner = await admin.user(ours.organisationId, 'owner');
    const target = await admin.user(ours.organisationId, 'member');
    const link = await admin.post<{ reset_link: string }>(`/v1/users/${target.id}/password-reset`, {
      token: await admin.login(owner.email),
    });
    const reset = { token: link.body.reset_link.split('/').at(-1), password: BREACHED };
    expect((await admin.post('/v1/auth/password/reset', { body: reset })).status).toBe(400);
  });

  it('accepts a password that is not in the range, and one that occurs only as padding', async () => {
    for (const password of [GOOD, PADDED]) {
      const { id, response } = await change(password);
      expect(response.status).toBe(200);
      expect(await noteOf(id)).toEqual({});
    }
  });

  it('sends no query for a password that the rules refuse', async () => {
    expect((await change('qwertyuiopasdf')).response.status).toBe(400);
    expect(service.paths).toEqual([]);
  });

  it.each(['error', 'silent'] as const)(
    'accepts a password when the service is %s, and audits that',
    async (mode) => {
      service.mode = mode;
      const { id, response } = await change(BREACHED);
      expect(response.status).toBe(200);
      expect(service.paths).toHaveLength(1);
      expect(await noteOf(id)).toEqual({ breach_check: 'unavailable' });
    },
  );
});
