import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { forgetGatewayKey } from '../../gateway';
import { BOOTSTRAP, OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, tailResponse } from '../../spec-support/render-console';

const SANDBOX = { object: 'list', total: 1, data: [{ id: 'p-1', slug: 'sandbox', name: 'Sandbox' }] };
const KEY = {
  object: 'playground-key',
  key: 'pat_secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  base_url: 'http://127.0.0.1:8787/v1',
};
const CHUNK = 'data: {"choices":[{"delta":{"content":"Hello from the sandbox"}}]}\n\ndata: [DONE]\n\n';
const answered = (): Response =>
  new Response(CHUNK, {
    headers: {
      'content-type': 'text/event-stream',
      'x-gw-request-id': 'log-1',
      'x-gw-trace-id': 'trace-1',
      'x-gw-decision': '{"attempts":[]}',
    },
  });
const ROW = {
  id: 'log-1',
  created_at: '2026-11-28T12:00:00.000Z',
  response_status_code: 200,
  provider: 'sandbox',
  model: 'sandbox-small',
  route: 'chat.completions',
  response_time: 12,
  cost_exact: '1200',
  priced: 'priced',
};
const ATTEMPT = { at: 0, provider: 'sandbox', target: 'config.targets[0]', ms: 5, status: 503 };

describe('onboarding', () => {
  beforeEach(() => {
    localStorage.clear();
    forgetGatewayKey(OWNER_SELF.workspaces[0]?.id ?? '');
  });

  const steps = (): HTMLElement[] => screen.getAllByRole('listitem').filter((item) => item.dataset['state']);

  it('sends the first request from the page and links its row in the live list to the log', async () => {
    const user = userEvent.setup();
    const { requests, unanswered } = renderConsole('/w/search', {
      'GET /v1/providers': SANDBOX,
      'POST /v1/auth/playground-key': KEY,
      'POST /v1/chat/completions': answered,
      'GET /v1/logs/tail': () => tailResponse(ROW),
      'GET /v1/logs': { object: 'list', data: [], next_cursor: null },
    });
    await user.click(await screen.findByRole('button', { name: 'Send it from here' }));
    await screen.findByText('Hello from the sandbox');
    await waitFor(() => expect(steps()[0]?.dataset['state']).toBe('done'));
    const response = screen.getByRole('status', { name: 'Response' });
    const why = await within(response).findByRole('link');
    expect(why.getAttribute('href')).toBe('/w/search/logs?log=log-1');
    const live = screen.getByRole('list', { name: 'Live' });
    expect((await within(live).findByRole('link')).getAttribute('href')).toBe('/w/search/logs?log=log-1');
    expect(within(live).getByText('sandbox-small')).toBeTruthy();
    expect(requests).toContain('POST /v1/auth/playground-key');
    expect(unanswered).toEqual([]);
    expect(JSON.stringify({ ...localStorage })).not.toContain('pat_secret');
  });

  it('creates the fallback config, sends a request whose first target fails, and shows its waterfall', async () => {
    const user = userEvent.setup();
    const bodies: unknown[] = [];
    const sent: Headers[] = [];
    renderConsole('/w/search', {
      'GET /v1/providers': SANDBOX,
      'GET /v1/configs': { object: 'list', total: 0, data: [] },
      'POST /v1/configs': (request: Request) => {
        void request.json().then((body) => bodies.push(body));
        return Response.json({ object: 'config', id: 'c-1', slug: 'try-fallback', version_id: 'v-1' });
      },
      'POST /v1/auth/playground-key': KEY,
      'POST /v1/chat/completions': (request: Request) => {
        sent.push(request.headers);
        return answered();
      },
      'GET /v1/logs': { object: 'list', data: [ROW], next_cursor: null },
      'GET /v1/logs/log-1': {
        ...ROW,
        first_byte_ms: 9,
        streamed: true,
        res_units: 4,
        decision: { attempts: [ATTEMPT], routing: [] },
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Break it' }));
    await screen.findByText('answered all the same');
    await screen.findByRole('region', { name: /Where the 12 ms went/ });
    expect(bodies).toMatchObject([{ slug: 'try-fallback', config: { strategy: { mode: 'conditional' } } }]);
    expect(sent[0]?.get('x-gw-config')).toBe('try-fallback');
    expect(sent[0]?.get('x-gw-metadata')).toBe('{"failure":"503"}');
    expect(steps()[1]?.dataset['state']).toBe('done');
  });

  it('reports why the providers could not be read, instead of a missing provider', async () => {
    renderConsole('/w/search', {
      'GET /v1/providers': () => problemResponse(400, 'validation_failed', 'No such order.'),
      'GET /v1/logs': { object: 'list', data: [], next_cursor: null },
    });
    await screen.findByText('No such order.');
    expect(screen.queryByText(/Add a provider first/)).toBeNull();
    expect(screen.queryByText(/Needs the provider @sandbox/)).toBeNull();
  });

  it('reports why the live list could not be read, instead of no request', async () => {
    renderConsole('/w/search', {
      'GET /v1/providers': SANDBOX,
      'GET /v1/logs': () => problemResponse(400, 'validation_failed', 'The logs are not there.'),
    });
    await screen.findByText('The logs are not there.');
    expect(screen.queryByText('No request yet')).toBeNull();
  });

  it('shows the error when the playground key is refused', async () => {
    const user = userEvent.setup();
    renderConsole('/w/search', {
      'GET /v1/providers': SANDBOX,
      'POST /v1/auth/playground-key': () => problemResponse(403, 'forbidden', 'No keys for you.'),
    });
    await user.click(await screen.findByRole('button', { name: 'Send it from here' }));
    await screen.findByText('No keys for you.');
    expect(steps()[0]?.dataset['state']).toBe('now');
  });

  it('is replaced by the overview when dismissed and after three steps', async () => {
    const user = userEvent.setup();
    const { unmount } = renderConsole('/w/search', { 'GET /v1/providers': SANDBOX });
    await user.click(await screen.findByRole('button', { name: 'Skip to the overview' }));
    await screen.findByRole('heading', { name: 'Home' });
    unmount();
    localStorage.setItem(
      `tollgate:onboarding:${OWNER_SELF.workspaces[0]?.id ?? ''}`,
      '{"done":["send","break","key"]}',
    );
    renderConsole('/w/search');
    await screen.findByRole('heading', { name: 'Home' });
  });

  it('asks for a password only when the user has none', async () => {
    renderConsole('/w/search', { 'GET /v1/console/bootstrap': { ...BOOTSTRAP, needs_password: true } });
    await screen.findByLabelText(/New password/);
    expect(steps()[4]?.dataset['state']).not.toBe('done');
  });
});
