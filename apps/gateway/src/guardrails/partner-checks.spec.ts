import { signAws } from '@gw/kernel';
import { eventually, StubProvider, type RecordedRequest } from '@gw/testing';
import { TestClient, type TestResponse } from '../spec-support/test-client';
import { GatewayHarness } from '../spec-support/harness';

interface Partner {
  readonly id: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Request body as the service documents it. */
  readonly body: unknown;
  readonly good: unknown;
  readonly bad: unknown;
}

const TEXT = 'Where is Jane?';

const moderation = (name: string, flagged: boolean): object => ({
  id: 'modr-1',
  model: 'm',
  results: [{ categories: { [name]: flagged }, category_scores: { [name]: flagged ? 0.97 : 0.01 } }],
});

const PARTNERS: readonly Partner[] = [
  {
    id: 'azure.contentSafety',
    parameters: { apiKey: 'K', blocklistNames: ['ours'] },
    url: '/contentsafety/text:analyze?api-version=2024-09-01',
    headers: { 'ocp-apim-subscription-key': 'K' },
    body: {
      text: TEXT,
      categories: ['Hate', 'Sexual', 'SelfHarm', 'Violence'],
      outputType: 'EightSeverityLevels',
      blocklistNames: ['ours'],
    },
    good: { blocklistsMatch: [], categoriesAnalysis: [{ category: 'Hate', severity: 1 }] },
    bad: { blocklistsMatch: [], categoriesAnalysis: [{ category: 'Violence', severity: 4 }] },
  },
  {
    id: 'azure.shieldPrompt',
    parameters: { apiKey: 'K' },
    url: '/contentsafety/text:shieldPrompt?api-version=2024-09-01',
    headers: { 'ocp-apim-subscription-key': 'K' },
    body: { userPrompt: TEXT, documents: [] },
    good: { userPromptAnalysis: { attackDetected: false }, documentsAnalysis: [] },
    bad: { userPromptAnalysis: { attackDetected: true }, documentsAnalysis: [] },
  },
  {
    id: 'bedrock.guard',
    parameters: { guardrailId: 'abc', guardrailVersion: '2', region: 'eu-central-1', apiKey: 'K' },
    url: '/guardrail/abc/version/2/apply',
    headers: { authorization: 'Bearer K' },
    body: { source: 'INPUT', content: [{ text: { text: TEXT } }] },
    good: { action: 'NONE', outputs: [], assessments: [{}] },
    bad: { action: 'GUARDRAIL_INTERVENED', outputs: [{ text: 'no' }], assessments: [{ topicPolicy: {} }] },
  },
  {
    id: 'lakera.guard',
    parameters: { apiKey: 'K', projectId: 'project-1' },
    url: '/v2/guard',
    headers: { authorization: 'Bearer K' },
    body: { messages: [{ role: 'user', content: TEXT }], breakdown: true, project_id: 'project-1' },
    good: { flagged: false, breakdown: [{ detector_type: 'prompt_attack', detected: false }] },
    bad: { flagged: true, breakdown: [{ detector_type: 'prompt_attack', detected: true }] },
  },
  {
    id: 'presidio.pii',
    parameters: { entities: ['PERSON'] },
    url: '/analyze',
    headers: {},
    body: { text: TEXT, language: 'en', score_threshold: 0.5, entities: ['PERSON'] },
    good: [],
    bad: [{ start: 9, end: 13, score: 0.85, entity_type: 'PERSON', analysis_explanation: null }],
  },
  {
    id: 'openai.moderation',
    parameters: { apiKey: 'K' },
    url: '/v1/moderations',
    headers: { authorization: 'Bearer K' },
    body: { model: 'omni-moderation-latest', input: [TEXT] },
    good: moderation('violence', false),
    bad: moderation('violence', true),
  },
  {
    id: 'mistral.moderateContent',
    parameters: { apiKey: 'K', model: 'mistral-moderation-2603' },
    url: '/v1/moderations',
    headers: { authorization: 'Bearer K' },
    body: { model: 'mistral-moderation-2603', input: [TEXT] },
    good: moderation('pii', false),
    bad: moderation('pii', true),
  },
];

