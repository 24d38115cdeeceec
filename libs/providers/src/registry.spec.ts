import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { calcPrice } from '@pydantic/genai-prices';
import type { ConfigurationField } from '@gw/contracts';
import { GatewayError } from '@gw/kernel';
import { catalogueProvider, PROVIDER_CATALOGUE } from './catalogue';
import { DOCUMENTATION } from './documentation';
import { COMMON_FIELDS } from './fields';
import type { Credential, HeaderList, Provider } from './provider';
import { providerFacts } from './provider-facts';
import { PROVIDERS, registryOf } from './registry';
import { PROVIDER_ROWS } from './rows';

const credential = (configurations: Credential['configurations'] = {}): Credential => ({
  apiKey: 'sk-secret',
  configurations,
});
const provider = (id: string): Provider => PROVIDERS.get(id) as Provider;
const all = [...PROVIDERS.values()];
const signed = (id: string, configurations = {}, headers: HeaderList = []): HeaderList => {
  provider(id).sign(headers, credential(configurations));
  return headers;
};

/** Headers of a row that hold no secret. */
const fixedHeaders = (id: string): string[] =>
  Object.entries(
    PROVIDER_ROWS.find((row) => row.id === id)?.headers ??
      (id === 'azure-ai' ? { 'extra-parameters': 'drop' } : {}),
  )
    .filter(([, text]) => !text.includes('_token}'))
    .map(([name]) => name);

/** Values of required settings. */
const acmeSettings = (fields: readonly ConfigurationField[]): Record<string, string> =>
  Object.fromEntries(
    fields.map(({ name, kind }) => [name, kind === 'url' ? 'https://acme.example.com/v1' : 'acme']),
  );

