import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { MEMBER_PERMISSIONS, MEMBER_SELF, OWNER_SELF } from '../../spec-support/answers';
import { renderConsole, type Answers } from '../../spec-support/render-console';
import { withElementSize } from '../../ui/spec-support/layout';
import { csvOf } from './csv';
import { changesOf, recordWords } from './record-words';
import type { AuditRecord } from './use-records';

const [WORKSPACE] = OWNER_SELF.workspaces;
const RECORD: AuditRecord = {
  id: 'a1',
  timestamp: '2026-11-23T14:00:00.000Z',
  method: 'PUT',
  uri: '/v1/api-keys/k1',
  request_id: 'req-1',
  user_id: OWNER_SELF.id,
  user_type: 'user',
  organisation_id: 'o1',
  workspace_id: WORKSPACE?.id ?? '',
  response_status_code: 200,
  error_type: null,
  resource_type: 'api_keys',
  resource_id: 'k1',
  action: 'update',
  before: { name: 'search-prod', etag: '"1"', usage_limits: { credit_limit: 2500, alert_threshold: 80 } },
  after: { name: 'search-prod', etag: '"2"', usage_limits: { credit_limit: 3000, alert_threshold: 80 } },
  client_ip: '192.0.2.7',
  user_agent: 'curl/8',
  sequence: 42,
  previous_hash: 'aa',
  hash: 'bb',
};
const PEOPLE = { object: 'list', total: 0, data: [] };
const BASE_ANSWERS: Answers = {
  'GET /v1/audit-logs': { object: 'list', total: 1, records: [RECORD] },
  'GET /v1/admin/users': PEOPLE,
};

/** Reads the text of a blob, because jsdom has no `Blob.text()`. */
const textOf = (blob: Blob | undefined): Promise<string> =>
  new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.readAsText(blob ?? new Blob());
  });

