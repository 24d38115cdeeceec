import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { withElementSize } from '../../ui/spec-support/layout';
import { isRequired, type CatalogueField } from './provider-types';

const [WORKSPACE] = OWNER_SELF.workspaces;
const AT = '2026-11-23T14:00:00.000Z';
const SECRET = 'sk-live-3fa9c1';
const listOf = (...data: readonly unknown[]) => ({ object: 'list', total: data.length, data });
const field = (name: string, more: Partial<CatalogueField> = {}): CatalogueField => ({
  name,
  kind: 'text',
  secret: false,
  required: false,
  description: `What ${name} is.`,
  ...more,
});
const AZURE = {
  object: 'integration-provider',
  id: 'azure-openai',
  name: 'Azure OpenAI',
  needs_key: true,
  self_hosted: false,
  priced: true,
  aliases: [],
  regions: [],
  dialects: ['openai-chat'],
  native_routes: ['chat.completions'],
  translated_routes: [],
  documentation: 'https://learn.example.com',
  configurations: [
    field('azure_resource_name', { required: true }),
    field('azure_client_secret', { secret: true }),
    field('custom_headers', { kind: 'headers', secret: true }),
    field('strict_open_ai_compliance', { kind: 'boolean' }),
  ],
};
const CATALOGUE = listOf(AZURE, {
  ...AZURE,
  id: 'ollama',
  name: 'Ollama',
  needs_key: false,
  self_hosted: true,
});
const PROVIDER = {
  object: 'provider',
  id: 'p1',
  slug: 'azure-eu',
  name: 'Azure EU',
  integration_id: 'azure-eu',
  note: null,
  status: 'active',
  etag: '"1"',
  tags: null,
  usage_limits: null,
  rate_limits: null,
  expires_at: null,
  created_at: AT,
  last_updated_at: AT,
  last_reset_at: null,
  reset_usage: null,
  organisation_id: 'o1',
  workspace_id: WORKSPACE?.id,
  used_by: { api_keys: 2, configs: 1, guardrails: 0, prompts: 0, workspaces: 0, organisation: false },
};
const INTEGRATION = {
  object: 'integration',
  id: 'i1',
  slug: 'azure-eu',
  name: 'Azure EU',
  description: null,
  ai_provider_id: 'azure-openai',
  masked_key: 'sk*****fa9',
  configurations: { azure_resource_name: 'acme-eu', masked_azure_client_secret: 'ab*****xyz' },
  secret_mappings: [],
  pricing_adjustments: null,
  global_workspace_access_settings: null,
  allow_all_models: true,
  workspace_count: 1,
  status: 'active',
  type: 'workspace',
  workspace_id: WORKSPACE?.id,
  tags: null,
  etag: '"4"',
};
const CHECKS = {
  model: 'gpt-5-nano',
  checks: [
    { id: 'address', ok: true, ms: 31, message: 'acme-eu.openai.azure.com is public.' },
    { id: 'chat', ok: true, ms: 610, message: 'It answered.', cost_exact: '3250' },
    { id: 'price', ok: false, ms: null, message: 'chat-mini has no price.' },
    { id: 'stream', ok: null, ms: null, message: 'The chat failed.' },
  ],
};
const STANDING: Answers = {
  'GET /v1/providers': listOf(PROVIDER),
  'GET /v1/providers/azure-eu': PROVIDER,
  'GET /v1/providers/catalogue': CATALOGUE,
  'GET /v1/analytics/groups/provider': listOf({
    group_key: 'azure-eu',
    requests: 1200,
    success_rate: 0.99,
    cost: 6240,
  }),
};

