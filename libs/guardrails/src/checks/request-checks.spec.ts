import { asking, FACTS, judged, compiled, verdictOf, chat } from '../spec-support/judge';
import { RecordingPort, json } from '../spec-support/recording-port';
import { Subject, type RequestFacts } from '../subject';
import type { JsonObject } from '../json';

const facts = (more: Partial<RequestFacts>) => asking('hi', more);
const passes = async (id: string, parameters: JsonObject, subject: Subject): Promise<boolean> =>
  (await verdictOf(id, parameters, subject)).verdict;

describe('model checks', () => {
  it.each<[JsonObject, Partial<RequestFacts>, boolean]>([
    [{ models: ['a', 'b'] }, { model: 'b' }, true],
    [{ models: ['a'] }, { model: 'b' }, false],
    [{ models: ['a'], not: true }, { model: 'a' }, false],
    [{ models: ['@eu/*'] }, { model: 'b', provider: '@eu' }, true],
    [{ models: ['@eu/a'] }, { model: 'b', provider: 'eu' }, false],
    [{ models: ['a'] }, { model: null }, false],
  ])('modelWhitelist %j gives request %j the verdict %p', async (parameters, more, expected) => {
    expect(await passes('default.modelwhitelist', parameters, facts(more))).toBe(expected);
  });

  const rules = {
    defaults: ['small'],
    metadata: { team: { lab: ['large'], ops: ['medium'] }, tier: { '1': ['huge'] } },
  };

  it.each<[Readonly<Record<string, string>>, string, boolean]>([
    [{}, 'small', true],
    [{}, 'large', false],
    [{ team: 'lab' }, 'large', true],
    [{ team: 'lab' }, 'small', false],
    [{ team: 'lab', tier: '1' }, 'huge', true],
    [{ team: 'toString' }, 'small', true],
  ])('modelRules gives metadata %j and model %s the verdict %p', async (metadata, model, expected) => {
    expect(await passes('modelRules', { rules }, facts({ metadata, model }))).toBe(expected);
  });
});

describe('requestParametersCheck', () => {
  const judge = (dialect: RequestFacts['dialect'], body: object, parameters: JsonObject) =>
    passes('requestParametersCheck', parameters, Subject.input({ ...FACTS, dialect, model: 'large' }, body));

  it('judges the model of the path of Gemini, whatever the body names', async () => {
    const params = { params: { values: { model: { allowedValues: ['small'] } } } };
    expect(await judge('gemini', { model: 'small', contents: [] }, params)).toBe(false);
  });

  it('judges a setting of Gemini next to a member of the same name', async () => {
    const params = { params: { values: { temperature: { allowedValues: [0] } } } };
    const body = { temperature: 0, generationConfig: { temperature: 2 } };
    expect(await judge('gemini', body, params)).toBe(false);
    expect(await judge('gemini', { generationConfig: { temperature: 0 } }, params)).toBe(true);
  });

  it.each<[RequestFacts['dialect'], object]>([
    ['messages', { type: 'custom', name: 'delete_account' }],
    ['messages', { name: 'delete_account' }],
    ['responses', { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'delete_account' }] }],
  ])('refuses a function that is not allowed (%s, %j)', async (dialect, tool) => {
    expect(await judge(dialect, { tools: [tool] }, { tools: { allowedFunctionNames: ['search'] } })).toBe(
      false,
    );
  });
});

