import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { forgetGatewayKey } from '../../../gateway';
import { OWNER_SELF } from '../../../spec-support/answers';
import { problemResponse, renderConsole } from '../../../spec-support/render-console';

const KEY = {
  object: 'playground-key',
  key: 'pat_secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  base_url: 'http://127.0.0.1:8787/v1',
};

describe('Run × n', () => {
  beforeEach(() => {
    localStorage.clear();
    forgetGatewayKey(OWNER_SELF.workspaces[0]?.id ?? '');
  });

  /**
   * Opens the dialog. `seen` counts the requests so far, those in flight, and the maximum in
   * flight.
   */
  const open = async (respond: (n: number, request: Request) => Response | Promise<Response>) => {
    const seen = { sent: 0, atOnce: 0, most: 0 };
    const rendered = renderConsole('/w/search/playground?c=@openai/gpt-4o&stream=0', {
      'POST /v1/auth/playground-key': KEY,
      'GET /v1/logs': (request: Request) => {
        const trace = new URL(request.url).searchParams.get('trace_id') ?? '';
        const n = trace.slice(2);
        const row = { id: `r-${n}`, trace_id: trace, cost_exact: `${n}00`, priced: 'priced', res_units: 2 };
        return Response.json({ object: 'list', data: [row], next_cursor: null });
      },
      'POST /v1/chat/completions': async (request: Request) => {
        seen.sent += 1;
        const n = seen.sent;
        seen.atOnce += 1;
        seen.most = Math.max(seen.most, seen.atOnce);
        try {
          return await respond(n, request);
        } finally {
          seen.atOnce -= 1;
        }
      },
    });
    const user = userEvent.setup();
    await user.click(await screen.findByLabelText('User, message 1'));
    await user.paste('Hello');
    await user.click(screen.getByRole('button', { name: 'Run × n of column 1' }));
    const dialog = await screen.findByRole('dialog', { name: /^Run × n: column 1, gpt-4o/ });
    return { ...rendered, user, dialog, seen };
  };
  const answered = (n: number): Response =>
    Response.json(
      {
        choices: [{ message: { content: `Answer ${String(n)}` } }],
        usage: { prompt_tokens: 8, completion_tokens: 10 * n },
      },
      { headers: { 'x-gw-request-id': `r-${String(n)}`, 'x-gw-trace-id': `t-${String(n)}` } },
    );

  it('sends the request the given number of times, at most four in parallel, and shows the spread and a failure', async () => {
    const { user, dialog, seen } = await open(async (n) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return n === 2 ? problemResponse(429, 'rate_limit_exceeded', 'Too many requests.') : answered(n);
    });
    const times = within(dialog).getByRole('textbox', { name: 'Times' });
    await user.clear(times);
    await user.type(times, '6{Enter}');
    await within(dialog).findByText('6 of 6 have ended.');
    expect(seen.sent).toBe(6);
    expect(seen.most).toBeLessThanOrEqual(4);
    const row = (name: string) =>
      within(within(dialog).getByRole('row', { name: new RegExp(`^${name}`) }))
        .getAllByRole('cell')
        .map(({ textContent }) => textContent);
    expect(row('Length in tokens')).toEqual(['10', '40', '60']);
    await waitFor(() => expect(row('Cost')).toEqual(['0.00000100', '0.00000400', '0.00000600']));
    within(dialog).getByText('Too many requests.');
    expect(within(dialog).getAllByRole('listitem')).toHaveLength(6);
  });

  it('stops all runs and starts no further one', async () => {
    const { user, dialog, seen } = await open(
      (_n, request) =>
        new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason as Error));
        }),
    );
    await user.click(within(dialog).getByRole('button', { name: 'Run' }));
    await waitFor(() => expect(seen.sent).toBe(4));
    await user.click(within(dialog).getByRole('button', { name: 'Stop all' }));
    await within(dialog).findByText('4 of 4 have ended.');
    expect(within(dialog).getAllByText('stopped')).toHaveLength(4);
    expect(seen.sent).toBe(4);
  });
});