describe('PROVIDERS', () => {
  it('has exactly one provider per folder with a provider file and per row', () => {
    const folders = readdirSync(__dirname).filter((name) =>
      existsSync(join(__dirname, name, `${name}.provider.ts`)),
    );
    const rows = PROVIDER_ROWS.map(({ id }) => id);
    expect([...PROVIDERS.keys()].sort()).toEqual([...folders, ...rows].sort());
    const helpers = readdirSync(__dirname, { withFileTypes: true }).filter(
      (entry) => entry.isDirectory() && !folders.includes(entry.name),
    );
    expect(helpers.map(({ name }) => name).sort()).toEqual([
      'body',
      'dialects',
      'identity',
      'rows',
      'spec-support',
      'stream',
      'translation',
    ]);
  });

  it.each([
    ['gpt-5-codex', null, 'responses'],
    ['o4-mini-deep-research', null, 'responses'],
    ['gpt-5-pro', null, 'responses'],
    ['ft:gpt-4o-mini-2024-07-18:acme:sales-pro-v2:a1b2', null, 'chat'],
    ['gpt-5-mini', null, 'chat'],
    ['gpt-5-provisional', null, 'chat'],
    ['gemini-2.5-pro', 'https://models.example.com/v1', 'chat'],
  ] as const)('openai serves calls of %s at custom host %s through the %s API', (model, customHost, api) => {
    const openai = provider('openai');
    const { routes } = openai.forCall?.({ model, customHost }) ?? openai;
    expect(routes['chat.completions']?.via).toBe(api === 'chat' ? 'native' : 'translated');
  });

  it('refuses two providers with the same id', () => {
    expect(() => registryOf([provider('openai'), provider('openai')])).toThrow(
      'Two providers have the same id.',
    );
  });

  it('matches the documentation of each provider', () => {
    const script = join(__dirname, '../../../tools/providers-doc.cjs');
    expect(() => execFileSync(process.execPath, [script, '--check'])).not.toThrow();
  });

  it('has documentation links for providers only, all of them over HTTPS', () => {
    expect([...DOCUMENTATION.keys()].filter((id) => !PROVIDERS.has(id))).toEqual([]);
    for (const link of DOCUMENTATION.values()) expect(new URL(link).protocol).toBe('https:');
  });

  it('reports what a provider and its variants serve', () => {
    expect(providerFacts(provider('moonshot'))).toMatchObject({
      aliases: ['moonshotai', 'kimi'],
      regions: ['cn'],
      dialects: ['anthropic-messages', 'openai-chat'],
      native: ['chat.completions', 'messages', 'files', 'models'],
      translated: ['responses', 'gemini.generate', 'gemini.list'],
      priced: true,
    });
    expect(providerFacts(provider('qdrant'))).toMatchObject({
      selfHosted: true,
      dialects: [],
      priced: false,
    });
  });

  it('finds providers by their aliases, which are not ids', () => {
    expect(PROVIDERS.get('xai')?.id).toBe('x-ai');
    expect(PROVIDERS.has('mistral')).toBe(true);
    expect([...PROVIDERS.keys()]).not.toContain('xai');
    expect(catalogueProvider('azure')?.id).toBe('azure-openai');
    expect([PROVIDERS.get('toString'), catalogueProvider('anyscale')]).toEqual([undefined, undefined]);
    const taken = { ...provider('openai'), id: 'other', aliases: ['openai'] };
    expect(() => registryOf([provider('openai'), taken])).toThrow('Two providers have the same id.');
  });

  it('has the provider facts that other modules rely on', () => {
    const facts = ['groq', 'mistral-ai', 'x-ai', 'together-ai', 'zhipu'].map((id) => {
      const { priceCatalogueId, batchMillionths, environmentKey, telemetryName } = provider(id);
      return [priceCatalogueId, batchMillionths, environmentKey?.variable, telemetryName];
    });
    expect(facts).toEqual([
      ['groq', 500_000, 'GROQ_API_KEY', undefined],
      ['mistral', 500_000, 'MISTRAL_API_KEY', 'mistral_ai'],
      ['x-ai', undefined, 'XAI_API_KEY', 'x_ai'],
      ['together', undefined, 'TOGETHER_API_KEY', undefined],
      ['zhipuai', undefined, undefined, undefined],
    ]);
  });

  it.each(all.map((item) => [item.id, item] as const))(
    '%s fulfils the contract of a provider',
    (id, item) => {
      expect(PROVIDERS.get(id)).toBe(item);
      expect(Object.isFrozen(item)).toBe(true);
      expect(item.credentialHeaders.every((name) => name === name.toLowerCase())).toBe(true);
      expect(item.routes.passthrough).toEqual({ via: 'native', prefix: '' });
      for (const support of Object.values(item.routes)) {
        if (support.via === 'native') expect(support.prefix).toMatch(/^$|^\/[a-z]/);
      }
      const settings = (item.fields ?? []).filter(({ required }) => required === true);
      const configurations = acmeSettings(settings);
      const isSelfHosted = PROVIDER_ROWS.some((row) => row.id === id && row.base === null);
      if (isSelfHosted) expect(() => item.baseUrl(credential())).toThrow(/custom_host/);
      else
        expect(item.baseUrl(credential(configurations), 'm')).toMatch(
          /^https?:\/\/[a-z0-9.-]+(\/[a-z0-9-]+)*$/,
        );
      for (const { provider: variant } of Object.values(item.variants ?? {})) {
        expect(variant.id).toBe(id);
        expect(variant.credentialHeaders).toEqual(item.credentialHeaders);
      }
    },
  );

  it.each(all.map((item) => [item.id, item] as const))(
    '%s signs only with headers that it strips from callers',
    (_, item) => {
      const fixed = fixedHeaders(item.id);
      const headers: HeaderList = [];
      const needed = acmeSettings((item.fields ?? []).filter(({ required }) => required === true));
      item.sign(headers, credential({ openai_organization: 'org', openai_project: 'proj', ...needed }));
      const names = headers.filter((_, index) => index % 2 === 0);
      const carriers = names.filter(
        (name) => !['anthropic-version', 'openai-organization', 'openai-project', ...fixed].includes(name),
      );
      expect(carriers.every((name) => item.credentialHeaders.includes(name))).toBe(true);
      expect(headers.some((entry) => entry.includes('sk-secret'))).toBe(item.id !== 'sandbox');

      const without: HeaderList = [];
      item.sign(without, { apiKey: null, configurations: {} });
      const sent = without.filter((_, index) => index % 2 === 0);
      expect(sent.filter((name) => name !== 'anthropic-version' && !fixed.includes(name))).toEqual([]);
    },
  );

  it('lists each provider in the catalogue with its own fields and the common ones', () => {
    expect(PROVIDER_CATALOGUE.map(({ id }) => id)).toEqual([...PROVIDERS.keys()]);
    for (const { id, needsKey, fields } of PROVIDER_CATALOGUE) {
      const { needsCredential, fields: own = [] } = provider(id);
      expect(needsKey).toBe(needsCredential);
      expect(fields).toEqual([...own, ...COMMON_FIELDS]);
    }
  });

  it('has unique environment variables and unique slugs for the setup', () => {
    const keys = all.flatMap(({ id, environmentKey }) => (environmentKey ? [{ id, ...environmentKey }] : []));
    expect(new Set(keys.map(({ variable }) => variable)).size).toBe(keys.length);
    expect(new Set(keys.map(({ id, slug = id }) => slug)).size).toBe(keys.length);
    for (const { variable } of keys) expect(variable).toMatch(/^[A-Z][A-Z0-9]*_API_KEY$/);
    expect(keys.length).toBeGreaterThan(11);
  });

  it('names price catalogues that exist', () => {
    const known = all.filter((item) => item.priceCatalogueId !== null);
    expect(known.length).toBeGreaterThan(12);
    const models: Record<string, string> = {
      openai: 'gpt-4o',
      anthropic: 'claude-sonnet-4-0',
      google: 'gemini-2.5-flash',
      'azure-openai': 'gpt-4o',
    };
    for (const [id, model] of Object.entries(models)) {
      expect(calcPrice({}, model, { providerId: provider(id).priceCatalogueId ?? '' })).not.toBeNull();
    }
  });
});

