import { eventually, startProduct, type Product } from '@gw/testing';

const CONSOLE = { 'x-gw-console': '1', 'content-type': 'application/json' };

describe('playground of the console', () => {
  let product: Product;
  let cookie = '';

  beforeAll(async () => {
    product = await startProduct();
    const { owner_email: email, owner_password: password } = product.credentials;
    const login = await send('POST', '/v1/auth/login', { email, password });
    cookie = login.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  });
  afterAll(async () => {
    await product.stop();
  });

  const send = (method: string, path: string, body: object = {}): Promise<Response> =>
    fetch(product.adminUrl + path, {
      method,
      headers: { ...CONSOLE, cookie },
      body: JSON.stringify(body),
    });
  const makeKey = async (): Promise<{ key: string; base_url: string }> => {
    const workspace = { workspace_id: product.credentials.workspace_id };
    const response = await send('POST', '/v1/auth/playground-key', workspace);
    return (await response.json()) as { key: string; base_url: string };
  };
  const chat = async (key: string): Promise<number> => {
    const response = await fetch(`${product.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': key,
        'x-gw-provider': '@sandbox',
        'x-gw-metadata': JSON.stringify({ source: 'app' }),
      },
      body: JSON.stringify({ model: 'sandbox-small', messages: [{ role: 'user', content: 'Hi' }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };

  it('calls the gateway with a key of its session, and its requests are marked in the log', async () => {
    const { key, base_url: baseUrl } = await makeKey();
    expect(baseUrl).toBe(product.baseUrl);
    expect(await chat(key)).toBe(200);
    const logs = `/v1/logs?workspace_id=${product.credentials.workspace_id}&include=metadata`;
    await eventually(async () => {
      const response = await fetch(product.adminUrl + logs, { headers: { ...CONSOLE, cookie } });
      const text = await response.text();
      return text.includes('"source":"playground"') && !text.includes('"source":"app"');
    });
  });

  it('counts towards the limits of the workspace, however many keys it creates', async () => {
    const path = `/v1/workspaces/${product.credentials.workspace_id}`;
    const limits = [{ type: 'requests', unit: 'rpm', value: 3 }];
    expect((await send('PUT', path, { rate_limits: limits })).status).toBe(200);
    await eventually(async () => (await chat((await makeKey()).key)) === 429);
    expect((await send('PUT', path, { rate_limits: [] })).status).toBe(200);
    const { key } = await makeKey();
    await eventually(async () => (await chat(key)) === 200);
  });

  it('loses its key with its session', async () => {
    const { key } = await makeKey();
    expect(await chat(key)).toBe(200);
    expect((await send('POST', '/v1/auth/logout')).status).toBe(200);
    await eventually(async () => (await chat(key)) === 401);
    expect((await send('POST', '/v1/auth/playground-key')).status).toBe(401);
  });
});