describe('metadata and request type checks', () => {
  it.each<[JsonObject, Partial<RequestFacts>, boolean]>([
    [{ allowedTypes: ['chatComplete'] }, {}, true],
    [{ allowedTypes: 'embed, complete' }, {}, false],
    [{ blockedTypes: ['chatComplete'] }, {}, false],
    [{}, { metadata: { blocked_endpoints: 'chatComplete' } }, false],
    [{ allowedTypes: ['embed'] }, { metadata: { supported_endpoints: 'chatComplete' } }, false],
  ])('allowedRequestTypes %j gives request %j the verdict %p', async (parameters, more, expected) => {
    expect(await passes('allowedRequestTypes', parameters, facts(more))).toBe(expected);
  });

  it.each<[JsonObject, Readonly<Record<string, string>>, boolean]>([
    [{ metadataKeys: ['a', 'b'] }, { a: '1' }, false],
    [{ metadataKeys: ['a', 'b'], operator: 'any' }, { a: '1' }, true],
    [{ metadataKeys: ['a'], operator: 'none' }, { a: '1' }, false],
    [{ metadataKeys: ['constructor'] }, {}, false],
  ])('requiredMetadataKeys %j gives metadata %j the verdict %p', async (parameters, metadata, expected) => {
    expect(await passes('requiredMetadataKeys', parameters, facts({ metadata }))).toBe(expected);
  });

  it.each<[JsonObject, Readonly<Record<string, string>>, boolean]>([
    [{ metadataPairs: { a: ['1', '2'] } }, { a: '2' }, true],
    [{ metadataPairs: { a: '1', b: '2' } }, { a: '1', b: '3' }, false],
    [{ metadataPairs: { a: '1', b: '2' }, operator: 'any' }, { a: '1', b: '3' }, true],
    [{ metadataPairs: { a: 'b' }, matchType: 'contains' }, { a: 'abc' }, true],
    [{ metadataPairs: { a: ['b', 'd'] }, matchType: 'containsAll' }, { a: 'abc' }, false],
    [{ metadataPairs: { a: '^x\\d$' }, matchType: 'regex' }, { a: 'x1' }, true],
    [{ metadataPairs: { a: '^x\\d$' }, matchType: 'regex' }, { a: 'x12' }, false],
  ])(
    'requiredMetadataKeyPairs %j gives metadata %j the verdict %p',
    async (parameters, metadata, expected) => {
      expect(await passes('requiredMetadataKeyPairs', parameters, facts({ metadata }))).toBe(expected);
    },
  );
});

describe('requestParametersCheck', () => {
  const body = {
    model: 'a',
    seed: 1,
    tools: [{ type: 'function', function: { name: 'ok' } }, { type: 'file_search' }],
    stop: ['x'],
  };

  it.each<[JsonObject, readonly string[]]>([
    [{}, []],
    [{ tools: { blockedTypes: ['file_search'] } }, ['type_blocked']],
    [{ tools: { allowedTypes: ['function'] } }, ['type_not_allowed']],
    [{ tools: { blockedFunctionNames: ['ok'] } }, ['name_blocked']],
    [{ tools: { allowedFunctionNames: ['other'] } }, ['name_not_allowed']],
    [{ tools: { allowedFunctionNames: ['ok'] } }, []],
    [{ params: { blockedKeys: ['seed'] } }, ['key_blocked']],
    [{ params: { allowedKeys: ['model', 'tools', 'seed'] } }, ['key_not_allowed']],
    [
      { params: { values: { model: { blockedValues: ['a'] }, stop: { allowedValues: [['y']] } } } },
      ['value_blocked', 'value_not_allowed'],
    ],
    [{ params: { values: { stop: { allowedValues: [['x']] } } } }, []],
  ])('[GRD-01] parameters %j find the violations %j', async (parameters, reasons) => {
    const result = await verdictOf('requestParametersCheck', parameters, Subject.input(FACTS, body));
    expect(result.verdict).toBe(reasons.length === 0);
    expect((result.data?.['breaches'] as readonly { reason: string }[]).map(({ reason }) => reason)).toEqual(
      reasons,
    );
  });

  it('recognises tools in every form: flat, legacy functions, forced by tool_choice [GRD-01]', async () => {
    const parameters = { tools: { blockedFunctionNames: ['bad'] } };
    for (const spelled of [
      { tools: [{ type: 'function', name: 'bad' }] },
      { tools: [{ name: 'bad', input_schema: {} }] },
      { functions: [{ name: 'bad' }] },
      { tool_choice: { type: 'function', function: { name: 'bad' } } },
      { tool_choice: { type: 'tool', name: 'bad' } },
    ]) {
      expect(await passes('requestParams', parameters, Subject.input(FACTS, spelled))).toBe(false);
    }
  });
});