describe('Adding a provider', () => {
  const user = userEvent.setup();
  const tests: unknown[] = [];
  const saves: unknown[] = [];
  const answers: Answers = {
    ...STANDING,
    'POST /v1/integrations/test': async (request: Request) => {
      tests.push(await request.json());
      return Response.json(CHECKS);
    },
    'POST /v1/integrations': async (request: Request) => {
      saves.push(await request.json());
      return Response.json({ id: 'i1', slug: 'azure-eu' });
    },
  };
  const enter = async (label: RegExp, text: string): Promise<void> => {
    const input = await screen.findByLabelText(label);
    await user.clear(input);
    await user.click(input);
    await user.paste(text);
  };
  beforeEach(() => {
    tests.length = 0;
    saves.length = 0;
    sessionStorage.clear();
  });

  it('is a tile, its form, a test, and one call that makes integration and provider', async () => {
    const { address, queries } = renderConsole('/w/search/providers/new', answers);
    await user.type(await screen.findByRole('searchbox', { name: 'Search providers' }), 'azure');
    expect(screen.queryByRole('button', { name: /Ollama/ })).toBeNull();
    await user.click(screen.getByRole('button', { name: /Azure OpenAI/ }));
    await waitFor(() => expect(address()).toContain('by=azure-openai'));
    const test = await screen.findByRole<HTMLButtonElement>('button', { name: 'Test' });
    expect(test.disabled).toBe(true);
    await enter(/^Name/, 'Azure EU');
    await enter(/^Key$/, SECRET);
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getByRole('button', { name: 'Test' }));
    await screen.findByText('chat-mini has no price.', { exact: false });
    const credential = { key: SECRET, configurations: { azure_resource_name: 'acme-eu' } };
    expect(tests).toEqual([{ ai_provider_id: 'azure-openai', workspace_id: WORKSPACE?.id, ...credential }]);
    screen.getByText('make the provider @azure-eu in Search team');
    await enter(/^Azure resource name/, 'acme-us');
    screen.getByText('The form was changed after this test.');
    await user.click(screen.getByRole('button', { name: 'Save and open' }));
    await waitFor(() => expect(address()).toBe('/w/search/providers/azure-eu'));
    expect(saves).toEqual([
      {
        ai_provider_id: 'azure-openai',
        name: 'Azure EU',
        slug: 'azure-eu',
        default_provider_slug: 'azure-eu',
        workspace_id: WORKSPACE?.id,
        key: SECRET,
        configurations: { azure_resource_name: 'acme-us' },
      },
    ]);
    const kept = JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      queries
        .getQueryCache()
        .getAll()
        .map(({ queryKey, state }) => [queryKey, state.data]),
      queries.getMutationCache().getAll(),
    ]);
    expect(kept + address() + document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it('forgets what was typed when another provider is chosen, and shows a refusal at its field', async () => {
    renderConsole('/w/search/providers/new?by=azure-openai', {
      ...answers,
      'POST /v1/integrations': () => problemResponse(409, 'already_exists', 'The slug is taken.'),
    });
    await enter(/^Key$/, SECRET);
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getByRole('button', { name: 'Save and open' }));
    await screen.findByText('The slug is taken.');
    await user.click(screen.getByRole('button', { name: /Ollama/ }));
    await waitFor(() => expect(document.documentElement.outerHTML).not.toContain(SECRET));
    expect(screen.queryByLabelText(/^Key$/)).toBeNull();
  });

  it('needs a field by what another one holds', () => {
    const secret = field('oauth_client_secret', { required: { field: 'auth_type', oneOf: ['oauth'] } });
    expect(isRequired(secret, { auth_type: 'oauth' })).toBe(true);
    expect(isRequired(secret, {})).toBe(false);
    expect(isRequired(field('x', { required: true }), {})).toBe(true);
  });
});

describe('A provider', () => {
  const user = userEvent.setup();
  const puts: unknown[] = [];
  const answers: Answers = {
    ...STANDING,
    'GET /v1/integrations/azure-eu': () => Response.json(INTEGRATION, { headers: { etag: '"4"' } }),
    'PUT /v1/integrations/azure-eu': async (request: Request) => {
      puts.push(await request.json());
      return Response.json({});
    },
    'POST /v1/integrations/test': async (request: Request) => {
      puts.push(await request.json());
      return Response.json(CHECKS);
    },
  };
  let undo: () => void;
  beforeAll(() => {
    undo = withElementSize(1400, 600);
  });
  afterAll(() => undo());
  beforeEach(() => {
    puts.length = 0;
  });

  it('is listed with its use', async () => {
    const { unanswered } = renderConsole('/w/search/providers', STANDING);
    await screen.findByRole('link', { name: 'Azure EU' });
    await screen.findByText('$62.40');
    screen.getByText('1 config, 2 keys');
    expect(unanswered).toEqual([]);
  });

  it('has its credential replaced by the new value alone; masks are hints and are never sent', async () => {
    renderConsole('/w/search/providers/azure-eu?tab=credential', answers);
    const key = await screen.findByLabelText<HTMLInputElement>(/^New key/);
    expect(key.value).toBe('');
    screen.getByText('Now sk*****fa9. Empty: it stays.');
    await user.click(key);
    await user.paste(SECRET);
    await user.click(screen.getByRole('button', { name: 'Test' }));
    await screen.findByText(/It answered/);
    await user.click(screen.getByRole('button', { name: 'Save 1 change' }));
    await screen.findByText('Saved.');
    expect(puts).toEqual([{ integration: 'azure-eu', key: SECRET }, { key: SECRET }]);
    // The former secret is not known, so that it cannot be put back.
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it('keeps a secret whose new value was emptied again', async () => {
    renderConsole('/w/search/providers/azure-eu?tab=credential', answers);
    const secret = await screen.findByLabelText(/^Azure client secret/);
    await user.type(secret, 'x');
    await user.clear(secret);
    const resource = screen.getByLabelText(/^Azure resource name/);
    await user.clear(resource);
    await user.type(resource, 'us');
    await user.click(screen.getByRole('button', { name: 'Save 1 change' }));
    await waitFor(() => expect(puts).toEqual([{ configurations: { azure_resource_name: 'us' } }]));
  });

  it('says what names it before it is deleted', async () => {
    renderConsole('/w/search/providers/azure-eu', answers);
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete Azure EU' });
    within(dialog).getByText('It is named by 1 config and 2 keys.');
    expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled).toBe(true);
  });
});
