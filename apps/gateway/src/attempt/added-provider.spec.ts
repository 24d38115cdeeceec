import { catalogueEntry, providerOfRow, PROVIDERS, registryOf, row } from '@gw/providers';
import { StubProvider } from '@gw/testing';
import { GatewayHarness } from '../spec-support/harness';

/** The complete definition of a new provider: one row, as in `libs/providers/src/rows`. */
const ACME = providerOfRow(
  row('acme', 'Acme', 'https://api.acme.example/v1', 'chat batches', {
    headers: { 'openai-project': '{openai_project}' },
    prices: 'openai',
    halfPriceBatches: true,
    environmentKey: { variable: 'ACME_API_KEY' },
  }),
);

describe('a provider added as one row', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;

  beforeAll(async () => {
    const providers = registryOf([...PROVIDERS.values(), ACME]);
    gateway = await GatewayHarness.start({}, null, undefined, providers);
    stub = await StubProvider.start();
    gateway.addProvider('mine', 'acme', stub.origin);
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });

  const post = (path: string, body: object) =>
    fetch(`${gateway.baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': gateway.apiKey,
        'x-gw-provider': '@mine',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });

  it('serves a request with its credential, at its price and under its name in the log', async () => {
    stub.respondJson({
      model: 'gpt-4o',
      choices: [],
      usage: { prompt_tokens: 1_000_000, completion_tokens: 0 },
    });
    const response = await post('/chat/completions', { model: 'gpt-4o', messages: [] });
    expect(response.status).toBe(200);
    expect(stub.lastRequest.headers['authorization']).toBe('Bearer sk-mine');
    const [record] = await gateway.records();
    expect(record).toMatchObject({ provider: 'acme', cost: 250_000_000 });
  });

  it('names a route that its row does not list, and refuses it', async () => {
    const response = await post('/embeddings', { model: 'm', input: 'a' });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('acme');
  });

  it('offers integrations its own fields and those of every provider', () => {
    expect(catalogueEntry(ACME)).toMatchObject({
      id: 'acme',
      name: 'Acme',
      needsKey: true,
    });
    const [own, ...common] = catalogueEntry(ACME).fields;
    expect(own).toMatchObject({ name: 'openai_project', required: false });
    expect(common.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['custom_host', 'custom_headers', 'auth_type']),
    );
  });
});