describe('partner checks', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let partner: StubProvider;
  const asker = new TestClient(() => gateway);

  beforeEach(async () => {
    gateway = await GatewayHarness.start();
    [stub, partner] = await Promise.all([StubProvider.start(), StubProvider.start()]);
    stub.respondJson({ choices: [{ message: { role: 'assistant', content: 'Here.' } }] });
    gateway.addProvider('main', 'openai', stub.origin);
  });
  afterEach(async () => {
    await Promise.all([gateway.stop(), stub.stop(), partner.stop()]);
  });

  const ask = (id: string, parameters: object, asking = asker): Promise<TestResponse> =>
    asking.ask(
      '/chat/completions',
      { model: 'gpt-4o', messages: [{ role: 'user', content: TEXT }] },
      {
        config: {
          provider: '@main',
          input_guardrails: [
            { deny: true, checks: [{ id, parameters: { endpoint: partner.origin, ...parameters } }] },
          ],
        },
        headers: { 'x-secret': 's' },
      },
    );

  describe.each(PARTNERS.map((row) => [row.id, row] as const))('%s', (id, row) => {
    it('calls the service as it documents, with the check’s own credential and no data of the client except the text', async () => {
      partner.respond({ body: JSON.stringify(row.good) }, { body: JSON.stringify(row.bad) });
      expect((await ask(id, row.parameters)).status).toBe(200);
      const { method, url, headers, body } = partner.lastRequest;
      expect([method, url, headers['content-type']]).toEqual(['POST', row.url, 'application/json']);
      expect(headers).toMatchObject(row.headers);
      expect(JSON.parse(body.toString())).toEqual(row.body);
      expect(headers).not.toHaveProperty('x-secret');
      expect(headers).not.toHaveProperty('x-gw-api-key');
      expect((await ask(id, row.parameters)).status).toBe(446);
    });

    it('cannot decide when the service refuses, or does not respond within the timeout', async () => {
      partner.respond({ status: 403, body: { message: 'CANARY' } }, { neverRespond: true });
      const refused = await ask(id, row.parameters);
      expect([refused.status, refused.text.includes('status 403'), refused.text.includes('CANARY')]).toEqual([
        446,
        true,
        false,
      ]);
      const silent = await ask(id, { ...row.parameters, timeout: 200 });
      expect([silent.status, silent.text.includes('longer than 200 ms')]).toEqual([446, true]);
      await eventually(() => partner.lastRequest.cancelled || undefined, { timeoutMs: 90_000 });
    });
  });

  it('signs each call with access keys for Bedrock', async () => {
    partner.respondJson({ action: 'NONE', assessments: [] });
    const keys = { accessKeyId: 'AKIDEXAMPLE000000', secretAccessKey: 'SECRET', sessionToken: 'TOKEN' };
    const guardrailId = 'arn:aws:bedrock:eu-central-1:123456789012:guardrail/abc';
    const response = await ask('bedrock.guard', { guardrailId, region: 'eu-central-1', ...keys });
    expect([response.status, response.text.includes('SECRET')]).toEqual([200, false]);
    expect(partner.lastRequest.headers['authorization']).toBe(await signatureOf(partner.lastRequest, keys));
  });

  /** Computes the signature from the received request, as the service does. */
  async function signatureOf(
    { url, headers, body }: RecordedRequest,
    keys: { accessKeyId: string; secretAccessKey: string; sessionToken: string },
  ): Promise<string | undefined> {
    const [, year, month, day, hour, minute, second] =
      /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers['x-amz-date'])) ?? [];
    const at = new Date(
      `${String(year)}-${String(month)}-${String(day)}T${String(hour)}:${String(minute)}:${String(second)}Z`,
    );
    const signed = await signAws(
      {
        method: 'POST',
        url: new URL(url, `http://${String(headers['host'])}`),
        headers: { 'content-type': String(headers['content-type']) },
        body: body.toString(),
        region: 'eu-central-1',
        service: 'bedrock',
      },
      keys,
      at,
    );
    return signed['authorization'];
  }

  it('refuses Bedrock without either kind of credential', async () => {
    const response = await ask('bedrock.guard', { guardrailId: 'abc', region: 'eu-central-1' });
    expect([response.status, response.text.includes('apiKey'), partner.connections]).toEqual([400, true, 0]);
  });

  it('makes no call to an address that the policy forbids', async () => {
    const strict = await GatewayHarness.start({ TRUSTED_CUSTOM_HOSTS: '' });
    try {
      strict.addProvider('main', 'openai', null);
      const { parameters } = PARTNERS[0] as Partner;
      const response = await ask('azure.contentSafety', parameters, new TestClient(() => strict));
      expect([response.status, partner.connections]).toEqual([400, 0]);
      // A name that resolves to an internal address is detected only when it is called.
      const named = { ...parameters, endpoint: `http://localhost:${String(partner.port)}` };
      const byName = await ask('azure.contentSafety', named, new TestClient(() => strict));
      expect([[400, 446].includes(byName.status), partner.connections]).toEqual([true, 0]);
    } finally {
      await strict.stop();
    }
  });
});
