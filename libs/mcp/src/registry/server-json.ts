import { isObject, truncated, type AddressPolicy } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import type { Checked } from '../upstream/metadata';

/** A value that an administrator must enter before the server can be used. */
export interface RequestedInput {
  readonly name: string;
  readonly description: string;
  /** Whether the value is stored sealed. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Allowed values; if empty, any value that URL or header allows. */
  readonly choices: readonly string[];
  /** Default value; null for none. */
  readonly fallback: string | null;
}

export interface ImportedHeader extends RequestedInput {
  /** Value from the document; null if an administrator must enter it. */
  readonly value: string | null;
  /** Template of the value, such as `Bearer {token}`; null for none. */
  readonly template: string | null;
}

/** A package of a server, which a client would have to run. */
export interface ImportedPackage {
  /** Such as `npm` or `oci`. */
  readonly registryType: string;
  readonly identifier: string;
  readonly version: string;
}

/** A remote of an imported server, which becomes an integration. */
export interface ImportedRemote {
  readonly transport: 'http' | 'sse';
  /** URL that may have variables such as `{tenant}`; `filledUrl` inserts their values. */
  readonly url: string;
  readonly variables: readonly RequestedInput[];
  readonly headers: readonly ImportedHeader[];
}

export interface ImportedServer {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly remotes: readonly ImportedRemote[];
  /** The first 20 packages. They are shown and never run. */
  readonly packages: readonly ImportedPackage[];
}

/** Reverse-DNS namespace and name (schema 2025-12-11). */
const NAME = /^[a-zA-Z0-9.-]{1,128}\/[a-zA-Z0-9._-]{1,128}$/;
const VARIABLE = /\{([A-Za-z0-9_-]{1,64})\}/g;
/** Letters, digits and hyphens, so that a value stays inside its host label or path segment. */
const VARIABLE_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const REMOTES_MAX = 20;
const INPUTS_MAX = 50;
const HEADER_NAME = /^[A-Za-z0-9-]{1,128}$/;
const HEADER_VALUE_MAX = 4_096;

const TRANSPORTS: Readonly<Record<string, ImportedRemote['transport']>> = {
  'streamable-http': 'http',
  sse: 'sse',
};

const refuse = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });

/**
 * Reads a `server.json` of the MCP registry (schema 2025-12-11), or the `server` of a registry
 * response. Refuses documents with commands in top-level members. URLs must pass the address policy
 * with every variable replaced by a letter.
 */
export function readServerJson(
  document: unknown,
  policy: AddressPolicy,
): Checked<{ readonly server: ImportedServer }> {
  if (!isObject(document)) return refuse('server.json must be an object.');
  if (['command', 'args', 'env', 'mcpServers'].some((name) => own(document, name) !== undefined))
    return refuse('Servers that are started by a command cannot be imported; run them behind a bridge.');
  const [name, version] = [own(document, 'name'), own(document, 'version')];
  if (typeof name !== 'string' || !NAME.test(name)) return refuse('name must be like com.example/server.');
  const listed = ownList(document, 'remotes');
  if (listed.length > REMOTES_MAX) return refuse(`A server has at most ${String(REMOTES_MAX)} remotes.`);
  const remotes: ImportedRemote[] = [];
  for (const each of listed) {
    const remote = readRemote(each, policy);
    if (typeof remote === 'string') return refuse(remote);
    remotes.push(remote);
  }
  const packages = ownList(document, 'packages').slice(0, REMOTES_MAX).filter(isObject).map(packageOf);
  if (remotes.length + packages.length === 0) return refuse('The server has no remotes.');
  return {
    ok: true,
    server: {
      name,
      title: textOf(document, 'title', 100),
      description: textOf(document, 'description', 500),
      version: typeof version === 'string' ? truncated(version, 255) : '',
      remotes,
      packages,
    },
  };
}

const textOf = (value: JsonObject, name: string, lengthMax: number): string => {
  const text = own(value, name);
  return typeof text === 'string' ? truncated(text, lengthMax) : '';
};

/** Reads a remote. Returns the reason as a text if it is invalid. */
function readRemote(value: unknown, policy: AddressPolicy): ImportedRemote | string {
  if (!isObject(value)) return 'A remote must be an object.';
  const [type, url] = [own(value, 'type'), own(value, 'url')];
  const transport =
    typeof type === 'string' && Object.hasOwn(TRANSPORTS, type) ? TRANSPORTS[type] : undefined;
  if (transport === undefined) return 'The type of a remote must be streamable-http or sse.';
  if (typeof url !== 'string') return 'A remote must have a URL.';
  const headers = ownList(value, 'headers');
  if (headers.length > INPUTS_MAX) return `A remote has at most ${String(INPUTS_MAX)} headers.`;
  if (!headers.every((each) => isObject(each) && HEADER_NAME.test(textOf(each, 'name', 129))))
    return 'A header of a remote must have a name.';
  const variables = variablesOf(url, ownObject(value, 'variables'));
  if (variables.length > INPUTS_MAX) return `A remote has at most ${String(INPUTS_MAX)} variables.`;
  const verdict = policy.checkUrl(url.replace(VARIABLE, 'a'));
  if (!verdict.ok) return verdict.rule;
  return {
    transport,
    url,
    variables,
    headers: headers.filter(isObject).map(headerOf),
  };
}