describe('audit log page', () => {
  const user = userEvent.setup();
  let undo: () => void;
  beforeAll(() => {
    undo = withElementSize(1200, 600);
  });
  afterAll(() => undo());

  it('describes records in words, opens one from the address, and shows its changes by field', async () => {
    const { address, requests, unanswered } = renderConsole(
      '/org/audit?f=resource:api_keys&log=a1',
      BASE_ANSWERS,
    );
    const drawer = await screen.findByRole('dialog', {
      name: 'raised the budget of search-prod from $2,500.00 to $3,000.00',
    });
    const row = within(drawer).getByRole('row', { name: /usage_limits.credit_limit/ });
    expect(row.textContent).toBe('usage_limits.credit_limit25003000');
    expect(within(drawer).getAllByRole('row')).toHaveLength(2);
    expect(within(drawer).getByRole('link', { name: 'Open it' }).getAttribute('href')).toBe(
      '/w/search/keys/k1',
    );
    const [sent = ''] = requests.filter((request) => request.startsWith('GET /v1/audit-logs'));
    expect(sent).toContain('resource_type=api_keys');
    await user.click(within(drawer).getByRole('button', { name: 'Everything in this request' }));
    await waitFor(() => expect(address()).toBe('/org/audit?f=request:req-1'));
    expect(requests.at(-1)).toContain('request_id=req-1');
    expect(unanswered).toEqual([]);
  });

  it('verifies the chain in parts and reports where it breaks', async () => {
    const parts = [
      { valid: true, checked: 10_000, next_sequence: 10_001 },
      { valid: true, checked: 5, next_sequence: null },
      { valid: false, checked: 3, next_sequence: 4, broken_at: 3 },
    ];
    const sent: (string | null)[] = [];
    const verify = (request: Request): Response => {
      sent.push(new URL(request.url).searchParams.get('from_sequence'));
      const part = parts.shift();
      return Response.json({ broken_at: null, ...part, head: { sequence: 10_005, hash: 'cafe' } });
    };
    renderConsole('/org/audit', { ...BASE_ANSWERS, 'GET /v1/audit-logs/verify': verify });
    await user.click(await screen.findByRole('button', { name: 'Check the chain' }));
    await screen.findByText('Chain whole to 10,005');
    expect(sent).toEqual(['1', '10001']);
    await user.click(screen.getByRole('button', { name: 'Check the chain' }));
    await screen.findByText('Chain broken at 3');
  });

  it('stops the verification when the user leaves the page', async () => {
    let sent = 0;
    let respond = (): void => undefined;
    const verify = (): Promise<Response> => {
      sent += 1;
      const part = { valid: true, checked: 10, next_sequence: 11, broken_at: null };
      return new Promise((resolve) => {
        respond = () => resolve(Response.json({ ...part, head: { sequence: 99, hash: 'cafe' } }));
      });
    };
    const { unmount } = renderConsole('/org/audit', {
      ...BASE_ANSWERS,
      'GET /v1/audit-logs/verify': verify,
    });
    await user.click(await screen.findByRole('button', { name: 'Check the chain' }));
    await waitFor(() => expect(sent).toBe(1));
    unmount();
    respond();
    await new Promise((resolve) => setTimeout(resolve));
    expect(sent).toBe(1);
  });

  it('names API keys that the caller may see, and saves all filtered records as CSV', async () => {
    const byKey = { ...RECORD, id: 'a2', user_type: 'api_key', user_id: 'k9' };
    const files: Blob[] = [];
    URL.createObjectURL = (blob) => {
      files.push(blob as Blob);
      return 'blob:csv';
    };
    URL.revokeObjectURL = () => undefined;
    // jsdom cannot download files.
    const save = jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
    const { requests } = renderConsole('/org/audit?f=action:update', {
      ...BASE_ANSWERS,
      'GET /v1/audit-logs': { object: 'list', total: 2, records: [RECORD, byKey] },
      'GET /v1/api-keys/k9': { id: 'k9', name: 'deploy' },
    });
    await screen.findByText('key deploy');
    await user.click(screen.getByRole('button', { name: 'CSV' }));
    await waitFor(() => expect(save).toHaveBeenCalledTimes(1));
    save.mockRestore();
    const [head, first, second] = (await textOf(files[0])).split('\r\n');
    expect(head).toMatch(/^actor,what,timestamp,action,/);
    expect(first).toContain('you,"raised the budget of search-prod from $2,500.00 to $3,000.00",');
    expect(second).toMatch(/^key deploy,/);
    const last = requests.findLast((request) => request.startsWith('GET /v1/audit-logs')) ?? '';
    expect(last).toMatch(/action=update.*start_time=.*page_size=100&current_page=0/);
  });

  it('writes CSV cells that no spreadsheet treats as a formula', () => {
    const words = { actorOf: () => '=cmd()', what: () => 'a "quoted", text' };
    const [, row = ''] = csvOf([{ ...RECORD, uri: '/v1/x', user_agent: '-1+2' }], words).split('\r\n');
    expect(row.startsWith(`'=cmd(),"a ""quoted"", text",`)).toBe(true);
    expect(row).toContain(",'-1+2,");
  });

  it('names the missing scope', async () => {
    renderConsole('/org/audit', {
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
    });
    await screen.findByText(/audit_logs.list/, { selector: '.state-title' });
  });

  it('reads all pages up to the time of the first one, so that new records move no rows', async () => {
    const sent: URLSearchParams[] = [];
    const page = (request: Request): Response => {
      const query = new URL(request.url).searchParams;
      sent.push(query);
      const first = Number(query.get('current_page')) * 100;
      const records = Array.from({ length: 100 }, (_, at) => ({ ...RECORD, id: `a${String(first + at)}` }));
      return Response.json({ object: 'list', total: 200, records });
    };
    const now = jest.spyOn(Date, 'now');
    renderConsole('/org/audit', { ...BASE_ANSWERS, 'GET /v1/audit-logs': page });
    const grid = await screen.findByRole('grid');
    now.mockReturnValue(Date.now() + 60_000);
    fireEvent.scroll(grid, { target: { scrollTop: 100_000 } });
    await waitFor(() => expect(sent).toHaveLength(2));
    now.mockRestore();
    const times = sent.map((query) => [query.get('start_time'), query.get('end_time')]);
    expect(times[1]).toEqual(times[0]);
  });

  it('shows of several values of a field the one that it sends', async () => {
    const { requests } = renderConsole(
      '/org/audit?f=action:create,update&f=method:PUT&f=method:POST',
      BASE_ANSWERS,
    );
    await screen.findByRole('grid');
    const [sent = ''] = requests.filter((request) => request.startsWith('GET /v1/audit-logs'));
    expect(sent).toMatch(/action=update.*method=POST/);
    expect(screen.queryByText(/create/)).toBeNull();
    expect(screen.queryByText(/PUT/)).toBeNull();
  });

  it('describes attempts without effect, and budgets that count requests', () => {
    const words = (part: Partial<AuditRecord>): string => recordWords({ ...RECORD, ...part });
    const none = { action: 'delete', before: null, after: null };
    expect(words({ ...none, response_status_code: 403 })).toBe('deleted API key k1 (refused)');
    expect(words({ ...none, response_status_code: 503 })).toBe('deleted API key k1 (failed)');
    const limit = (credit_limit: number) => ({
      ...{ name: 'nightly', usage_limits: { type: 'requests', credit_limit } },
    });
    expect(words({ before: limit(10), after: limit(20) })).toBe(
      'raised the budget of nightly from 10 requests to 20 requests',
    );
  });

  it('describes creations, changes of several members, and resources without a name', () => {
    const words = (part: Partial<AuditRecord>): string => recordWords({ ...RECORD, ...part });
    expect(words({ action: 'create', before: null })).toBe('created API key search-prod');
    expect(words({ action: 'delete', after: null, before: null })).toBe('deleted API key k1');
    expect(
      words({ action: 'login', resource_type: 'auth', before: null, after: null, resource_id: null }),
    ).toBe('signed in');
    const after = { name: 'x', a: 1, b: 2, c: 3, d: 4 };
    expect(words({ before: { name: 'x' }, after })).toBe('changed API key x: a, b, c and 1 more');
    expect(changesOf({ before: { etag: '1' }, after: { etag: '2' } })).toEqual([]);
  });
});
