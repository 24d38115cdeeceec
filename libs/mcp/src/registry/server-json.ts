import { isObject, type AddressPolicy } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own, ownList, ownObject } from '../rpc/message';
import type { Checked } from '../upstream/metadata';

/** A value that an administrator must give before the server can be used. */
export interface RequestedInput {
  readonly name: string;
  readonly description: string;
  /** Stored sealed. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  /** Allowed values; empty: any that the place allows. */
  readonly choices: readonly string[];
}

/** A remote of an imported server, which becomes an integration. */
export interface ImportedRemote {
  readonly transport: 'http' | 'sse';
  /** May hold variables such as `{tenant}`; `filledUrl` writes their values. */
  readonly url: string;
  readonly variables: readonly RequestedInput[];
  readonly headers: readonly RequestedInput[];
}

export interface ImportedServer {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly version: string;
  readonly remotes: readonly ImportedRemote[];
  /** Packages need a runner; they are shown and never run. */
  readonly packages: number;
}

/** Reverse-DNS namespace and name, as of the schema of 2025-12-11. */
const NAME = /^[a-zA-Z0-9.-]{1,128}\/[a-zA-Z0-9._-]{1,128}$/;
const VARIABLE = /\{([A-Za-z0-9_-]{1,64})\}/g;
/** Letters, digits and hyphens, so that a value cannot leave its label or segment. */
const VARIABLE_VALUE = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const REMOTES_MAX = 20;
const INPUTS_MAX = 50;
const HEADER_NAME = /^[A-Za-z0-9-]{1,128}$/;

const TRANSPORTS: Readonly<Record<string, ImportedRemote['transport']>> = {
  'streamable-http': 'http',
  sse: 'sse',
};

const refuse = (reason: string): { readonly ok: false; readonly reason: string } => ({ ok: false, reason });

/**
 * Reads a `server.json` of the MCP registry (schema 2025-12-11), or the `server` of a registry
 * response. Commands are refused, wherever the document has them at the top; URLs must pass the
 * address policy with every variable replaced by a letter.
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
  const packages = ownList(document, 'packages').length;
  if (remotes.length + packages === 0) return refuse('The server has no remotes.');
  return {
    ok: true,
    server: {
      name,
      title: textOf(document, 'title', 100),
      description: textOf(document, 'description', 500),
      version: typeof version === 'string' ? version.slice(0, 255) : '',
      remotes,
      packages,
    },
  };
}

const textOf = (value: JsonObject, name: string, lengthMax: number): string => {
  const text = own(value, name);
  return typeof text === 'string' ? text.slice(0, lengthMax) : '';
};

/** A remote, or what is wrong with it. */
function readRemote(value: unknown, policy: AddressPolicy): ImportedRemote | string {
  if (!isObject(value)) return 'A remote must be an object.';
  const [type, url] = [own(value, 'type'), own(value, 'url')];
  const transport =
    typeof type === 'string' && Object.hasOwn(TRANSPORTS, type) ? TRANSPORTS[type] : undefined;
  if (transport === undefined) return 'The type of a remote must be streamable-http or sse.';
  if (typeof url !== 'string') return 'A remote must have a URL.';
  const headers = ownList(value, 'headers');
  if (headers.length > INPUTS_MAX) return `A remote has at most ${String(INPUTS_MAX)} headers.`;
  if (!headers.every((each) => isObject(each) && HEADER_NAME.test(String(own(each, 'name')))))
    return 'A header of a remote must have a name.';
  const verdict = policy.checkUrl(url.replace(VARIABLE, 'a'));
  if (!verdict.ok) return verdict.rule;
  return {
    transport,
    url,
    variables: variablesOf(url, ownObject(value, 'variables')),
    headers: headers
      .filter(isObject)
      .filter(needsValue)
      .map((each) => inputOf(String(own(each, 'name')), each)),
  };
}

/** A header whose value is in the document needs none from an administrator. */
const needsValue = (header: JsonObject): boolean =>
  typeof own(header, 'value') !== 'string' || own(header, 'isSecret') === true;

function variablesOf(url: string, described: JsonObject): readonly RequestedInput[] {
  const names = [...new Set([...url.matchAll(VARIABLE)].map(([, name = '']) => name))].slice(0, INPUTS_MAX);
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
});

/**
 * The URL of a remote with the values of its variables: letters, digits and hyphens only. Checks the
 * address again, because the host may be made of them.
 */
export function filledUrl(
  { url, variables }: ImportedRemote,
  values: Readonly<Record<string, string>>,
  policy: AddressPolicy,
): Checked<{ readonly url: URL }> {
  for (const { name, choices } of variables) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined || !VARIABLE_VALUE.test(value))
      return refuse(`The variable ${name} must have letters, digits and hyphens only.`);
    if (choices.length > 0 && !choices.includes(value))
      return refuse(`The variable ${name} must be one of its choices.`);
  }
  const verdict = policy.checkUrl(url.replace(VARIABLE, (_match, name: string) => values[name] ?? ''));
  return verdict.ok ? { ok: true, url: verdict.url } : refuse(verdict.rule);
}
