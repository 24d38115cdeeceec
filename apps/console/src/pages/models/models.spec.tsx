import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderConsole } from '../../spec-support/render-console';
import { modelsEntry } from './entry';
import { withElementSize } from '../../ui/spec-support/layout';

const MODEL = {
  object: 'model',
  id: '@azure-eu/gpt-5',
  slug: 'gpt-5',
  provider: {
    id: 'p1',
    slug: 'azure-eu',
    name: 'Azure EU',
    ai_provider_id: 'azure-openai',
    is_virtual_key: false,
    status: 'active',
  },
  enabled: true,
  is_custom: false,
  base_model_slug: null,
  context_tokens: 400_000,
  price_source: 'custom',
  prices: [
    { unit: 'input', list_exact: '250000000', price_exact: '225000000', tiered: false },
    { unit: 'output', list_exact: '1000000000', price_exact: '1000000000', tiered: true },
  ],
  routes: { native: ['chat.completions'], translated: ['messages'] },
};
const UNPRICED = {
  ...MODEL,
  id: '@azure-eu/own',
  slug: 'own',
  price_source: null,
  prices: [],
  enabled: false,
};

describe('models page', () => {
  let undo: () => void;
  beforeAll(() => {
    undo = withElementSize(1400, 600);
  });
  afterAll(() => undo());

  it('shows prices per million units with their source, and marks unpriced and disabled models', async () => {
    const { requests } = renderConsole('/w/search/models?q=g&f=provider:azure-eu&f=enabled:true', {
      'GET /v1/providers/models': { object: 'list', total: 2, data: [MODEL, UNPRICED] },
    });
    await screen.findByText('$2.25');
    screen.getByTitle('listed $2.50');
    screen.getByText('$10+');
    screen.getByText('unpriced');
    screen.getByText('off');
    const [sent = ''] = requests.filter((request) => request.startsWith('GET /v1/providers/models'));
    expect(Object.fromEntries(new URLSearchParams(sent.split('?')[1]))).toMatchObject({
      search: 'g',
      provider: 'azure-eu',
      enabled: 'true',
    });
  });

  it('shows the use by provider, sorts unpriced models in use first, and opens a model with all of its prices', async () => {
    const audio = { unit: 'input_audio', list_exact: '4000000000', price_exact: '3600000000', tiered: false };
    const priced = { ...MODEL, prices: [...MODEL.prices, audio] };
    const { address, requests } = renderConsole('/w/search/models', {
      'GET /v1/providers/models': { object: 'list', total: 2, data: [priced, UNPRICED] },
      'GET /v1/analytics/groups/model': {
        ...{ object: 'list', total: 2 },
        data: [
          { group_key: 'gpt-5', requests: 1200, cost: 6240, success_rate: 99, p95_latency: 900 },
          { group_key: 'own', requests: 3, cost: 0, success_rate: 100 },
        ],
      },
    });
    await screen.findByText('$62.40');
    const rows = screen.getAllByRole('row').slice(1);
    expect(rows.map((row) => /@azure-eu\/(?:own|gpt-5)/.exec(row.textContent ?? '')?.[0])).toEqual([
      ...['@azure-eu/own', '@azure-eu/gpt-5'],
    ]);
    expect(requests.find((request) => request.includes('/groups/model'))).toContain('virtual_keys=azure-eu');
    await userEvent.setup().click(rows[1]!);
    const drawer = await screen.findByRole('dialog', { name: '@azure-eu/gpt-5' });
    expect(address()).toContain('log=');
    const price = within(drawer).getByRole('row', { name: /^Audio input/ });
    expect(price.textContent).toBe('Audio input / 1M $40$36');
    expect(
      within(drawer).getByRole('link', { name: 'Try it in the playground' }).getAttribute('href'),
    ).toContain('azure-eu');
    within(drawer).getByText('99.0 %');
  });

  it('finds the logs of a model in the palette by its slug, which logs have', async () => {
    renderConsole('/w/search/models', {
      'GET /v1/providers/models': { object: 'list', total: 1, data: [MODEL] },
    });
    const found = await modelsEntry.things?.find('gpt', 'w', new AbortController().signal);
    expect(found).toMatchObject([{ name: '@azure-eu/gpt-5', logs: 'model:gpt-5' }]);
  });

  it('does not call a model unused whose use could not be read', async () => {
    renderConsole(`/w/search/models?log=${encodeURIComponent('p1 @azure-eu/gpt-5')}`, {
      'GET /v1/providers/models': { object: 'list', total: 1, data: [MODEL] },
    });
    const drawer = await screen.findByRole('dialog', { name: '@azure-eu/gpt-5' });
    await within(drawer).findByText('From: this model.');
    expect(within(drawer).queryByText(/No request went to it/)).toBeNull();
  });

  it('explains whether there are no models or none matches', async () => {
    const none = { 'GET /v1/providers/models': { object: 'list', total: 0, data: [] } };
    const first = renderConsole('/w/search/models', none);
    await screen.findByText('There are no models yet');
    first.unmount();
    const { address } = renderConsole('/w/search/models?q=nope', none);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(address()).toBe('/w/search/models'));
  });
});
