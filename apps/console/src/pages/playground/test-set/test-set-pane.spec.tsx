import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { forgetGatewayKey } from '../../../gateway';
import { OWNER_SELF } from '../../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../../spec-support/render-console';
import { handLogs } from './handed-logs';

const WORKSPACE = OWNER_SELF.workspaces[0]?.id ?? '';
const KEY = {
  object: 'playground-key',
  key: 'pat_secret',
  expires_at: new Date(Date.now() + 900_000).toISOString(),
  base_url: 'http://127.0.0.1:8787/v1',
};
const price = (unit: string, price_exact: string) => ({
  ...{ unit, price_exact, list_exact: price_exact, tiered: false },
});
const MODELS = {
  object: 'list',
  total: 2,
  data: ['small', 'large'].map((slug) => ({
    ...{ id: slug, slug, provider: { slug: 'openai' } },
    prices: [price('input', '100000000'), price('output', '200000000')],
  })),
};

interface Sent {
  readonly model: string;
  readonly text: string;
}

describe('test set of the playground', () => {
  let sent: Sent[] = [];
  /** Cost of each request in 1e-8 USD. */
  let cost = '';
  beforeEach(() => {
    sent = [];
    cost = '100';
    localStorage.clear();
    forgetGatewayKey(WORKSPACE);
  });

  const open = async (
    address: string,
    respond: (one: Sent, request: Request) => string | Response | Promise<Response>,
    more: Answers = {},
  ) => {
    const user = userEvent.setup();
    const rendered = renderConsole(address, {
      'GET /v1/providers/models': MODELS,
      'GET /v1/configs': { object: 'list', total: 0, data: [] },
      'POST /v1/auth/playground-key': KEY,
      'GET /v1/logs': (request: Request) => {
        const trace = new URL(request.url).searchParams.get('trace_id') ?? '';
        const row = { id: trace, trace_id: trace, cost_exact: cost, priced: 'priced' };
        return Response.json({ object: 'list', data: [row], next_cursor: null });
      },
      'POST /v1/chat/completions': async (request: Request) => {
        const body = (await request.json()) as { model: string; messages: { content: string }[] };
        const one = { model: body.model, text: body.messages.map(({ content }) => content).join('\n') };
        sent.push(one);
        const id = `r-${String(sent.length)}`;
        const answer = await respond(one, request);
        return typeof answer === 'string'
          ? Response.json(
              { choices: [{ message: { content: answer } }] },
              { headers: { 'x-gw-request-id': id, 'x-gw-trace-id': id } },
            )
          : answer;
      },
      ...more,
    });
    return { ...rendered, user, pane: await screen.findByRole('region', { name: 'Test set' }) };
  };
  const TWO = '/w/search/playground?c=@openai/small&c=@openai/large&stream=0&view=tests';

  const addCsv = async (user: ReturnType<typeof userEvent.setup>, text: string): Promise<void> => {
    await user.click(screen.getByRole('button', { name: 'Add rows' }));
    const dialog = await screen.findByRole('dialog', { name: 'Add rows' });
    await user.click(within(dialog).getByRole('radio', { name: 'CSV' }));
    await user.click(within(dialog).getByRole('textbox', { name: 'CSV' }));
    await user.paste(text);
    await user.click(within(dialog).getByRole('button', { name: 'Add them' }));
  };
  const budget = async (user: ReturnType<typeof userEvent.setup>, usd: string): Promise<void> =>
    user.type(screen.getByRole('textbox', { name: 'Budget in USD' }), usd);

  it('runs rows of CSV in all columns, counts verdicts, and filters by failed rows', async () => {
    const { user, pane, address } = await open(TWO, ({ model, text }) => {
      if (text.includes('Rome') && model === 'large')
        return problemResponse(429, 'rate_limit_exceeded', 'Too many requests.');
      return `${text} lies in ${text.includes('Oslo') ? 'Norway' : 'France'}`;
    });
    await user.click(screen.getByLabelText('User, message 1'));
    await user.paste('Where is {{city}}?');
    await addCsv(user, 'city,expected\nOslo,norway\nRome,Italy\n"quote');
    const dialog = screen.getByRole('dialog', { name: 'Add rows' });
    within(dialog).getByText(/Row 4 has a quote that is not closed/);
    await user.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    await addCsv(user, 'city,expected\nOslo,norway\nRome,Italy');
    await within(pane).findByText('2 rows');
    const run = await within(pane).findByRole<HTMLButtonElement>('button', { name: /Run 4 requests/ });
    // A run requires a budget.
    expect(run.disabled).toBe(true);
    await budget(user, '0.5');
    await user.keyboard('{Control>}{Enter}{/Control}');
    await within(pane).findByText('1 passed, 1 failed');
    await within(pane).findByText('1 passed, 0 failed, 1 without a verdict');
    expect(sent).toContainEqual({ model: 'small', text: 'Where is Oslo?' });
    await waitFor(() => within(pane).getByText('0.0000', { exact: false }));
    await user.click(within(pane).getByRole('switch', { name: 'Only what failed' }));
    expect(within(pane).queryByRole('button', { name: 'Oslo' })).toBeNull();
    await user.click(within(pane).getByRole('button', { name: /Row 2, column 2/ }));
    within(await screen.findByRole('dialog', { name: 'Row 2, column 2' })).getByText('Too many requests.');
    expect(address()).not.toMatch(/Oslo|Where/);
  });

  it('ends when the budget is spent, and marks requests that were not sent', async () => {
    cost = '100000';
    const { user, pane } = await open(TWO, () => 'x');
    await addCsv(user, `input\n${'Hello\n'.repeat(10)}`);
    // Each request is estimated at about 0.001 USD.
    await budget(user, '0.0011');
    await user.click(await within(pane).findByRole('button', { name: /Run 20 requests/ }));
    await within(pane).findAllByText('not sent');
    await within(pane).findByText(/The budget is spent/);
    expect(sent).toHaveLength(1);
  });

  it('lets a model judge responses by a criterion', async () => {
    const { user, pane } = await open(
      '/w/search/playground?c=@openai/small&stream=0&view=tests',
      ({ model, text }) =>
        model === 'large'
          ? text.includes('"answer":"Good')
            ? 'PASS\nIt is good.'
            : 'FAIL\nNo.'
          : `Good ${text}`,
    );
    await addCsv(user, 'input\nmorning');
    await user.click(within(pane).getByRole('combobox', { name: 'Check of all rows' }));
    await user.click(await screen.findByRole('option', { name: 'A model judges' }));
    await budget(user, '1');
    await user.click(within(pane).getByRole('button', { name: /Run 1 request/ }));
    await within(pane).findByText(/The check of “morning” is not complete/);
    await user.click(within(pane).getByRole('textbox', { name: 'Criterion' }));
    await user.paste('It says good');
    await user.click(within(pane).getByRole('combobox', { name: 'Model that judges' }));
    await user.click(await screen.findByRole('option', { name: 'large · @openai' }));
    await user.click(within(pane).getByRole('button', { name: /Run 1 request/ }));
    await within(pane).findByText('1 passed, 0 failed');
    // The cost includes the request of the judging model.
    await waitFor(() => expect(pane.textContent).toContain('0.00000200'));
  });

  it('checks responses with a guardrail of the workspace', async () => {
    const texts: unknown[] = [];
    const { user, pane } = await open(
      '/w/search/playground?c=@openai/small&stream=0&view=tests',
      () => 'My card is 4242',
      {
        'GET /v1/guardrails': { object: 'list', total: 1, data: [{ slug: 'pg-1', name: 'No cards' }] },
        'POST /v1/guardrails/pg-1/invoke': async (request: Request) => {
          texts.push(await request.json());
          return Response.json({ verdict: false, message: 'A card was found.' });
        },
      },
    );
    await addCsv(user, 'input\nhello');
    await user.click(within(pane).getByRole('combobox', { name: 'Check of all rows' }));
    await user.click(await screen.findByRole('option', { name: 'Passes a guardrail' }));
    await user.click(within(pane).getByRole('combobox', { name: 'Guardrail' }));
    await user.click(await screen.findByRole('option', { name: 'No cards' }));
    await budget(user, '1');
    await user.click(within(pane).getByRole('button', { name: /Run 1 request/ }));
    await within(pane).findByText('0 passed, 1 failed');
    expect(texts).toEqual([{ text: 'My card is 4242', stage: 'output' }]);
  });

  it('converts marked logs to rows, and explains which ones could not be converted', async () => {
    const log = (content: string, more: object = {}) => ({
      ...{ id: 'l', route: 'chat.completions', config_id: null, credential: 'openai' },
      request: {
        ...{
          encoding: 'json',
          truncated: false,
          body: { model: 'small', messages: [{ role: 'user', content }] },
        },
        ...more,
      },
    });
    handLogs(WORKSPACE, ['l-1', 'l-2', 'l-3']);
    const { user, pane, address } = await open(
      '/w/search/playground?view=tests&stream=0',
      ({ text }) => text,
      {
        'GET /v1/logs/l-1': log('First'),
        'GET /v1/logs/l-2': log('Cut', { truncated: true }),
      },
    );
    await within(pane).findByText('1 row');
    within(pane).getByText(/only the beginning of its body is kept/);
    within(pane).getByText(/There is no such thing/);
    // The column uses the target and model of the first log.
    await waitFor(() => expect(address()).toContain('c=@openai/small'));
    await user.click(within(pane).getByRole('button', { name: 'First' }));
    const dialog = await screen.findByRole('dialog', { name: 'Row 1: First' });
    await user.click(within(dialog).getByRole('combobox', { name: 'Check of this row' }));
    await user.click(await screen.findByRole('option', { name: 'Contains a text' }));
    await user.type(within(dialog).getByRole('textbox', { name: 'Text' }), 'fir');
    await user.keyboard('{Escape}');
    await budget(user, '1');
    await user.click(await within(pane).findByRole('button', { name: /Run 1 request/ }));
    await within(pane).findByText('1 passed, 0 failed');
    expect(sent).toEqual([{ model: 'small', text: 'First' }]);
  });

  it('saves the request on the page as a row that later edits do not change', async () => {
    const { user, pane } = await open(
      '/w/search/playground?c=@openai/small&stream=0&view=tests',
      ({ text }) => text,
    );
    const message = screen.getByLabelText('User, message 1');
    await user.click(message);
    await user.paste('Hello {{name}}');
    await user.type(screen.getByLabelText('Variable name'), 'Ada');
    await user.click(within(pane).getByRole('button', { name: 'Save as a row' }));
    await within(pane).findByRole('button', { name: 'Hello Ada' });
    await user.clear(message);
    await user.type(message, 'Other');
    await budget(user, '1');
    await user.click(await within(pane).findByRole('button', { name: /Run 1 request/ }));
    await within(pane).findByText('answered');
    expect(sent).toEqual([{ model: 'small', text: 'Hello Ada' }]);
  });
});
