import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { MEMBER_PERMISSIONS, MEMBER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { withElementSize } from '../../ui/spec-support/layout';
import { FALLBACK_LOG, FALLBACK_ROW, KEY, PLAIN_ROW, pageOf } from './spec-support/logs';

// Stubbed because jsdom has no canvas.
jest.mock('../../ui/charts/chart-engine', () => ({
  barPaths: () => () => null,
  createChart: () => {
    const nothing = () => undefined;
    return { setData: nothing, setScale: nothing, setSize: nothing, redraw: nothing, destroy: nothing };
  },
}));

const ID = FALLBACK_LOG.id;
const GRAPH = { object: 'analytics-graph', summary: { total: 0 }, data_points: [] };
const KEYS = { object: 'list', total: 1, data: [{ id: KEY, name: 'ci-tests' }] };
const REQUEST = { model: 'sandbox-small', messages: [{ role: 'user', content: 'Say hello.' }] };
const RESPONSE = {
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello there.' } }],
};

const answers = (more: Answers = {}): Answers => ({
  'GET /v1/logs': pageOf([FALLBACK_ROW, PLAIN_ROW]),
  'GET /v1/api-keys': KEYS,
  'GET /v1/analytics/graphs/requests': GRAPH,
  'GET /v1/analytics/graphs/errors': GRAPH,
  [`GET /v1/logs/${ID}`]: FALLBACK_LOG,
  [`GET /v1/logs/${ID}/request`]: REQUEST,
  [`GET /v1/logs/${ID}/response`]: RESPONSE,
  ...more,
});

const rows = () => screen.getAllByRole('row').slice(1);
const panel = () => screen.findByRole('complementary', { name: 'Open log' });
const lists = (requests: readonly string[]) =>
  requests
    .filter((request) => request.startsWith('GET /v1/logs?'))
    .map((one) => new URL(one.slice(4), 'http://x'));

describe('list of logs', () => {
  let restore: () => void;
  beforeEach(() => {
    localStorage.clear();
    restore = withElementSize(1200, 600);
  });
  afterEach(() => restore());

  it('shows rows with the name of their key, exact cost and badge', async () => {
    const { requests, unanswered } = renderConsole('/w/search/logs', answers());
    await screen.findByText('fallback');
    const [first, second] = rows();
    expect(within(first!).getByText('ci-tests')).toBeTruthy();
    expect(first!.textContent).toContain('0.00000180');
    expect(second!.textContent).toContain('200');
    const [list] = lists(requests);
    expect(list!.searchParams.get('workspace_id')).toBe('0198f3a1-0000-7000-8000-000000000001');
    expect(list!.searchParams.get('time_of_generation_max')).toBeNull();
    expect(unanswered).toEqual([]);
    expect(requests.some((request) => /\/(?:request|response)$/.test(request))).toBe(false);
  });

  it('sends the filters of the address, and writes typed filters into the address', async () => {
    const user = userEvent.setup();
    const { requests, address } = renderConsole(
      '/w/search/logs?t=2026-11-23T13:30Z..2026-11-23T14:00Z&f=key:ci-tests&f=status:5xx&f=took:%3E100',
      answers({ 'GET /v1/logs': { ...pageOf([FALLBACK_ROW, PLAIN_ROW]), next_cursor: 'more' } }),
    );
    await screen.findByText('fallback');
    screen.getByText('Graphs cannot count by status, took: bars show once all rows are loaded.');
    const sent = lists(requests).at(-1)!.searchParams;
    expect(sent.getAll('api_key_id')).toEqual([KEY]);
    expect(sent.getAll('status')).toEqual(['5xx']);
    expect(sent.get('response_time_min')).toBe('100.000001');
    expect(sent.get('time_of_generation_max')).toBe('2026-11-23T14:00:00.000Z');
    // The graphs do not support classes of statuses, so no graph is read.
    expect(requests.some((request) => request.includes('/graphs/'))).toBe(false);
    const box = screen.getByRole('searchbox', { name: 'Text and filters' });
    await user.type(box, 'md.team:search hello{Enter}');
    await waitFor(() => expect(address()).toContain('f=md.team:search&q=hello'));
    const last = () => lists(requests).at(-1)!.searchParams;
    await waitFor(() => expect(last().get('q')).toBe('hello'));
    expect(last().get('metadata')).toBe('{"team":"search"}');
  });

  it('keeps the time and the filters that have a meaning in another workspace', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole(
      `/w/search/logs?t=7d&f=status:5xx&f=key:${KEY}&log=${ID}&tab=money`,
      answers(),
    );
    await user.click(await screen.findByRole('button', { name: 'Workspace: Search team' }));
    await user.click(await screen.findByRole('menuitem', { name: /Batch/ }));
    await waitFor(() => expect(address()).toBe('/w/batch/logs?t=7d&f=status:5xx'));
  });

  it('counts requests in the browser when the graphs cannot and all logs are loaded', async () => {
    const { requests } = renderConsole('/w/search/logs?f=model:sandbox-small', answers());
    await screen.findByText('fallback');
    await screen.findByRole('figure', { name: 'Requests over time' });
    expect(screen.queryByText(/^Graphs cannot count/)).toBeNull();
    expect(requests.some((request) => request.includes('/graphs/'))).toBe(false);
  });

  it('names invalid parameters of the address until the address changes', async () => {
    const { address } = renderConsole('/w/search/logs?t=soon&f=colour:red&cols=time,status', answers());
    await screen.findByText('t=soon', { exact: false });
    await waitFor(() => expect(rows()).toHaveLength(2));
    expect(screen.getByText('f=colour:red', { exact: false })).toBeTruthy();
    expect(screen.queryByRole('columnheader', { name: /Model/ })).toBeNull();
    fireEvent.click(rows()[0]!);
    await waitFor(() => expect(address()).toBe(`/w/search/logs?cols=time,status&log=${ID}`));
    expect(screen.queryByText('t=soon', { exact: false })).toBeNull();
  });

  it('replaces the filters by a built-in view, and shows the name of the current view', async () => {
    const user = userEvent.setup();
    const { requests, address } = renderConsole(
      '/w/search/logs?f=model:gpt-4o&q=contract',
      answers({ 'GET /v1/analytics/graphs/latency': { ...GRAPH, summary: { p90: 812.6 } } }),
    );
    await user.click(await screen.findByRole('button', { name: 'View: own filters' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Fallbacks' }));
    await waitFor(() => expect(address()).toBe('/w/search/logs?f=fallback:yes'));
    await waitFor(() => expect(lists(requests).at(-1)!.searchParams.get('fell_back')).toBe('true'));
    await user.click(await screen.findByRole('button', { name: 'View: Fallbacks' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Slow' }));
    await waitFor(() => expect(decodeURIComponent(address())).toBe('/w/search/logs?f=took:>=812'));
    await screen.findByRole('button', { name: 'View: Slow' });
  });

  it('ignores the latency of the view Slow when another view was chosen meanwhile', async () => {
    const user = userEvent.setup();
    let respond = (): void => undefined;
    const { address } = renderConsole(
      '/w/search/logs',
      answers({
        'GET /v1/analytics/graphs/latency': () =>
          new Promise((resolve) => {
            respond = () => resolve(Response.json({ ...GRAPH, summary: { p90: 812.6 } }));
          }),
      }),
    );
    const choose = async (button: string, view: string): Promise<void> => {
      await user.click(await screen.findByRole('button', { name: button }));
      await user.click(await screen.findByRole('menuitem', { name: view }));
    };
    await choose('View: All', 'Slow');
    await choose('View: All', 'Failed');
    await screen.findByRole('button', { name: 'View: Failed' });
    respond();
    await new Promise((resolve) => setTimeout(resolve));
    expect(address()).toBe('/w/search/logs?f=success:no');
  });

  it('loads the next page by its cursor', async () => {
    const older = { ...PLAIN_ROW, id: '0198f3a1-7c3e-7d7a-9b55-00000000000a', model: 'older-model' };
    const list = ({ url }: Request): Response =>
      Response.json(
        new URL(url).searchParams.get('cursor') === 'next'
          ? pageOf([older])
          : pageOf([FALLBACK_ROW, PLAIN_ROW], 'next'),
      );
    renderConsole('/w/search/logs', answers({ 'GET /v1/logs': list }));
    await screen.findByText('older-model');
    expect(screen.getByText('3 loaded')).toBeTruthy();
  });

  it('shows the progress of a text search and continues it on click', async () => {
    const searched = (logs: number) => ({ searched: { logs, until: '2026-11-23T13:42:00.000Z' } });
    const list = ({ url }: Request): Response =>
      Response.json(
        new URL(url).searchParams.has('cursor')
          ? { ...pageOf([PLAIN_ROW]), ...searched(4_000) }
          : { ...pageOf([], 'next'), ...searched(10_000) },
      );
    const user = userEvent.setup();
    renderConsole('/w/search/logs?q=contract', answers({ 'GET /v1/logs': list }));
    await screen.findByText(/Looked through 10,000 logs to 23 Nov 2026, 13:42/);
    await user.click(screen.getByRole('button', { name: 'Go on' }));
    await screen.findByText(/Looked through 14,000 logs/);
    expect(rows()).toHaveLength(1);
  });

  it('explains why the list is empty', async () => {
    const { address } = renderConsole(
      '/w/search/logs?f=model:none&f=status:500',
      answers({ 'GET /v1/logs': pageOf([]) }),
    );
    await screen.findByText('Nothing matches 2 filters in this time.');
    fireEvent.click(screen.getByRole('button', { name: 'Which filter excludes most?' }));
    await screen.findByText('Removing a single filter shows nothing either.');
    fireEvent.click(screen.getAllByRole('button', { name: 'Clear filters' })[0]!);
    await screen.findByText('No requests in this time.');
    expect(address()).toBe('/w/search/logs');
  });

  it('removes the filter that excludes most, also after another change of the address', async () => {
    const user = userEvent.setup();
    const list = (request: Request): Response =>
      Response.json(pageOf(new URL(request.url).searchParams.has('model') ? [] : [PLAIN_ROW]));
    const { address } = renderConsole(
      '/w/search/logs?f=model:none&f=status:200',
      answers({ 'GET /v1/logs': list }),
    );
    await user.click(await screen.findByRole('button', { name: 'Which filter excludes most?' }));
    await screen.findByText(/^Without “/);
    await user.click(screen.getByRole('button', { name: 'Columns' }));
    await user.click(await screen.findByRole('menuitemcheckbox', { name: 'Route' }));
    await waitFor(() => expect(address()).toContain('cols='));
    await user.click(screen.getByRole('button', { name: 'Remove it', hidden: true }));
    await waitFor(() => expect(address()).not.toContain('f=model'));
    expect(address()).toContain('f=status:200');
  });

  it('calls a list empty only after its own response', async () => {
    let respond = (): void => undefined;
    const list = (request: Request): Response | Promise<Response> =>
      request.url.includes('model=')
        ? Response.json(pageOf([]))
        : new Promise((resolve) => {
            respond = () => resolve(Response.json(pageOf([])));
          });
    renderConsole('/w/search/logs?f=model:none', answers({ 'GET /v1/logs': list }));
    await screen.findByText('Nothing matches 1 filter in this time.');
    fireEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(screen.queryByText(/^Nothing matches/)).toBeNull());
    expect(screen.queryByText('No requests in this time.')).toBeNull();
    respond();
    await screen.findByText('No requests in this time.');
  });

  it('shows an error message of the API with its request id', async () => {
    const list = () => problemResponse(400, 'validation_failed', 'api_key_id must be a UUID.');
    renderConsole('/w/search/logs?f=key:none', answers({ 'GET /v1/logs': list }));
    await screen.findByText('api_key_id must be a UUID.');
    expect(screen.getByText('r-1')).toBeTruthy();
  });

  it('names the missing scope to callers who may not list logs', async () => {
    const { requests } = renderConsole('/w/search/logs', {
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
    });
    await screen.findByText(/You may not see this: logs.list/);
    expect(lists(requests)).toEqual([]);
  });

  it('follows new logs by the tail and refreshes the list when it starts', async () => {
    const late = { ...PLAIN_ROW, id: '0198f3a1-7c3e-7d7a-9b55-ffffffffffff', model: 'tailed-model' };
    const tail = () =>
      new Response(
        new ReadableStream({
          start: (stream) =>
            stream.enqueue(
              new TextEncoder().encode(
                `event: log\ndata: ${JSON.stringify({ ...late, created_at: '2026-11-28T15:00:00.000Z' })}\n\n`,
              ),
            ),
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      );
    const user = userEvent.setup();
    const { requests, address } = renderConsole('/w/search/logs', answers({ 'GET /v1/logs/tail': tail }));
    await screen.findByText('fallback');
    await user.keyboard('.');
    await screen.findByText('tailed-model');
    expect(address()).toBe('/w/search/logs?live=1');
    expect(rows()).toHaveLength(3);
    expect(rows()[0]!.textContent).toContain('tailed-model');
    await waitFor(() => expect(lists(requests).length).toBeGreaterThan(1));
  });
});

describe('open log', () => {
  let restore: () => void;
  beforeEach(() => {
    localStorage.clear();
    restore = withElementSize(1200, 600);
  });
  afterEach(() => restore());

  it('explains the request with waterfall, limits and cost lines', async () => {
    renderConsole(`/w/search/logs?log=${ID}`, answers());
    const open = within(await panel());
    await open.findByText('Answered by the second target.');
    const lanes = within(await open.findByRole('list', { name: 'Time of the request' }));
    expect(lanes.getAllByText(/^503 after/)).toHaveLength(2);
    expect(open.getByRole('meter', { name: 'Key budget' }).getAttribute('aria-valuetext')).toBe(
      '$1.25 of $3.00',
    );
    expect(open.getByText('10 input × $0.10 /M')).toBeTruthy();
    fireEvent.click(lanes.getAllByRole('button')[1]!);
    expect(open.getByText('The provider responded with an error status.')).toBeTruthy();
  });

  it('reads bodies only when their tab opens', async () => {
    const user = userEvent.setup();
    const { requests, address } = renderConsole(`/w/search/logs?log=${ID}`, answers());
    const open = within(await panel());
    await open.findByText('Answered by the second target.');
    const bodies = () => requests.filter((request) => /\/(?:request|response)$/.test(request));
    expect(requests).toContain(`GET /v1/logs/${ID}?bodies=false`);
    expect(bodies()).toEqual([]);
    await user.keyboard('2');
    await open.findByText('Say hello.');
    await open.findByText('Hello there.');
    expect(address()).toBe(`/w/search/logs?log=${ID}&tab=messages`);
    expect(bodies()).toHaveLength(2);
    await user.keyboard('3');
    await open.findByText('Headers are not kept.');
    expect(bodies()).toHaveLength(2);
  });

  it('shows the text of a body that was cut within a character', async () => {
    const cut = new TextEncoder().encode('{"text":"Grü').slice(0, -1);
    renderConsole(
      `/w/search/logs?log=${ID}&tab=response`,
      answers({
        [`GET /v1/logs/${ID}`]: { ...FALLBACK_LOG, response: { ...FALLBACK_LOG.response, truncated: true } },
        [`GET /v1/logs/${ID}/response`]: () => new Response(cut),
      }),
    );
    await within(await panel()).findByText('{"text":"Gr');
  });

  it('reports a body that is not stored', async () => {
    renderConsole(
      `/w/search/logs?log=${ID}&tab=response`,
      answers({ [`GET /v1/logs/${ID}/response`]: () => problemResponse(404, 'not_found', 'None.') }),
    );
    await within(await panel()).findByText('No body was logged.');
  });

  it('moves to other logs with J and K, and closes with Esc', async () => {
    const user = userEvent.setup();
    const { address } = renderConsole(
      `/w/search/logs?log=${ID}`,
      answers({ [`GET /v1/logs/${PLAIN_ROW.id}`]: { ...FALLBACK_LOG, ...PLAIN_ROW } }),
    );
    await within(await panel()).findByText('Answered by the second target.');
    (document.activeElement as HTMLElement).blur();
    await user.keyboard('j');
    await waitFor(() => expect(address()).toBe(`/w/search/logs?log=${PLAIN_ROW.id}`));
    await user.keyboard('k');
    await waitFor(() => expect(address()).toBe(`/w/search/logs?log=${ID}`));
    await user.keyboard('{Escape}');
    await waitFor(() => expect(address()).toBe('/w/search/logs'));
    expect(screen.queryByRole('complementary', { name: 'Open log' })).toBeNull();
  });

  it('filters the list by a value of the log', async () => {
    const { address } = renderConsole(`/w/search/logs?log=${ID}`, answers());
    const open = within(await panel());
    fireEvent.click(await open.findByRole('button', { name: 'Filter by md.team search' }));
    await waitFor(() => expect(address()).toContain('f=md.team:search'));
  });

  it('has a separate page with the same tabs', async () => {
    const { address } = renderConsole(`/w/search/logs/${ID}?tab=money`, answers());
    await screen.findByText('exact cost');
    fireEvent.click(screen.getByRole('tab', { name: 'Why' }));
    await screen.findByText('Answered by the second target.');
    expect(address()).toBe(`/w/search/logs/${ID}`);
    expect(screen.getByRole('link', { name: /Replay in playground/ }).getAttribute('href')).toBe(
      `/w/search/playground?log=${ID}`,
    );
  });

  it('sends feedback on the trace of the log', async () => {
    const sent: unknown[] = [];
    const create = (request: Request): Response => {
      void request.json().then((body) => sent.push(body));
      return Response.json({ status: 'success', message: '', feedback_ids: ['f-1'] });
    };
    const user = userEvent.setup();
    renderConsole(`/w/search/logs?log=${ID}&tab=feedback`, answers({ 'POST /v1/feedback': create }));
    const open = within(await panel());
    await user.type(await open.findByRole('textbox', { name: 'Note' }), 'too short');
    await user.click(open.getByRole('button', { name: 'Add feedback' }));
    await waitFor(() =>
      expect(sent).toEqual([{ trace_id: FALLBACK_LOG.trace_id, value: 5, metadata: { note: 'too short' } }]),
    );
  });

  it('retries a recent log that is not stored yet', async () => {
    const time = Date.now().toString(16).padStart(12, '0');
    const id = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000001`;
    let reads = 0;
    const answer = (): Response => {
      reads += 1;
      return reads < 3
        ? problemResponse(404, 'not_found', 'There is no such log.')
        : Response.json({ ...FALLBACK_LOG, id });
    };
    renderConsole(`/w/search/logs?log=${id}`, answers({ [`GET /v1/logs/${id}`]: answer }));
    await within(await panel()).findByText('Answered by the second target.');
    expect(reads).toBe(3);
  });

  it('shows a not-found state for an unknown log, which can be closed', async () => {
    const { address } = renderConsole('/w/search/logs?log=0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a99', answers());
    const open = within(await panel());
    await open.findByText('Not here, or not yours.');
    expect(address()).toContain('log=');
    fireEvent.click(open.getByRole('button', { name: 'Close the log' }));
    await waitFor(() => expect(address()).toBe('/w/search/logs'));
  });
});
