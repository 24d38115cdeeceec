import OpenAI, { toFile } from 'openai';
import { StubProvider } from '@gw/testing';
import type { GatewayHarness } from '../spec-support/harness';
import { openaiThroughGateway } from '../spec-support/openai-client';

const page = (item: object) => ({ object: 'list', data: [item], has_more: false });

describe('openai’s client, assistants, vector stores and models', () => {
  let gateway: GatewayHarness;
  let stub: StubProvider;
  let openai: OpenAI;

  beforeAll(async () => {
    ({ gateway, stub, openai } = await openaiThroughGateway());
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), stub.stop()]);
  });
  beforeEach(() => {
    stub.requests.length = 0;
  });

  const requests = (): string[] => stub.requests.map(({ method, url }) => `${method} ${url}`);
  const routes = async (): Promise<string[]> =>
    (await gateway.records()).slice(-stub.requests.length).map(({ route }) => route);

  it('[SVC-03] creates, gets, changes, lists and deletes assistants', async () => {
    const { assistants } = openai.beta;
    stub.respondJson({ id: 'asst_1', object: 'assistant' });
    const tools = [{ type: 'file_search' as const, file_search: { max_num_results: 50 } }];
    expect(await assistants.create({ model: 'gpt-4o', tools })).toMatchObject({ id: 'asst_1' });
    expect(stub.lastRequest.headers['openai-beta']).toBe('assistants=v2');
    await assistants.retrieve('asst_1');
    await assistants.update('asst_1', { name: 'Ada' });
    await assistants.delete('asst_1');
    stub.respondJson(page({ id: 'asst_1' }));
    expect((await assistants.list({ limit: 5 })).data).toHaveLength(1);
    expect(requests()).toEqual([
      'POST /v1/assistants',
      'GET /v1/assistants/asst_1',
      'POST /v1/assistants/asst_1',
      'DELETE /v1/assistants/asst_1',
      'GET /v1/assistants?limit=5',
    ]);
    expect(await routes()).toEqual([
      'assistants.create',
      'assistants.get',
      'assistants.modify',
      'assistants.delete',
      'assistants.list',
    ]);
  });

  it('reads, changes, lists and deletes messages of a thread', async () => {
    const { messages } = openai.beta.threads;
    const inThread = { thread_id: 'thread_1' };
    stub.respondJson({ id: 'msg_1', object: 'thread.message' });
    await messages.retrieve('msg_1', inThread);
    await messages.update('msg_1', { ...inThread, metadata: { a: 'b' } });
    await messages.delete('msg_1', inThread);
    stub.respondJson(page({ id: 'msg_1' }));
    expect((await messages.list('thread_1')).data).toHaveLength(1);
    expect(await routes()).toEqual([
      'threads.messages.get',
      'threads.messages.modify',
      'threads.messages.delete',
      'threads.messages.list',
    ]);
  });

  it('[SVC-03] creates, gets, changes, lists, searches and deletes vector stores, and their files', async () => {
    const { vectorStores } = openai;
    const inStore = { vector_store_id: 'vs_1' };
    stub.respondJson({ id: 'vs_1', object: 'vector_store' });
    expect(await vectorStores.create({ name: 'docs', file_ids: ['file-1'] })).toMatchObject({ id: 'vs_1' });
    await vectorStores.retrieve('vs_1');
    await vectorStores.update('vs_1', { metadata: { a: 'b' } });
    await vectorStores.delete('vs_1');
    await vectorStores.files.create('vs_1', { file_id: 'file-1' });
    await vectorStores.files.retrieve('file-1', inStore);
    await vectorStores.files.update('file-1', { ...inStore, attributes: { a: 'b' } });
    await vectorStores.files.delete('file-1', inStore);
    await vectorStores.fileBatches.create('vs_1', { file_ids: ['file-1'] });
    await vectorStores.fileBatches.retrieve('vsfb_1', inStore);
    await vectorStores.fileBatches.cancel('vsfb_1', inStore);
    stub.respondJson(page({ id: 'x' }));
    await vectorStores.list({ order: 'asc' });
    await vectorStores.search('vs_1', { query: 'q', max_num_results: 50 });
    await vectorStores.files.list('vs_1');
    await vectorStores.files.content('file-1', inStore);
    await vectorStores.fileBatches.listFiles('vsfb_1', inStore);
    expect(await routes()).toEqual([
      'vector_stores.create',
      'vector_stores.get',
      'vector_stores.modify',
      'vector_stores.delete',
      'vector_stores.files.create',
      'vector_stores.files.get',
      'vector_stores.files.modify',
      'vector_stores.files.delete',
      'vector_stores.file_batches.create',
      'vector_stores.file_batches.get',
      'vector_stores.file_batches.cancel',
      'vector_stores.list',
      'vector_stores.search',
      'vector_stores.files.list',
      'vector_stores.files.content',
      'vector_stores.file_batches.files',
    ]);
    await expect(vectorStores.search('vs_1', { query: 'q', max_num_results: 51 })).rejects.toMatchObject({
      status: 400,
      param: 'max_num_results',
    });
  });

  it('lists, gets and deletes models', async () => {
    stub.respondJson({ id: 'gpt-4o', object: 'model' });
    expect(await openai.models.retrieve('gpt-4o')).toMatchObject({ id: 'gpt-4o' });
    await openai.models.delete('ft:gpt-4o:acme::1');
    stub.respondJson({ object: 'list', data: [{ id: 'gpt-4o', object: 'model' }] });
    expect((await openai.models.list()).data).toMatchObject([{ id: 'gpt-4o' }]);
    expect(await routes()).toEqual(['models.get', 'models.delete', 'models']);
  });

  it('embeds texts and tokens, also in base64, with usage and cost', async () => {
    stub.respondJson({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5, -1] }],
      model: 'text-embedding-3-small',
      usage: { prompt_tokens: 1_000_000, total_tokens: 1_000_000 },
    });
    for (const input of ['a', ['a', 'b'], [1, 2], [[1], [2]]]) {
      const { data } = await openai.embeddings.create({
        model: 'text-embedding-3-small',
        input,
        encoding_format: 'float',
      });
      expect(data[0]?.embedding).toEqual([0.5, -1]);
      expect(JSON.parse(stub.lastRequest.body.toString())).toMatchObject({ input });
    }
    // A million tokens cost 0.02 USD.
    expect((await gateway.records()).at(-1)).toMatchObject({ route: 'embeddings', cost: 2_000_000 });
  });

  it('uploads in parts through passthrough', async () => {
    stub.respondJson({ id: 'upload_1', object: 'upload' });
    await openai.uploads.create({ bytes: 3, filename: 'a', mime_type: 'text/plain', purpose: 'batch' });
    await openai.uploads.parts.create('upload_1', { data: await toFile(Buffer.from('abc'), 'a') });
    await openai.uploads.complete('upload_1', { part_ids: ['part_1'] });
    expect(requests()).toEqual([
      'POST /v1/uploads',
      'POST /v1/uploads/upload_1/parts',
      'POST /v1/uploads/upload_1/complete',
    ]);
    expect(await routes()).toEqual(['passthrough', 'passthrough', 'passthrough']);
  });
});
