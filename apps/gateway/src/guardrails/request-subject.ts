import { Buffer, isUtf8 } from 'node:buffer';
import {
  dialectOf,
  pathTypeOf,
  requestTypeOf,
  Work,
  type Eventually,
  type RequestFacts,
} from '@gw/guardrails';
import { GatewayError, withExactNumbers, type ExactNumbers } from '@gw/kernel';
import type { CompiledTarget } from '@gw/routing';
import { formScan, shallowScan, type JsonObject, type ShallowScan } from '@gw/providers';
import { addressedScan } from '../bodies/addressed-scan';
import { parseJsonObject } from '../bodies/json-body';
import { assertReadableWhole } from '../bodies/read-whole';
import type { Upstream } from '../core/upstream';
import { ruledBody } from '../attempt/request/request-body';
import type { RequestView, RequestContext } from '../core/request-context';
import { familyOfPath } from '../routes/plain-path';
import { isForm, readForm, readLargeForm, type FormFields } from './form-fields';

/** Returns the facts about a request to an upstream that guardrails read. */
export function factsOf(context: RequestContext, { provider, saved, model }: Upstream): RequestFacts {
  const { route, method, url, query, req, scan, metadata } = context;
  const isPassthrough = route.kind === 'passthrough';
  const family = isPassthrough ? familyOfPath(route.upstreamPath) : route.kind;
  return {
    dialect: dialectOf(family),
    requestType: requestTypeOf(route.name, route.kind),
    isPassthrough,
    ...(isPassthrough && family !== '' && { pathType: pathTypeOf(family) }),
    method,
    path: url.slice(0, url.length - query.length),
    contentType: req.headers['content-type'] ?? null,
    provider: provider.id,
    ...(saved !== null && { savedProvider: saved.slug }),
    model,
    metadata,
    headers: headersOf(context),
    isStreaming: scan?.stream === true,
    ...(context.guardrails !== null && { models: context.guardrails }),
    work: workOf(context),
  };
}

const WORK = new WeakMap<RequestContext, Work>();

/** Returns the work budget that all targets and responses of a request share. */
export function workOf(context: RequestContext): Work {
  let work = WORK.get(context);
  if (!work) {
    work = new Work(context.principal?.workspace.id ?? '');
    WORK.set(context, work);
  }
  return work;
}

export function headersOf({ req, gw }: RequestContext): Readonly<Record<string, string>> {
  const { apiKey } = gw;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(req.headers)) {
    const text = Array.isArray(value) ? value.join(', ') : value;
    if (text !== undefined && (apiKey === null || !text.includes(apiKey))) headers[name] = text;
  }
  return headers;
}

/** A text body that is not JSON, as guardrails see it. */
export interface TextBody {
  readonly text: string;
}

/**
 * A body to be judged: parsed JSON, other text as a single member of an object, or null when it is
 * neither.
 */
export interface SeenBody {
  readonly value: unknown;
  readonly isText: boolean;
  /** Set for a multipart form, whose fields are in `value`. */
  readonly form?: FormFields;
}

const NOTHING: SeenBody = { value: null, isText: false };

/**
 * Reads the body for guardrails. Throws or rejects with `body_encoding_unsupported`,
 * `body_too_large` or `body_invalid` when the body cannot be read, because it must not bypass its
 * guardrails.
 */
export function requestBody(context: RequestContext): Eventually<SeenBody> {
  const { body, scan, spooled, req, upgrade } = context;
  // The parameters of a handshake are in its query, which `json` returns.
  if (upgrade !== null) return { value: context.json(parseJsonObject), isText: false };
  refuseEncoded(context);
  if (scan !== null && !scan.isForm) {
    if (spooled === null) return { value: context.json(parseJsonObject), isText: false };
    throw new GatewayError('body_too_large', {
      message: 'The request body is too large for the guardrails that judge it.',
    });
  }
  const type = req.headers['content-type'];
  if (isForm(type) && spooled !== null)
    return readLargeForm(spooled.source(null).open(), type).then(seenForm);
  if (body.length === 0) return NOTHING;
  if (isForm(type)) return seenForm(readForm(body, type));
  assertReadableWhole(body);
  return textBody(body);
}

/**
 * Returns the JSON body after the parameter rules of a target, as the provider receives it; null
 * when no rule applies to the body.
 */
export function bodyAfterRules(context: RequestContext, target: CompiledTarget): JsonObject | null {
  const { scan, spooled, upgrade, body } = context;
  const isWhole = upgrade === null && spooled === null && body.length > 0;
  if (!target.hasParamRules || !isWhole || scan === null || scan.isForm === true) return null;
  return ruledBody(context.json(parseJsonObject), target);
}

function refuseEncoded({ body, spooled, req }: RequestContext): void {
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity' && (body.length > 0 || spooled !== null)) {
    throw new GatewayError('body_encoding_unsupported', {
      param: 'content-encoding',
      message: 'Guardrails accept only bodies without a content encoding.',
    });
  }
}

const seenForm = (form: FormFields): SeenBody => ({ value: form.value(), isText: false, form });

/** Reads a text body: JSON objects and lists are parsed, any other text stays text. */
export function textBody(body: Buffer): SeenBody {
  if (!isUtf8(body)) return NOTHING;
  const text = body.toString('utf8');
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return { value, isText: false };
  } catch {
    // Text that is not JSON is judged as plain text.
  }
  return { value: { text } satisfies TextBody, isText: true };
}

/** Serialises a value. `numbers` is the original spelling of its numbers. */
export const bytesOf = (value: unknown, isText: boolean, numbers: ExactNumbers | null): Buffer =>
  Buffer.from(isText ? (value as TextBody).text : withExactNumbers(value, numbers));

/**
 * Returns the request with its body replaced. With `isPlain` it requests a response without content
 * encoding, so that guardrails can read it.
 */
export function requestWith(
  context: RequestContext,
  body: Buffer | null,
  parsed: JsonObject | null,
  isPlain: boolean,
): RequestView {
  const { gw, metadata, spooled, principal, attempts, config, configSource, startedWallMs } = context;
  const { method, query, route, upgrade, req } = context;
  const { rawHeaders, headers } = req;
  return {
    gw,
    metadata,
    body: body ?? context.body,
    spooled,
    scan: body === null ? context.scan : scanOf(context, body, parsed !== null),
    principal,
    attempts,
    config,
    configSource,
    startedWallMs,
    method,
    query,
    route,
    upgrade,
    req: isPlain ? { rawHeaders: plainResponses(rawHeaders), headers } : req,
    isParsed: body === null && context.isParsed,
    json: (parse) => (body === null ? context.json(parse) : (parsed ?? parse(body))),
  };
}

function scanOf({ scan, req, route }: RequestContext, body: Buffer, isJson: boolean): ShallowScan | null {
  if (isJson) return addressedScan(route, shallowScan(body));
  return scan?.isForm ? formScan(body, req.headers['content-type']) : null;
}

function plainResponses(rawHeaders: readonly string[]): string[] {
  const kept: string[] = ['accept-encoding', 'identity'];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.toLowerCase() !== 'accept-encoding') kept.push(name, rawHeaders[at + 1] as string);
  }
  return kept;
}
