import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderConsole, tailResponse } from '../../spec-support/render-console';
import { isLocal } from './recipe-notes';

const SANDBOX = { object: 'list', total: 1, data: [{ id: 'p-1', slug: 'sandbox', name: 'Sandbox' }] };
const NOTHING = { object: 'list', total: 0, data: [] };
const ROW = {
  ...{ id: 'log-1', created_at: '2026-11-28T12:00:00.000Z', response_status_code: 200, is_success: true },
  ...{ provider: 'sandbox', model: 'sandbox-small', route: 'chat.completions', response_time: 12 },
};
const ANSWERS = { 'GET /v1/providers': SANDBOX, 'GET /v1/configs': NOTHING, 'GET /v1/api-keys': NOTHING };

describe('page Connect', () => {
  beforeEach(() => localStorage.clear());

  it('fills in address, provider and model, and keeps the choice when the client changes', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole('/w/search/connect?to=@openai&model=gpt-4o', ANSWERS);
    await screen.findByText(/curl http:\/\/127\.0\.0\.1:8787\/v1\/chat\/completions/);
    await user.click(screen.getByRole('link', { name: 'Codex CLI' }));
    await screen.findByText(/model_provider = "tollgate"/);
    expect(address()).toBe('/w/search/connect/codex?to=@openai&model=gpt-4o');
    expect(screen.getByText(/"x-gw-provider" = "@openai"/)).toBeTruthy();
    expect(screen.getByRole('button', { name: /Download config.toml/ })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Codex CLI' }).getAttribute('aria-current')).toBe('page');
  });

  it('creates a key with the default config that the client needs, shows it on demand, and waits for its first request', async () => {
    const user = userEvent.setup();
    const bodies: unknown[] = [];
    const { requests } = renderConsole('/w/search/connect/aider?to=config:chat-prod', {
      ...ANSWERS,
      'POST /v1/api-keys/workspace/service': (request: Request) => {
        void request.json().then((body) => bodies.push(body));
        return Response.json({ object: 'api-key', id: 'k-1', key: 'the-secret' });
      },
      'GET /v1/logs/tail': (request: Request) =>
        request.url.includes('api_key_id') ? tailResponse(ROW) : tailResponse(),
    });
    await screen.findByText(/Waits for the first request …/);
    await user.click(screen.getByRole('button', { name: 'Make a key for Aider' }));
    await screen.findByText('A request has arrived: sandbox-small, 200.');
    expect(bodies).toMatchObject([
      { name: 'Aider', scopes: ['completions.write'], defaults: { config_id: 'chat-prod' } },
    ]);
    expect(screen.queryByText(/the-secret/)).toBeNull();
    await user.click(screen.getByRole('switch', { name: /Show the key/ }));
    const recipe = screen.getByRole('group', { name: 'Aider' });
    expect(within(recipe).getByText(/the-secret/)).toBeTruthy();
    await waitFor(() => expect(requests.some((request) => request.includes('api_key_id=k-1'))).toBe(true));
    expect(JSON.stringify({ ...localStorage })).not.toContain('the-secret');
  });

  it('offers all keys again after one was found by a search and chosen', async () => {
    const user = userEvent.setup();
    const keys = ['alpha', 'beta'].map((name) => ({ id: `id-${name}`, name }));
    renderConsole('/w/search/connect', {
      ...ANSWERS,
      'GET /v1/api-keys': (request: Request) => {
        const search = new URL(request.url).searchParams.get('search') ?? '';
        const data = keys.filter(({ name }) => name.includes(search));
        return Response.json({ object: 'list', total: data.length, data });
      },
    });
    const picker = await screen.findByRole('combobox', { name: 'Key' });
    await user.click(picker);
    await screen.findByRole('option', { name: 'beta' });
    await user.type(picker, 'al');
    const names = (): (string | null)[] => screen.queryAllByRole('option').map((each) => each.textContent);
    await waitFor(() => expect(names()).toEqual(['alpha']));
    await user.click(screen.getByRole('option', { name: 'alpha' }));
    await user.click(picker);
    await screen.findByRole('option', { name: 'beta' });
    expect(screen.getByRole('option', { name: 'alpha', selected: true })).toBeTruthy();
  });

  it('keeps a created key and the address of the gateway when another client is chosen', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search/connect', {
      ...ANSWERS,
      'POST /v1/api-keys/workspace/service': { object: 'api-key', id: 'k-1', key: 'the-secret' },
    });
    const base = await screen.findByRole('textbox', { name: 'Address of the gateway' });
    await user.clear(base);
    await user.type(base, 'https://gw.test/');
    await user.click(screen.getByRole('button', { name: 'Make a key for curl' }));
    await screen.findByRole('switch', { name: /Show the key/ });
    await user.click(screen.getByRole('link', { name: 'Aider' }));
    const recipe = await screen.findByRole('group', { name: 'Aider' });
    expect(within(recipe).getByText(/"https:\/\/gw\.test\/v1"/)).toBeTruthy();
    expect(screen.getByRole('switch', { name: /Show the key/ })).toBeTruthy();
  });

  it('shows a created key as chosen, although it is not among the listed ones', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search/connect/aider', {
      ...ANSWERS,
      'POST /v1/api-keys/workspace/service': { object: 'api-key', id: 'k-1', key: 'the-secret' },
    });
    await user.click(await screen.findByRole('button', { name: 'Make a key for Aider' }));
    await waitFor(() =>
      expect(screen.getByRole('combobox', { name: 'Key' })).toHaveProperty('value', 'Aider'),
    );
  });

  it('reports why the keys could not be read, and that no key matches a search', async () => {
    const user = userEvent.setup();
    const isRefused = { current: true };
    renderConsole('/w/search/connect/aider', {
      ...ANSWERS,
      'GET /v1/api-keys': () =>
        isRefused.current
          ? Response.json({ error: { type: 'forbidden', message: 'No keys for you.' } }, { status: 403 })
          : Response.json(NOTHING),
    });
    await screen.findByText('No keys for you.');
    isRefused.current = false;
    await user.type(screen.getByRole('combobox', { name: 'Key' }), 'unknown');
    await screen.findByText('No key has this in its name.');
    expect(screen.queryByText('No keys for you.')).toBeNull();
  });

  it('reports why the configs could not be read', async () => {
    const refusal = { error: { type: 'forbidden', message: 'No configs for you.' } };
    renderConsole('/w/search/connect/aider', {
      ...ANSWERS,
      'GET /v1/configs': () => Response.json(refusal, { status: 403 }),
    });
    await screen.findByText('No configs for you.');
  });

  it('copies complete code with a key created for the client', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search/connect/openai-python', {
      ...ANSWERS,
      'POST /v1/api-keys/workspace/service': { object: 'api-key', id: 'k-1', key: 'the-secret' },
    });
    await user.click(await screen.findByRole('button', { name: 'Copy with a new key' }));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toContain('the-secret'));
    await screen.findByText('Copied, with the new key.');
    expect(screen.queryByText(/the-secret/)).toBeNull();
  });

  it('tells that the browser did not copy the code with a created key', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search/connect/openai-python', {
      ...ANSWERS,
      'POST /v1/api-keys/workspace/service': { object: 'api-key', id: 'k-1', key: 'the-secret' },
    });
    jest.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('not allowed'));
    await user.click(await screen.findByRole('button', { name: 'Copy with a new key' }));
    await screen.findByText(/^The browser did not allow copying: show the key/);
    expect(screen.getByRole('switch', { name: /Show the key/ })).toBeTruthy();
  });

  it('sends its test through the chosen config, and offers no draft of a config', async () => {
    const user = userEvent.setup();
    const sent: { readonly headers: Headers; readonly body: unknown }[] = [];
    const { go } = renderConsole('/w/search/connect?to=config:chat-prod', {
      ...ANSWERS,
      'POST /v1/auth/playground-key': {
        ...{ object: 'playground-key', key: 'pat', base_url: 'http://127.0.0.1:8787/v1' },
        expires_at: new Date(Date.now() + 900_000).toISOString(),
      },
      'POST /v1/chat/completions': async (request: Request) => {
        sent.push({ headers: request.headers, body: await request.json() });
        return Response.json({ choices: [{ message: { content: 'Through the config' } }] });
      },
    });
    await user.click(await screen.findByRole('combobox', { name: 'Model or config' }));
    expect(screen.queryByRole('option', { name: /draft/i })).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Test from here' }));
    await screen.findByText('Through the config');
    expect(sent[0]?.headers.get('x-gw-config')).toBe('chat-prod');
    expect(sent[0]?.headers.has('x-gw-provider')).toBe(false);
    expect(sent[0]?.body).not.toHaveProperty('model');
    await go('/w/search/connect?to=@openai&model=gpt-4o');
    expect(screen.queryByText('Through the config')).toBeNull();
  });

  it('warns when a client needs a public address or a default config', async () => {
    renderConsole('/w/search/connect/cursor', ANSWERS);
    await screen.findByText(/choose a config, then make a key here/);
    expect(screen.getByText(/It needs a public one/)).toBeTruthy();
  });

  it('reports an unknown client', async () => {
    renderConsole('/w/search/connect/nothing', ANSWERS);
    await screen.findByText('There is no recipe for this client.');
  });

  it.each([
    ['http://127.0.0.1:8787', true],
    ['http://localhost:8787', true],
    ['http://192.168.1.4', true],
    ['http://172.20.0.1', true],
    ['https://gateway.example.com', false],
    ['https://172.40.0.1', false],
    ['http://gateway:8787', true],
    ['http://tollgate.internal', true],
    ['http://[::1]:8787', true],
    ['http://[fd00::1]', true],
    ['https://localhost.example.com', false],
    ['https://10.example.com', false],
    ['https://[2606:4700::1]', false],
    ['no address', false],
  ])('isLocal returns for %s: %s', (base, expected) => {
    expect(isLocal(base)).toBe(expected);
  });
});
