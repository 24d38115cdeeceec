/** @jest-environment node */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { KEY_VARIABLE, RECIPES, type RecipeValues } from '.';
import { recipeForms } from '../recipe-forms';

const run = promisify(execFile);
const ROOT = resolve(__dirname, '../../../../../..');
const VALUES: RecipeValues = {
  base: 'https://gateway.example.com',
  key: null,
  provider: '@openai-prod',
  model: 'gpt-4o',
  config: null,
};
const CHAT = {
  ...{ id: 'c', object: 'chat.completion', created: 0, model: 'm' },
  choices: [
    { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello from the stub' } },
  ],
};
const MESSAGE = {
  ...{
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    stop_reason: 'end_turn',
    stop_sequence: null,
  },
  content: [{ type: 'text', text: 'Hello from the stub' }],
  usage: { input_tokens: 1, output_tokens: 1 },
};

const recipeOf = (id: string) => RECIPES.find((recipe) => recipe.id === id)!;

describe('recipes', () => {
  let stub: Server;
  let received: {
    readonly path: string;
    readonly headers: IncomingMessage['headers'];
    readonly body: unknown;
  }[];
  const baseOf = (): string => `http://127.0.0.1:${String((stub.address() as AddressInfo).port)}`;

  beforeAll(async () => {
    stub = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const { url: path = '', headers } = request;
        received.push({ path, headers, body: JSON.parse(Buffer.concat(parts).toString()) });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(path.endsWith('/messages') ? MESSAGE : CHAT));
      });
    });
    await new Promise<void>((done) => stub.listen(0, '127.0.0.1', done));
  });
  afterAll(() => stub.close());
  beforeEach(() => (received = []));

  const HOSTILE = `Say 'hi', "ho" and \`\${process.env.HOME}\` $(id) \\ \n`;

  it.each([
    ['openai-typescript', '/v1/chat/completions'],
    ['anthropic', '/v1/messages'],
  ])('render code of %s that runs unchanged', async (id, path) => {
    const code = recipeOf(id).render({ ...VALUES, base: baseOf() });
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', code], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], [KEY_VARIABLE]: 'the-key' },
    });
    expect(stdout).toContain('Hello from the stub');
    expect(received).toMatchObject([
      {
        path,
        headers: { authorization: 'Bearer the-key', 'x-gw-provider': '@openai-prod' },
        body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] },
      },
    ]);
  });

  it('of openai-typescript and curl send texts with any special characters unchanged', async () => {
    const body = { model: 'm', messages: [{ role: 'user', content: HOSTILE }] };
    const values = { ...VALUES, base: baseOf(), key: `k'"`, body };
    await run(process.execPath, ['--input-type=module', '-e', recipeOf('openai-typescript').render(values)], {
      cwd: ROOT,
    });
    await run('sh', ['-c', recipeOf('curl').render({ ...values, key: null })], {
      env: { PATH: process.env['PATH'], [KEY_VARIABLE]: 'the-key' },
    });
    expect(received.map((request) => request.body)).toEqual([body, body]);
    expect(received[0]?.headers.authorization).toBe(`Bearer k'"`);
    expect(received[1]?.headers['x-gw-api-key']).toBe('the-key');
  });

  it('match the reviewed texts', () => {
    const written = RECIPES.map((recipe) => `=== ${recipe.id}\n${recipe.render(VALUES)}\n`).join('\n');
    expect(written).toBe(readFileSync(join(__dirname, 'reviewed.txt'), 'utf8'));
  });

  it('quote model names so that a shell expands nothing', async () => {
    const values = { ...VALUES, model: '$(echo ran)`echo ran`"\'' };
    for (const id of ['claude-code', 'gemini-cli', 'goose']) {
      const [line = ''] =
        recipeOf(id)
          .render(values)
          .match(/^export \w+_MODEL=.*$/m) ?? [];
      const [, name = ''] = /^export (\w+)=/.exec(line) ?? [];
      const { stdout } = await run('sh', ['-c', `${line}\nprintf %s "$${name}"`]);
      expect([id, stdout]).toEqual([id, values.model]);
    }
  });

  it('name the config instead of the provider, and neither when the key decides', () => {
    for (const { id, render } of RECIPES) {
      const config = render({ ...VALUES, config: 'chat-prod' });
      expect([id, config.includes('@openai-prod')]).toEqual([id, false]);
      expect([id, render({ ...VALUES, provider: '' }).includes('x-gw-provider')]).toEqual([id, false]);
    }
  });

  it('show and copy a key only when requested', () => {
    const values = { ...VALUES, key: 'the-secret' };
    for (const { id, text, copied } of recipeForms(RECIPES, values))
      expect([id, `${text}${copied ?? ''}`.includes('the-secret')]).toEqual([id, false]);
    const lacking = recipeForms(RECIPES, values, true).filter(
      ({ copied }) => !copied?.includes('the-secret'),
    );
    expect(lacking.map(({ id }) => id)).toEqual([]);
    const [masked] = recipeForms([recipeOf('curl')], values);
    expect(masked?.copied).toContain('$TOLLGATE_KEY');
  });
});