const packageOf = (listed: JsonObject): ImportedPackage => ({
  registryType: textOf(listed, 'registryType', 64),
  identifier: textOf(listed, 'identifier', 500),
  version: textOf(listed, 'version', 255),
});

const HAS_VARIABLE = /\{[A-Za-z0-9_-]{1,64}\}/;

/** Reads a header. A value without variables is used as it is, unless it is a secret. */
function headerOf(described: JsonObject): ImportedHeader {
  const input = inputOf(textOf(described, 'name', 128), described);
  const text = own(described, 'value');
  const value = typeof text === 'string' && text.length <= HEADER_VALUE_MAX ? text : null;
  const isTemplate = value !== null && HAS_VARIABLE.test(value);
  return {
    ...input,
    value: isTemplate || input.isSecret ? null : value,
    template: isTemplate ? value : null,
  };
}

function variablesOf(url: string, described: JsonObject): readonly RequestedInput[] {
  const names = [...new Set([...url.matchAll(VARIABLE)].map(([, name = '']) => name))];
  return names.map((name) => inputOf(name, { isRequired: true, ...ownObject(described, name) }));
}

const inputOf = (name: string, described: JsonObject): RequestedInput => ({
  name,
  description: textOf(described, 'description', 500),
  isSecret: own(described, 'isSecret') === true,
  isRequired: own(described, 'isRequired') === true,
  choices: ownList(described, 'choices')
    .filter((each) => typeof each === 'string')
    .slice(0, INPUTS_MAX),
  fallback: fallbackOf(described),
});

/**
 * Returns the default value; null without one, and for a secret: a published default is not a
 * secret.
 */
function fallbackOf(described: JsonObject): string | null {
  const text = textOf(described, 'default', HEADER_VALUE_MAX);
  return text === '' || own(described, 'isSecret') === true ? null : text;
}

/**
 * Returns the URL of a remote with the values of its variables: letters, digits and hyphens only.
 * Checks the address again, because the host may contain variables.
 */
export function filledUrl(
  { url, variables }: ImportedRemote,
  values: Readonly<Record<string, string>>,
  policy: AddressPolicy,
): Checked<{ readonly url: URL }> {
  const filled = new Map<string, string>();
  for (const { name, choices, fallback } of variables) {
    const value = givenIn(values, name) ?? fallback;
    if (value === null || !VARIABLE_VALUE.test(value))
      return refuse(`The variable ${name} must have letters, digits and hyphens only.`);
    if (choices.length > 0 && !choices.includes(value))
      return refuse(`The variable ${name} must be one of its choices.`);
    filled.set(name, value);
  }
  const verdict = policy.checkUrl(url.replace(VARIABLE, (_match, name: string) => filled.get(name) ?? ''));
  return verdict.ok ? { ok: true, url: verdict.url } : refuse(verdict.rule);
}

const givenIn = (values: Readonly<Record<string, string>>, name: string): string | null =>
  Object.hasOwn(values, name) ? (values[name] ?? null) : null;

/** Returns the value of a header; null if the header is left out. */
function headerValue(
  { name, value: fixed, fallback, choices, isRequired }: ImportedHeader,
  given: string | null,
): Checked<{ readonly value: string | null }> {
  if (fixed !== null && given !== null && given !== fixed)
    return refuse(`The header ${name} has a value in the document, which cannot be changed.`);
  const value = fixed ?? given ?? fallback;
  if (value === null && isRequired) return refuse(`The header ${name} needs a value.`);
  if (value !== null && choices.length > 0 && !choices.includes(value))
    return refuse(`The header ${name} must be one of its choices.`);
  return { ok: true, value };
}

/**
 * Returns the headers of a remote with the entered values, by lower-case name. Refuses values for
 * headers that the document does not have, or whose values it sets.
 */
export function filledHeaders(
  { headers }: ImportedRemote,
  values: Readonly<Record<string, string>>,
): Checked<{ readonly headers: Readonly<Record<string, string>> }> {
  const given = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]));
  const filled: [string, string][] = [];
  for (const header of headers) {
    const name = header.name.toLowerCase();
    const verdict = headerValue(header, given.get(name) ?? null);
    if (!verdict.ok) return verdict;
    given.delete(name);
    if (verdict.value !== null) filled.push([name, verdict.value]);
  }
  const [unknown] = given.keys();
  if (unknown !== undefined) return refuse(`The remote has no header ${unknown.slice(0, 128)}.`);
  return { ok: true, headers: Object.fromEntries(filled) };
}
