import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { problemResponse, renderConsole, type Answers } from '../../../spec-support/render-console';
import { withElementSize } from '../../../ui/spec-support/layout';
import { FALLBACK_LOG, FALLBACK_ROW, PLAIN_ROW, pageOf } from '../spec-support/logs';

const GRAPH = { object: 'analytics-graph', summary: { total: 0 }, data_points: [] };
const requestOf = (content: string): object => ({
  model: 'sandbox-small',
  messages: [{ role: 'user', content }],
});
const ANSWERS: Answers = {
  'GET /v1/logs': pageOf([FALLBACK_ROW, PLAIN_ROW]),
  'GET /v1/api-keys': { object: 'list', total: 0, data: [] },
  'GET /v1/analytics/graphs/requests': GRAPH,
  'GET /v1/analytics/graphs/errors': GRAPH,
  [`GET /v1/logs/${FALLBACK_ROW.id}`]: FALLBACK_LOG,
  [`GET /v1/logs/${PLAIN_ROW.id}`]: { ...FALLBACK_LOG, ...PLAIN_ROW },
  [`GET /v1/logs/${FALLBACK_ROW.id}/request`]: requestOf('Second question'),
  [`GET /v1/logs/${PLAIN_ROW.id}/request`]: requestOf('First question'),
};

describe('marked logs', () => {
  let restore: () => void;
  beforeEach(() => {
    localStorage.clear();
    restore = withElementSize(1200, 600);
  });
  afterEach(() => restore());

  const mark = async (answers: Answers = {}) => {
    const user = userEvent.setup();
    const rendered = renderConsole('/w/search/logs', { ...ANSWERS, ...answers });
    await screen.findByText('fallback');
    for (const box of screen.getAllByRole('checkbox')) await user.click(box);
    return { ...rendered, user, bar: screen.getByRole('toolbar', { name: 'Marked logs' }) };
  };

  it('are no longer marked when a filter removes them from the list', async () => {
    const { user, bar } = await mark({
      'GET /v1/logs': (request: Request) => {
        const isFiltered = request.url.includes('status=200');
        return Response.json(pageOf(isFiltered ? [PLAIN_ROW] : [FALLBACK_ROW, PLAIN_ROW]));
      },
    });
    within(bar).getByText('2 logs marked');
    await user.type(screen.getByRole('searchbox', { name: 'Text and filters' }), 'status:200{Enter}');
    await within(bar).findByText('1 log marked');
  });

  it('can be compared when there are two, with the older one on the left', async () => {
    const { user, bar, requests } = await mark();
    await user.click(within(bar).getByRole('button', { name: 'Compare' }));
    const dialog = await screen.findByRole('dialog', { name: 'Compare two logs' });
    await waitFor(() => {
      const lines = [...dialog.querySelectorAll('.cm-content')].map(({ textContent }) => textContent);
      expect(lines[0]).toContain('First question');
      expect(lines[1]).toContain('Second question');
    });
    expect(requests.filter((request) => request.endsWith('/response'))).toEqual([]);
    await user.click(screen.getAllByRole('checkbox')[0]!);
    expect(within(bar).getByRole<HTMLButtonElement>('button', { name: 'Compare' }).disabled).toBe(true);
  });

  it('receive one feedback for each trace, and only failed ones are sent again', async () => {
    const sent: { trace_id: string }[] = [];
    let fails = true;
    const { user, bar } = await mark({
      'POST /v1/feedback': async (request: Request) => {
        const body = (await request.json()) as { trace_id: string };
        sent.push(body);
        return body.trace_id === 'trace-plain' && fails
          ? problemResponse(403, 'scope_missing', 'The key lacks logs.write.')
          : Response.json({ status: 'success' });
      },
    });
    await user.click(within(bar).getByRole('button', { name: 'Feedback' }));
    const dialog = await screen.findByRole('dialog', { name: 'Feedback for 2 traces' });
    await user.type(within(dialog).getByLabelText('Note'), 'Too long');
    await user.click(within(dialog).getByRole('button', { name: 'Add feedback to all' }));
    await within(dialog).findByText('1 of 2 have it.');
    await within(dialog).findByText(/The key lacks logs.write/);
    expect(sent).toContainEqual({ trace_id: 'trace-fallback', value: 5, metadata: { note: 'Too long' } });
    fails = false;
    await user.click(within(dialog).getByRole('button', { name: 'Add feedback to all' }));
    await within(dialog).findByText('2 of 2 have it.');
    expect(sent.map(({ trace_id: trace }) => trace).sort()).toEqual([
      'trace-fallback',
      'trace-plain',
      'trace-plain',
    ]);
  });
});
