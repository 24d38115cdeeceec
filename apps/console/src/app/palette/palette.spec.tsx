import { act, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { MEMBER_PERMISSIONS, MEMBER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { paletteActions } from './store';

const ID = '0198f3a1-7c3e-7d7a-9b55-2f4c8e1d6a90';
const KEY = { id: 'k-1', name: 'search-prod', key: 'aB*****1dE' };
const list = (data: readonly object[], total = data.length) => ({ object: 'list', total, data });
const ANSWERS: Answers = {
  'GET /v1/api-keys': list([KEY]),
  'GET /v1/providers': list([{ id: 'p-1', name: 'Search at OpenAI', slug: 'openai' }]),
};

describe('palette', () => {
  beforeEach(() => localStorage.clear());
  // The palette's open state is global, so each test closes it.
  afterEach(() => act(() => paletteActions.close()));

  /** Opens the palette on a page that makes no further calls. */
  async function opened(answers: Answers = {}) {
    const user = userEvent.setup();
    const rendered = renderConsole('/me/preferences', { ...ANSWERS, ...answers });
    await screen.findByRole('navigation', { name: 'Pages' });
    await user.keyboard('{Control>}k{/Control}');
    const search = await screen.findByPlaceholderText(/^Name, id, page/);
    const enter = async (text: string): Promise<void> => {
      await user.click(search);
      await user.clear(search);
      await user.paste(text);
    };
    return { ...rendered, user, enter };
  }
  const row = (name: RegExp | string): Promise<HTMLElement> => screen.findByRole('button', { name });

  it('searches all lists in parallel, sorts the best match first, and opens it with Enter', async () => {
    const { user, enter, requests, address } = await opened();
    await enter('search');
    await row(/search-prod/);
    await row(/Search at OpenAI/);
    await waitFor(() =>
      expect(document.querySelector('[data-selected]')?.textContent).toContain('search-prod'),
    );
    const found = requests.filter((request) => request.includes('search=search'));
    expect(found.length).toBeGreaterThanOrEqual(2);
    await user.keyboard('{Enter}');
    await waitFor(() => expect(address()).toBe('/w/search/keys/k-1'));
  });

  it('shows the actions of a row with Tab, and returns with Backspace', async () => {
    const { user, enter, address } = await opened();
    await enter('search-prod');
    await waitFor(() =>
      expect(document.querySelector('[data-selected]')?.textContent).toContain('search-prod'),
    );
    await user.keyboard('{Tab}');
    await row('Open search-prod');
    await row('Copy id');
    await user.keyboard('{Backspace}');
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Copy id' })).toBeNull());
    await enter('search-prod');
    await waitFor(() =>
      expect(document.querySelector('[data-selected]')?.textContent).toContain('search-prod'),
    );
    await user.keyboard('{Tab}');
    await user.click(await row('Logs of search-prod'));
    await waitFor(() => expect(address()).toContain('/w/search/logs?f=key:k-1'));
  });

  it.each([
    ['>', 'Create: API key', 'Home'],
    ['>utc', 'Times in UTC or the own zone', 'Create: API key'],
    ['/', 'Home', 'Create: API key'],
    ['@', /Search at OpenAI/, 'Home'],
  ])('narrows the rows by the prefix of %s', async (text, shown, left) => {
    const { enter } = await opened();
    await enter(text);
    await row(shown);
    expect(screen.queryByRole('button', { name: left })).toBeNull();
  });

  it('offers the log and the owner of the limit for a pasted error body', async () => {
    const { user, enter, address } = await opened();
    const limit = { scope: 'api_key', id: 'k-1', type: 'requests', limit: 10, used: 8, resets_at: null };
    await enter(JSON.stringify({ error: { type: 'rate_limited', request_id: ID, limit } }));
    await row(`Log of request ${ID}`);
    await user.click(await row(/The limit of this api key.*2 of 10 requests left$/));
    await waitFor(() => expect(address()).toBe('/w/search/keys/k-1'));
  });

  it("shows what a limit has left without what requests in flight reserve, with its unit and the viewer's time", async () => {
    const { enter } = await opened();
    const limit = {
      ...{ scope: 'api_key', id: 'k-1', type: 'cost', limit: 10, used: 9.9, reserved: 0.05 },
      resets_at: '2026-12-01T00:00:00.000Z',
    };
    await enter(JSON.stringify({ error: { type: 'budget_exhausted', request_id: ID, limit } }));
    expect((await row(/The limit of this api key/)).textContent).toMatch(
      /\$0\.05(?:00)? of \$10\.00 left, until it starts again at .*2026, \d\d:\d\d$/,
    );
  });

  it('finds a key by its masked form, and puts no secret into a request or the cache', async () => {
    const secret = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE';
    const { enter, requests, queries } = await opened();
    await enter(secret);
    await row(/search-prod/);
    await enter('aB*****1dE');
    await row(/search-prod/);
    await enter('sk-proj-abcdefghijkl0123456789');
    await screen.findByText(/This looks like a secret/);
    const kept = JSON.stringify(
      queries
        .getQueryCache()
        .getAll()
        .map(({ queryKey }) => queryKey),
    );
    for (const text of [secret, 'sk-proj-'])
      expect([requests.some((request) => request.includes(text)), kept.includes(text)]).toEqual([
        false,
        false,
      ]);
  });

  it('opens a pasted curl command in the playground, with its texts in memory only and without its key', async () => {
    const { user, enter, address } = await opened();
    const body = { model: '@openai/gpt-4o', messages: [{ role: 'user', content: "What's up?" }] };
    await enter(
      `curl https://gateway.example.com/v1/chat/completions \\\n  -H "x-gw-api-key: secret" \\\n  -d '${JSON.stringify(body).replace("'", String.raw`'\''`)}'`,
    );
    await user.click(await row(/Open this request in the playground/));
    await screen.findByDisplayValue("What's up?");
    expect(address()).toContain('c=@openai/gpt-4o');
    expect(address()).not.toMatch(/secret|What/);
  });

  it('explains failed lists, unsupported curl commands and incomplete ids', async () => {
    const { enter } = await opened({
      'GET /v1/providers': () => problemResponse(403, 'forbidden', 'No.'),
    });
    await enter('search');
    await screen.findByText('Some lists could not be searched.');
    await enter('curl https://example.com');
    await screen.findByText('This curl is no request to a gateway.');
    await enter('#0198');
    await screen.findByText('Enter a whole request id.');
  });

  it('searches only the lists that the caller may open', async () => {
    const { enter, requests } = await opened({
      'GET /v1/auth/self': MEMBER_SELF,
      'GET /v1/auth/permissions': MEMBER_PERMISSIONS,
    });
    await enter('search');
    await screen.findByText('Nothing by this name.');
    expect(requests.filter((request) => request.includes('search='))).toEqual([]);
  });
});
