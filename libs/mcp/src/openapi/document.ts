import { isObject } from '@gw/kernel';
import type { JsonObject } from '../protocol';
import { own } from '../rpc/message';

/**
 * Thrown when an OpenAPI document, a selection or the arguments of a call cannot be used. The
 * message is public.
 */
export class OpenApiFault extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'OpenApiFault';
  }
}

/** Maximum length of a chain of references; a longer chain counts as circular. */
export const REFERENCE_DEPTH_MAX = 8;

/**
 * Checks the version of a parsed document: OpenAPI 3.0 or 3.1. Throws an `OpenApiFault` for others.
 * The caller bounds its size (5 MB) and depth before it parses it.
 */
export function checkOpenApi(document: unknown): JsonObject {
  if (!isObject(document)) throw new OpenApiFault('The OpenAPI document must be an object.');
  if (own(document, 'swagger') !== undefined)
    throw new OpenApiFault('Swagger 2.0 is not supported; convert the document to OpenAPI 3.1.');
  const version = own(document, 'openapi');
  if (typeof version === 'string' && /^3\.[01](?:\.\d{1,3})?$/.test(version)) return document;
  throw new OpenApiFault('openapi must be 3.0 or 3.1.');
}

/**
 * Follows references within a document and returns the object at their end. Throws for external
 * references, unresolved references and long chains.
 */
export function resolved(document: JsonObject, value: unknown): JsonObject {
  let at = value;
  for (let hops = 0; hops <= REFERENCE_DEPTH_MAX; hops += 1) {
    if (!isObject(at)) throw new OpenApiFault('The document has something else where an object is expected.');
    const reference = own(at, '$ref');
    if (typeof reference !== 'string') return at;
    at = referenced(document, reference);
  }
  throw new OpenApiFault('The document has a reference to itself.');
}

/**
 * Resolves a reference within the document. Throws for references to other documents and for
 * unresolved ones.
 */
export function referenced(document: JsonObject, reference: string): unknown {
  if (!reference.startsWith('#/') || reference.length > 512)
    throw new OpenApiFault('References to other documents are not supported.');
  let at: unknown = document;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    at = propertyOf(at, name);
  }
  if (at === undefined) throw new OpenApiFault(`The reference ${reference.slice(0, 128)} leads nowhere.`);
  return at;
}

function propertyOf(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^\d{1,6}$/.test(name) ? (value as unknown[])[Number(name)] : undefined;
  return isObject(value) ? own(value, name) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Returns the address of a `servers` entry. Throws unless each variable has an `enum` that contains
 * its value.
 */
export function openApiServerUrl(server: JsonObject, values: Readonly<Record<string, string>>): string {
  const url = own(server, 'url');
  if (typeof url !== 'string' || url.length > 2_048) throw new OpenApiFault('A server needs a URL.');
  const variables = own(server, 'variables');
  return url.replace(/\{([^{}]{1,64})\}/g, (_match, name: string) => {
    const variable = isObject(variables) ? own(variables, name) : undefined;
    const choices = isObject(variable) ? own(variable, 'enum') : undefined;
    const value =
      (Object.hasOwn(values, name) ? values[name] : undefined) ??
      (isObject(variable) ? own(variable, 'default') : undefined);
    if (Array.isArray(choices) && choices.includes(value) && typeof value === 'string') return value;
    throw new OpenApiFault(`The server variable ${name} must be one of its enum.`);
  });
}
