import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { forgetGatewayKey } from '../../gateway';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole } from '../../spec-support/render-console';

const KEY = {
  object: 'playground-key',
  key: 'pat_secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  base_url: 'http://127.0.0.1:8787/v1',
};
const MODELS = {
  object: 'list',
  total: 2,
  data: ['gpt-4o', 'gpt-4o-mini'].map((slug) => ({ id: slug, slug, provider: { slug: 'openai' } })),
};
const CONFIGS = { object: 'list', total: 1, data: [{ id: 'c', slug: 'chat-prod', name: 'Chat' }] };
const LOG = {
  ...{ id: 'r-1', trace_id: 't-1', route: 'chat.completions', cost_exact: '342000', priced: 'priced' },
  ...{ cache_status: 'DISABLED', req_units: 8, res_units: 2, credential: 'openai', config_id: null },
  request: {
    ...{ content_type: 'application/json', bytes: 10, truncated: false, encoding: 'json' },
    body: {
      model: 'gpt-4o',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Which clause?' },
      ],
      tools: [{ type: 'function', function: { name: 'look' } }],
      temperature: 0.2,
    },
  },
};
const answered = (text: string): Response =>
  Response.json(
    { choices: [{ message: { content: text } }], usage: { prompt_tokens: 8, completion_tokens: 2 } },
    { headers: { 'x-gw-request-id': 'r-1', 'x-gw-trace-id': 't-1', 'x-gw-retry-attempt-count': '2' } },
  );

