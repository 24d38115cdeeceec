import type { JsonObject } from '../json';
import { asking, chat, compiled, judged, verdictOf } from '../spec-support/judge';
import { json, RecordingPort } from '../spec-support/recording-port';

interface Row {
  readonly id: string;
  readonly parameters: JsonObject;
  readonly url: string;
  readonly headers: JsonObject;
  readonly body: JsonObject;
  readonly good: unknown;
  readonly bad: unknown;
  readonly data: JsonObject;
}

const ROWS: readonly Row[] = [
  {
    id: 'azure.contentSafety',
    parameters: { endpoint: 'https://x.cognitiveservices.azure.com/', apiKey: 'K', blocklistNames: ['b'] },
    url: 'https://x.cognitiveservices.azure.com/contentsafety/text:analyze?api-version=2024-09-01',
    headers: { 'ocp-apim-subscription-key': 'K' },
    body: { text: 'hello', outputType: 'EightSeverityLevels', blocklistNames: ['b'] },
    good: { blocklistsMatch: [], categoriesAnalysis: [{ category: 'Hate', severity: 0 }] },
    bad: { blocklistsMatch: [], categoriesAnalysis: [{ category: 'Hate', severity: 4 }] },
    data: { severities: { Hate: 4 } },
  },
  {
    id: 'bedrock.guard',
    parameters: { guardrailId: 'abc', region: 'eu-central-1', apiKey: 'K' },
    url: 'https://bedrock-runtime.eu-central-1.amazonaws.com/guardrail/abc/version/DRAFT/apply',
    headers: { authorization: 'Bearer K' },
    body: { source: 'INPUT', content: [{ text: { text: 'hello' } }] },
    good: { action: 'NONE', assessments: [{}] },
    bad: { action: 'GUARDRAIL_INTERVENED', outputs: [], assessments: [{ topicPolicy: {} }] },
    data: { policies: ['topicPolicy'] },
  },
  {
    id: 'lakera.guard',
    parameters: { apiKey: 'K', projectId: 'p' },
    url: 'https://api.lakera.ai/v2/guard',
    headers: { authorization: 'Bearer K' },
    body: { messages: [{ role: 'user', content: 'hello' }], project_id: 'p', breakdown: true },
    good: { flagged: false },
    bad: { flagged: true, breakdown: [{ detector_type: 'prompt_attack', detected: true }] },
    data: { detectors: ['prompt_attack'] },
  },
  {
    id: 'presidio.pii',
    parameters: { endpoint: 'https://presidio.example.com' },
    url: 'https://presidio.example.com/analyze',
    headers: {},
    body: { text: 'hello', language: 'en', score_threshold: 0.5 },
    good: [],
    bad: [{ start: 0, end: 5, score: 0.9, entity_type: 'PERSON' }],
    data: { entities: ['PERSON'] },
  },
  {
    id: 'openai.moderation',
    parameters: { apiKey: 'K' },
    url: 'https://api.openai.com/v1/moderations',
    headers: { authorization: 'Bearer K' },
    body: { model: 'omni-moderation-latest', input: ['hello'] },
    good: { results: [{ flagged: false, categories: { hate: false }, category_scores: { hate: 0.1 } }] },
    bad: { results: [{ flagged: true, categories: { hate: true }, category_scores: { hate: 0.9 } }] },
    data: { categories: ['hate'] },
  },
  {
    id: 'mistral.moderateContent',
    parameters: { apiKey: 'K', threshold: 0.5 },
    url: 'https://api.mistral.ai/v1/moderations',
    headers: { authorization: 'Bearer K' },
    body: { model: 'mistral-moderation-2603', input: ['hello'] },
    good: { results: [{ categories: { pii: true }, category_scores: { pii: 0.4 } }] },
    bad: { results: [{ categories: { pii: false }, category_scores: { pii: 0.6 } }] },
    data: { categories: ['pii'] },
  },
];

describe.each(ROWS.map((row) => [row.id, row] as const))('%s', (id, row) => {
  it('sends the request that its service expects and returns its verdict', async () => {
    for (const [reply, verdict] of [
      [row.good, true],
      [row.bad, false],
    ] as const) {
      const port = new RecordingPort(() => json(reply));
      const result = await verdictOf(id, row.parameters, asking('hello'), port);
      expect(result.error).toBeUndefined();
      expect(result.verdict).toBe(verdict);
      if (!verdict) expect(result.data).toMatchObject(row.data);
      expect(port.calls).toHaveLength(1);
      const [call] = port.calls;
      expect(call).toMatchObject({ url: row.url, method: 'POST', headers: row.headers });
      expect(JSON.parse(call?.body ?? '')).toMatchObject(row.body);
    }
  });

  it('cannot decide when the response is unknown, and reveals no key', async () => {
    for (const reply of [{ error: 'K' }, 'text', null]) {
      const result = await verdictOf(
        id,
        row.parameters,
        asking('hello'),
        new RecordingPort(() => json(reply)),
      );
      expect(result.error).toBeDefined();
    }
    const down = await verdictOf(id, row.parameters, asking('hello'), new RecordingPort(() => json({}, 401)));
    expect(down.error?.message).toContain('401');
  });
});

it('sends a long text in pieces and fails when one piece fails', async () => {
  const port = new RecordingPort(({ body }) =>
    json({ categoriesAnalysis: [{ category: 'Hate', severity: body?.includes('needle') ? 6 : 0 }] }),
  );
  const parameters = { endpoint: 'https://x.example.com', apiKey: 'K' };
  const text = `${'a'.repeat(24_000)} needle`;
  expect((await verdictOf('azure.contentSafety', parameters, asking(text), port)).verdict).toBe(false);
  expect(port.calls).toHaveLength(3);
  const endless = await verdictOf('azure.contentSafety', parameters, asking('a'.repeat(400_000)), port);
  expect(endless.error?.message).toContain('more calls');
});

it('counts Presidio’s positions in code points and replaces the right ranges', async () => {
  const port = new RecordingPort(() => json([{ start: 2, end: 6, score: 1, entity_type: 'PERSON' }]));
  const parameters = { endpoint: 'https://p.example.com', redact: true };
  const verdict = await judged(
    [compiled([{ id: 'presidio.pii', parameters }])],
    asking('😀 Jane called'),
    port,
  );
  expect(verdict.body).toEqual(chat('😀 [PERSON] called'));
});
