import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually } from '@gw/testing';
import { withProduct } from './spec-support/workbench';

const README = readFileSync(resolve(__dirname, '..', 'README.md'), 'utf8');
/** The shell blocks of the quick start, without the one that starts the product. */
const BLOCKS = [...README.slice(0, README.indexOf('## What it does')).matchAll(/^```sh\n(.*?)^```/gms)]
  .map(([, block = '']) => block)
  .filter((block) => block.includes('curl'));

describe('quick start of the README', () => {
  const bench = withProduct();

  /** Runs a block unchanged, with the ports and the data folder of this product. */
  function run(...blocks: readonly string[]): string {
    const { product, apiKey } = bench();
    const script = blocks
      .join('\n')
      .replaceAll('http://127.0.0.1:8787', new URL(product.baseUrl).origin)
      .replaceAll('./.data/credentials.json', join(product.dataDir, 'credentials.json'))
      .replaceAll('curl ', 'curl -sS ');
    const { stdout, stderr, status } = spawnSync('sh', ['-ec', script], {
      encoding: 'utf8',
      timeout: 120_000,
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).not.toContain(apiKey);
    return stdout;
  }

  it('contains one model request, one tool call and one message to an agent with curl', () => {
    expect(BLOCKS.map((block) => block.match(/^curl/gm)?.length)).toEqual([2, 1, 1]);
  });

  it('sends a first request to a model, and finds it in the log', () => {
    const printed = run(BLOCKS[0] ?? '');
    expect(printed).toContain('[sandbox]');
    expect(printed).toContain('"object":"list"');
  });

  /** Runs a block that uses the key of the first one. */
  const runWithKey = (block = ''): unknown => {
    const key = BLOCKS[0]?.split('\n').find((line) => line.startsWith('KEY=')) ?? '';
    return JSON.parse(run(key, block));
  };

  it('calls a first tool', () => {
    expect(runWithKey(BLOCKS[1])).toMatchObject({
      result: { structuredContent: { sum: 5 }, resultType: 'complete' },
    });
  });

  it('sends a first message to an agent', () => {
    expect(runWithKey(BLOCKS[2])).toMatchObject({
      result: {
        task: { status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ text: 'Hello' }] }] },
      },
    });
  });

  it('has an agent that can be read, tested and restricted like any other', async () => {
    const admin = <T>(method: string, path: string, body?: object): Promise<T> =>
      bench().manage<T>(method, path, { key: bench().adminKey, ...(body && { body }) });
    const at = `workspace_id=${bench().product.credentials.workspace_id}`;
    const path = '/agent-integrations/sandbox';
    await admin('POST', `${path}/sync`);
    expect(await admin('POST', `${path}/test`)).toMatchObject({ success: true, agent_name: 'Sandbox' });
    await admin('PUT', path, { name: 'Echo' });
    expect(await admin('GET', path)).toMatchObject({ name: 'Echo', sync_status: 'synced' });
    // Only a rule about a role makes the gateway read the user.
    const { key } = await admin<{ key: string }>('POST', '/api-keys/workspace/service', {
      ...{ name: 'Agents', scopes: ['agents.invoke'] },
      workspace_id: bench().product.credentials.workspace_id,
    });
    const status = async (): Promise<number> => {
      const response = await fetch(
        new URL('/v1/agent/sandbox/.well-known/agent-card.json', bench().baseUrl),
        {
          headers: { 'x-gw-api-key': key },
        },
      );
      return response.status;
    };
    expect(await status()).toBe(200);
    const rule = { subject: { type: 'role', id: 'manager' }, skills: ['*'], effect: 'allow' };
    await admin('PUT', `/agent-servers/sandbox/access-rules?${at}`, { rules: [rule], default: 'deny' });
    await eventually(async () => (await status()) === 404);
    await admin('PUT', `/agent-servers/sandbox/access-rules?${at}`, { rules: [], default: 'allow' });
    await eventually(async () => (await status()) === 200);
  });

  it('connects an assistant to the control plane at the same address', async () => {
    const { baseUrl, adminKey } = bench();
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    const url = new URL('/mcp/admin', baseUrl);
    const requestInit = { headers: { 'x-gw-api-key': adminKey } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['find_requests', 'get_my_limits']));
    const { structuredContent } = await client.callTool({ name: 'list_workspaces', arguments: {} });
    expect(structuredContent).toMatchObject({ total: 1 });
    await client.close();
  });
});