describe('playground', () => {
  let sent: { readonly headers: Headers; readonly body: Record<string, unknown> }[] = [];
  const answers = (respond: (body: Record<string, unknown>) => Response | Promise<Response>) => ({
    'GET /v1/providers/models': MODELS,
    'GET /v1/configs': CONFIGS,
    'POST /v1/auth/playground-key': KEY,
    'GET /v1/logs': { object: 'list', data: [LOG], next_cursor: null },
    'GET /v1/logs/r-1': LOG,
    'POST /v1/chat/completions': async (request: Request) => {
      const body = (await request.json()) as Record<string, unknown>;
      sent.push({ headers: request.headers, body });
      return respond(body);
    },
  });
  beforeEach(() => {
    sent = [];
    localStorage.clear();
    forgetGatewayKey(OWNER_SELF.workspaces[0]?.id ?? '');
  });

  it('sends a request with variables to a chosen model, and shows figures, exact cost and a link to the log', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole(
      '/w/search/playground',
      answers(() => answered('Clause **9.2**')),
    );
    await user.click(await screen.findByLabelText('Model or config of column 1', { selector: 'input' }));
    await user.click(await screen.findByRole('option', { name: 'gpt-4o · @openai' }));
    await waitFor(() => expect(address()).toContain('c=@openai/gpt-4o'));
    await user.click(screen.getByLabelText('User, message 1'));
    await user.paste('Ask {{company}}');
    await user.type(screen.getByLabelText('Variable company'), 'Acme');
    await user.type(screen.getByRole('textbox', { name: 'Temperature' }), '0.25');
    await user.keyboard('{Control>}{Enter}{/Control}');
    const answer = screen.getByRole('region', { name: 'Answer 1' });
    expect((await within(answer).findByText('9.2')).tagName).toBe('STRONG');
    const column = screen.getByRole('region', { name: 'Column 1' });
    await within(column).findByText('0.0034');
    expect(within(column).getByText('2 retries')).toBeTruthy();
    expect(within(column).getByRole('link', { name: 'Why' }).getAttribute('href')).toBe(
      '/w/search/logs?log=r-1',
    );
    expect(sent[0]?.headers.get('x-gw-provider')).toBe('@openai');
    expect(sent[0]?.body).toMatchObject({
      model: 'gpt-4o',
      messages: [{ role: 'user', content: 'Ask Acme' }],
      temperature: 0.25,
      stream: true,
    });
    expect(address()).not.toContain('Acme');
  });

  it('keeps what is typed while a saved config is read', async () => {
    const user = userEvent.setup();
    let respond = (): void => undefined;
    renderConsole('/w/search/playground?c=draft/', {
      ...answers(() => answered('')),
      'GET /v1/configs/chat-prod': () =>
        new Promise((resolve) => {
          respond = () => resolve(Response.json({ config: '{"provider":"@openai"}' }));
        }),
    });
    await user.click(await screen.findByRole('combobox', { name: 'Begin with a saved config' }));
    await user.click(await screen.findByRole('option', { name: 'Chat' }));
    const message = screen.getByLabelText<HTMLTextAreaElement>('User, message 1');
    await user.type(message, 'Hello');
    respond();
    await screen.findByDisplayValue(/@openai/);
    expect(message.value).toBe('Hello');
  });

  it('sends all columns in parallel, keeps the error of a failed one, and removes columns', async () => {
    const user = userEvent.setup();
    renderConsole(
      '/w/search/playground?c=@openai/gpt-4o&c=config:chat-prod/&c=@openai/slow',
      answers((body) => {
        if (body['model'] === 'slow') return new Promise<Response>(() => undefined);
        return body['model'] === undefined
          ? problemResponse(429, 'rate_limit_exceeded', 'Too many requests.')
          : answered('First');
      }),
    );
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Hello');
    await user.click(screen.getByRole('button', { name: /Run all/ }));
    await screen.findByText('First');
    await within(screen.getByRole('region', { name: 'Column 2' })).findByText('Too many requests.');
    expect(sent.map(({ headers }) => headers.get('x-gw-config') ?? headers.get('x-gw-provider'))).toEqual([
      '@openai',
      'chat-prod',
      '@openai',
    ]);
    await user.click(screen.getByRole('button', { name: 'Remove column 1' }));
    expect(screen.queryByText('First')).toBeNull();
    await within(screen.getByRole('region', { name: 'Column 1' })).findByText('Too many requests.');
    expect(screen.getByRole('button', { name: 'Stop column 2' })).toBeTruthy();
  });

  it('keeps the view of a column when the one before it is removed', async () => {
    const user = userEvent.setup();
    renderConsole(
      '/w/search/playground?c=@openai/a&c=@openai/b&stream=0',
      answers((body) => answered(`From ${String(body['model'])}`)),
    );
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Hello');
    await user.click(screen.getByRole('button', { name: /Run all/ }));
    await screen.findByText('From b');
    const column = (n: number) => within(screen.getByRole('region', { name: `Column ${String(n)}` }));
    await user.click(column(1).getByRole('radio', { name: 'Raw' }));
    await waitFor(() => expect(screen.queryByText('From a')).toBeNull());
    await user.click(screen.getByRole('button', { name: 'Remove column 1' }));
    await waitFor(() => expect(screen.queryByRole('region', { name: 'Column 2' })).toBeNull());
    expect(column(1).getByRole<HTMLInputElement>('radio', { name: 'Raw' }).checked).toBe(false);
    screen.getByText('From b');
  });

  it('rates a response once, and compares two responses', async () => {
    const user = userEvent.setup();
    const rated: unknown[] = [];
    renderConsole('/w/search/playground?c=@openai/a&c=@openai/b&stream=0', {
      ...answers((body) => answered(body['model'] === 'a' ? 'Clause 9.2' : 'Clause 9.3')),
      'POST /v1/feedback': async (request: Request) => {
        rated.push(await request.json());
        return Response.json({ status: 'success' });
      },
    });
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Which?');
    expect(screen.queryByRole('button', { name: 'Diff' })).toBeNull();
    await user.click(screen.getByRole('button', { name: /Run all/ }));
    await screen.findByText('Clause 9.3');
    await user.click(await screen.findByRole('button', { name: 'Answer 2 is bad' }));
    await waitFor(() => expect(rated).toEqual([{ trace_id: 't-1', value: -1 }]));
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Answer 2 is good' }).disabled).toBe(true);
    await user.click(await screen.findByRole('button', { name: 'Diff' }));
    const dialog = await screen.findByRole('dialog', { name: 'Diff' });
    within(dialog).getByRole('combobox', { name: 'Right answer' });
  });

  it('sends a file with the message, and shows the rest of the budget', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search/playground?c=@openai/gpt-4o&stream=0', {
      ...answers(() => answered('A gate')),
      [`GET /v1/admin/workspaces/${OWNER_SELF.workspaces[0]?.id ?? ''}`]: {
        usage_limits: [{ type: 'cost', credit_limit: 100, current_usage: 87.6, periodic_reset: 'monthly' }],
      },
    });
    await screen.findByText('The workspace has $12.40 left of $100.00 a month.');
    await user.upload(
      screen.getByLabelText('Attach a file', { selector: 'input' }),
      new File(['hi'], 'gate.png', { type: 'image/png' }),
    );
    await screen.findByText('gate.png');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText('A gate');
    expect(JSON.stringify(sent[0]?.body)).toContain('data:image/png;base64,aGk=');
    await user.click(screen.getByRole('button', { name: 'Remove gate.png' }));
    expect(screen.queryByText('gate.png')).toBeNull();
  });

  it('replays a logged request, with its tools, and shows it as code', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole(
      '/w/search/playground?log=r-1',
      answers(() => answered('Again')),
    );
    await waitFor(() =>
      expect(screen.getByLabelText<HTMLTextAreaElement>('User, message 1').value).toBe('Which clause?'),
    );
    expect(screen.getByLabelText<HTMLTextAreaElement>('System').value).toBe('Be brief.');
    expect(screen.getByText('tools')).toBeTruthy();
    await waitFor(() => expect(address()).toContain('c=@openai/gpt-4o%3Btemperature%3D0.2'));
    await user.click(screen.getAllByRole('button', { name: /^Run/ })[0]!);
    await screen.findByText('Again');
    expect(sent[0]?.body).toEqual(LOG.request.body);
    await user.click(screen.getByRole('button', { name: 'Code' }));
    const dialog = await screen.findByRole('dialog', { name: 'Code' });
    expect(await within(dialog).findByText(/x-gw-provider: @openai/)).toBeTruthy();
  });

  it('shows the raw request and response', async () => {
    const user = userEvent.setup();
    renderConsole(
      '/w/search/playground?c=@openai/gpt-4o&stream=0',
      answers(() => answered('Hi')),
    );
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Hello');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText('Hi');
    const view = screen.getByRole('radiogroup', { name: 'View of column 1' });
    await user.click(within(view).getByRole('radio', { name: 'Raw' }));
    const request = await screen.findByRole('region', { name: 'As sent' });
    within(request).getByText(/POST http:\/\/127.0.0.1:8787\/v1\/chat\/completions/);
    within(request).getByText(/"content":"Hello"/);
    const response = screen.getByRole('region', { name: 'As received' });
    within(response).getByText(/x-gw-request-id: r-1/);
    within(response).getByText(/"content":"Hi"/);
    expect(document.documentElement.outerHTML).not.toContain(KEY.key);
  });

  it('sends a draft config that starts as a copy of a saved one', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole('/w/search/playground?c=draft/gpt-4o', {
      ...answers(() => answered('By draft')),
      'GET /v1/configs/chat-prod': { slug: 'chat-prod', config: '{"provider":"@openai"}' },
    });
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Hello');
    const run = screen.getAllByRole<HTMLButtonElement>('button', { name: /^Run/ })[0]!;
    expect(run.disabled).toBe(true);
    await user.click(await screen.findByRole('combobox', { name: 'Begin with a saved config' }));
    await user.click(await screen.findByRole('option', { name: 'Chat' }));
    await waitFor(() => expect(run.disabled).toBe(false));
    await user.click(run);
    await screen.findByText('By draft');
    expect(sent[0]?.headers.get('x-gw-config')).toBe('{"provider":"@openai"}');
    expect(address()).not.toContain('provider');
  });

  it('sends other APIs and raw paths, and shows their response bodies', async () => {
    const user = userEvent.setup();
    const paths: string[] = [];
    renderConsole('/w/search/playground?api=embeddings&c=@openai/embed', {
      ...answers(() => answered('')),
      'POST /v1/embeddings': async (request: Request) => {
        sent.push({ headers: request.headers, body: (await request.json()) as Record<string, unknown> });
        return Response.json({ object: 'list', data: [{ index: 0, embedding: [0.25, 0.5] }] });
      },
      'GET /v1/files': (request: Request) => {
        paths.push(request.url);
        return Response.json({ object: 'list', data: [{ id: 'file-1' }] });
      },
    });
    await user.click(await screen.findByRole('textbox', { name: 'Input' }));
    await user.paste('A gate');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText(/0\.25/);
    expect(sent[0]?.body).toEqual({ model: 'embed', input: 'A gate' });
    const apis = screen.getByRole('radiogroup', { name: 'API' });
    await user.click(within(apis).getByRole('radio', { name: 'Raw' }));
    await user.click(await screen.findByRole('combobox', { name: 'Method' }));
    await user.click(await screen.findByRole('option', { name: 'GET' }));
    const path = screen.getByRole('textbox', { name: 'Path' });
    await user.clear(path);
    await user.type(path, '/../files');
    screen.getByText('Write a path of the gateway that begins with /.');
    await user.clear(path);
    await user.type(path, '/files?limit=1');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText(/file-1/);
    expect(paths).toEqual(['http://127.0.0.1:8787/v1/files?limit=1']);
  });

  it('imports a pasted command without its key', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole(
      '/w/search/playground',
      answers(() => answered('Pasted')),
    );
    await user.click(await screen.findByRole('button', { name: 'Paste curl' }));
    const dialog = await screen.findByRole('dialog', { name: 'Paste a curl command' });
    const field = within(dialog).getByRole('textbox', { name: 'Command' });
    await user.click(field);
    await user.paste('wget x');
    within(dialog).getByText('This is no curl command.');
    await user.clear(field);
    await user.paste(
      `curl https://api.example.com/v1/chat/completions -H 'authorization: Bearer sk-secret' -H 'x-gw-provider: openai' -d '{"model":"gpt-4o","messages":[{"role":"user","content":"Hello"}]}'`,
    );
    await user.click(within(dialog).getByRole('button', { name: 'Take it over' }));
    await waitFor(() => expect(address()).toContain('c=@openai/gpt-4o'));
    await user.keyboard('{Control>}{Enter}{/Control}');
    await screen.findByText('Pasted');
    expect(sent[0]?.body).toEqual({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
    expect(document.documentElement.outerHTML + address()).not.toContain('sk-secret');
  });

  it('explains why a log cannot be replayed', async () => {
    const cut = { ...LOG, request: { ...LOG.request, truncated: true } };
    renderConsole('/w/search/playground?log=r-1', {
      ...answers(() => answered('')),
      'GET /v1/logs/r-1': cut,
    });
    await screen.findByText(/Only a part of the body/);
  });

  it('transcribes a recording, and explains why a file is not one', async () => {
    const user = userEvent.setup({ applyAccept: false });
    const types: (string | null)[] = [];
    const { address } = renderConsole('/w/search/playground?c=@openai/whisper&api=transcriptions', {
      ...answers(() => answered('')),
      'POST /v1/audio/transcriptions': (request: Request) => {
        types.push(request.headers.get('content-type'));
        return Response.json({ text: 'Good morning.', usage: { type: 'tokens', input_tokens: 9 } });
      },
    });
    const chooser = await screen.findByLabelText('Choose a recording', { selector: 'input' });
    await user.upload(chooser, new File(['x'], 'notes.pdf', { type: 'application/pdf' }));
    await screen.findByText(/notes\.pdf is no sound/);
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Run Ctrl/ }).disabled).toBe(true);
    await user.upload(chooser, new File(['sound'], 'secret-call.mp3', { type: 'audio/mpeg' }));
    expect(screen.queryByRole('textbox', { name: 'Temperature' })).toBeNull();
    await user.click(screen.getByRole('button', { name: /^Run Ctrl/ }));
    await screen.findByText('Good morning.');
    // The browser sets the content type of a form, with its boundary.
    expect(types).not.toContain('application/json');
    expect(address()).not.toContain('secret');
  });
});
