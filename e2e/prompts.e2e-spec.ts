import OpenAI from 'openai';
import { eventually, type StubProvider } from '@gw/testing';

import { fakeOpenAi } from './spec-support/fake-openai';
import { CHANGE_MS, withProductOn, type Drivers } from './spec-support/workbench';

interface Created {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}

describe.each<Drivers>(['embedded', 'Redis'])('saved prompt with the %s drivers', (drivers) => {
  const { bench } = withProductOn(drivers);
  let stub: StubProvider;

  beforeAll(async () => {
    stub = await bench().stub();
    stub.respond(fakeOpenAi);
    await bench().provider({ slug: 'openai-prompts', type: 'openai', stub });
  });

  const client = (prompt: string, trace: string): OpenAI =>
    new OpenAI({
      apiKey: bench().apiKey,
      baseURL: `${bench().baseUrl}/prompts/${prompt}`,
      maxRetries: 0,
      defaultHeaders: { 'x-gw-trace-id': trace },
    });
  const sent = (): { model: string; messages: unknown } =>
    JSON.parse(stub.lastRequest.body.toString('utf8')) as { model: string; messages: unknown };
  const rendered = async (reference: string): Promise<unknown> => {
    const body = { variables: { name: 'Ada' } };
    const response = await bench().call('POST', `/prompts/${reference}/render`, { body });
    return (response.body as { data?: { messages: unknown } }).data?.messages ?? response.status;
  };

  it('creates a prompt, runs it with the OpenAI SDK, changes, publishes, labels and deletes it', async () => {
    const { slug: collection_id } = await bench().manage<Created>('POST', '/collections', {
      body: { name: 'All' },
    });
    const style = await bench().manage<Created>('POST', '/prompts/partials', {
      body: { name: 'Style', string: 'Be kind to {{name}}.' },
    });
    const messages = (text: string): string =>
      JSON.stringify([
        { role: 'system', content: `{{>${style.slug}}}` },
        { role: 'user', content: text },
      ]);
    const { slug, version_id } = await bench().manage<Created>('POST', '/prompts', {
      body: {
        ...{ name: 'Greeting', collection_id, string: messages('Hello {{name}}') },
        ...{ parameters: { temperature: 0.5 }, model: 'gpt-4o', virtual_key: 'openai-prompts' },
      },
    });
    const expected = (text: string): object[] => [
      { role: 'system', content: 'Be kind to Ada.' },
      { role: 'user', content: text },
    ];

    const trace = bench().trace('prompt');
    const response: OpenAI.ChatCompletion = await client(slug, trace).post('/completions', {
      body: { variables: { name: 'Ada' } },
    });
    expect(response.choices[0]?.message.content).toBe('Hello!');
    expect(sent()).toEqual({ model: 'gpt-4o', temperature: 0.5, messages: expected('Hello Ada') });
    expect(await bench().logOf(trace)).toMatchObject({
      route: 'prompts.completions',
      response_status_code: 200,
      credential: 'openai-prompts',
      model: 'gpt-4o',
    });

    const stream = await client(slug, bench().trace('prompt')).post<
      AsyncIterable<OpenAI.ChatCompletionChunk>
    >('/completions', {
      body: { variables: { name: 'Ada' }, stream: true },
      stream: true,
    });
    let text = '';
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    expect(text).toBe('Hello!');

    await bench().manage('PUT', `/prompts/${slug}`, {
      body: { patch: true, string: messages('Bye {{name}}') },
    });
    expect(await rendered(slug)).toEqual(expected('Hello Ada'));
    await bench().manage('PUT', `/prompts/${slug}/makeDefault`, { body: { version: 2 } });
    const becomes = (reference: string, what: unknown): Promise<unknown> =>
      eventually(
        async () => {
          expect(await rendered(reference)).toEqual(what);
          return true;
        },
        { timeoutMs: CHANGE_MS, everyMs: 10 },
      );
    await becomes(slug, expected('Bye Ada'));
    await becomes(`${slug}@1`, expected('Hello Ada'));
    expect(await rendered(`${slug}@canary`)).toBe(404);
    const label = await bench().manage<Created>('POST', '/labels', { body: { name: 'canary' } });
    await bench().manage('PUT', `/prompts/${slug}/versions/${version_id}`, { body: { label_id: label.id } });
    await becomes(`${slug}@canary`, expected('Hello Ada'));
    await bench().manage('DELETE', `/labels/${label.id}?force=true`);
    await becomes(`${slug}@canary`, 404);
    await bench().manage('DELETE', `/prompts/${slug}`);
    await becomes(slug, 404);
  });
});
