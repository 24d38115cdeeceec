import { screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { renderConsole } from '../../spec-support/render-console';
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

describe('Models', () => {
  let undo: () => void;
  beforeAll(() => {
    undo = withElementSize(1400, 600);
  });
  afterAll(() => undo());

  it('have their prices per million with the source, and say which are unpriced or off', async () => {
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

  it('say that none is there yet, or that none matches', async () => {
    const none = { 'GET /v1/providers/models': { object: 'list', total: 0, data: [] } };
    const first = renderConsole('/w/search/models', none);
    await screen.findByText('There are no models yet');
    first.unmount();
    const { address } = renderConsole('/w/search/models?q=nope', none);
    await userEvent.setup().click(await screen.findByRole('button', { name: 'Clear filters' }));
    await waitFor(() => expect(address()).toBe('/w/search/models'));
  });
});
