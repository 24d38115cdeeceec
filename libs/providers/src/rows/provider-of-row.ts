import type { RouteKind } from '@gw/contracts';
import { ollamaUsage, type ProviderTraits } from '@gw/dialects';
import { GatewayError } from '@gw/kernel';
import { anthropicSpeaker, signVersion } from '../dialects/anthropic/speaker';
import { hasHeader, replaceHeader } from '../dialects/headers';
import { cohereSpeaker } from '../dialects/cohere/speaker';
import { openAiSpeaker, withTranslatedRoutes } from '../dialects/openai/openai-compatible';
import { awsIdentity, SIGNATURE_HEADERS, signForAws } from '../identity/aws';
import {
  defineProvider,
  type Credential,
  type HeaderList,
  type Provider,
  type ProviderVariant,
  type RouteSupport,
} from '../provider';
import { CodecTap, ledgerUsage } from '../stream/codec-tap';
import { familyRoutes } from '../translation/family-routes';
import { translatedGeminiRoutes } from '../translation/gemini-routes';
import { providerCodec } from '../translation/hub-translator';
import { translatedRoutes } from '../translation/translated-routes';
import { ROUTE_WORDS, wordsOf, type KeyHeader, type ProviderRow } from './row';
import { fieldsOf, filledBase, filledText, regionOf } from './settings';

type Routes = Readonly<Partial<Record<RouteKind, RouteSupport>>>;

const BEARER: KeyHeader = { header: 'authorization', format: 'Bearer {key}' };
const PASSTHROUGH = { passthrough: { via: 'native', prefix: '' } } as const;
/** Price of a batch at half price, in millionths. */
const HALF = 500_000;
/** Route families of the Messages API. */
const MESSAGES = ['messages', 'messages.count_tokens'] as const;

/** Builds the provider that a row describes. Throws when the row names an unknown route family. */
export function providerOfRow(row: ProviderRow): Provider {
  const served = routesOf(row);
  const key = keyHeaderOf(row);
  const facts = factsOf(row, key);
  const nativeRoutes = Object.entries(served).filter(([kind]) => !isOfMessages(kind));
  return defineProvider({
    ...speakerOf(row),
    ...facts,
    ...(row.usage === 'always' ? {} : { usageOnRequest: true }),
    variants: variantsOf(row, facts, served),
    ...(row.ownApi === undefined ? {} : { forCall: atOwnApi(row, facts, row.ownApi) }),
    sign(headers, credential) {
      signWith(row, key, headers, credential);
    },
    baseUrl: (credential, model = null, kind = 'passthrough') =>
      addressOf(row, baseOf(row, credential, kind), credential, model),
    routes: withClients(row, {
      ...familyRoutes(row.id, row.forms ?? {}),
      ...Object.fromEntries(nativeRoutes),
      ...PASSTHROUGH,
    }),
  });
}

/**
 * Returns the `forCall` of a provider whose custom hosts that end in `/api` speak its own dialect.
 */
function atOwnApi(
  row: ProviderRow,
  facts: ReturnType<typeof factsOf>,
  { dialect, forms }: NonNullable<ProviderRow['ownApi']>,
): NonNullable<Provider['forCall']> {
  const embeddings = familyRoutes(row.id, forms);
  const provider = defineProvider({
    ...openAiSpeaker,
    ...facts,
    sign(headers, credential) {
      signWith(row, keyHeaderOf(row), headers, credential);
    },
    baseUrl: (credential) => addressOf(row, row.base, credential, null),
    usage(body) {
      const usage = ollamaUsage(body);
      return usage === undefined ? null : ledgerUsage(usage);
    },
    tap: () => new CodecTap(row.id, providerCodec(dialect)),
    routes: {
      ...translatedRoutes({ provider: row.id, to: dialect, traits: traitsOf(row) }),
      ...embeddings,
      ...translatedGeminiRoutes(row.id, embeddings),
      ...PASSTHROUGH,
    },
  });
  return ({ customHost }) => (customHost?.endsWith('/api') === true ? provider : undefined);
}

function speakerOf({ dialect }: ProviderRow) {
  if (dialect === 'anthropic-messages') return anthropicSpeaker;
  return dialect === 'cohere-v2' ? cohereSpeaker : openAiSpeaker;
}

/** Returns the routes with those of clients of other dialects added. */
function withClients(row: ProviderRow, routes: Routes): Routes {
  const { id, dialect } = row;
  return dialect === undefined
    ? withTranslatedRoutes(id, routes, traitsOf(row))
    : {
        ...translatedRoutes({ provider: id, to: dialect, traits: traitsOf(row) }),
        ...translatedGeminiRoutes(id, routes),
        ...routes,
      };
}

const isOfMessages = (kind: string): boolean => MESSAGES.some((family) => family === kind);

const needsKey = ({ auth = 'bearer' }: ProviderRow): boolean =>
  typeof auth === 'string' ? auth === 'bearer' : auth.optional !== true;

