import OpenAI from 'openai';
import { StubProvider } from '@gw/testing';
import type { GatewayHarness } from '../spec-support/harness';
import { openaiThroughGateway } from '../spec-support/openai-client';

const RUN = { id: 'run_1', object: 'thread.run', thread_id: 'thread_1', status: 'queued' };

describe('openai’s client, beta threads and runs', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let openai: OpenAI;

  beforeAll(async () => {
    ({ gateway, stub, openai } = await openaiThroughGateway());
  });
  afterAll(async () => {
    await gateway.stop();
    await stub.stop();
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const requests = (): string[] => stub.requests.map(({ method, url }) => `${method} ${url}`);

  it('[THR-01] creates a thread with messages, tool resources and metadata, and reads and changes it', async () => {
    const thread = {
      id: 'thread_1',
      object: 'thread',
      created_at: 1,
      tool_resources: {},
      metadata: { a: 'b' },
    };
    stub.respondJson(thread);
    const asking = {
      messages: [
        {
          role: 'user' as const,
          content: 'Hi',
          attachments: [{ file_id: 'file-1', tools: [{ type: 'code_interpreter' as const }] }],
          metadata: { c: 'd' },
        },
      ],
      tool_resources: { file_search: { vector_stores: [{ file_ids: ['file-1'], metadata: {} }] } },
      metadata: { a: 'b' },
    };
    expect(await openai.beta.threads.create(asking)).toMatchObject(thread);
    expect(JSON.parse(stub.lastRequest.body.toString())).toEqual(asking);
    expect(stub.lastRequest.headers['openai-beta']).toBe('assistants=v2');
    await openai.beta.threads.create();
    await openai.beta.threads.retrieve('thread_1');
    await openai.beta.threads.update('thread_1', { metadata: { a: 'c' } });
    await openai.beta.threads.messages.create('thread_1', { role: 'user', content: 'More' });
    await openai.beta.threads.delete('thread_1');
    expect(requests()).toEqual([
      'POST /v1/threads',
      'POST /v1/threads',
      'GET /v1/threads/thread_1',
      'POST /v1/threads/thread_1',
      'POST /v1/threads/thread_1/messages',
      'DELETE /v1/threads/thread_1',
    ]);
  });

  it('[RUN-01] creates, lists, gets, changes and cancels runs, submits tool outputs and lists steps', async () => {
    const { runs } = openai.beta.threads;
    const inThread = { thread_id: 'thread_1' };
    stub.respondJson(RUN);
    expect(await runs.create('thread_1', { assistant_id: 'asst_1', max_prompt_tokens: 256 })).toMatchObject(
      RUN,
    );
    await runs.retrieve('run_1', inThread);
    await runs.update('run_1', { ...inThread, metadata: { a: 'b' } });
    await runs.cancel('run_1', inThread);
    await runs.submitToolOutputs('run_1', {
      ...inThread,
      tool_outputs: [{ tool_call_id: 'c', output: 'x' }],
    });
    await openai.beta.threads.createAndRun({ assistant_id: 'asst_1', thread: { messages: [] } });
    const list = { object: 'list', data: [RUN], first_id: 'run_1', last_id: 'run_1', has_more: false };
    stub.respondJson(list);
    const listed = await runs.list('thread_1', { limit: 100, order: 'asc', after: 'run_0' }).asResponse();
    expect(await listed.json()).toEqual(list);
    await runs.steps.list('run_1', inThread);
    expect(requests()).toEqual([
      'POST /v1/threads/thread_1/runs',
      'GET /v1/threads/thread_1/runs/run_1',
      'POST /v1/threads/thread_1/runs/run_1',
      'POST /v1/threads/thread_1/runs/run_1/cancel',
      'POST /v1/threads/thread_1/runs/run_1/submit_tool_outputs',
      'POST /v1/threads/runs',
      'GET /v1/threads/thread_1/runs?limit=100&order=asc&after=run_0',
      'GET /v1/threads/thread_1/runs/run_1/steps',
    ]);
  });

  it('[RUN-05] reports to the client which field of a run is out of bounds, streamed or not', async () => {
    for (const stream of [true, false]) {
      const run = openai.beta.threads.runs.create('thread_1', {
        assistant_id: 'a',
        max_prompt_tokens: 1,
        stream,
      });
      await expect(run).rejects.toMatchObject({ status: 400, param: 'max_prompt_tokens', code: 'AB01' });
    }
    expect(requests()).toEqual([]);
  });

  it('streams a run', async () => {
    stub.respond({
      headers: { 'content-type': 'text/event-stream' },
      steps: [
        { chunk: `event: thread.run.created\ndata: ${JSON.stringify(RUN)}\n\n` },
        { chunk: 'event: done\ndata: [DONE]\n\n' },
      ],
    });
    const stream = await openai.beta.threads.runs.create('thread_1', { assistant_id: 'a', stream: true });
    const seen: string[] = [];
    for await (const { event } of stream) seen.push(event);
    expect(seen).toEqual(['thread.run.created']);
    expect((await gateway.records()).at(-1)).toMatchObject({ route: 'threads.runs.create', outcome: 'ok' });
  });
});
