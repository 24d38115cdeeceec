import { GATEWAY_VERSION } from '@gw/kernel';
import { eventually, StubProvider } from '@gw/testing';
import { internalPost } from '@gw/outbound';
import { Presence } from './presence';

describe('gateway presence', () => {
  it('[VER-02] is reported to the control plane at the start, with a version that has every feature', async () => {
    const admin = await StubProvider.start();
    const presence = new Presence({
      adminUrl: `${admin.origin}/`,
      serviceToken: 'service-token-of-the-spec',
      gatewayId: 'host/0',
      clientAuth: null,
      post: internalPost,
    });
    presence.start();
    const { method, url, headers, body } = await admin.waitForRequest();
    expect([method, url]).toEqual(['POST', '/internal/v1/gateways']);
    expect(headers['authorization']).toBe('Bearer service-token-of-the-spec');
    expect(JSON.parse(body.toString())).toEqual({ id: 'host/0', version: GATEWAY_VERSION });
    const [major = 0, minor = 0] = GATEWAY_VERSION.split('.').map(Number);
    expect(major * 1_000 + minor).toBeGreaterThanOrEqual(2_018);
    presence.stop();
    await admin.stop();
  });

  it('survives a control plane that is unreachable', async () => {
    const gone = await StubProvider.start();
    const adminUrl = gone.origin;
    await gone.stop();
    let tried = 0;
    const presence = new Presence({
      adminUrl,
      serviceToken: 'service-token-of-the-spec',
      gatewayId: 'host/0',
      clientAuth: null,
      post: (...call) => {
        tried += 1;
        return internalPost(...call);
      },
    });
    presence.start();
    presence.stop();
    await new Promise(setImmediate);
    expect(tried).toBe(1);
  });

  it('is reported soon after the control plane can be reached again', async () => {
    const admin = await StubProvider.start();
    admin.respond({ status: 503 }, { status: 503 }, { status: 200 });
    const presence = new Presence({
      ...{ adminUrl: admin.origin, serviceToken: 'service-token-of-the-spec', gatewayId: 'host/0' },
      ...{ clientAuth: null, post: internalPost },
    });
    presence.start();
    await eventually(() => admin.requests.length === 3);
    presence.stop();
    await admin.stop();
  });
});