/** Facts that a provider and its variants have in common. */
const factsOf = (row: ProviderRow, key: KeyHeader | null) => ({
  id: row.id,
  name: row.name,
  aliases: wordsOf(row.aliases),
  fields: fieldsOf(row),
  needsCredential: needsKey(row),
  ...(row.base === null ? { selfHosted: true } : {}),
  credentialHeaders: credentialHeadersOf(row, key),
  ...(row.awsService === undefined ? {} : signedBy(row.awsService)),
  priceCatalogueId: row.prices ?? null,
  ...(row.query === undefined ? {} : { query: (credential: Credential) => queryOf(row, credential) }),
  ...(row.modelPaths === undefined ? {} : { modelPaths: wordsOf(row.modelPaths) }),
  ...(row.environmentKey === undefined ? {} : { environmentKey: row.environmentKey }),
  ...(row.telemetryName === undefined ? {} : { telemetryName: row.telemetryName }),
  ...(row.halfPriceBatches === true ? { batchMillionths: HALF } : {}),
});

/** Returns the members of a provider that sign calls of a service at AWS. */
const signedBy = (service: string): Pick<Provider, 'identity' | 'signRequest'> => ({
  identity: awsIdentity,
  signRequest: (request, credential, now) => signForAws(request, credential, { service, now }),
});

/** Returns the native routes of a row, among them those of the Messages API. */
function routesOf({ id, serves, messages }: ProviderRow): Routes {
  const words = messages === undefined ? wordsOf(serves) : [...wordsOf(serves), 'messages'];
  const entries = words.map((word) => {
    const [, name = '', mark, path = ''] = /^([a-z_]+)(?:([@=])(\/.+))?$/.exec(word) ?? [];
    const kind = ROUTE_WORDS.get(name);
    if (kind === undefined) throw new Error(`The row ${id} names the unknown route family ${word}.`);
    const prefix = mark === '@' ? path : '';
    return [kind, { via: 'native', prefix, ...(mark === '=' ? { path } : {}) }] as const;
  });
  return Object.fromEntries(entries);
}

function traitsOf({ maxTokens, drop, clamp = {}, traits = {} }: ProviderRow): ProviderTraits {
  return { maxTokensField: maxTokens ?? 'max_tokens', drop: wordsOf(drop), clamp, ...traits };
}

/** Returns the variants that serve the Messages API; empty when the row does not serve it. */
function variantsOf(
  row: ProviderRow,
  facts: ReturnType<typeof factsOf>,
  served: Routes,
): Readonly<Partial<Record<RouteKind, ProviderVariant>>> {
  const families = MESSAGES.filter((kind) => served[kind] !== undefined);
  if (families.length === 0) return {};
  const key = row.messagesAuth ?? keyHeaderOf(row);
  const provider = defineProvider({
    ...anthropicSpeaker,
    ...facts,
    sign(headers, credential) {
      signWith(row, key, headers, credential);
      signVersion(headers);
    },
    baseUrl(credential, model = null) {
      const region = regionOf(row, credential);
      const selected = region === null ? undefined : row.regions?.[region];
      const base = selected?.messages ?? row.messages ?? selected?.base ?? row.base;
      return addressOf(row, base, credential, model);
    },
    routes: { ...Object.fromEntries(families.map((kind) => [kind, served[kind]])), ...PASSTHROUGH },
  });
  const variant = { provider, atCustomHost: row.messages === undefined };
  return Object.fromEntries(families.map((kind) => [kind, variant]));
}

function baseOf(row: ProviderRow, credential: Credential, kind: RouteKind): string | null {
  const region = regionOf(row, credential);
  return region === null ? (row.bases?.[kind] ?? row.base) : (row.regions?.[region]?.base ?? row.base);
}

function addressOf(
  { id }: ProviderRow,
  base: string | null,
  credential: Credential,
  model: string | null,
): string {
  if (base !== null) return filledBase(base, credential, model);
  throw new GatewayError('validation_failed', {
    message: `The provider ${id} requires a custom_host, such as https://${id}.example.com/v1.`,
    param: 'custom_host',
  });
}

function keyHeaderOf({ auth = 'bearer' }: ProviderRow): KeyHeader | null {
  if (auth === 'none') return null;
  return typeof auth === 'string' ? BEARER : auth;
}

/** Headers of the key and of other secrets, which callers must not send themselves. */
function credentialHeadersOf(row: ProviderRow, key: KeyHeader | null): readonly string[] {
  const secrets = Object.entries(row.headers ?? {}).filter(([, text]) => text.includes('_token}'));
  const keys = [key?.header, row.messagesAuth?.header].filter((name) => name !== undefined);
  const signed = row.awsService === undefined ? [] : SIGNATURE_HEADERS;
  return [...new Set(['authorization', ...keys, ...secrets.map(([name]) => name), ...signed])];
}

function signWith(
  row: ProviderRow,
  key: KeyHeader | null,
  headers: HeaderList,
  credential: Credential,
): void {
  const { apiKey } = credential;
  if (key !== null && apiKey !== null)
    replaceHeader(
      headers,
      key.header,
      (key.format ?? '{key}').replace('{key}', () => apiKey),
    );
  for (const [name, text] of Object.entries(row.headers ?? {})) {
    const value = filledText(text, credential);
    const isSetting = text.includes('{');
    if (value !== null && (isSetting || !hasHeader(headers, name))) replaceHeader(headers, name, value);
  }
}

function queryOf({ query = {} }: ProviderRow, credential: Credential): Readonly<Record<string, string>> {
  const entries = Object.entries(query).map(([name, text]) => [name, filledText(text, credential)] as const);
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== null));
}
