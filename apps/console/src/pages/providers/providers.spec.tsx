import { screen, waitFor, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { OWNER_SELF } from '../../spec-support/answers';
import { problemResponse, renderConsole, type Answers } from '../../spec-support/render-console';
import { withElementSize } from '../../ui/spec-support/layout';
import type { CatalogueField, CatalogueProvider } from './provider-types';
import { virtualKeyOf } from './virtual-keys/virtual-key';

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
const VIRTUAL_KEY = {
  ...PROVIDER,
  ...{ object: 'virtual-key', id: 'v1', slug: 'openai-old', name: 'OpenAI of old', provider: 'openai' },
  ...{ ai_provider_name: 'OpenAI', key: '', masked_api_key: 'sk*****abc', model_config: {} },
  secret_mappings: [],
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
const BASE_ANSWERS: Answers = {
  'GET /v1/providers': listOf(PROVIDER),
  'GET /v1/providers/azure-eu': PROVIDER,
  'GET /v1/providers/catalogue': CATALOGUE,
  'GET /v1/virtual-keys': listOf(VIRTUAL_KEY),
  'GET /v1/analytics/groups/provider': listOf({
    group_key: 'azure-eu',
    requests: 1200,
    success_rate: 99,
    cost: 6240,
  }),
};

describe('adding a provider', () => {
  const user = userEvent.setup();
  const tests: unknown[] = [];
  const saves: unknown[] = [];
  const answers: Answers = {
    ...BASE_ANSWERS,
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

  it('keeps the caret while the text of the search is edited', async () => {
    const { address } = renderConsole('/w/search/providers/new', answers);
    const box = await screen.findByRole<HTMLInputElement>('searchbox', { name: 'Search providers' });
    await user.type(box, 'opai');
    await user.type(box, 'en', { initialSelectionStart: 2, initialSelectionEnd: 2 });
    expect(box.value).toBe('openai');
    await waitFor(() => expect(address()).toContain('q=openai'));
  });

  it('tests the form and creates integration and provider with one call', async () => {
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

  it('reads a credential from a secret manager by a reference that can be tested', async () => {
    const reference = { id: 'ref-1', slug: 'azure-key', name: 'Azure key', manager_type: 'vendor3_vault' };
    renderConsole('/w/search/providers/new?by=azure-openai', {
      ...answers,
      'GET /v1/secret-references': listOf(reference),
      'POST /v1/secret-references/ref-1/test': {
        ...{ object: 'secret-reference-test', success: false, reason: 'refused' },
        message: 'HashiCorp Vault answered with status 403.',
      },
    });
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getAllByRole('button', { name: 'Take it from a secret manager' })[0]!);
    expect(screen.queryByLabelText(/^Key$/)).toBeNull();
    await user.click(screen.getByRole('combobox', { name: 'Secret reference' }));
    await user.click(await screen.findByRole('option', { name: 'Azure key · HashiCorp Vault' }));
    await enter(/^Key within the secret/, 'api_key');
    await user.click(screen.getByRole('button', { name: 'Test the reference' }));
    await screen.findByText('HashiCorp Vault answered with status 403.');
    await user.click(screen.getByRole('button', { name: 'Test' }));
    await user.click(screen.getByRole('button', { name: 'Save and open' }));
    await waitFor(() => expect(saves).toHaveLength(1));
    const secret_mappings = [{ target_field: 'key', secret_reference_id: 'ref-1', secret_key: 'api_key' }];
    expect(tests).toEqual([expect.objectContaining({ secret_mappings })]);
    expect(saves).toEqual([expect.objectContaining({ secret_mappings })]);
    expect(saves[0]).not.toHaveProperty('key');
  });

  it('creates a virtual key, unless the form has a setting that virtual keys lack', async () => {
    const made: unknown[] = [];
    const { address } = renderConsole('/w/search/providers/new?by=azure-openai', {
      ...answers,
      'POST /v1/virtual-keys': async (request: Request) => {
        made.push(await request.json());
        return Response.json({ success: true, data: { slug: 'azure-eu' } });
      },
    });
    await enter(/^Name/, 'Azure EU');
    await enter(/^Key$/, SECRET);
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getByRole('radio', { name: 'Virtual key' }));
    screen.getByText('make the virtual key @azure-eu in Search team, its credential encrypted');
    await user.click(screen.getByRole('button', { name: 'Save and open' }));
    await waitFor(() => expect(address()).toBe('/w/search/providers/azure-eu'));
    expect(made).toEqual([
      {
        ...{ provider: 'azure-openai', name: 'Azure EU', slug: 'azure-eu', workspace_id: WORKSPACE?.id },
        ...{ key: SECRET, resourceName: 'acme-eu' },
      },
    ]);
    const other = { ...AZURE, configurations: [] } as unknown as CatalogueProvider;
    expect(virtualKeyOf({ name: 'x', configurations: { region: 'eu' } }, other, 'w')).toBeNull();
  });

  it('does not send a typed secret after a secret reference is chosen instead', async () => {
    const reference = { id: 'ref-1', slug: 'azure-key', name: 'Azure key', manager_type: 'vendor3_vault' };
    renderConsole('/w/search/providers/new?by=azure-openai', {
      ...answers,
      'GET /v1/secret-references': listOf(reference),
    });
    await enter(/^Key$/, SECRET);
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getAllByRole('button', { name: 'Take it from a secret manager' })[0]!);
    await user.click(screen.getByRole('combobox', { name: 'Secret reference' }));
    await user.click(await screen.findByRole('option', { name: 'Azure key · HashiCorp Vault' }));
    await user.click(screen.getByRole('button', { name: 'Save and open' }));
    await waitFor(() => expect(saves).toHaveLength(1));
    expect(JSON.stringify(saves)).not.toContain(SECRET);
  });

  it('shows that it saves a provider when a setting makes a virtual key impossible', async () => {
    renderConsole('/w/search/providers/new?by=azure-openai', answers);
    await enter(/^Azure resource name/, 'acme-eu');
    await user.click(screen.getByRole('radio', { name: 'Virtual key' }));
    await user.click(screen.getByText('Host, headers, prices and another kind of credential'));
    await user.type(screen.getByRole('textbox', { name: 'Price adjustment' }), '1.1');
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Provider' }).checked).toBe(true);
  });

  it('drops the inputs when another provider is chosen, and shows an error of the API', async () => {
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

  it('asks before an entered secret is lost, and not after it was saved', async () => {
    const { address } = renderConsole('/w/search/providers/new?by=azure-openai', answers);
    await enter(/^Key$/, SECRET);
    const leave = () => user.click(screen.getByRole('link', { name: 'Cancel' }));
    await leave();
    const dialog = await screen.findByRole('dialog', { name: 'Leave without saving?' });
    await user.click(within(dialog).getByRole('button', { name: 'Stay' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(address()).toBe('/w/search/providers/new?by=azure-openai');
    expect(screen.getByLabelText<HTMLInputElement>(/^Key$/).value).toBe(SECRET);
    await leave();
    await user.click(await screen.findByRole('button', { name: 'Leave' }));
    await waitFor(() => expect(address()).toBe('/w/search/providers'));
  });
});

describe('page of a provider', () => {
  const user = userEvent.setup();
  const puts: unknown[] = [];
  const answers: Answers = {
    ...BASE_ANSWERS,
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

  it('is listed with its use and with the virtual keys', async () => {
    const { unanswered } = renderConsole('/w/search/providers', BASE_ANSWERS);
    await screen.findByRole('link', { name: 'Azure EU' });
    await screen.findByText('$62.40');
    expect(screen.getAllByText('1 config, 2 keys')).toHaveLength(2);
    await screen.findByRole('link', { name: 'OpenAI of old' });
    screen.getByText('99.0 %');
    screen.getByText('2 providers');
    expect(unanswered).toEqual([]);
  });

  it('is not called an empty list while or because the virtual keys are not read', async () => {
    renderConsole('/w/search/providers', {
      ...BASE_ANSWERS,
      'GET /v1/providers': listOf(),
      'GET /v1/virtual-keys': () => problemResponse(400, 'validation_failed', 'No virtual keys today.'),
    });
    await screen.findByText('No virtual keys today.');
    expect(screen.queryByText('There are no providers yet')).toBeNull();
  });

  it('shows the values of a provider after those of another one', async () => {
    const other = { ...PROVIDER, id: 'p2', slug: 'openai', name: 'OpenAI', integration_id: 'openai' };
    const { go } = renderConsole('/w/search/providers/openai', {
      ...answers,
      'GET /v1/providers/openai': other,
    });
    const nameIs = (name: string) =>
      waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe(name));
    await nameIs('OpenAI');
    await go('/w/search/providers/azure-eu');
    await nameIs('Azure EU');
    await go('/w/search/providers/openai');
    await nameIs('OpenAI');
  });

  it('sends an amount that was cleared as cleared, and shows why the API refuses it', async () => {
    const usage_limits = { type: 'cost', credit_limit: 100, periodic_reset: 'monthly', status: 'active' };
    const refusal = { path: 'usage_limits.credit_limit', message: 'credit_limit must be a number.' };
    renderConsole('/w/search/providers/azure-eu', {
      ...answers,
      'GET /v1/providers/azure-eu': () =>
        Response.json({ ...PROVIDER, usage_limits }, { headers: { etag: '"1"' } }),
      'PUT /v1/providers/azure-eu': async (request: Request) => {
        puts.push(await request.json());
        const error = { type: 'validation_failed', message: 'The body is invalid.', details: [refusal] };
        return Response.json({ error }, { status: 400 });
      },
    });
    await user.clear(await screen.findByRole('textbox', { name: 'Amount' }));
    await user.click(screen.getByRole('button', { name: 'Save 1 change' }));
    await screen.findByText('credit_limit must be a number.');
    expect(puts).toMatchObject([{ usage_limits: { credit_limit: null } }]);
  });

  it('replaces only the key of a virtual key', async () => {
    renderConsole('/w/search/providers/openai-old', {
      ...BASE_ANSWERS,
      'GET /v1/virtual-keys/openai-old': () => Response.json(VIRTUAL_KEY, { headers: { etag: '"1"' } }),
      'PUT /v1/virtual-keys/openai-old': async (request: Request) => {
        puts.push(await request.json());
        return Response.json({});
      },
    });
    const key = await screen.findByLabelText(/^New key/);
    await user.click(key);
    await user.paste(SECRET);
    await user.click(screen.getByRole('button', { name: 'Save 1 change' }));
    await screen.findByText('Saved.');
    expect(puts).toEqual([{ key: SECRET }]);
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it('sends only the new secret of a credential, and never a mask', async () => {
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
    // The former secret is unknown, so the change cannot be undone.
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
    expect(document.documentElement.outerHTML).not.toContain(SECRET);
  });

  it('calls a test outdated only after other values than the tested ones are saved', async () => {
    let resource = 'acme-eu';
    renderConsole('/w/search/providers/azure-eu?tab=credential', {
      ...answers,
      'GET /v1/integrations/azure-eu': () => {
        const configurations = { azure_resource_name: resource };
        return Response.json({ ...INTEGRATION, configurations }, { headers: { etag: `"${resource}"` } });
      },
      'PUT /v1/integrations/azure-eu': async (request: Request) => {
        resource = ((await request.json()) as typeof INTEGRATION).configurations.azure_resource_name;
        return Response.json({});
      },
    });
    const outdated = 'The form was changed after this test.';
    const input = await screen.findByLabelText(/^Azure resource name/);
    await user.clear(input);
    await user.type(input, 'us');
    await user.click(screen.getByRole('button', { name: 'Test' }));
    await screen.findByText(/It answered/);
    await user.click(screen.getByRole('button', { name: 'Save 1 change' }));
    const undone = await screen.findByRole('button', { name: 'Undo' });
    const save = screen.getByRole('button', { name: 'Save 0 changes' });
    await waitFor(() => expect(save.hasAttribute('data-loading')).toBe(false));
    expect(screen.queryByText(outdated)).toBeNull();
    await user.click(undone);
    await screen.findByText(outdated);
  });

  it('drops typed headers when the changes are given up', async () => {
    renderConsole('/w/search/providers/azure-eu?tab=credential', answers);
    await user.click(await screen.findByText('Host, headers, prices and another kind of credential'));
    const headers = screen.getByLabelText<HTMLTextAreaElement>(/^Custom headers/);
    await user.type(headers, 'x-team: search');
    await user.click(screen.getByRole('button', { name: 'Give up changes' }));
    await waitFor(() => expect(headers.value).toBe(''));
  });

  it('keeps a secret whose new value was cleared again', async () => {
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

  it('shows its use, and its history with that of its integration', async () => {
    const { requests, unmount } = renderConsole('/w/search/providers/azure-eu?tab=use', {
      ...answers,
      'GET /v1/analytics/groups/model': listOf(),
      'GET /v1/analytics/groups/status_code': listOf(
        { group_key: '200', requests: 1180 },
        { group_key: '429', requests: 20 },
      ),
    });
    const statuses = await screen.findByRole('region', { name: 'Answers of the last 24 hours' });
    expect((await within(statuses).findByRole('link', { name: '20' })).getAttribute('href')).toBe(
      '/w/search/logs?t=24h&f=credential:azure-eu&f=status:429',
    );
    within(screen.getByRole('region', { name: 'Last 30 days' })).getByText('$62.40');
    const groups = requests.filter((request) => request.includes('/analytics/groups/'));
    expect(groups.every((request) => request.includes('virtual_keys=azure-eu'))).toBe(true);
    unmount();
    const history = renderConsole('/w/search/providers/azure-eu?tab=history', {
      ...answers,
      'GET /v1/audit-logs': { object: 'list', total: 0, records: [] },
      'GET /v1/admin/users': listOf(),
    });
    await screen.findByRole('region', { name: 'History of Azure EU' });
    await waitFor(() => {
      const asked = history.requests.filter((request) => request.startsWith('GET /v1/audit-logs'));
      expect(asked.map((request) => new URLSearchParams(request.split('?')[1]).get('resource_id'))).toEqual([
        'p1',
        'i1',
      ]);
    });
  });

  it('changes the price multiplier and keeps the other adjustments', async () => {
    const pricing_adjustments = { multiplier: { default: 1.1, cache_read: 2 } };
    renderConsole('/w/search/providers/azure-eu?tab=credential', {
      ...answers,
      'GET /v1/integrations/azure-eu': () =>
        Response.json({ ...INTEGRATION, pricing_adjustments }, { headers: { etag: '"4"' } }),
    });
    await user.click(await screen.findByText('Host, headers, prices and another kind of credential'));
    const adjustment = screen.getByRole<HTMLInputElement>('textbox', { name: 'Price adjustment' });
    expect(adjustment.value).toBe('1.1');
    await user.clear(adjustment);
    await user.type(adjustment, '1.25');
    await user.click(screen.getByRole('button', { name: /^Save/ }));
    await waitFor(() =>
      expect(puts).toEqual([{ pricing_adjustments: { multiplier: { default: 1.25, cache_read: 2 } } }]),
    );
  });

  it('shows what uses a provider before it is deleted', async () => {
    renderConsole('/w/search/providers/azure-eu', answers);
    await user.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = await screen.findByRole('dialog', { name: 'Delete Azure EU' });
    within(dialog).getByText('It is named by 1 config and 2 keys.');
    expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' }).disabled).toBe(true);
  });
});
