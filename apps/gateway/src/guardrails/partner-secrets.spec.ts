import { guardrailBinding, type GuardrailSecretContent, type SecretLocation } from '@gw/contracts';
import { seal, sealingKeyring } from '@gw/kernel';
import { STUB_ACCESS, StubProvider, StubSecretManagers } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness, ORGANISATION_ID } from '../spec-support/harness';

describe('secrets of partner checks', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let partner: StubProvider;
  let managers: StubSecretManagers;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, partner, managers] = await Promise.all([
      StubProvider.start(),
      StubProvider.start(),
      StubSecretManagers.start(),
    ]);
    stub.respondJson({ choices: [{ message: { role: 'assistant', content: 'Here.' } }] });
    partner.respondJson({ flagged: false });
    managers.secrets.set('secret/data/lakera', JSON.stringify({ api_key: 'CANARY' }));
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), partner.stop(), managers.stop()]);
  });

  const location = (): SecretLocation => ({
    managerType: 'vendor3_vault',
    auth: { vault_auth_type: 'token', vault_addr: managers.origin, vault_token: STUB_ACCESS.vaultToken },
    path: 'secret/data/lakera',
    key: 'api_key',
    version: 'reference:1',
  });

  function addGuardrail(parameters: object, content: GuardrailSecretContent): void {
    const sealedSecrets = seal(
      sealingKeyring(gateway.master),
      JSON.stringify(content),
      guardrailBinding(ORGANISATION_ID, 'guardrail-pg-lakera'),
    );
    const check = { id: 'lakera.guard', parameters: { endpoint: partner.origin, ...parameters } };
    gateway.addGuardrail('pg-lakera', [check], { deny: true }, { sealedSecrets });
  }
  const ask = (): Promise<TestResponse> =>
    asker.ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] },
      { config: { provider: '@main', input_guardrails: ['pg-lakera'] } },
    );

  it('decrypts a secret stored in the guardrail', async () => {
    addGuardrail({}, { parameters: { 0: { apiKey: 'SEALED' } }, locations: {} });
    expect((await ask()).status).toBe(200);
    expect(partner.lastRequest.headers['authorization']).toBe('Bearer SEALED');
  });

  it('reads a secret from its manager once for many requests', async () => {
    const locations = { 'reference-id#': location() };
    addGuardrail({ apiKey: { secret_reference_id: 'reference-id' } }, { parameters: {}, locations });
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    expect(partner.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer CANARY',
      'Bearer CANARY',
    ]);
    expect(managers.reads).toBe(1);
  });

  it('cannot decide when a secret cannot be read, and shows no details in the error', async () => {
    managers.outage = { status: 403, body: { errors: ['CANARY'] } };
    const named = { apiKey: { secret_reference_id: 'reference-id' } };
    addGuardrail(named, { parameters: {}, locations: { 'reference-id#': location() } });
    const refused = await ask();
    addGuardrail(named, { parameters: {}, locations: { 'reference-id#': null } });
    const closed = await ask();
    for (const response of [refused, closed]) {
      expect([
        response.status,
        response.text.includes('could not be read'),
        response.text.includes('CANARY'),
      ]).toEqual([446, true, false]);
    }
    expect(partner.connections).toBe(0);
  });

  it('accepts no secret references in a guardrail that a request contains', async () => {
    const check = {
      id: 'lakera.guard',
      parameters: { endpoint: partner.origin, apiKey: { secret_reference_id: 'reference-id' } },
    };
    const response = await asker.ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }] },
      { config: { provider: '@main', input_guardrails: [{ checks: [check] }] } },
    );
    expect([response.status, response.text.includes('saved guardrails only'), partner.connections]).toEqual([
      400,
      true,
      0,
    ]);
  });
});