describe('addPrefix', () => {
  const made = async (parameters: JsonObject, body: JsonObject, dialect: RequestFacts['dialect'] = 'chat') =>
    (
      await judged(
        [compiled([{ id: 'addPrefix', parameters: { prefix: 'P ', ...parameters } }])],
        Subject.input({ ...FACTS, dialect }, body),
      )
    ).body;

  it.each<[JsonObject, RequestFacts['dialect'], JsonObject, JsonObject | undefined]>([
    [
      {},
      'chat',
      { messages: [{ role: 'user', content: 'x' }] },
      { messages: [{ role: 'user', content: 'P x' }] },
    ],
    [
      {},
      'chat',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] },
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'P x' }] }] },
    ],
    [
      { applyToRole: 'system' },
      'chat',
      { messages: [{ role: 'user', content: 'x' }] },
      {
        messages: [
          { role: 'system', content: 'P ' },
          { role: 'user', content: 'x' },
        ],
      },
    ],
    [{ onlyIfEmpty: true }, 'chat', { messages: [{ role: 'user', content: 'x' }] }, undefined],
    [{ applyToRole: 'system' }, 'messages', { system: 's', messages: [] }, { system: 'P s', messages: [] }],
    [{ applyToRole: 'system' }, 'responses', { input: 'x' }, { input: 'x', instructions: 'P ' }],
    [{}, 'responses', { input: 'x' }, { input: 'P x' }],
    [{}, 'completions', { prompt: 'x' }, { prompt: 'P x' }],
  ])('applies %j to the %s request %j', async (parameters, dialect, body, expected) => {
    expect(await made(parameters, body, dialect)).toEqual(expected);
  });
});

describe('webhook and log', () => {
  const URLS = { webhookURL: 'https://a.example.com/x' };

  it('sends forwarded headers and the admin’s, which take precedence, and no other header of the client', async () => {
    const port = new RecordingPort(() => json({ verdict: true }));
    const parameters = {
      ...URLS,
      headers: { 'X-Key': 'k', 'x-session-id': 'admin' },
      forwardHeaders: ['X-Session-Id', 'traceparent'],
    };
    const headers = { authorization: 'Bearer client', 'x-session-id': 'client', traceparent: 't' };
    await verdictOf('webhook', parameters, facts({ headers }), port);
    expect(port.calls[0]?.headers).toEqual({
      'x-session-id': 'admin',
      traceparent: 't',
      'x-key': 'k',
      'content-type': 'application/json',
      accept: 'application/json',
    });
    expect(port.calls[0]?.body).not.toContain('Bearer client');
  });

  it('accepts a changed body from the webhook only at the stage of the check', async () => {
    const port = new RecordingPort(() =>
      json({
        verdict: true,
        data: { a: 1 },
        transformedData: { request: { json: chat('new') }, response: { json: {} } },
      }),
    );
    const verdict = await judged([compiled([{ id: 'webhook', parameters: URLS }])], asking('old'), port);
    expect(verdict).toMatchObject({
      outcome: 'pass',
      body: chat('new'),
      results: [{ checks: [{ data: { a: 1 } }] }],
    });
  });

  it('log sends the same content without the client’s headers, and always passes', async () => {
    const port = new RecordingPort(() => json({}, 204));
    const result = await verdictOf(
      'log',
      { logURL: 'https://l.example.com', headers: '{"x-key":"k"}' },
      facts({ headers: { cookie: 'c' } }),
      port,
    );
    expect(result.verdict).toBe(true);
    expect(port.calls[0]).toMatchObject({ headers: { 'x-key': 'k' } });
    expect(JSON.stringify(port.calls[0])).not.toContain('cookie');
  });
});
