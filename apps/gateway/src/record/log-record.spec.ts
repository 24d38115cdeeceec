import { LOG_MEMBERS } from '@gw/contracts';
import { GatewayHarness } from '../spec-support/harness';

describe('log record of a request', () => {
  let gateway: GatewayHarness;
  beforeEach(async () => {
    gateway = await GatewayHarness.start();
  });
  afterEach(() => gateway.stop());

  it('has every declared field', async () => {
    const response = await fetch(`${gateway.baseUrl}/models`, {
      headers: { 'x-gw-api-key': gateway.apiKey },
    });
    await response.text();
    const [record] = await gateway.records();
    expect(LOG_MEMBERS.filter((member) => record?.[member] === undefined)).toEqual([]);
  });
});