describe('provider addresses and signatures', () => {
  it('openai sends the configured organisation and project', () => {
    expect(signed('openai')).toEqual(['authorization', 'Bearer sk-secret']);
    expect(signed('openai', { openai_organization: 'o', openai_project: 'p' })).toEqual([
      'authorization',
      'Bearer sk-secret',
      'openai-organization',
      'o',
      'openai-project',
      'p',
    ]);
  });

  it('openai replaces the caller’s organisation with a configured one, and otherwise keeps it', () => {
    const own = (): HeaderList => ['openai-organization', 'mine', 'accept', '*/*'];
    expect(signed('openai', { openai_organization: 'o' }, own())).toEqual([
      'accept',
      '*/*',
      'authorization',
      'Bearer sk-secret',
      'openai-organization',
      'o',
    ]);
    expect(signed('openai', {}, own())).toEqual([...own(), 'authorization', 'Bearer sk-secret']);
  });

  it('anthropic adds its version unless the caller sent one', () => {
    expect(signed('anthropic')).toEqual(['x-api-key', 'sk-secret', 'anthropic-version', '2023-06-01']);
    const own = ['anthropic-version', '2026-10-21', 'accept', 'anthropic-version'];
    expect(signed('anthropic', {}, [...own])).toEqual([...own, 'x-api-key', 'sk-secret']);
  });

  it('google and azure send their own key headers', () => {
    expect(signed('google')).toEqual(['x-goog-api-key', 'sk-secret']);
    expect(signed('azure-openai')).toEqual(['api-key', 'sk-secret']);
    expect(signed('azure-openai', { azure_auth_mode: 'entra' })).toEqual([
      'authorization',
      'Bearer sk-secret',
    ]);
  });

  it('azure uses the address of a deployment, or the v1 API without one', () => {
    const azure = provider('azure-openai');
    const deployed = credential({
      azure_resource_name: 'acme',
      azure_deployment_name: 'gpt 4o',
      azure_api_version: '2025-01-01',
    });
    expect(azure.baseUrl(deployed)).toBe('https://acme.openai.azure.com/openai/deployments/gpt%204o');
    expect(azure.query?.(deployed)).toEqual({ 'api-version': '2025-01-01' });
    // A route of the resource is not below one of its deployments.
    for (const kind of ['files', 'threads', 'responses'] as const)
      expect(azure.baseUrl(deployed, null, kind)).toBe('https://acme.openai.azure.com/openai');
    expect(azure.baseUrl(deployed, 'm', 'audio.speech')).toContain('/deployments/');
    // Realtime is such a route, and takes its deployment in the query.
    expect(azure.baseUrl(deployed, null, 'realtime')).toBe('https://acme.openai.azure.com/openai');
    expect(azure.query?.(deployed, null, 'realtime')).toEqual({
      'api-version': '2025-01-01',
      deployment: 'gpt 4o',
    });
    const plain = credential({ azure_resource_name: 'acme' });
    expect(azure.baseUrl(plain)).toBe('https://acme.openai.azure.com/openai/v1');
    expect(azure.query?.(plain)).toEqual({});
    expect(azure.query?.(credential({ azure_resource_name: 'acme', azure_deployment_name: 'd' }))).toEqual({
      'api-version': '2024-10-21',
    });
  });

  it('azure finds the configured deployment of a model', () => {
    const azure = provider('azure-openai');
    const deployments = [
      {
        alias: 'small',
        azure_deployment_name: 'd-small',
        azure_api_version: 'v1',
        azure_model_slug: 'gpt-4o-mini',
      },
      {
        alias: 'big',
        azure_deployment_name: 'd-big',
        azure_api_version: 'v2',
        azure_model_slug: 'gpt-4o',
        is_default: true,
      },
    ];
    const with2 = credential({ azure_resource_name: 'acme', azure_deployment_config: deployments });
    const at = (model: string | null) => [
      azure.baseUrl(with2, model).split('/').at(-1),
      azure.query?.(with2, model),
    ];
    for (const model of ['small', 'gpt-4o-mini', 'd-small'])
      expect(at(model)).toEqual(['d-small', { 'api-version': 'v1' }]);
    for (const model of ['gpt-4o', 'unknown', null])
      expect(at(model)).toEqual(['d-big', { 'api-version': 'v2' }]);
  });

  it.each([undefined, '', 'evil.example/', 'a.b', 'a@b', '-a', 'a#', 'x'.repeat(65), 5])(
    'azure refuses the resource name %p, which would choose another host',
    (name) => {
      expect(() => provider('azure-openai').baseUrl(credential({ azure_resource_name: name }))).toThrow(
        GatewayError,
      );
    },
  );

  it('cohere and mistral serve chat by translation to their own dialects', () => {
    const translations = ['cohere', 'mistral-ai', 'codestral'].map((id) => {
      const support = provider(id).routes['chat.completions'];
      return support?.via === 'translated' ? support.name : null;
    });
    expect(translations).toEqual(['openai-chat>cohere-v2', 'openai-chat>mistral', 'openai-chat>mistral']);
    expect(provider('cohere').routes.rerank).toEqual({ via: 'native', prefix: '/v2' });
  });

  it('ollama has no default address and needs no key', () => {
    expect(provider('ollama').needsCredential).toBe(false);
    expect(() => provider('ollama').baseUrl(credential())).toThrow(/custom_host/);
  });
});
